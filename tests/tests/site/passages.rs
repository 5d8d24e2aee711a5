//! Lookups of pasted texts on a site that is large enough to need lists: passages, error messages,
//! whole pages, and titles. Also the lists that stay unchanged when a page is edited.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use pagekin_core::LookupOptions;
use pagekin_index::LocalIndex;
use pagekin_pages::PageSource;
use pagekin_tests::collection::Collection;
use pagekin_tests::place::{Place, on_index, similar, snapshot, words};
use pagekin_tests::program::{Answer, SearchResult, arguments, pagekin};
use serde_json::Value;

/// A number of pages that needs lists.
const PAGES: u64 = 420;
/// Minimum number of lists in a file. An observer of requests learns only that one of that many
/// terms was looked up.
const MIN_LISTS: u64 = 64;

fn collection() -> Collection {
    Collection::new(PAGES, 1)
}

fn url(at: u64) -> String {
    format!("/{at:04}.html")
}

/// Returns a heading of three words that no other page contains.
fn heading(at: u64) -> String {
    words(at as u32 * 3, 3)
}

/// Returns a page of ordinary length, with a heading and an error message.
fn page_html(at: u64, more: &str) -> String {
    let page = collection().page(at).expect("any page can be made");
    format!(
        "<!doctype html><html lang=en><title>{}</title><main><p>{}</p><h2>{}</h2>
        <p>error: AH{at:05}: cannot open pg_{at}_log</p><p>{more}</p></main></html>",
        page.title,
        page.text,
        heading(at)
    )
}

fn site() -> Place {
    let place = Place::empty();
    for at in 0..PAGES {
        place.write(&format!("site{}", url(at)), page_html(at, ""));
    }
    place
}

fn built() -> &'static Place {
    static BUILT: OnceLock<Place> = OnceLock::new();
    BUILT.get_or_init(|| {
        let place = site();
        place.build(&[]);
        place
    })
}

