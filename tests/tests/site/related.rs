//! Related pages: the shards that a page's script reads and `related.json`, compared with all pairs
//! of pages.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use pagekin_core::bag::FREQUENCIES;
use pagekin_core::shard::{PageRecord, PageTerm};
use pagekin_index::LocalIndex;
use pagekin_tests::place::{Place, html, snapshot, teaching_site, words};
use pagekin_tests::program::{arguments, pagekin};
use pagekin_tests::truth::Truth;
use serde::Deserialize;
use serde_json::{Value, json};

/// The content of `related.json`, or of the shards in the same shape.
type Related = BTreeMap<String, Vec<SearchResult>>;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchResult {
    url: String,
    path: String,
    title: String,
    similarity: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    format: u32,
    generation: String,
    base: String,
    shards: u32,
    revised: BTreeMap<String, Vec<u32>>,
}

/// Builds the teaching site and reads `related.json`.
fn build(place: &Place, options: &[&str]) -> Related {
    let (site, out) = (teaching_site(), place.out());
    let first = &["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()];
    pagekin(arguments(first, &[options, &["--related-json", "--quiet"]].concat())).ok();
    read(&out)
}

fn entry(out: &Path) -> Entry {
    let json = fs::read_to_string(out.join("pagekin.kin")).expect("it is written");
    serde_json::from_str(&json).expect("it has the shape of `Entry`")
}

/// Looks up a page as a page's script does.
fn look_up(out: &Path, url: &str) -> Option<Vec<SearchResult>> {
    let base = entry(out).base;
    let mut shard = shard_of(out, url);
    let kin = shard.get_mut(url.strip_prefix(&base)?)?.take();
    let kin: Vec<(String, String, u32)> = serde_json::from_value(kin).expect("rows of kin");
    let kin = kin.into_iter().map(|(path, title, thousandths)| SearchResult {
        url: base.clone() + &path,
        path,
        title,
        similarity: f64::from(thousandths) / 1_000.0,
    });
    Some(kin.collect())
}

/// Returns the shard of a page.
fn shard_of(out: &Path, url: &str) -> Value {
    let Entry { generation, shards, revised, .. } = entry(out);
    let stem = url.trim_end_matches(".html").trim_end_matches('/');
    let hash = stem
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    let number = hash % shards;
    let revised = revised.into_iter().find(|(_, numbers)| numbers.contains(&number));
    let generation = revised.map_or(generation, |(generation, _)| generation);
    let name = format!("index/{generation}/related/{:02}/{number:04}.kin", number / 500);
    let bytes = fs::read(out.join(name)).expect("the index has it");
    let mut json = String::new();
    GzDecoder::new(&bytes[..]).read_to_string(&mut json).expect("it is a gzip file");
    serde_json::from_str(&json).expect("it is a shard")
}

/// Computes the cosine of all pairs of pages from their records, by the formula of
/// `index/profiles`. Titles must not add to it.
fn brute_force(out: &Path, most: usize) -> Related {
    let records = LocalIndex::open(out).and_then(|folder| folder.records()).expect("it is sound");
    let mut df: BTreeMap<u32, f64> = BTreeMap::new();
    let in_text = |record: &PageRecord| -> Vec<PageTerm> {
        record.terms.iter().filter(|term| !term.is_outside).copied().collect()
    };
    for term in records.iter().flat_map(in_text) {
        *df.entry(term.id).or_default() += 1.0;
    }
    let n = records.len() as f64;
    let step = |count: f64| libm::exp2((libm::log2(count) * 2.0).round() / 2.0);
    let weigh = |PageTerm { id: term, class, .. }: PageTerm| {
        let tf = f64::from(FREQUENCIES[usize::from(class)]);
        (term, libm::pow(tf.sqrt() * libm::log(step(n) / step(df[&term])), 0.6))
    };
    let scaled = |record: &PageRecord| -> BTreeMap<u32, f64> {
        let weights: Vec<_> =
            in_text(record).into_iter().filter(|term| df[&term.id] > 1.0).map(weigh).collect();
        let norm = weights.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        weights.into_iter().map(|(term, weight)| (term, weight / norm)).collect()
    };
    let pages: Vec<_> = records.iter().map(scaled).collect();
    let mut of_terms: BTreeMap<u32, Vec<(usize, f64)>> = BTreeMap::new();
    for (at, page) in pages.iter().enumerate() {
        for (&term, &weight) in page {
            of_terms.entry(term).or_default().push((at, weight));
        }
    }
    let kin_of = |page: usize| {
        let mut cosines = vec![0.0; pages.len()];
        for (term, weight) in &pages[page] {
            of_terms[term].iter().for_each(|&(other, b)| cosines[other] += weight * b);
        }
        let mut all: Vec<_> = cosines.into_iter().zip(0..).collect();
        all.swap_remove(page);
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let kin = all.into_iter().take(most).map(|(cosine, other)| SearchResult {
            url: records[other].url.clone(),
            path: records[other].url[1..].to_owned(),
            title: records[other].title.clone(),
            similarity: cosine,
        });
        (records[page].url.clone(), kin.collect())
    };
    (0..records.len()).map(kin_of).collect()
}

/// Checks that related pages are as similar as the expected ones. The order of equally similar
/// pages may differ.
#[track_caller]
fn check_same(found: &Related, truth: &Related) {
    assert_eq!(found.keys().collect::<Vec<_>>(), truth.keys().collect::<Vec<_>>());
    for (url, kin) in found {
        // Similarities below this are due to chance.
        let all = |kin: &[SearchResult]| kin.iter().map(|kin| kin.similarity).collect::<Vec<_>>();
        let of = |kin: &[SearchResult]| {
            all(kin).into_iter().filter(|&cosine| cosine > 0.05).collect::<Vec<_>>()
        };
        let (found, truth) = (of(kin), of(&truth[url]));
        let near = found.iter().zip(&truth).all(|(a, b)| (a - b).abs() < 0.002);
        assert!(found.len() == truth.len() && near, "{url}: {found:?}, expected {truth:?}");
    }
}

fn of_file(place: &Place) -> Related {
    read(&place.out())
}

/// Returns the related pages in `related.json`, by paths below its base.
fn read(out: &Path) -> Related {
    let json = fs::read_to_string(out.join("related.json")).expect("it was requested");
    let mut json: BTreeMap<String, Value> = serde_json::from_str(&json).expect("it is an object");
    let base = json.remove("base").expect("it has a base");
    let base = base.as_str().expect("it is a text");
    let shape = "it has the shape of `Related`";
    let related: Related = json
        .into_iter()
        .map(|(url, kin)| (url, serde_json::from_value(kin).expect(shape)))
        .collect();
    for kin in related.values().flatten() {
        assert_eq!(kin.url, format!("{base}{}", kin.path));
    }
    related
}

#[test]
fn related_pages_are_the_most_similar_of_all() {
    let place = Place::with_pages(300);
    for (options, most) in [(&[][..], 5), (&["--related-count", "2"], 2)] {
        place.build(&[options, &["--related-json"]].concat());
        check_same(&of_file(&place), &brute_force(&place.out(), most));
    }
}

/// Compares the related pages of the teaching site with its truth: they are not copies of the page,
/// at most one of several copies, and in the page's language.
#[test]
fn related_pages_are_not_copies() {
    let (truth, related) = (Truth::load(), build(&Place::empty(), &[]));
    let copies: Vec<_> = truth.copies.iter().filter(|copy| copy.kind == "exact").collect();
    assert!(!copies.is_empty());
    for (url, kin) in &related {
        let proposed = |address: &str| kin.iter().any(|kin| kin.url == address);
        for copy in &copies {
            let both = proposed(&copy.copy) && proposed(&copy.original);
            assert!(!both, "{url}: {} and its copy", copy.original);
            assert!(*url != copy.copy || !proposed(&copy.original), "{url}: its original");
            assert!(*url != copy.original || !proposed(&copy.copy), "{url}: its copy");
        }
        assert!(kin.len() >= 3 || truth.titles_alone.contains(url), "{url}: {kin:?}");
        if url.starts_with("/de/") && !url.contains("/archive/") {
            assert!(kin[0].url.starts_with("/de/"), "{url}: {kin:?}");
        }
    }
    let kin = &related["/kitchen/bread/sourdough.html"];
    assert!(kin[..3].iter().all(|kin| kin.url.starts_with("/kitchen/bread/")), "{kin:?}");
}

#[test]
fn the_shard_of_every_page_has_the_same_related_pages() {
    let place = Place::empty();
    for base in ["/", "/docs", "https://example.org/docs/"] {
        let related = build(&place, &["--base-url", base]);
        assert!(entry(&place.out()).shards > 1);
        for (url, kin) in &related {
            assert!(url.starts_with(base), "{url} is below {base}");
            assert_eq!(look_up(&place.out(), url).as_ref(), Some(kin), "{url} below {base}");
        }
        assert_eq!(look_up(&place.out(), "/none.html"), None);
    }
}

#[test]
fn the_entry_locates_the_shards() {
    let place = Place::with_pages(100);
    let summary = place.build(&["--base-url", "/docs"]);
    let Entry { format, generation, base, shards, revised } = entry(&place.out());
    assert_eq!((format, generation, &base[..], shards), (1, summary.generation, "/docs/", 2));
    assert_eq!(revised, BTreeMap::new());
    let part = summary.parts.iter().find(|part| part.name == "related").expect("it was written");
    assert_eq!(part.files, 3);
}

#[test]
fn related_json_has_a_line_per_page_in_order_and_is_optional() {
    let place = Place::with(&[
        ("b.html", "<title>B \"b\"</title><main>kestrels hover above the wet meadows</main>"),
        ("a.html", "<title>A</title><main>kestrels hover above some barns</main>"),
        ("c.html", "<title>C</title><main>lighthouse keepers</main>"),
    ]);
    place.build(&[]);
    assert!(!place.out().join("related.json").exists());
    place.build(&["--related-json"]);
    // They share two words. No other page contains any of their other words.
    let expected = r#"{
"base":"/",
"/a.html":[{"url":"/b.html","path":"b.html","title":"B \"b\"","similarity":1.0}],
"/b.html":[{"url":"/a.html","path":"a.html","title":"A","similarity":1.0}],
"/c.html":[]
}
"#;
    assert_eq!(fs::read_to_string(place.out().join("related.json")).expect("it is"), expected);
    // It is a file of the index, so the next build may replace it.
    place.build(&[]);
    assert!(!place.out().join("related.json").exists());
}

