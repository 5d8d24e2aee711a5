//! The commands that read an index: their output, their costs, and the responses of the preview.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::ops::RangeInclusive;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pagekin_core::shard::{Manifest, Shards};
use pagekin_tests::place::{Place, build_with, on_index, similar, snapshot, teaching_site, words};
use pagekin_tests::program::{self, Cost, arguments, pagekin, run, wait};
use pagekin_tests::served::Served;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

fn json_of(text: &str) -> Value {
    assert_eq!(text.lines().count(), 1, "JSON is one line: {text}");
    serde_json::from_str(text).expect("it is JSON")
}

// similar

#[test]
fn the_shape_of_a_json_answer_is_stable() {
    let place = Place::with(&[
        ("a.html", "<title>A</title><main>kestrels hover above meadows</main>"),
        ("b.html", "<title>B</title><main>kestrels hover above meadows</main>"),
        ("c.html", "<title>C</title><main>lighthouse keepers</main>"),
    ]);
    place.build(&[]);
    let text = place.on_index("similar", &["--url", "/a.html", "--json"]).ok();
    let mut found = json_of(&text);
    let cost = found["cost"].take();
    // The order of words with the same frequency depends on the seed.
    let mut words: Vec<_> =
        found["results"][0]["shared_terms"].as_array().into_iter().flatten().cloned().collect();
    words.sort_by_key(Value::to_string);
    found["results"][0]["shared_terms"] = words.into();
    let b = json!({"url": "/b.html", "title": "B", "meta": {}, "score": 1.0, "similarity": 1.0, "coverage": 1.0, "confidence": "high",
        "shared_terms": ["hover", "kestrels", "meadows"], "missing_terms": [], "copies": [],
        "near": {"kind": "copy", "resemblance": 1.0, "text_in_page": 1.0, "page_in_text": 1.0, "whole": true},
        "excerpt": null});
    assert_eq!(
        found,
        json!({"ranked_by": "similarity", "language": null, "results": [b], "other_results": [], "unmatched": [], "cost": null})
    );
    assert!(["bytes", "requests", "rounds"].iter().all(|name| cost[name].is_u64()), "{cost}");
    assert_eq!(cost.as_object().map(serde_json::Map::len), Some(3));
    let first = r#"{"ranked_by":"similarity","language":null,"results":[{"url":"/b.html","title":"B","meta":{},"score":1.0,"similarity":1.0,"coverage":1.0,"confidence":"high","shared_terms":["#;
    assert!(text.starts_with(first), "{text}");
}

#[test]
fn search_matches_words_as_typed() {
    let place = Place::with(&[
        ("a.html", "<title>Kestrels</title><main>Kestrels hover above meadows</main>"),
        ("b.html", "<title>Meadows</title><main>Meadows, where kestrels hover</main>"),
        ("c.html", "<title>Lighthouses</title><main>Lighthouses and their keepers</main>"),
    ]);
    place.build(&[]);
    let json = |words: &[&str]| {
        let mut found = json_of(&place.on_index("search", &[words, &["--json"]].concat()).ok());
        assert!(found["cost"].take()["bytes"].is_u64(), "{found}");
        found
    };
    let found = json(&["lighthuose", "kee"]);
    let score = found["results"][0]["score"].clone();
    let c = json!({"url": "/c.html", "title": "Lighthouses", "meta": {}, "score": score, "shared_terms": ["keepers", "lighthouses"],
        "missing_terms": [], "copies": [], "excerpt": null});
    let corrections =
        json!([{"from": "kee", "to": ["keepers"]}, {"from": "lighthuose", "to": ["lighthouses"]}]);
    let expected =
        json!({"results": [c], "corrections": corrections, "unmatched": [], "cost": null});
    assert_eq!(sorted(found), sorted(expected));
    // A page whose title equals the typed text comes first.
    assert_eq!(json(&["mead"])["results"][0]["url"], "/b.html");
    assert_eq!(json(&["kestrels"])["results"][0]["url"], "/a.html");
    assert_eq!(json(&["xylophone"])["unmatched"], json!(["xylophone"]));
    let output = place.on_index("search", &["lighthuose"]).ok();
    assert!(
        output.starts_with("lighthuose: lighthouses\n  1. Lighthouses\n     /c.html\nread "),
        "{output}"
    );
    place.on_index("search", &["the "]).failed_with(&["expected words other than stop words"]);
}