/// Returns long pages without copies on the site, with their texts.
fn long_pages() -> Vec<(u64, Vec<String>)> {
    let collection = collection();
    let copied: BTreeSet<u64> =
        (0..PAGES).filter_map(|at| collection.planted(at)).map(|(of, _)| of).collect();
    let plain = (0..PAGES).filter(|at| collection.planted(*at).is_none() && !copied.contains(at));
    let texts = plain.map(|at| {
        let text = collection.page(at).expect("any page can be made").text;
        (at, text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    });
    let long: Vec<_> = texts.filter(|(_, words)| words.len() > 200).step_by(4).collect();
    assert!(long.len() >= 15, "{}", long.len());
    long
}

/// Returns a few lines from the middle of a page.
fn passage(text: &[String]) -> String {
    text[text.len() / 2..][..30].join(" ")
}

fn inspect(out: &Path) -> Value {
    let json = on_index("inspect", out, &["--verify", "--json"]).ok();
    serde_json::from_str(&json).expect("it is JSON")
}

#[test]
fn a_passage_of_a_long_page_finds_it_first() {
    for (at, text) in long_pages() {
        let answer = built().similar_to(&passage(&text), &[]);
        let first = &answer.results[0];
        assert_eq!((&first.url, answer.ranked_by.as_str()), (&url(at), "coverage"), "{answer:?}");
        assert!(
            first.coverage == 1.0 && first.similarity < 0.6 && first.confidence != "low",
            "{first:?}"
        );
        // The manifest; lists; blocks; and if chance may have put the words there, more of both.
        assert!((3..=5).contains(&answer.cost.rounds), "{:?}", answer.cost);
    }
}

#[test]
fn an_error_message_finds_the_page_with_its_identifiers() {
    for at in [3, 150, 260, 419] {
        for text in [
            format!("AH{at:05}"),
            format!("pg_{at}_log"),
            format!("2026-02-03 server[17]: error: ah{at:05}: cannot open pg_{at}_log: no quokka"),
        ] {
            let answer = built().similar_to(&text, &[]);
            assert_eq!(answer.urls()[0], url(at), "{text}: {answer:?}");
            assert!(answer.results[0].confidence != "low", "{text}: {answer:?}");
        }
    }
}

#[test]
fn unknown_words_do_not_hide_others() {
    // Longer than any other words, so that they seem most specific.
    let unknown = "quokkaquokka numbatnumbat bilbybilbybilby potoroopotoroo bettongbettong";
    for (at, text) in long_pages() {
        let answer = built().similar_to(&format!("{unknown} {}", passage(&text)), &[]);
        assert_eq!(answer.urls()[0], url(at), "{answer:?}");
        let found = answer.results[0].coverage;
        assert!(0.4 < found && found < 1.0, "{found}");
        let heading = built().similar_to(&format!("{unknown} {}", heading(at)), &[]);
        assert_eq!(heading.urls()[0], url(at), "{heading:?}");
    }
}

#[test]
fn a_page_and_its_text_are_ranked_by_similarity() {
    for (at, text) in long_pages() {
        let page = url(at);
        let of_url = built().similar(&["--url", &page]);
        assert_eq!(of_url.ranked_by, "similarity");
        let whole = built().similar_to(&text.join(" "), &[]);
        assert_eq!(
            (whole.ranked_by.as_str(), whole.urls()[0]),
            ("similarity", &*page),
            "{whole:?}"
        );
        for Answer { results, .. } in [of_url, whole] {
            assert!(results.is_sorted_by(|a, b| a.similarity >= b.similarity), "{results:?}");
        }
    }
}

#[test]
fn a_text_has_secondary_results_by_the_other_score_where_useful() {
    let mut both = 0;
    for (at, text) in long_pages() {
        for asked in [text[..text.len() / 4].join(" "), text.join(" ")] {
            let answer = built().similar_to(&asked, &[]);
            let Some(first) = answer.other_results.first() else { continue };
            both += 1;
            assert!(first.confidence != "low", "{answer:?}");
            if answer.ranked_by == "coverage" {
                assert!(
                    answer.other_results.is_sorted_by(|a, b| a.similarity >= b.similarity),
                    "{answer:?}"
                );
            }
            let glance =
                |list: &[SearchResult]| list.iter().take(3).map(|kin| kin.url.clone()).collect();
            let (first, second): (Vec<_>, Vec<_>) =
                (glance(&answer.results), glance(&answer.other_results));
            assert!(second.iter().any(|url| !first.contains(url)), "{answer:?}");
            let output = built().try_similar_to(&asked, &[]).ok();
            let headings = ["by coverage:\n", "by similarity:\n"];
            assert!(headings.iter().all(|heading| output.contains(heading)), "{output}");
        }
        assert_eq!(built().similar(&["--url", &url(at)]).other_results, [], "of a page");
        assert_eq!(
            built().similar_to(&text[..8].join(" "), &[]).other_results,
            [],
            "of a few words"
        );
    }
    assert!(both > 5, "{both}");
}

#[test]
fn a_few_words_are_not_treated_as_a_page() {
    let record = |at: u32| format!("<title>{at}</title><main>{}</main>", words(at * 7, 16));
    let records: Vec<_> = (0..90).map(|at| (format!("{at}.html"), record(at))).collect();
    let pages: Vec<_> = records.iter().map(|(name, html)| (&**name, &**html)).collect();
    let place = Place::with(&pages);
    place.build(&[]);
    // Some words of two records: half as long as one, and slightly similar to both.
    let asked = format!("{} {}", words(10 * 7 + 2, 5), words(40 * 7 + 2, 4));
    let answer = place.similar_to(&asked, &[]);
    assert_eq!((&*answer.ranked_by, answer.other_results.len()), ("coverage", 0), "{answer:?}");
    let whole = place.similar_to(&words(10 * 7, 16), &[]);
    assert_eq!((&*whole.ranked_by, whole.urls()[0]), ("similarity", "/10.html"), "{whole:?}");
}

#[test]
fn only_results_with_enough_coverage_are_called_a_match() {
    // No page contains more than one of these words, and some page contains each.
    let text = (0..12).map(|page| words(page * 90, 1)).collect::<Vec<_>>().join(" ");
    let answer = built().similar_to(&text, &[]);
    assert!(
        answer.results.len() > 3 && answer.results.iter().all(|result| result.confidence == "low"),
        "{answer:?}"
    );
    let output = built().try_similar_to(&text, &[]).ok();
    assert!(
        !output.contains("(medium confidence)") && !output.contains("(high confidence)"),
        "{output}"
    );
    let (_, text) = &long_pages()[0];
    let output = built().try_similar_to(&passage(text), &["--limit", "1"]).ok();
    assert!(output.starts_with("by coverage:\n"), "{output}");
    assert!(output.contains("coverage 100%") && output.contains("(high confidence)"), "{output}");
}

#[test]
fn typed_words_of_titles_and_headings_find_pages() {
    let mut folder = LocalIndex::open(&built().out()).expect("it is sound");
    let mut search = |words: &str| {
        let options = LookupOptions { limit: 3, ..LookupOptions::default() };
        folder.search(words, "", options).expect("it has words")
    };
    for (at, _) in long_pages() {
        let title = collection().page(at).expect("any page can be made").title;
        let found = search(&title).results;
        assert_eq!((&found[0].url, found[0].coverage), (&url(at), 1.0), "{title}");
        // The order of words does not matter, the last may be incomplete, and one may have a typo.
        let mut reversed: Vec<_> = title.split(' ').collect();
        reversed.reverse();
        assert_eq!(search(&format!("{} ", reversed.join(" "))).results[0].url, url(at), "{title}");
        let begun = &title[..title.len() - 1];
        assert!(search(begun).results.iter().any(|kin| kin.url == url(at)), "{begun}");
        let heading = heading(at);
        assert_eq!(search(&heading).results[0].url, url(at), "{heading}");
    }
    let answer = search("zzyzxq ");
    assert_eq!((answer.results.len(), &*answer.unmatched), (0, &["zzyzxq".to_owned()][..]));
}

/// Returns the names of the list files of an index.
fn lists(out: &Path) -> BTreeSet<String> {
    let names = snapshot(out).into_keys().filter(|name| name.ends_with(".shard"));
    names.filter(|name| name.contains("/lists/")).collect()
}

/// Compares two answers by the pages that both contain.
#[track_caller]
fn check_same(a: &Answer, b: &Answer) {
    assert_eq!((a.urls()[0], &a.ranked_by), (b.urls()[0], &b.ranked_by));
    let mut both = 0;
    for kin in &a.results {
        if let Some(other) = b.results.iter().find(|other| other.url == kin.url) {
            assert_eq!(
                (kin.similarity, kin.coverage),
                (other.similarity, other.coverage),
                "{}",
                kin.url
            );
            both += 1;
        }
    }
    assert!(2 * both > a.results.len().max(b.results.len()), "{a:?} {b:?}");
}

#[test]
fn an_edited_page_rewrites_few_lists_and_answers_stay() {
    let place = site();
    place.build(&[]);
    let before = lists(&place.out());
    let sound = inspect(&place.out());
    assert!(before.len() > 20, "{}", before.len());
    assert_eq!(sound["list_shards"], before.len());
    assert!(sound["verified"]["fewest_lists"].as_u64() >= Some(MIN_LISTS), "{sound}");

    // Words that are new to the site do not change the weights of other pages.
    let (edited, more) = (300, "quokkas nibble leaves beside bettongs");
    place.write(&format!("site{}", url(edited)), page_html(edited, more));
    let previous = place.out().display().to_string();
    let done = place.try_build(&["--previous", &previous]);
    assert!(!done.stderr.contains("from scratch"), "it follows: {done:?}");
    done.ok();
    let after = lists(&place.out());
    let new = after.difference(&before).count();
    assert!(after.len() == before.len() && new > 0, "{new} of {}", after.len());
    assert!(2 * new < after.len(), "{new} of {}", after.len());
    let sound = inspect(&place.out());
    assert!(sound["verified"]["fewest_lists"].as_u64() >= Some(MIN_LISTS), "{sound}");

    // The same with pages that are added and removed.
    let fresh = place.path("fresh");
    for gone in 0..12 {
        fs::remove_file(place.site().join(&url(gone)[1..])).expect("it is there");
    }
    for at in PAGES..PAGES + 12 {
        place.write(&format!("site{}", url(at)), page_html(at, ""));
    }
    let done = place.try_build(&["--previous", &previous]);
    assert!(!done.stderr.contains("from scratch"), "it follows: {done:?}");
    done.ok();
    let sound = inspect(&place.out());
    assert!(sound["verified"]["fewest_lists"].as_u64() >= Some(MIN_LISTS), "{sound}");
    assert_eq!(place.similar_to(&heading(PAGES + 3), &[]).urls()[0], url(PAGES + 3));
    assert!(!place.similar_to(&heading(3), &[]).urls().contains(&&*url(3)));

    // Once the edit is undone, except the words of one page, a full rebuild answers the same.
    for at in PAGES..PAGES + 12 {
        fs::remove_file(place.site().join(&url(at)[1..])).expect("it is there");
    }
    for at in 0..12 {
        place.write(&format!("site{}", url(at)), page_html(at, ""));
    }
    place.try_build(&["--previous", &previous]).ok();
    let site = place.site();
    let first = &["build".as_ref(), site.as_os_str(), "-o".as_ref(), fresh.as_os_str()];
    pagekin(arguments(first, &["--quiet"])).ok();
    let ask = |out: &Path, text: &str| similar(out, &["-"], text);
    assert_eq!(ask(&place.out(), more).urls()[0], url(edited));
    for (_, text) in long_pages() {
        for text in [passage(&text), text.join(" ")] {
            check_same(&ask(&place.out(), &text), &ask(&fresh, &text));
        }
    }
}
