//! `pagekin duplicates`: what nearly copies what on the teaching site, what is printed, and what goes wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use pagekin_tests::place::{Place, html, teaching_site, words};
use pagekin_tests::program::{Done, arguments, pagekin};
use pagekin_tests::truth::Truth;
use serde_json::{Value, json};

/// The least resemblance by which all copies of the teaching site are found. Measured, by kind: exact and chrome 1;
/// reordered 0.75; edited 0.30 to 0.42; edited-de 0.43; quote, half of a page in one of its own text, 0.29 and 0.34. No two
/// other pages share a run of ten words.
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

/// The pairs that were found, the lower address first.
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
fn every_planted_copy_is_found_and_none_invented() {
    for algorithm in ["shingles", "exact"] {
        let options = ["--min", ALL_COPIES, "--algorithm", algorithm];
        let found = json_of(&teaching_site(), &options);
        assert_eq!(pairs(&found), planted(&[]), "{algorithm}");
        assert_eq!(found["pages"], Truth::load().pages.len());
    }
}

#[test]
fn the_page_that_was_copied_looks_like_the_original() {
    let found = json_of(&teaching_site(), &["--min", ALL_COPIES]);
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
fn by_default_every_planted_copy_is_told_too() {
    assert_eq!(pairs(&json_of(&teaching_site(), &[])), planted(&[]));
}

#[test]
fn by_resemblance_only_copies_that_are_nearly_whole_are_told() {
    let expected = planted(&["exact", "chrome"]);
    for algorithm in ["shingles", "exact", "b"] {
        let found = json_of(&teaching_site(), &["--algorithm", algorithm]);
        assert_eq!(pairs(&found), expected, "{algorithm}");
    }
}

#[test]
fn several_sites_are_one_collection() {
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
    // The link of the first site is none to the second's page of that path.
    let group = &found["groups"][0];
    assert_eq!((&group["original"], &group["in_links"]), (&json!("/site/a.html"), &json!(1)));
    let alone = json_of(&old.site(), &[]);
    assert_eq!(pairs(&alone), BTreeSet::from([("/a.html".to_owned(), "/b.html".to_owned())]));
}

#[test]
fn words_in_another_order_are_for_alg_c_the_same() {
    let reordered = planted(&["reordered"]);
    let found =
        |algorithm| pairs(&json_of(&teaching_site(), &["--min", "0", "--algorithm", algorithm]));
    let (b, c, both) = (found("b"), found("c"), found("both"));
    assert!(c.is_superset(&reordered), "{c:?}");
    assert_eq!(both, b.union(&c).cloned().collect());
    assert!(found("combined").is_subset(&b));
    assert!(both.is_subset(&planted(&[])), "{both:?}");
}

/// A page, its copy at another address, one that quotes it, and one of its own words.
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
fn the_report_as_json_has_this_very_shape() {
    let mut found = json_of(&quoted().site(), &["--min", "0.5"]);
    let seconds = found["seconds"].take();
    let pair = |b, exact, resemblance, b_similarity, c_similarity| {
        json!({"a": "/a.html", "b": b, "exact": exact, "resemblance": resemblance, "a_in_b": resemblance, "b_in_a": 1.0,
            "b_similarity": b_similarity, "c_similarity": c_similarity})
    };
    let expected = json!({
        "pages": 5, "html_files": 5, "skipped": [], "texts": 4, "compared": 1, "passed_over": 0,
        "groups": [{"original": "/a.html", "title": "A", "canonical_of": 0, "in_links": 1, "members": [
            {"url": "/copy-of-a.html", "exact": true, "resemblance": 1.0},
            {"url": "/b.html", "exact": false, "resemblance": 0.5},
        ]}],
        "pairs": [pair("/b.html", false, 0.5, 0, 291), pair("/copy-of-a.html", true, 1.0, 6, 384)],
        "seconds": null,
    });
    assert_eq!(found, expected);
    let stages = ["reading", "sketching", "pairing", "comparing"];
    assert!(stages.iter().all(|stage| seconds[stage].is_f64()), "{seconds}");
}

#[test]
fn pairs_as_csv_are_a_line_each() {
    let text = duplicates(&quoted().site(), &["--min", "0.5", "--format", "csv"]).ok();
    let mut lines = text.lines();
    let header = "a,b,exact,resemblance,a_in_b,b_in_a,b_similarity,c_similarity";
    assert_eq!(lines.next(), Some(header));
    let rest: Vec<_> = lines.collect();
    assert_eq!(rest.len(), 2, "{text}");
    assert!(rest.contains(&"/a.html,/copy-of-a.html,true,1,1,1,6,384"), "{text}");
    assert!(rest.iter().any(|line| line.starts_with("/a.html,/b.html,false,0.5,0.5,1,")), "{text}");
}

#[test]
fn the_table_names_originals_copies_and_what_was_done() {
    let place = quoted();
    let site = place.site();
    let first: &[&OsStr] = &["duplicates".as_ref(), site.as_os_str()];
    let text = pagekin(arguments(first, &["--min", "0.5"])).ok();
    for part in [
        "5 pages of 5 HTML files have 4 different texts",
        "1 exact copies; 1 near-duplicate pairs of 1 compared",
        "1 groups\n",
        "      3  /a.html  A\n",
        "           copy  /copy-of-a.html\n",
        "         50.0 %  /b.html\n",
    ] {
        assert!(text.contains(part), "expected {part:?} in {text}");
    }
    let quiet = duplicates(&place.site(), &["--min", "0.5"]);
    assert_eq!(quiet.stderr, "");
    assert!(quiet.ok().starts_with("1 groups\n"));
}

#[test]
fn a_page_that_others_name_as_canonical_looks_like_the_original() {
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
fn any_number_of_threads_finds_the_same() {
    let found = |threads| {
        let options = ["--min", ALL_COPIES, "--algorithm", "both", "--threads", threads];
        let mut found = json_of(&teaching_site(), &options);
        found["seconds"].take();
        found
    };
    assert_eq!(found("1"), found("3"));
}

#[test]
fn what_is_no_site_is_told() {
    let place = Place::with_pages(3);
    place.build(&[]);
    duplicates(&place.out(), &[])
        .failed_saying(&["found an index", "Give the folder that was indexed"]);
    duplicates(&place.path("gone"), &[]).failed_saying(&["expected a folder at", "found nothing"]);
    let file = place.path("site/0000.html");
    duplicates(&file, &[]).failed_saying(&["expected a folder at", "found a file"]);
    fs::create_dir(place.path("empty")).expect("there is room");
    duplicates(&place.path("empty"), &[]).failed_saying(&[".html", "found 0 other files"]);
}

#[test]
fn options_out_of_their_range_are_usage_errors() {
    let place = Place::with_pages(1);
    for (options, part) in [
        (["--min", "1.5"], "expected a number from 0 to 1"),
        (["--algorithm", "d"], "possible values: copies, shingles, b, c, both, combined, exact"),
        (["--format", "xml"], "possible values: table, json, csv, html"),
        (["--texts", "many"], "expected a size such as"),
        (["--threads", "0"], "'0'"),
    ] {
        let told = duplicates(&place.site(), &options).failed(2);
        assert!(told.contains(part), "expected {part:?} in {told}");
    }
}
