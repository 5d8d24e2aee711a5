//! `pagekin duplicates`: the near-duplicates on the teaching site, the output, and failures.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use pagekin_tests::place::{Place, build_with, html, snapshot, teaching_site, words};
use pagekin_tests::program::{Done, arguments, pagekin};
use pagekin_tests::truth::Truth;
use serde_json::{Value, json};

/// The maximum threshold that finds all copies of the teaching site. Measured resemblance by kind:
/// exact and chrome 1; reordered 0.75; edited 0.30 to 0.42; edited-de 0.43; quote, half of a page
/// in one of its own text, 0.29 and 0.34. No other pages share ten consecutive words.
const ALL_COPIES: &str = "0.25";

fn duplicates(site: &Path, options: &[&str]) -> Done {
    let first: &[&OsStr] = &["duplicates".as_ref(), site.as_os_str(), "--quiet".as_ref()];
    pagekin(arguments(first, options))
}

fn json_of(site: &Path, options: &[&str]) -> Value {
    let options = [options, &["--format", "json"]].concat();
    let text = duplicates(site, &options).ok();
    assert_eq!(text.lines().count(), 1, "JSON is one line: {text}");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Returns the reported pairs, the lower URL first.
fn pairs(found: &Value) -> BTreeSet<(String, String)> {
    let pairs = found["pairs"].as_array().expect("pairs are a list");
    let url = |pair: &Value, side| pair[side].as_str().expect("it is an address").to_owned();
    pairs.iter().map(|pair| in_order(url(pair, "a"), url(pair, "b"))).collect()
}

fn in_order(a: String, b: String) -> (String, String) {
    if a < b { (a, b) } else { (b, a) }
}

fn planted(kinds: &[&str]) -> BTreeSet<(String, String)> {
    let copies = Truth::load().copies.into_iter();
    let copies = copies.filter(|copy| kinds.is_empty() || kinds.contains(&copy.kind.as_str()));
    copies.map(|copy| in_order(copy.original, copy.copy)).collect()
}

#[test]
fn the_copied_page_is_reported_as_the_likely_original() {
    let found = json_of(&teaching_site(), &["--threshold", ALL_COPIES]);
    let groups = found["groups"].as_array().expect("groups are a list");
    let members = |group: &Value| {
        let members = group["members"].as_array().expect("members are a list");
        let urls = members.iter().map(|member| member["url"].as_str().map(str::to_owned));
        urls.collect::<Option<Vec<_>>>().expect("members have addresses")
    };
    let found: BTreeMap<_, _> = groups
        .iter()
        .map(|group| (group["original"].as_str().map(str::to_owned), members(group)))
        .collect();
    let copies = Truth::load().copies.into_iter();
    let expected: BTreeMap<_, _> =
        copies.map(|copy| (Some(copy.original), vec![copy.copy])).collect();
    assert_eq!(found, expected);
}

#[test]
fn by_default_every_planted_copy_is_reported() {
    let found = json_of(&teaching_site(), &[]);
    assert_eq!(pairs(&found), planted(&[]));
    assert_eq!(found["pages"], Truth::load().pages.len());
}

#[test]
fn several_sites_form_one_collection() {
    let text = words(0, 100);
    let edited = format!("{} {}", words(0, 99), words(200, 1));
    let (new, old) = (
        Place::with(&[
            ("index.html", "<main><a href='/a.html'>one</a></main>"),
            ("a.html", &html("A", &text)),
        ]),
        Place::with(&[("a.html", &html("A", &text)), ("b.html", &html("B", &edited))]),
    );
    let sites = [new.site(), old.site()];
    let first: &[&OsStr] = &["duplicates".as_ref(), sites[0].as_os_str(), sites[1].as_os_str()];
    let found = pagekin(arguments(first, &["--quiet", "--format", "json"])).ok();
    let found: Value = serde_json::from_str(&found).expect("it is JSON");
    let expected = [("/site-2/a.html", "/site/a.html"), ("/site-2/b.html", "/site/a.html")];
    let expected = expected.map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(pairs(&found), BTreeSet::from(expected));
    // A link of the first site does not lead to the second site's page of that path.
    let group = &found["groups"][0];
    assert_eq!((&group["original"], &group["in_links"]), (&json!("/site/a.html"), &json!(1)));
    let alone = json_of(&old.site(), &[]);
    assert_eq!(pairs(&alone), BTreeSet::from([("/a.html".to_owned(), "/b.html".to_owned())]));
}

/// Returns the kinds of the pairs and groups in a report.
fn kinds(found: &Value) -> BTreeSet<&str> {
    let pairs = found["pairs"].as_array().into_iter().flatten();
    pairs.filter_map(|pair| pair["kind"].as_str()).collect()
}

#[test]
fn pages_that_share_only_passages_are_reported_as_passages() {
    let found = json_of(&teaching_site(), &["--threshold", "0.7"]);
    assert_eq!(kinds(&found), BTreeSet::from(["copy", "near-duplicate", "passages"]));
    let quotes = planted(&["quote"]);
    for pair in found["pairs"].as_array().expect("pairs are a list") {
        let [a, b] = ["a", "b"].map(|side| pair[side].as_str().expect("an address").to_owned());
        let near = pair["resemblance"].as_f64().is_some_and(|part| part >= 0.7);
        assert_eq!(pair["kind"] == "passages", !near, "{pair}");
        assert!(!quotes.contains(&in_order(a, b)) || pair["kind"] == "passages", "{pair}");
    }
    // Half of the rye loaf is in a letter of twice that length.
    let text = duplicates(&teaching_site(), &["--limit", "100"]).ok();
    let letter = text.lines().find(|line| line.contains("/archive/letters/slow-oven.html"));
    let letter = letter.expect("the letter is listed");
    assert!(letter.trim_start().starts_with("shares "), "{letter}");
}

// Through an index

/// Returns the kind and resemblance of each pair, whichever page is the likely original.
fn kinds_and_resemblances(found: &Value) -> BTreeMap<(String, String), (String, String)> {
    let pairs = found["pairs"].as_array().expect("pairs are a list").iter();
    let found = pairs.map(|pair| {
        let url = |side: &str| pair[side].as_str().expect("it is an address").to_owned();
        let what = (pair["kind"].to_string(), pair["resemblance"].to_string());
        (in_order(url("a"), url("b")), what)
    });
    found.collect()
}

#[test]
fn an_index_in_its_site_reports_the_same_as_the_site() {
    let place = Place::with_copy_of(&teaching_site());
    let whole = json_of(&place.site(), &[]);
    let within = place.path("site/pagekin");
    place.try_build_to(&within, &[]).ok();
    let found = json_of(&within, &[]);
    assert_eq!(pairs(&found), planted(&[]));
    assert_eq!(
        (&found["indexed"], &found["estimated"]),
        (&json!(Truth::load().indexed()), &json!(false))
    );
    // Only the pages with similar ones were read.
    assert_eq!(found["pages"], 43);
    assert_eq!(kinds_and_resemblances(&found), kinds_and_resemblances(&whole));
}

#[test]
fn the_pages_of_an_index_are_read_from_the_given_folder() {
    let place = Place::with_copy_of(&teaching_site());
    place.build(&["--base-url", "https://example.org/docs/"]);
    let site = place.site();
    let site = site.to_str().expect("tests use UTF-8");
    let found = json_of(&place.out(), &["--site", site]);
    let moved = |url: String| url.replacen("https://example.org/docs", "", 1);
    let found: BTreeSet<_> = pairs(&found).into_iter().map(|(a, b)| (moved(a), moved(b))).collect();
    assert_eq!(found, planted(&[]));
}

#[test]
fn without_pages_an_index_reports_estimates() {
    let place = Place::with_copy_of(&teaching_site());
    place.build(&[]);
    let found = json_of(&place.out(), &[]);
    assert_eq!(
        (&found["indexed"], &found["estimated"]),
        (&json!(Truth::load().indexed()), &json!(true))
    );
    assert_eq!(pairs(&found), planted(&["exact", "chrome"]));
    assert_eq!(kinds(&found), BTreeSet::from(["copy"]));
    assert_eq!(found["pairs"][0]["b_similarity"], Value::Null);
    let text = pagekin(arguments(&["duplicates".as_ref(), place.out().as_os_str()], &[])).ok();
    assert!(
        text.contains("68 pages in the index; results are estimated from its sketches"),
        "{text}"
    );
    assert!(!text.contains("shared passages"), "they were not searched for: {text}");
    assert!(text.contains("          ~copy  /"), "{text}");
    // Pages with reordered sentences have a resemblance of 0.75.
    let found = json_of(&place.out(), &["--threshold", "0.6"]);
    assert_eq!(pairs(&found), planted(&["exact", "chrome", "reordered"]));
    for pair in found["pairs"].as_array().expect("pairs are a list") {
        let part = pair["resemblance"].as_f64().expect("it is a number");
        assert!(pair["kind"] == "copy" || (0.6..0.9).contains(&part), "{pair}");
    }
}

#[test]
fn options_that_need_pages_are_refused() {
    let place = Place::with_copy_of(&teaching_site());
    place.build(&[]);
    let index = place.out();
    duplicates(&index, &["--threshold", "0.3"])
        .misused_saying(&["threshold is 0.3: expected 0.5 to 1"]);
    fs::create_dir(place.path("other")).expect("there is room");
    place.write("other/a.html", html("A", "another page"));
    let other = place.path("other");
    let other = other.to_str().expect("tests use UTF-8");
    duplicates(&index, &["--site", other])
        .failed_with(&["none of its 44 pages was found", "the folder of the indexed site"]);
    duplicates(&place.site(), &["--site", other]).misused_saying(&["expected a single index"]);
    build_with(&place.site(), &index, |options| options.sketches = false);
    duplicates(&index, &[]).failed_with(&["has no text sketches", "pass the folder of the site"]);
    // Damage is an error.
    place.build(&[]);
    let shard = snapshot(&index)
        .into_keys()
        .find(|name| name.ends_with(".shard") && name.contains("/sketches/"));
    let shard = index.join(shard.expect("there is a shard of sketches"));
    let mut bytes = fs::read(&shard).expect("it is there");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&shard, bytes).expect("it can be written");
    duplicates(&index, &[]).failed_with(&["sketches", "damaged"]);
}