#[test]
fn phrases_and_passages_are_read_from_the_recorded_folder_of_the_site() {
    let place = Place::with(&[
        (
            "a.html",
            "<title>A</title><main>Goats have much to say, and nothing about cheese.</main>",
        ),
        ("b.html", "<title>B</title><main>There is little to say about goats and hay.</main>"),
        ("c.html", "<title>Goats say</title><main>Goats say to goats what goats are about.</main>"),
    ]);
    let within = |arguments: &[&str]| {
        let mut command = program::command(arguments);
        run(command.current_dir(place.path("")), b"")
    };
    let search = |options: &[&str]| within(&[&["search", "out"], options].concat());
    let phrase = r#""to say about goats""#;
    let site = place.site().file_name().map(OsStr::to_owned).unwrap_or_default();
    let site = site.to_str().unwrap_or_default();
    within(&["build", site, "-o", "out", "--no-config"]).ok();
    let list = fs::read_to_string(place.path("out/pagekin.files")).expect("it is written");
    assert!(list.starts_with(&format!("site ../{site}\n")), "{list}");

    let found = json_of(&search(&[phrase, "--json"]).ok());
    let of = |at: usize, key: &str| found["results"][at]["excerpt"][key].clone();
    assert_eq!(found["results"][0]["url"], "/b.html");
    assert_eq!([of(0, "verbatim"), of(1, "verbatim")], [json!(true), json!(false)]);
    let pieces: Vec<_> = of(0, "pieces").as_array().into_iter().flatten().cloned().collect();
    assert_eq!(
        pieces.iter().filter_map(Value::as_str).collect::<String>(),
        "There is little to say about goats and hay."
    );
    let shown = search(&[phrase, "--limit", "1"]).ok();
    assert!(shown.contains("1. B\n     /b.html\n     There is little"), "{shown}");
    let none = search(&[r#""goats about say""#]);
    assert!(none.stderr.contains("none of the 3 best pages has the phrase"), "{none:?}");
    let similar = within(&["similar", "out", "There is little to say about", "--json"]).ok();
    assert_eq!(json_of(&similar)["results"][0]["excerpt"]["verbatim"], true);

    // Without the folder, the words are searched, with a warning.
    fs::rename(place.site(), place.path("moved")).expect("it is renamed");
    let lost = search(&[phrase]);
    assert!(lost.stderr.contains("Pass the folder of the site with --site"), "{lost:?}");
    assert!(search(&[phrase, "--site", "moved"]).ok().contains("1. B"));
    search(&[phrase, "--site", "none"]).failed_with(&["none is not a folder"]);
}

#[test]
fn the_folder_of_a_site_elsewhere_is_not_published() {
    let place = Place::with_pages(2);
    place.build(&[]);
    let list = fs::read_to_string(place.out().join("pagekin.files")).expect("it is written");
    assert!(!list.contains("site "), "{list}");
}

/// Sorts the words and the corrections of an answer.
fn sorted(mut answer: Value) -> Value {
    for list in ["/corrections", "/results/0/shared_terms"] {
        if let Some(list) = answer.pointer_mut(list).and_then(Value::as_array_mut) {
            list.sort_by_key(Value::to_string);
        }
    }
    answer
}

#[test]
fn a_text_answer_contains_pages_words_and_cost() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let text = place.on_index("similar", &["--url", "/0000.html"]).ok();
    for part in
        ["1. ", "%  Page 1  (", "/0001.html\n", "coverage ", "read ", " files, ", " rounds\n"]
    {
        assert!(text.contains(part), "expected {part:?} in {text}");
    }
}

#[test]
fn limit_and_min_select_the_best_results_in_order() {
    let place = Place::with_pages(12);
    place.build(&[]);
    let all = place.similar(&["--url", "/0005.html", "--threshold", "0"]);
    assert_eq!(all.results.len(), 6, "pages share words with three on either side: {all:?}");
    assert!(all.results.is_sorted_by(|a, b| a.similarity >= b.similarity), "{all:?}");
    assert!(all.results.iter().all(|kin| 0.0 < kin.similarity && kin.similarity <= 1.0), "{all:?}");
    let two = place.similar(&["--url", "/0005.html", "--threshold", "0", "--limit", "2"]);
    assert_eq!(two.results, all.results[..2]);
    let least = all.results[3].similarity;
    let near = place.similar(&["--url", "/0005.html", "--threshold", &least.to_string()]);
    let expected: Vec<_> =
        all.results.iter().filter(|kin| kin.similarity >= least).cloned().collect();
    assert_eq!(near.results, expected);
    assert!(near.results.len() < all.results.len());
    assert_eq!(place.similar(&["--url", "/0005.html", "--limit", "0"]).results, []);
    assert_eq!(place.similar(&["--url", "/0005.html", "--threshold", "1"]).results, []);
}

#[test]
fn by_default_at_most_ten_results_appear_and_none_far_below_the_best() {
    let place = Place::empty();
    for number in 0..15 {
        let own = words(1_000 + number * 3, 3);
        place.write(
            &format!("site/{number:02}.html"),
            format!("<main>{} {own}</main>", words(number / 8 * 30, 30)),
        );
    }
    // The page shares one word with the text, and so less than a twentieth of what the others
    // share.
    let distant = format!("<main>{} {}</main>", words(0, 1), words(2_000, 80));
    place.write("site/distant.html", distant);
    place.build(&[]);
    let text = words(0, 60);
    let answer = place.similar_to(&text, &[]);
    assert_eq!(answer, place.similar_to(&text, &["--limit", "10", "--threshold", "0"]));
    assert_eq!(answer.results.len(), 10);
    let all = place.similar_to(&text, &["--limit", "100"]);
    assert_eq!(all.results.len(), 15, "{all:?}");
    assert!(!all.urls().contains(&"/distant.html"));
    // It is a result if nothing is better.
    assert_eq!(place.similar_to(&words(2_000, 1), &[]).urls(), ["/distant.html"]);
}

#[test]
fn a_text_comes_from_an_argument_a_file_or_standard_input_as_text_or_html() {
    let place = Place::with(&[
        ("a.html", "<main>kestrels hover above meadows</main>"),
        ("b.html", "<main>lighthouse keepers main</main>"),
    ]);
    place.build(&[]);
    let html = "<nav>lighthouse keepers</nav><main>kestrels hover above meadows</main>";
    let only_kestrels = place.similar_to("kestrels hover above meadows", &[]).results;
    assert_eq!(only_kestrels.len(), 1);
    let given = ["kestrels", "hover above", "meadows"];
    assert_eq!(place.similar(&given).results, only_kestrels);
    assert_eq!(place.similar(&[html]).results, only_kestrels);
    assert_eq!(place.similar_to(html, &["--html"]).results, only_kestrels);
    assert_eq!(place.similar_to(html, &[]).results, only_kestrels, "it begins with a tag");
    let html = format!("Seen from the sea: {html}");
    let results = place.similar_to(&html, &[]).results;
    assert_eq!(results.len(), 2, "as text, chrome and tags are words");
    for (name, as_html) in
        [("x.html", true), ("x.HTM", true), ("x.xhtml", true), ("x.txt", false), ("x", false)]
    {
        place.write(name, &html);
        let file = place.path(name);
        let file = file.to_str().expect("its path is UTF-8");
        let results = place.similar(&["--file", file]).results;
        assert_eq!(results == only_kestrels, as_html, "{name}");
        let hint = format!("use --file {file}");
        place.on_index("similar", &[file]).failed_with(&["is a file, not a text", &hint]);
        assert_eq!(place.similar(&["--file", file, "--html"]).results, only_kestrels, "{name}");
    }
}

// Costs of an answer

/// Returns the size of a file of an index.
fn size(out: &Path, name: &str) -> u64 {
    fs::metadata(out.join(name)).expect("the index has it").len()
}

/// Returns the files of one kind in the only generation of an index, with their folder.
fn shards(out: &Path, kind: &str) -> Vec<String> {
    let files = snapshot(out).into_keys().filter(|name| name.ends_with(".shard"));
    files.filter(|name| name.split('/').nth(2).is_some_and(|part| part == kind)).collect()
}

fn total(out: &Path, names: &[String]) -> u64 {
    names.iter().map(|name| size(out, name)).sum()
}

#[test]
fn on_a_small_site_the_cost_is_that_of_the_whole_index() {
    for pages in [20, 200] {
        let place = Place::with_pages(pages);
        // Only the sketches of the best pages are read.
        let out = place.out();
        build_with(&place.site(), &out, |options| options.sketches = false);
        let opening = ["pagekin.manifest".to_owned()];
        let (blocks, addresses) = (shards(&out, "pages"), shards(&out, "addresses"));
        assert_eq!((addresses.len(), blocks.len() > 1), (1, pages > 128));

        let of_text = [&opening[..], &blocks].concat();
        // The manifest and all blocks.
        let expected =
            Cost { bytes: total(&out, &of_text), requests: of_text.len() as u32, rounds: 2 };
        assert_eq!(place.similar_to(&words(0, 30), &[]).cost, expected);

        let of_page = [&of_text[..], &addresses, &shards(&out, "words")].concat();
        // Also the URL and the words for its terms. The block of the page precedes the other
        // blocks, if any.
        let rounds = if blocks.len() == 1 { 3 } else { 4 };
        let expected =
            Cost { bytes: total(&out, &of_page), requests: of_page.len() as u32, rounds };
        assert_eq!(place.similar(&["--url", "/0003.html"]).cost, expected);
    }
}

/// An unknown word may occur on any page, so it is searched like any other; no block is read for
/// it.
#[test]
fn a_text_without_known_words_costs_the_manifest_and_a_list_of_words() {
    let place = Place::with_pages(40);
    place.build(&["--block-pages", "2"]);
    let out = place.out();
    let list = shards(&out, "lists").iter().map(|name| size(&out, name)).max();
    let opening = size(&out, "pagekin.manifest");
    let answer = place.similar_to("quokka", &[]);
    assert_eq!((answer.results, answer.cost.requests, answer.cost.rounds), (vec![], 2, 2));
    assert!(answer.cost.bytes > opening, "{:?}", answer.cost);
    assert!(Some(answer.cost.bytes - opening) <= list, "{:?}", answer.cost);
}

/// Checks that an answer costs exactly the files that it needs, with the given number of one kind.
#[track_caller]
fn check_files_needed(kind: &str, of_kind: RangeInclusive<usize>) {
    let place = Place::empty();
    let out = place.out();
    build_with(&teaching_site(), &out, |options| {
        options.block_pages = Some(1);
        options.tables = Some(kind == "tables");
    });
    let query = ["--url", "/kitchen/bread/sourdough.html"];
    let answer = similar(&out, &query, "");
    // Each needed file: without it there is no answer.
    let mut needed = BTreeSet::new();
    for name in snapshot(&out)
        .into_keys()
        .filter(|name| name.ends_with(".shard") || name.ends_with(".manifest"))
    {
        let (path, aside) = (out.join(&name), place.path("aside"));
        fs::rename(&path, &aside).expect("it can be moved");
        if on_index("similar", &out, &query).code != Some(0) {
            needed.insert(name);
        }
        fs::rename(&aside, &path).expect("it can be moved back");
    }
    let names: Vec<_> = needed.into_iter().collect();
    assert_eq!(
        (answer.cost.bytes, answer.cost.requests as usize),
        (total(&out, &names), names.len())
    );
    // Manifest; URL; own block; lists or tables; blocks and sketches.
    assert_eq!(answer.cost.rounds, 5);
    let of = |kind: &str| names.iter().filter(|name| name.contains(&format!("/{kind}/"))).count();
    assert!(of_kind.contains(&of(kind)), "{names:?}");
    assert!((2..=17).contains(&of("pages")) && (1..=2).contains(&of("sketches")), "{names:?}");
}

#[test]
fn through_lists_an_answer_costs_exactly_the_needed_files() {
    check_files_needed("lists", 2..=16);
}

#[test]
fn through_tables_an_answer_costs_exactly_the_needed_files() {
    check_files_needed("tables", 2..=8);
}

// inspect

#[test]
fn inspect_describes_an_index() {
    let place = Place::with_pages(20);
    let summary = place.build(&["--base-url", "/docs/"]);
    let found = json_of(&place.on_index("inspect", &["--json"]).ok());
    let expected = [
        ("format", json!(pagekin_core::shard::FORMAT_VERSION)),
        ("generation", json!(summary.generation)),
        ("preset", json!("web")),
        ("seed", json!(pagekin_core::DEFAULT_SEED)),
        ("base_url", json!("/docs/")),
        ("pages", json!(20)),
        ("terms", json!(summary.terms)),
        ("languages", json!([{"language": "en", "pages": 20}])),
        ("page", Value::Null),
        ("verified", Value::Null),
    ];
    for (name, value) in expected {
        assert_eq!(found[name], value, "{name}");
    }
    let text = place.on_index("inspect", &[]).ok();
    for part in [
        &summary.generation[..],
        "preset web",
        "20 pages (en 20) under /docs/",
        "; 8 tables of 1 value with 8 partners each\n",
    ] {
        assert!(text.contains(part), "expected {part:?} in {text}");
    }
}

#[test]
fn inspect_describes_a_page() {
    let place = Place::with_pages(20);
    place.build(&[]);
    let found = json_of(&place.on_index("inspect", &["--url", "/0003.html", "--json"]).ok());
    let page = &found["page"];
    assert_eq!((&page["url"], &page["title"]), (&json!("/0003.html"), &json!("Page 3")));
    let shown: BTreeSet<_> = page["terms"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|term| term["word"].as_str())
        .collect();
    let text = words(30, 40);
    assert_eq!(shown, text.split(' ').collect());
    place.on_index("inspect", &["--url", "/none.html"]).failed_with(&["/none.html"]);
}

#[test]
fn verify_reads_every_file_of_a_sound_index() {
    for (block_pages, tables) in [(None, false), (Some(2), false), (Some(2), true)] {
        let place = Place::with_pages(40);
        build_with(&place.site(), &place.out(), |options| {
            (options.block_pages, options.tables) = (block_pages, Some(tables));
        });
        let found = json_of(&place.on_index("inspect", &["--verify", "--json"]).ok());
        let out = snapshot(&place.out());
        let files = out.iter().filter(|(name, _)| {
            [".shard", ".kin", ".manifest"].iter().any(|ending| name.ends_with(ending))
        });
        let sizes: Vec<_> = files.map(|(_, bytes)| bytes.len()).collect();
        assert_eq!(found["verified"]["files"], json!(sizes.len()), "{block_pages:?}, {tables}");
        assert_eq!(
            found["verified"]["bytes"],
            json!(sizes.iter().sum::<usize>()),
            "{block_pages:?}, {tables}"
        );
        assert!(place.on_index("inspect", &["--verify"]).ok().contains("verified: "));
    }
}

#[test]
fn an_output_contains_what_a_site_needs_and_the_demo_and_lab_on_request() {
    let place = Place::with_pages(40);
    let names = |options: &[&str]| {
        place.build(options);
        let all = snapshot(&place.out()).into_keys();
        let top_level = |name: &String| !name.starts_with("index/") && !name.ends_with('/');
        all.filter(top_level).collect::<Vec<_>>()
    };
    let needed = names(&[]);
    let (texts, others): (Vec<_>, Vec<_>) =
        needed.iter().partition(|name| name.starts_with("strings/"));
    let (search_box, engine) = (["box.d.ts", "box.js"], ["engine.js", "filters.js"]);
    let built = ["pagekin-rest.wasm.bin", "pagekin.basis"];
    let client = ["pagekin.d.ts", "pagekin.files", "pagekin.js", "pagekin.kin"];
    let index = ["pagekin.manifest", "pagekin.wasm.bin", "phrases.js"];
    let related = ["related.d.ts", "related.js", "several.js", "worker.js"];
    assert_eq!(others, [&search_box[..], &engine, &built, &client, &index, &related].concat());
    assert!(texts.len() > 30, "the box is there in many languages");
    let page = || fs::read_to_string(place.path("out/index.html")).expect("it is written");
    let demo = names(&["--pages", "demo"]);
    assert!(demo.contains(&"demo.js".to_owned()) && !demo.iter().any(|name| name.contains("lab")));
    assert!(!page().contains("lab/"), "nothing leads to what is not there");
    assert!(page().contains("<p id=\"site\">&nbsp;</p>\n  </footer>"));
    let lab = names(&["--pages", "lab"]);
    assert!(demo.iter().all(|name| lab.contains(name)));
    assert!(lab.contains(&"lab/index.html".to_owned()) && page().contains("<a href=\"lab/\">"));
    place.on_index("inspect", &["--verify"]).ok();
}

#[test]
fn without_an_output_a_site_index_goes_into_the_site_and_a_crawl_needs_one() {
    let place = Place::with_pages(5);
    let site = place.site();
    for _ in 0..2 {
        let done = pagekin([OsStr::new("build"), site.as_os_str()]);
        done.ok();
        assert!(place.path("site/pagekin/pagekin.manifest").is_file());
    }
    let refused = pagekin(["build", "--from", "crawl"]).failed(2);
    assert!(refused.contains("output"), "{refused}");
}

#[test]
fn verify_finds_any_changed_bit_and_any_missing_file() {
    let place = Place::with_pages(40);
    place.build(&["--block-pages", "2", "--related-json", "--pages", "lab"]);
    let verified = || place.on_index("inspect", &["--verify"]);
    let files = snapshot(&place.out());
    for name in ["pagekin.js", "pagekin.wasm.bin", "index.html", "related.json", "pagekin.files"] {
        assert!(files.contains_key(name), "{name} is published");
    }
    for (name, bytes) in files {
        if name.ends_with('/') {
            continue;
        }
        let path = place.out().join(&name);
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            fs::write(&path, changed).expect("it can be written");
            verified().failed_with(&[&name, "expected"]);
        }
        fs::remove_file(&path).expect("it can be removed");
        match &name[..] {
            "pagekin.manifest" => verified().failed_with(&["pagekin.manifest", "expected"]),
            // The report then names what was not verified.
            "pagekin.files" => assert!(verified().ok().contains("not verified: the client")),
            _ => verified().failed_with(&["cannot read", &name]),
        }
        fs::write(&path, bytes).expect("it can be written");
    }
    verified().ok();
}

