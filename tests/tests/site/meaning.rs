//! Terms and vectors of pages from files: the terms find pages, and the vectors relate them.

use std::collections::BTreeSet;
use std::fs;

use pagekin_tests::place::{Place, html, snapshot, words};
use serde_json::{Value, json};

/// Returns a site of 60 pages of generated words.
fn site() -> Place {
    let place = Place::with_pages(60);
    place.write("site/guide/rye.html", html("Rye", &words(305, 40)));
    place
}

fn lines(place: &Place, name: &str, lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    place.write(name, lines.join("\n"));
    place.path(name).to_str().expect("the path is text").to_owned()
}

fn term(page: &str, term: &str, weight: f64) -> Value {
    json!({ "page": page, "term": term, "weight": weight })
}

#[test]
fn a_page_is_found_by_the_terms_of_a_file_only() {
    let place = site();
    let given = [term("guide/rye.html", "pumpernickels", 1.0), term("gone.html", "oats", 1.0)];
    let file = lines(&place, "terms", &given);
    place.build(&[]);
    let plain = snapshot(&place.out());
    assert!(place.similar_to("pumpernickel bread", &[]).urls().is_empty());
    let done = place.try_build(&["--terms", &file]);
    assert!(
        done.stderr.contains("1 of 2 pages are not in the index, for example \"gone.html\""),
        "{done:?}"
    );
    done.ok();
    assert_eq!(place.similar_to("pumpernickel bread", &[]).urls(), ["/guide/rye.html"]);
    // The text of a page does not find it.
    let similar =
        |place: &Place| place.similar(&["--url", "/guide/rye.html"]).similarity("/0030.html");
    let with = similar(&place);
    // An index that follows one with terms, and has other terms.
    let out = place.out();
    let previous = ["--previous", out.to_str().expect("the path is text")];
    let file = lines(&place, "terms", &[term("/guide/rye", "vollkornbrot", 1.0)]);
    place.build(&[&previous[..], &["--terms", &file]].concat());
    assert_eq!(place.similar_to("vollkornbrot", &[]).urls(), ["/guide/rye.html"]);
    assert!(place.similar_to("pumpernickel", &[]).urls().is_empty());
    place.build(&[]);
    assert!(snapshot(&place.out()) == plain, "without terms all is as before");
    assert_eq!(similar(&place), with);
}

#[test]
fn pages_are_related_by_vectors_or_else_by_words() {
    let place = site();
    let circle = |at: u32| (f64::from(at) / 60.0).sin_cos();
    let vector = |at: u32| {
        let (y, x) = circle(at);
        // Pages with even numbers are similar to each other.
        let [even, odd] = if at.is_multiple_of(2) { [1.0, 0.0] } else { [0.0, 1.0] };
        json!({ "page": format!("{at:04}.html"), "vector": [even * x, even * y, odd * x, odd * y] })
    };
    let file = lines(&place, "vectors", &(0..60).map(vector).collect::<Vec<_>>());
    let related = |options: &[&str]| -> Value {
        let done =
            place.try_build(&[options, &["--related-json", "--related-count", "2"]].concat());
        let report = done.stderr.clone();
        done.ok();
        let warned = report.contains("1 of 61 pages have no vector");
        assert_eq!(warned, !options.is_empty(), "{report}");
        let json = fs::read(place.out().join("related.json")).expect("it is written");
        serde_json::from_slice(&json).expect("it is JSON")
    };
    let (plain, by_vectors) = (related(&[]), related(&["--embeddings", &file]));
    let urls = |related: &Value, page: &str| -> Vec<String> {
        let kin = related[page].as_array().expect("the page has kin");
        kin.iter().map(|kin| kin["url"].as_str().expect("a URL").to_owned()).collect()
    };
    let mut nearest = urls(&by_vectors, "/0020.html");
    nearest.sort();
    assert_eq!(nearest, ["/0018.html", "/0022.html"]);
    assert_ne!(urls(&plain, "/0020.html"), urls(&by_vectors, "/0020.html"));
    let alone = "/guide/rye.html";
    assert_eq!(urls(&plain, alone), urls(&by_vectors, alone));
    assert_eq!(by_vectors, related(&["--embeddings", &file]), "the same every time");
}

/// A number of pages and options of a build: of an index with lists of pages, and of one that is
/// read whole.
const OF_EITHER_KIND: [(u32, &[&str]); 2] = [(420, &["--block-pages", "8"]), (60, &[])];

/// Returns the URLs of pages with the same words, in the order of an answer.
fn twins(place: &Place, query: &str) -> Vec<String> {
    let answer = place.similar_to(query, &[]);
    let is_twin = |url: &&str| url.starts_with("/twins/");
    answer.urls().into_iter().filter(|url| is_twin(&&**url)).map(str::to_owned).collect()
}