#[test]
fn a_page_deleted_after_indexing_is_skipped_and_reported() {
    let place = Place::with_copy_of(&teaching_site());
    let within = place.path("site/pagekin");
    place.try_build_to(&within, &[]).ok();
    fs::remove_file(place.path("site/archive/mirror/sourdough.html")).expect("it is there");
    let first: &[&OsStr] = &["duplicates".as_ref(), within.as_os_str()];
    let done = pagekin(arguments(first, &["--format", "json"]));
    assert!(done.stderr.contains("1 pages of the index are no longer in"), "{}", done.stderr);
    let found: Value = serde_json::from_str(&done.ok()).expect("it is JSON");
    assert_eq!(pairs(&found).len(), planted(&[]).len() - 1);
}

/// A page, its copy at another URL, a page that quotes it, and one with words of its own.
fn quoted() -> Place {
    let (whole, part) = (words(0, 109), words(0, 59));
    Place::with(&[
        ("index.html", "<main><a href='a.html'>one</a> <a href='/c.html'>two</a></main>"),
        ("a.html", &html("A", &whole)),
        ("copy-of-a.html", &html("A again", &whole)),
        ("b.html", &html("B", &part)),
        ("c.html", &html("C", &words(500, 100))),
    ])
}

#[test]
fn the_shape_of_the_json_report_is_stable() {
    let mut found = json_of(&quoted().site(), &["--threshold", "0.5"]);
    let seconds = found["seconds"].take();
    let pair = |b, kind, resemblance, b_similarity, c_similarity| {
        json!({"a": "/a.html", "b": b, "kind": kind, "resemblance": resemblance, "a_in_b": resemblance, "b_in_a": 1.0,
            "b_similarity": b_similarity, "c_similarity": c_similarity, "known": false})
    };
    // Shingles have five words, because B is short.
    let part = 55.0 / 105.0;
    let expected = json!({
        "indexed": null, "estimated": false, "pages": 5, "html_files": 5, "skipped": [], "texts": 4, "compared": 1, "not_compared": 0,
        "groups": [{"original": "/a.html", "title": "A", "canonical_of": 0, "in_links": 1, "members": [
            {"url": "/copy-of-a.html", "kind": "copy", "resemblance": 1.0, "of_original": 1.0, "in_original": 1.0},
            {"url": "/b.html", "kind": "near-duplicate", "resemblance": part, "of_original": part, "in_original": 1.0},
        ]}],
        "pairs": [pair("/b.html", "near-duplicate", part, 0, 289), pair("/copy-of-a.html", "copy", 1.0, 6, 384)],
        "gate": {"fail_on": ["copy", "same-but-numbers", "near-duplicate", "passages"], "fail_over": null, "failing": 2, "failed": false, "gone": 0},
        "seconds": null,
    });
    assert_eq!(found, expected);
    let stages = ["reading", "sketching", "pairing", "comparing"];
    assert!(stages.iter().all(|stage| seconds[stage].is_f64()), "{seconds}");
}

