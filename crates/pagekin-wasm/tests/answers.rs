//! The same lookups have the same answers natively, by the core, and in a browser, through the
//! bindings. They run with overflow checks, because the published module has none.
//!
//! `cargo test` runs them natively, and `cargo xtask test --only browser` in Chromium. The index is
//! that of `tests/formats`.

#[cfg(target_arch = "wasm32")]
use bindings as asked;
#[cfg(not(target_arch = "wasm32"))]
use core as asked;
use include_dir::{Dir, include_dir};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::{wasm_bindgen_test as test, wasm_bindgen_test_configure};

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test_configure!(run_in_browser);

static INDEX: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../tests/formats/1");

/// Returns the bytes of a file of the index.
fn file(name: &str) -> &'static [u8] {
    INDEX.get_file(name).map(include_dir::File::contents).expect("the index has the file")
}

/// The compared fields of a result: URL, similarity, coverage.
type Found = (String, f64, f64);

enum Query<'a> {
    Text(&'a str),
    Url(&'a str),
    Typed(&'a str),
}

/// Asks the core.
#[cfg(not(target_arch = "wasm32"))]
mod core {
    use super::{Found, Query, file};
    use pagekin_core::shard::MANIFEST_NAME;
    use pagekin_core::{Index, Lookup, LookupOptions, near};

    pub(crate) fn ask(query: &Query<'_>, limit: u32) -> Result<Vec<Found>, String> {
        let index = &mut Index::open(file(MANIFEST_NAME)).map_err(|error| error.code())?;
        let options = LookupOptions { limit, ..LookupOptions::default() };
        let lookup = match query {
            Query::Text(text) => Lookup::from_text(index, text, "", options),
            Query::Url(url) => Ok(Lookup::from_url(index, url, options)),
            Query::Typed(words) => Lookup::from_typed(index, words, "", options),
        };
        let mut lookup = lookup.map_err(|error| error.code())?;
        loop {
            let wanted = lookup.wanted(index).map_err(|error| error.code())?;
            if wanted.is_empty() {
                break;
            }
            for name in wanted {
                lookup.supply(index, &name, file(&name)).map_err(|error| error.code())?;
            }
        }
        let results = &lookup.answer().expect("nothing is wanted any more").results;
        Ok(results
            .iter()
            .map(|result| (result.url.clone(), result.similarity, result.coverage))
            .collect())
    }

    pub(crate) fn compare(text: &str, page: &str) -> f64 {
        near::comparison::compare(text, page).shared.a_in_b()
    }
}

/// Asks through the bindings, as `www/client/engine.js` does.
#[cfg(target_arch = "wasm32")]
mod bindings {
    use super::{Found, Query, file};
    use js_sys::{Array, Error};
    use pagekin_wasm::{Index, compare as of_texts, manifest_name};
    use wasm_bindgen::{JsCast, JsValue};

    pub(crate) fn ask(query: &Query<'_>, limit: u32) -> Result<Vec<Found>, String> {
        let index = Index::open(file(&manifest_name())).map_err(name)?;
        let mut lookup = match query {
            Query::Text(text) => {
                index.similar_to_text(text, "", limit, 0.0, false).map_err(name)?
            }
            Query::Url(url) => index.similar_to_url(url, limit, 0.0, false),
            Query::Typed(words) => index.search(words, "", limit).map_err(name)?,
        };
        loop {
            let wanted = lookup.wanted().map_err(name)?;
            if wanted.is_empty() {
                break;
            }
            for name_of_shard in wanted {
                lookup.supply(&name_of_shard, file(&name_of_shard)).map_err(name)?;
            }
        }
        let answer = array(lookup.answer().expect("nothing is wanted any more"));
        Ok(array(answer.get(0)).iter().map(found).collect())
    }

    pub(crate) fn compare(text: &str, page: &str) -> f64 {
        number(&array(of_texts(text, page).expect("the browser makes objects")).get(1))
    }

    fn found(result: JsValue) -> Found {
        let result = array(result);
        let url = result.get(0).as_string().expect("the first is the address");
        let numbers = array(result.get(2));
        (url, number(&numbers.get(1)), number(&numbers.get(2)))
    }

    pub(crate) fn array(value: JsValue) -> Array {
        value.dyn_into().expect("an array")
    }

    fn number(value: &JsValue) -> f64 {
        value.as_f64().expect("a number")
    }

    #[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
    fn name(error: Error) -> String {
        error.name().into()
    }
}

fn lines(query: &Query<'_>) -> String {
    let results = asked::ask(query, 3).expect("the index answers");
    let line = |(url, similarity, found): &Found| format!("{similarity:.3} {found:.3} {url}\n");
    results.iter().map(line).collect()
}

#[test]
fn texts_addresses_and_titles_are_answered() {
    let passage = "Feed the starter with flour and water, and let the dough rise overnight.";
    assert_eq!(
        lines(&Query::Text(passage)),
        "0.065 1.000 /kitchen/bread/sourdough.html\n\
         0.032 0.718 /kitchen/bread/baguette.html\n\
         0.039 0.606 /kitchen/bread/rye-loaf.html\n"
    );
    let german = "Den platten Reifen abnehmen und das Loch im Schlauch flicken.";
    assert_eq!(
        lines(&Query::Text(german)),
        "0.035 0.667 /de/fahrrad/reifenpanne.html\n\
         0.074 0.455 /de/fahrrad/\n\
         0.040 0.152 /de/\n"
    );
    assert_eq!(
        lines(&Query::Url("/garden/compost/worm-bin.html")),
        "0.172 0.322 /garden/compost/hot-heap.html\n\
         0.097 0.212 /garden/compost/leaf-mould.html\n\
         0.080 0.159 /garden/compost/\n"
    );
    assert_eq!(
        lines(&Query::Typed("rye loa")),
        "0.025 0.600 /kitchen/bread/rye-loaf.html\n\
         0.019 0.600 /archive/letters/slow-oven.html\n\
         0.019 0.600 /kitchen/bread/sourdough.html\n"
    );
}

/// `www/client/limits.js` repeats limits of the core.
#[test]
fn the_limits_of_the_client_are_those_of_the_core() {
    use pagekin_core::lookup::MAX_TEXT_BYTES;
    use pagekin_core::shard::{MAX_MANIFEST_BYTES, MAX_SHARD_BYTES};
    let script = include_str!("../../../www/client/limits.js");
    let limits: Vec<&str> = script.lines().filter(|line| line.starts_with("export")).collect();
    let max_file = MAX_MANIFEST_BYTES.max(MAX_SHARD_BYTES);
    let expected = [("MAX_TEXT", MAX_TEXT_BYTES), ("MAX_FILE", max_file)];
    let expected = expected
        .map(|(name, limit)| format!("export const {name} = 2 ** {};", limit.trailing_zeros()));
    assert_eq!(limits, expected);
    assert!(MAX_TEXT_BYTES.is_power_of_two() && max_file.is_power_of_two());
}

#[test]
fn what_cannot_be_answered_has_a_code() {
    let ask = |query: &Query<'_>| asked::ask(query, 3).expect_err("there is no answer");
    assert_eq!(ask(&Query::Text(" .,; ")), "EmptyQuery");
    assert_eq!(ask(&Query::Url("/nowhere.html")), "UnknownUrl");
}

/// Sums of frequencies, weights and lengths are at their maximum here.
#[test]
fn long_texts_overflow_nothing() {
    let mut text = "dough flour water starter oven ".repeat(100_000);
    let answer = |text: &str| asked::ask(&Query::Text(text), u32::MAX).expect("it is answered");
    assert!(!answer(&text).is_empty());
    let word = "\u{10ffff}x\u{301}字".repeat(20_000);
    text.push_str(&word);
    assert!(!answer(&text).is_empty());
    assert!((asked::compare(&text, &text) - 1.0).abs() < 1e-9);
}

/// Every shard with a changed byte is refused without a panic.
#[test]
fn damaged_shards_are_refused() {
    use pagekin_core::shard::MANIFEST_NAME;
    let sound = file(MANIFEST_NAME);
    let mut bytes = sound.to_vec();
    for at in (0..bytes.len()).step_by(7) {
        bytes[at] ^= 0x55;
        assert!(pagekin_core::Index::open(&bytes).is_err(), "byte {at}");
        bytes[at] = sound[at];
    }
}

/// The browser's parser with the core's rules.
#[cfg(target_arch = "wasm32")]
#[test]
fn pasted_html_is_read_as_a_build_reads_it() {
    use bindings::array;
    let html = "<!doctype html><html lang=de><title> Brot &amp; Butter </title><nav>Start</nav>\
                <main><h1>Brot</h1><p>Mehl<b>suppe</b><script>no()</script> kocht.\
                <i data-pagekin-index-attrs='title, data-x' data-x=Salz title=Hefe></i></main>";
    let page = array(pagekin_wasm::read_html(html).expect("there is a parser"));
    let part = |at| page.get(at).as_string().expect("a text");
    assert_eq!([part(0), part(1)], ["Brot & Butter", "de"]);
    assert_eq!(
        part(2).split_whitespace().collect::<Vec<_>>().join(" "),
        "Brot Mehlsuppe kocht. Hefe Salz"
    );
    let deep = "<div>".repeat(50_000);
    assert!(pagekin_wasm::read_html(&deep).is_ok());
}