#[test]
fn of_pages_with_the_same_words_that_with_the_meaning_of_a_question_is_first() {
    for (pages, options) in OF_EITHER_KIND {
        let place = Place::with_pages(pages);
        let text = words(305, 40);
        let twins_of = |suffix: &str| html(&format!("Twin {suffix}"), &format!("{text} {suffix}"));
        place.write("site/twins/a.html", twins_of("pumpernickel"));
        place.write("site/twins/b.html", twins_of("vollkorn"));
        let asked = words(310, 5);
        // The site lacks some words of a question, so no page contains the whole of it.
        let query = format!("{asked} quokka numbat bilby");
        let built = |a: [f64; 2], b: [f64; 2]| {
            let word = |word: &str| json!({ "word": word, "vector": [0.3, 0.9] });
            let of_page = |page: &str, vector| json!({ "page": page, "vector": vector });
            let mut given: Vec<Value> = asked.split(' ').map(word).collect();
            given.push(of_page("twins/a.html", a));
            given.push(of_page("twins/b.html", b));
            let file = lines(&place, "embeddings", &given);
            place.try_build(&[options, &["--embeddings", &file]].concat()).ok();
            twins(&place, &query)
        };
        assert_eq!(built([0.3, 0.9], [0.9, -0.3])[0], "/twins/a.html", "{pages}");
        assert_eq!(built([0.9, -0.3], [0.3, 0.9])[0], "/twins/b.html", "{pages}");
    }
}

#[test]
fn english_sites_have_embeddings_without_a_file() {
    for (pages, options) in OF_EITHER_KIND {
        let place = Place::with_pages(pages);
        let text = words(305, 40);
        let page = |topic: &str| html("Twin", &format!("{text} {topic}"));
        let shop = page("invoice payment refund purchase bank customer");
        place.write("site/twins/shop.html", shop);
        place.write("site/twins/wood.html", page("forest tree leaf moss river mountain animal"));
        // The index has vectors of the words of its pages.
        place.write("site/more.html", page("money cash price, hiking wilderness nature"));
        place.build(options);
        let query = |words: &str| format!("{} {words} overdraft quokka", self::words(310, 2));
        let first = |words: &str| twins(&place, &query(words)).swap_remove(0);
        assert_eq!(first("money cash price"), "/twins/shop.html", "{pages}");
        assert_eq!(first("hiking wilderness nature"), "/twins/wood.html", "{pages}");
    }
}

#[test]
fn an_index_that_follows_another_keeps_its_embeddings() {
    let place = Place::with_pages(420);
    let page = |topic: &str| html("New", &format!("{} {topic}", words(305, 40)));
    place.write("site/new.html", page("invoice payment refund"));
    place.build(&["--block-pages", "8"]);
    let files = |name: &str| {
        let all = snapshot(&place.out().join("index"));
        let is_one = |path: &String| path.contains(name) && path.ends_with(".shard");
        all.into_keys().filter(is_one).collect::<BTreeSet<_>>()
    };
    let basis = || fs::read(place.out().join("pagekin.basis")).expect("it is written");
    let (before, basis_before) = (files("/pages/"), basis());
    place.write("site/new.html", page("forest tree leaf moss"));
    let out = place.out();
    place.build(&["--previous", out.to_str().expect("the path is text")]);
    assert_eq!(basis(), basis_before);
    let changed = files("/pages/").difference(&before).count();
    assert!((1..=2).contains(&changed), "{changed} of {} blocks", before.len());
}

#[test]
fn invalid_files_are_reported_with_lines_and_nothing_is_built() {
    let place = site();
    let check = |option: &str, line: Value, parts: &[&str]| {
        let file = lines(&place, "given", &[line]);
        let before = snapshot(&place.path(""));
        place.try_build(&[option, &file]).failed_with(parts);
        assert!(snapshot(&place.path("")) == before, "nothing is written");
    };
    let line_1 = "given, line 1: expected {\"page\"";
    check("--terms", term("0001.html", "x", -0.5), &["--terms", line_1, "found the weight -0.5"]);
    check(
        "--terms",
        json!({ "page": "0001.html", "term": "x" }),
        &[line_1, "missing field `weight`"],
    );
    check(
        "--terms",
        term("other.html", "x", 1.0),
        &["names no page of this site", "\"other.html\""],
    );
    let vector = |vector: Value| json!({ "page": "0001.html", "vector": vector });
    check("--embeddings", vector(json!([])), &["--embeddings", line_1, "found 0 numbers"]);
    check("--embeddings", vector(json!(["a"])), &[line_1, "invalid type"]);
    let neither = json!({ "vector": [1.0] });
    check("--embeddings", neither, &[line_1, "found neither a page nor a word"]);
    let both = json!({ "page": "0001.html", "word": "rye", "vector": [1.0] });
    check("--embeddings", both, &[line_1, "found a page and a word"]);
    let missing = place.path("none");
    let missing = missing.to_str().expect("the path is text");
    place.try_build(&["--terms", missing]).failed_with(&["cannot read", "none"]);
    let file = lines(&place, "given", &[vector(json!([1.0]))]);
    place
        .try_build(&["--embeddings", &file, "--related-count", "0"])
        .misused_saying(&["related-count is 0: expected at least 1"]);
    // pagekin.toml names it relative to its own folder.
    let toml = format!("[build]\nterms = \"given\"\nsite = {:?}\n", place.site());
    place.write("pagekin.toml", toml);
    let config = place.path("pagekin.toml");
    let config = config.to_str().expect("the path is text");
    place.try_build(&["--config", config]).failed_with(&["line 1", "missing field `term`"]);
}