/// Returns a site of three pages, the first of which contains this list.
fn with_list(list: &str) -> Place {
    let page = |title: &str, text: &str| format!("<title>{title}</title><main>{text}</main>");
    Place::with(&[
        (
            "a.html",
            &format!(
                "<meta name='Pagekin:related' content='{list}'>{}",
                page("A", "kestrels hover above barns")
            ),
        ),
        ("b/index.html", &page("B", "kestrels hover above meadows")),
        ("c.html", &page("C", "lighthouse keepers")),
    ])
}

#[test]
fn a_page_can_set_its_own_list() {
    let urls = |related: &Related, url: &str| -> Vec<String> {
        related[url].iter().map(|kin| kin.url.clone()).collect()
    };
    let place = with_list("/c.html, b/, a.html, /c");
    place.build(&["--related-json", "--base-url", "/docs/"]);
    let related = of_file(&place);
    assert_eq!(urls(&related, "/docs/a.html"), ["/docs/c.html", "/docs/b/"], "as it names them");
    assert_eq!(urls(&related, "/docs/b/"), ["/docs/a.html"]);
    assert_eq!(related["/docs/a.html"][0].similarity, 0.0, "they share no word");
    assert_eq!(look_up(&place.out(), "/docs/a.html").as_ref(), Some(&related["/docs/a.html"]));

    let place = with_list("none");
    place.build(&["--related-json"]);
    assert!(of_file(&place)["/a.html"].is_empty());
}