#[test]
fn csv_has_a_line_per_pair() {
    let text = duplicates(&quoted().site(), &["--threshold", "0.5", "--format", "csv"]).ok();
    let mut lines = text.lines();
    let header = "a,b,kind,resemblance,a_in_b,b_in_a,b_similarity,c_similarity,known";
    assert_eq!(lines.next(), Some(header));
    let rest: Vec<_> = lines.collect();
    assert_eq!(rest.len(), 2, "{text}");
    assert!(rest.contains(&"/a.html,/copy-of-a.html,copy,1,1,1,6,384,false"), "{text}");
    assert!(
        rest.iter().any(|line| line.starts_with(
            "/a.html,/b.html,near-duplicate,0.5238095238095238,0.5238095238095238,1,"
        )),
        "{text}"
    );
}

#[test]
fn the_table_shows_originals_copies_and_the_work_done() {
    let place = quoted();
    let site = place.site();
    let first: &[&OsStr] = &["duplicates".as_ref(), site.as_os_str()];
    let text = pagekin(arguments(first, &["--threshold", "0.5"])).ok();
    for part in [
        "5 pages from 5 HTML files with 4 distinct texts",
        "1 exact copies; 0 pairs the same but for numbers; 1 near-duplicate pairs; 0 pairs with shared passages; 1 pairs compared",
        "1 groups\n",
        "      3  /a.html  A\n",
        "           copy  /copy-of-a.html\n",
        "         52.4%  /b.html\n",
    ] {
        assert!(text.contains(part), "expected {part:?} in {text}");
    }
    let quiet = duplicates(&place.site(), &["--threshold", "0.5"]);
    assert_eq!(quiet.stderr, "");
    assert!(quiet.ok().starts_with("1 groups\n"));
}