#[test]
fn verify_reads_an_index_whose_list_of_files_has_no_checksums() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let list = place.out().join("pagekin.files");
    let lines = fs::read_to_string(&list).expect("it is text");
    let names: String = lines
        .lines()
        .filter(|line| !line.starts_with("checksum "))
        .fold(String::new(), |names, line| names + line + "\n");
    assert!(names.len() < lines.len());
    fs::write(&list, names).expect("it can be written");
    let found = json_of(&place.on_index("inspect", &["--verify", "--json"]).ok());
    assert_eq!(found["verified"]["client_files"], Value::Null);
    // Such an output is replaced as usual.
    place.build(&[]);
    let found = json_of(&place.on_index("inspect", &["--verify", "--json"]).ok());
    assert!(found["verified"]["client_files"].as_u64().is_some_and(|files| files > 5), "{found}");
}

#[test]
fn verify_does_not_trust_the_number_of_files_in_a_manifest() {
    for layout in ["files", "packs"] {
        let place = Place::with_pages(40);
        place.build(&["--block-pages", "2", "--layout", layout]);
        let path = place.out().join("pagekin.manifest");
        let bytes = fs::read(&path).expect("it is there");
        let manifest = Manifest::decode(&bytes).expect("it is sound");
        let slotted = |slot| {
            let mut part = Shards::from_files(u32::MAX);
            part.slot = slot;
            part
        };
        let forge: [&dyn Fn(&mut Manifest); 3] = [
            &|manifest| manifest.sample = Shards::from_files(4_000_000_000),
            &|manifest| manifest.addresses = slotted(2),
            &|manifest| manifest.lists = slotted(16 << 20),
        ];
        for (number, forge) in forge.iter().enumerate() {
            let mut forged = manifest.clone();
            forge(&mut forged);
            fs::write(&path, forged.encode()).expect("it can be written");
            // With 400 MB of address space. A message about memory would not be a useful error.
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", "ulimit -v 400000; exec \"$@\"", "sh"]);
            shell.arg(program::path()).arg("inspect").arg(place.out()).arg("--verify");
            let output = program::run(&mut shell, b"").failed(1);
            assert!(output.contains("index/"), "{layout} {number}: {output}");
        }
    }
}