#[test]
fn unknown_pages_in_a_list_are_reported() {
    let place = with_list("/c.html, /gone.html, https://example.com/x/y, /1, /2");
    let report = place.try_build(&["--related-json"]).ok();
    assert!(report.contains("/a.html declares /1 as related"), "{report}");
    assert!(report.contains("and 1 more (--verbose lists them)"), "{report}");
    assert!(!report.contains("https://example.com/x/y"), "{report}");
    let report = place.try_build(&["--related-json", "--verbose"]).ok();
    assert!(report.contains("/a.html declares /gone.html as related"), "{report}");
    assert!(!report.contains("--verbose lists them"), "{report}");
    let json: Value = serde_json::from_str(&place.try_build(&["--json"]).ok()).expect("a report");
    assert_eq!(json["unknown_related"][2], json!({"page": "/a.html", "address": "/gone.html"}));
}

#[test]
fn a_list_of_related_pages_does_not_relate_pages() {
    let list = "<pagekin-related><a href='/c.html'>lighthouse keepers</a></pagekin-related>";
    let page = |text: &str| format!("<main>{text}{list}</main>");
    let place = Place::with(&[
        ("a.html", &page("kestrels hover")),
        ("b.html", &page("meadows and barns")),
        ("c.html", "<main>lighthouse keepers</main>"),
    ]);
    place.build(&["--related-json"]);
    assert!(of_file(&place).values().all(Vec::is_empty));
}