#[test]
fn a_page_that_others_name_as_canonical_is_the_likely_original() {
    let text = words(0, 50);
    let print =
        format!("<link rel=canonical href=https://example.org/docs/z.html><main>{text}</main>");
    let place = Place::with(&[
        ("a.html", &html("A", &text)),
        ("z.html", &html("Z", &text)),
        ("print.html", &print),
        ("index.html", "<main>see <a href=a.html>a</a></main>"),
    ]);
    let found = json_of(&place.site(), &[]);
    let group = &found["groups"][0];
    assert_eq!((&group["original"], &group["canonical_of"]), (&json!("/z.html"), &json!(1)));
    assert_eq!(found["skipped"][0]["reason"], "canonical");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let found = |threads| {
        let options = ["--threshold", ALL_COPIES, "--threads", threads];
        let mut found = json_of(&teaching_site(), &options);
        found["seconds"].take();
        found
    };
    assert_eq!(found("1"), found("3"));
}

#[test]
fn a_folder_that_is_not_a_site_is_reported() {
    let place = Place::with_pages(3);
    place.build(&[]);
    let (site, index) = (place.site(), place.out());
    let first: &[&OsStr] = &["duplicates".as_ref(), site.as_os_str(), index.as_os_str()];
    pagekin(arguments(first, &[]))
        .failed_with(&["it is an index", "Pass the folder of the indexed site"]);
    duplicates(&place.path("gone"), &[]).failed_with(&["expected a folder at", "found nothing"]);
    let file = place.path("site/0000.html");
    duplicates(&file, &[]).failed_with(&["expected a folder at", "found a file"]);
    fs::create_dir(place.path("empty")).expect("there is room");
    duplicates(&place.path("empty"), &[]).failed_with(&[".html", "only 0 other files"]);
}

#[test]
fn options_out_of_range_are_usage_errors() {
    let place = Place::with_pages(1);
    for (options, part) in [
        (["--threshold", "1.5"], "expected a number from 0 to 1"),
        (["--format", "yaml"], "possible values: table, json, csv, html, junit, sarif"),
        (["--threads", "0"], "'0'"),
    ] {
        let message = duplicates(&place.site(), &options).failed(2);
        assert!(message.contains(part), "expected {part:?} in {message}");
    }
}