// serve

fn serve(out: &Path, options: &[&str]) -> Served {
    Served::start(&arguments(&[out.as_os_str()], options))
}

#[test]
fn the_preview_prints_its_url_and_sends_every_file_with_its_type() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let served = serve(&place.out(), &["--port", "0"]);
    assert_eq!(
        served.line,
        format!("Serving http://127.0.0.1:{}/pagekin/ (press Ctrl-C to stop)\n", served.port)
    );
    for (name, bytes) in snapshot(&place.out()).into_iter().filter(|(name, _)| !name.ends_with('/'))
    {
        let response = served.get(&format!("/pagekin/{name}"));
        assert_eq!((response.status, response.body == bytes), (200, true), "{name}");
        let expected = match name.rsplit_once('.').map(|(_, end)| end) {
            Some("html") => "text/html",
            Some("js") => "text/javascript",
            Some("css") => "text/css",
            _ => continue,
        };
        let found = response.header("content-type");
        assert_eq!(found.split(';').next(), Some(expected), "{name}");
    }
    let page = served.get("/pagekin/");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html"));
}

#[test]
fn pages_of_the_preview_have_a_strict_policy() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let served = serve(&place.out(), &["--port", "0"]);
    for path in ["/pagekin/", "/pagekin/worker.js"] {
        let response = served.get(path);
        let policy = response.header("content-security-policy");
        let rules: Vec<_> = policy.split(';').map(str::trim).collect();
        assert!(rules.contains(&"default-src 'none'"), "{policy}");
        assert!(rules.contains(&"script-src 'self' 'wasm-unsafe-eval'"), "{policy}");
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
        assert_eq!(response.header("x-content-type-options"), "nosniff");
    }
}