#[test]
fn shards_name_copies_and_their_originals() {
    let place = Place::empty();
    let related = build(&place, &[]);
    let mut listed_copies = BTreeMap::new();
    for url in related.keys() {
        if let Some(copies) = shard_of(&place.out(), url)["#copies"].get(&url[1..]) {
            listed_copies.insert(url.clone(), copies.clone());
        }
    }
    let truth = Truth::load();
    for copy in truth.copies.iter().filter(|copy| copy.kind == "exact") {
        let row = &listed_copies[&copy.copy];
        assert_eq!(
            (&row[0], &row[2][0][0]),
            (&json!(1), &json!(copy.original[1..])),
            "{}",
            copy.copy
        );
        assert!(!listed_copies.contains_key(&copy.original), "{}", copy.original);
    }
    place.on_index("inspect", &["--verify"]).ok();
}

#[test]
fn a_missing_base_path_is_reported() {
    let page = |text: &str| {
        format!("<main>{text} <a href='/docs/a/'>a</a> <a href='/docs/b.html'>b</a></main>")
    };
    let place = Place::with(&[
        ("a/index.html", &page("kestrels hover")),
        ("b.html", &page("lighthouse keepers")),
        ("index.html", &page("barns and meadows")),
    ]);
    let hint = "Most links of the site start with /docs/. If it is published there, use --base-url";
    let report = place.try_build(&[]).ok();
    assert!(report.contains(&format!("{hint} /docs/\n")), "{report}");
    let report = place.try_build(&["--base-url", "https://example.org/"]).ok();
    assert!(report.contains(&format!("{hint} https://example.org/docs/\n")), "{report}");
    let json: Value = serde_json::from_str(&place.try_build(&["--json"]).ok()).expect("a report");
    assert_eq!(json["published_below"], "/docs/");
    let report = place.try_build(&["--base-url", "/docs/"]).ok();
    assert!(!report.contains("Most links of the site"), "{report}");
}

#[test]
fn a_changed_page_rewrites_only_the_shards_that_name_it() {
    let place = Place::with_pages(1_500);
    place.build(&["--related-json"]);
    let first = entry(&place.out());
    let out = place.out().display().to_string();
    place.write("site/0007.html", html("Page 7", &words(305, 40)));
    place.build(&["--related-json", "--previous", &out]);
    let second = entry(&place.out());
    assert_eq!((&first.generation, first.shards), (&second.generation, second.shards));
    let revised = second.revised.values().map(Vec::len).sum::<usize>();
    assert!((1..second.shards as usize).contains(&revised), "{second:?}");
    place.on_index("inspect", &["--verify"]).ok();
    let related = of_file(&place);
    check_same(&related, &brute_force(&place.out(), 5));
    for (url, kin) in &related {
        assert_eq!(look_up(&place.out(), url).as_ref(), Some(kin), "{url}");
    }
}