#[test]
fn immutable_files_are_cached_and_others_revalidated() {
    let place = Place::with_pages(5);
    let generation = place.build(&[]).generation;
    let served = serve(&place.out(), &["--port", "0"]);
    let cache = |path: &str| served.get(path).header("cache-control").to_owned();
    let shard = cache(&format!("/pagekin/index/{generation}/sample/00/0000.shard"));
    assert!(shard.contains("immutable") && shard.contains("max-age=31536000"), "{shard}");
    for path in ["/pagekin/", "/pagekin/pagekin.manifest", "/pagekin/pagekin.js"] {
        assert_eq!(cache(path), "no-cache", "{path}");
    }
    let gone = served.get("/pagekin/index/0000000000000000/sample/00/0000.shard");
    assert_eq!(gone.status, 404);
    assert!(!gone.header("cache-control").contains("immutable"), "{gone:?}");
}

#[test]
fn the_site_is_served_next_to_the_index() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let site = place.site();
    let served =
        serve(&place.out(), &["--port", "0", "--site", site.to_str().expect("its path is UTF-8")]);
    assert_eq!(
        served.get("/0003.html").body,
        fs::read(site.join("0003.html")).expect("it is there")
    );
    assert_eq!(served.get("/pagekin/pagekin.manifest").status, 200);
    assert_eq!(served.get("/0009.html").status, 404);
}

#[test]
fn urls_of_the_demo_redirect_to_its_folder() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let served = serve(&place.out(), &["--port", "0"]);
    // The page's links are relative: without the slash they would lead elsewhere.
    for path in ["/", "/pagekin"] {
        let response = served.get(path);
        assert_eq!((response.status, response.header("location")), (307, "/pagekin/"), "{path}");
    }
}

#[test]
fn nothing_outside_the_folders_is_served() {
    let place = Place::with_pages(5);
    place.write("secret.txt", "secret");
    place.build(&[]);
    let site = place.site();
    let served =
        serve(&place.out(), &["--port", "0", "--site", site.to_str().expect("its path is UTF-8")]);
    let ways = [
        "/../secret.txt",
        "/pagekin/../secret.txt",
        "/pagekin/../../secret.txt",
        "/pagekin/index/../../secret.txt",
        "/pagekin/..%2fsecret.txt",
        "/pagekin/%2e%2e/secret.txt",
        "/pagekin/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/pagekin//secret.txt",
        "/pagekin/..\\secret.txt",
        "/pagekin/../../etc/passwd",
        "/pagekin//etc/passwd",
        "/%00",
        "/missing",
    ];
    for path in ways {
        let response = served.get(path);
        assert!((400..500).contains(&response.status), "{path}: {response:?}");
        assert!(!response.body.windows(6).any(|bytes| bytes == b"secret"), "{path}");
    }
}

#[test]
fn the_preview_ends_on_a_signal_even_with_an_idle_client() {
    let place = Place::with_pages(5);
    place.build(&[]);
    for signal in [Signal::TERM, Signal::INT] {
        let mut served = serve(&place.out(), &["--port", "0"]);
        assert_eq!(served.get("/pagekin/").status, 200);
        let _idle = served.connect();
        let mut half = served.connect();
        half.write_all(b"GET /pagekin/ HTTP/1.1\r\nHost: local").expect("it reads requests");
        // This client reads no responses.
        let mut deaf = served.connect();
        let request = b"GET /pagekin/pagekin.wasm.bin HTTP/1.1\r\nHost: localhost\r\n\r\n";
        deaf.write_all(&request.repeat(500)).expect("it reads requests");
        sleep(Duration::from_millis(50));
        let asked = Instant::now();
        let id = Pid::from_child(&served.child);
        kill_process(id, signal).expect("it runs");
        let status = wait(&mut served.child).expect("it ends");
        assert_eq!(status.code(), Some(0), "{signal:?}");
        // Pending requests get half a second; a busy machine may need longer.
        assert!(asked.elapsed() < Duration::from_secs(8), "{:?}", asked.elapsed());
    }
}