#[test]
fn related_prints_the_related_pages_of_a_page() {
    let place = Place::with_pages(100);
    let related = |options: &[&str]| place.on_index("related", options);
    place.build(&["--related-json", "--base-url", "/docs/"]);
    let all = of_file(&place);
    let url = "/docs/0005.html";
    let json: Value = serde_json::from_str(&related(&[url, "--json"]).ok()).expect("JSON");
    let expected: Vec<_> = all[url]
        .iter()
        .map(|page| json!({"url": page.url, "title": page.title, "similarity": page.similarity}))
        .collect();
    assert_eq!(json, json!({"url": url, "related": expected}));
    let table = related(&["/docs/0005"]).ok();
    assert_eq!(table.lines().count(), 5, "{table}");
    let best = &all[url][0];
    let first = format!("{:>5.1}%  {}  {}", 100.0 * best.similarity, best.url, best.title);
    assert_eq!(table.lines().next(), Some(&*first));
    related(&["/docs/none.html"]).failed_with(&["no page /docs/none.html"]);
    place.build(&["--related-count", "0"]);
    related(&["/0005.html"]).failed_with(&["no related pages in", "--related-count 0"]);
}

#[test]
fn related_pages_can_be_disabled() {
    let place = Place::with_pages(100);
    let summary = place.build(&["--related-count", "0"]);
    let of_them = |name: &String| name.contains("related/") || name.ends_with(".kin");
    assert!(!snapshot(&place.out()).keys().any(of_them));
    assert!(summary.parts.iter().all(|part| !part.name.starts_with("related")));
    place.on_index("inspect", &["--verify"]).ok();
}

#[test]
fn conflicting_options_are_refused() {
    let place = Place::with_pages(3);
    let refused = place.try_build(&["--related-count", "17"]).failed(2);
    assert!(refused.contains("0..=16"), "{refused}");
    let both = place.try_build(&["--related-json", "--related-count", "0"]);
    both.misused_saying(&["related-count is 0", "at least 1 with related-json"]);
}

#[test]
fn verify_finds_errors_in_related_pages() {
    let place = Place::with_a_copy(100);
    let generation = place.build(&[]).generation;
    let shard = |number| format!("index/{generation}/related/00/{number:04}.kin");
    let sound = snapshot(&place.out());
    place.on_index("inspect", &["--verify"]).ok();
    let entry = |key: &str, value: Value| {
        let mut entry: Value = serde_json::from_slice(&sound["pagekin.kin"]).expect("it is JSON");
        entry[key] = value;
        entry.to_string().into_bytes()
    };
    let cases = [
        (shard(0), sound[&shard(1)].clone(), "URLs belong in this shard"),
        (shard(0), b"<!doctype html>".to_vec(), "a gzip file"),
        (shard(1), sound[&shard(1)][..40].to_vec(), "a gzip file"),
        ("pagekin.kin".to_owned(), b"{}".to_vec(), "an entry as JSON"),
        ("pagekin.kin".to_owned(), entry("generation", json!("0".repeat(16))), "of this index"),
        ("pagekin.kin".to_owned(), entry("shards", json!(3)), "URLs belong in this shard"),
        ("pagekin.kin".to_owned(), entry("shards", json!(1)), "every page of the index"),
        ("pagekin.kin".to_owned(), entry("format", json!(2)), "the format and the base"),
    ];
    for (name, bytes, message) in cases {
        place.write(&format!("out/{name}"), bytes);
        place
            .on_index("inspect", &["--verify"])
            .failed_with(&[&name.replace("pagekin.kin", ""), message]);
        place.write(&format!("out/{name}"), &sound[&name]);
    }
    fs::remove_file(place.out().join(shard(1))).expect("it is there");
    place.on_index("inspect", &["--verify"]).failed_with(&["related/00/0001.kin"]);
}