#[test]
fn incomplete_requests_time_out_and_do_not_block_others() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let served = serve(&place.out(), &["--port", "0"]);
    let half_open = || {
        let mut stream = served.connect();
        stream.write_all(b"GET /pagekin/ HT").expect("it reads requests");
        stream
    };
    let mut streams: Vec<_> = (0..300).map(|_| half_open()).collect();
    assert_eq!(served.get("/pagekin/").status, 200);
    for stream in &mut streams {
        // A stream that stays open fails here after `PATIENCE`.
        assert_eq!(stream.read(&mut [0]).expect("it is closed"), 0);
    }
    assert_eq!(served.get("/pagekin/").status, 200);
}

#[test]
fn requests_for_other_hosts_are_refused_unless_allowed() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let served = serve(&place.out(), &["--port", "0"]);
    let status = |served: &Served, path: &str, host: &str| {
        served.get_with(path, &format!("Host: {host}\r\n")).status
    };
    for host in ["localhost", "LOCALHOST:1234", "docs.localhost", "127.0.0.1:80", "[::1]:80"] {
        assert_eq!(status(&served, "/pagekin/", host), 200, "{host}");
    }
    for host in ["example.org", "localhost.example.org", "127.0.0.1.example.org", "0.0.0.0", ""] {
        for path in ["/", "/pagekin", "/pagekin/", "/pagekin/pagekin.manifest"] {
            assert_eq!(status(&served, path, host), 403, "{host} {path}");
        }
    }
    // An option with several hosts allows each of them.
    let two = served.get_with("/pagekin/", "Host: localhost\r\nHost: example.org\r\n");
    assert!((400..500).contains(&two.status), "{two:?}");
    assert_eq!(served.get_with("/pagekin/", "").status, 403);
    let absolute = "http://example.org/pagekin/";
    assert_eq!(served.get(absolute).status, 403);
    let refused = served.get_with("/pagekin/", "Host: example.org\r\n");
    let message = String::from_utf8(refused.body).expect("it is a text");
    for part in ["localhost", "found example.org", "--host"] {
        assert!(message.contains(part), "{message}");
    }
    let named = serve(&place.out(), &["--port", "0", "--host", "example.org"]);
    assert_eq!(status(&named, "/pagekin/", "example.org:443"), 200);
    assert_eq!(status(&named, "/pagekin/", "example.com"), 403);
}

#[test]
fn symlinks_out_of_the_folders_are_refused_unless_followed() {
    let place = Place::with_pages(5);
    place.build(&[]);
    place.write("secret.txt", "secret");
    place.write("elsewhere/index.html", "secret");
    symlink(place.path("secret.txt"), place.path("site/file.txt")).expect("links work");
    symlink(place.path("elsewhere"), place.path("site/folder")).expect("links work");
    place.write("site/inside/0009.html", "inside");
    symlink(place.path("elsewhere/index.html"), place.path("site/inside/index.html"))
        .expect("links work");
    symlink("0003.html", place.path("site/near.html")).expect("links work");
    symlink(place.path("elsewhere/index.html"), place.path("site/within.html"))
        .expect("links work");
    symlink(place.path("none"), place.path("site/nowhere")).expect("links work");
    symlink("/", place.path("site/all")).expect("links work");
    symlink(place.out(), place.path("site/index")).expect("links work");
    symlink(place.path("secret.txt"), place.path("out/secret.txt")).expect("links work");
    mknodat(CWD, place.path("site/pipe"), FileType::Fifo, Mode::RUSR, 0).expect("pipes work");
    let site = place.site();
    let site = site.to_str().expect("its path is UTF-8");
    let out = [
        "/file.txt",
        "/folder",
        "/folder/",
        "/folder/index.html",
        "/folder/none",
        "/inside/",
        "/nowhere",
        "/nowhere/",
        "/nowhere/none",
        "/file.txt/",
        "/all/etc/passwd",
        "/all/etc/passwd/",
        "/all/none",
        "/within",
        "/pagekin/secret.txt",
        "/pagekin/secret.txt/",
    ];
    let served = serve(&place.out(), &["--port", "0", "--site", site]);
    for path in out {
        let response = served.get(path);
        assert_eq!(response.status, 403, "{path}");
        let message = String::from_utf8(response.body).expect("it is a text");
        assert!(message.contains("--follow-symlinks"), "{path}: {message}");
    }
    for path in ["/near.html", "/near", "/inside/0009.html", "/index/pagekin.manifest"] {
        assert_eq!(served.get(path).status, 200, "{path}");
    }
    assert_eq!(served.get("/0003.html/").status, 404);
    let followed = serve(&place.out(), &["--port", "0", "--site", site, "--follow-symlinks"]);
    for path in ["/file.txt", "/folder/", "/inside/", "/within", "/pagekin/secret.txt"] {
        assert_eq!(followed.get(path).body, b"secret", "{path}");
    }
    for path in ["/nowhere", "/file.txt/", "/folder/none"] {
        assert_eq!(followed.get(path).status, 404, "{path}");
    }
    // Nothing writes into it: opening it would block forever, and more of these than there are
    // threads would block all other requests.
    for served in [&served, &followed] {
        let ask = |path: &str| {
            let mut stream = served.connect();
            let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            stream.write_all(request.as_bytes()).expect("it reads requests");
            stream
        };
        let waiting: Vec<_> = (0..300).flat_map(|_| [ask("/pipe"), ask("/pipe/")]).collect();
        assert_eq!((served.get("/pipe").status, served.get("/near.html").status), (403, 200));
        drop(waiting);
    }
}

#[test]
fn a_port_in_use_is_reported_if_named_and_avoided_otherwise() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("some port is free");
    let port = taken.local_addr().expect("it has an address").port().to_string();
    place.on_index("serve", &["--port", &port]).failed_with(&[&port, "--port"]);
    // Two previews without a named port each get one.
    let (one, two) = (serve(&place.out(), &[]), serve(&place.out(), &[]));
    assert_ne!(one.port, two.port);
    assert_eq!((one.get("/pagekin/").status, two.get("/pagekin/").status), (200, 200));
}

#[test]
fn only_an_index_and_a_folder_are_served() {
    let place = Place::with_pages(5);
    place.on_index("serve", &["--port", "0"]).failed_with(&["no index at", "found nothing"]);
    place.build(&[]);
    let none = place.path("none");
    let none = none.to_str().expect("its path is UTF-8");
    place
        .on_index("serve", &["--port", "0", "--site", none])
        .failed_with(&["is not a folder", none]);
}

// Usage

#[test]
fn help_and_version_are_not_errors() {
    for arguments in [&["--help"][..], &["--version"], &["build", "--help"], &["similar", "-h"]] {
        assert!(pagekin(arguments).ok().contains(if arguments[0] == "--version" {
            "pagekin 0"
        } else {
            "Usage: pagekin"
        }));
    }
}

#[test]
fn usage_errors_exit_with_two_before_any_work() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let before = snapshot(&place.path(""));
    let out = place.out();
    let out = out.to_str().expect("its path is UTF-8");
    let site = place.site();
    let site = site.to_str().expect("its path is UTF-8");
    let wrong: [&[&str]; 21] = [
        &[],
        &["frobnicate"],
        &["build"],
        &["build", "-o", out],
        &["build", site, "-o", out, "--frobnicate"],
        &["build", site, "-o", out, "--preset", "other"],
        &["build", site, "-o", out, "--pages", "attic"],
        &["build", site, "-o", out, "--related-count", "17"],
        &["build", site, "-o", out, "--threads", "0"],
        &["build", site, "-o", out, "--block-pages", "0"],
        &["build", site, "-o", out, "--lang", "1"],
        &["similar", out],
        &["similar", out, "a text", "--file", "x"],
        &["similar", out, "--file", "x", "--url", "/"],
        &["similar", out, "-", "--url", "/"],
        &["similar", out, "-", "--threshold", "2"],
        &["similar", out, "-", "--threshold", "NaN"],
        &["similar", out, "-", "--limit", "-1"],
        &["similar", out, "-", "--lang", "1"],
        &["inspect"],
        &["serve", out, "--port", "65536"],
    ];
    for arguments in wrong {
        let done = pagekin(arguments);
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{arguments:?} {done:?}");
        assert!(
            done.stderr.contains("Usage: ") || done.stderr.contains("--help"),
            "{arguments:?} {done:?}"
        );
    }
    assert_eq!(snapshot(&place.path("")), before);
}

#[test]
fn a_closed_output_pipe_is_not_a_failure() {
    let place = Place::with_pages(5);
    place.build(&[]);
    // The reader has gone before anything is printed.
    let script = r#"set -o pipefail; { sleep 0.1; exec "$@"; } | true"#;
    let gone = |arguments: &[OsString]| {
        let mut command = Command::new("bash");
        command.args(["-c", script, "bash"]).arg(program::path()).args(arguments);
        run(&mut command, b"").ok();
    };
    let (site, out) = (place.site(), place.out());
    gone(&arguments(&["similar".as_ref(), out.as_os_str()], &["--url", "/0000.html"]));
    gone(&arguments(&["similar".as_ref(), out.as_os_str()], &["--url", "/0000.html", "--json"]));
    gone(&arguments(&["inspect".as_ref(), out.as_os_str()], &["--verify"]));
    gone(&arguments(&["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()], &[]));
}

#[test]
fn a_build_continues_if_its_progress_pipe_is_closed() {
    let place = Place::with_pages(5);
    let mut command = Command::new("bash");
    // Standard error is a pipe whose reader has gone.
    let script = r#"set -o pipefail; { sleep 0.1; exec "$@"; } 2>&1 >/dev/null | true"#;
    let (site, out) = (place.site(), place.out());
    command.args(["-c", script, "bash"]).arg(program::path());
    command.args(["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()]);
    run(&mut command, b"").ok();
    place.on_index("inspect", &["--verify"]).ok();
}
