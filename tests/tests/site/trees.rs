//! Trees of topics: `pagekin build --pages browse`, `clusters --tree` and `evaluate --tree`.
//! `snapshots/tree.txt` contains the topics of the teaching site; `UPDATE_EXPECT=1 cargo test -p
//! pagekin-tests --test site trees` updates it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use expect_test::expect_file;
use pagekin_tests::place::{snapshot, teaching_site};
use pagekin_tests::program::{Done, arguments, pagekin};
use serde_json::Value;

fn build(from: &[&OsStr], out: &Path, options: &[&str]) -> Done {
    let first =
        [&["build".as_ref()], from, &["--quiet".as_ref(), "-o".as_ref(), out.as_ref()]].concat();
    pagekin(arguments(&first, options))
}

fn tree_of(out: &Path) -> Value {
    let text = fs::read(out.join("browse/tree.json")).expect("the build wrote a tree");
    serde_json::from_slice(&text).expect("it is JSON")
}

/// Appends the outline of a topic, as a visitor sees it, and adds its URLs to `pages`.
fn outline(topic: &Value, level: usize, out: &mut String, pages: &mut Vec<String>) {
    let before = pages.len();
    for item in topic["items"].as_array().expect("pages") {
        pages.push(item[0].as_str().expect("an address").to_owned());
        *out += &format!("{:1$}- {2}\n", "", 2 * level, item[1].as_str().expect("a title"));
    }
    let mut labels = BTreeSet::new();
    for topic in topic["topics"].as_array().expect("topics") {
        let label: Vec<&str> =
            topic["label"].as_array().expect("words").iter().filter_map(Value::as_str).collect();
        assert!(
            !label.is_empty() && labels.insert(label.clone()),
            "{label:?} is a name of its own"
        );
        *out += &format!("{:1$}{2} ({3})\n", "", 2 * level, label.join(", "), topic["pages"]);
        outline(topic, level + 1, out, pages);
    }
    assert_eq!(topic["pages"], pages.len() - before, "the pages of a topic are counted");
}

#[test]
fn the_teaching_site_has_its_topics() {
    let place = tempfile::tempdir().unwrap();
    let site = teaching_site();
    let out = place.path().join("out");
    build(&[site.as_ref()], &out, &["--pages", "browse"]).ok();
    let tree = tree_of(&out);
    let (mut text, mut pages) = (String::new(), Vec::new());
    outline(&tree["tree"], 0, &mut text, &mut pages);
    assert_eq!((&tree["base"], &tree["pages"], pages.len()), (&"/".into(), &68.into(), 68));
    pages.sort();
    pages.dedup();
    assert_eq!(pages.len(), 68, "each page once");
    expect_file!["../../snapshots/tree.txt"].assert_eq(&text);

    let again = place.path().join("again");
    build(&[site.as_ref()], &again, &["--pages", "browse", "--threads", "5"]).ok();
    assert_eq!(snapshot(&out), snapshot(&again), "whatever the number of threads");
    let verified = pagekin([OsStr::new("inspect"), out.as_ref(), "--verify".as_ref()]);
    verified.ok();
    // A rebuild without the option removes them.
    build(&[site.as_ref()], &out, &[]).ok();
    assert!(!out.join("browse").exists() && !out.join("browse.html").exists());
    assert!(!out.join("index.html").exists());
    build(&[site.as_ref()], &out, &["--pages", "demo"]).ok();
    assert!(!fs::read_to_string(out.join("index.html")).unwrap().contains("browse.html"));
}

#[test]
fn the_tree_is_kept_for_use_without_a_network() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    build(&[teaching_site().as_ref()], &out, &["--pages", "browse,offline"]).ok();
    let list: Value = serde_json::from_slice(&fs::read(out.join("offline.json")).unwrap()).unwrap();
    let kept: Vec<&str> =
        list["files"].as_array().unwrap().iter().filter_map(|file| file[0].as_str()).collect();
    for name in ["browse.css", "browse.html", "browse.js", "browse/tree.json"] {
        assert!(kept.contains(&name), "{name} is kept: {kept:?}");
    }
    let html = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(html.contains("href=\"browse.html\"") && html.contains("offline.js"));
}

/// Returns the sizes of all flat clusters below a topic, and counts their URLs.
fn sizes(topic: &Value) -> Vec<u64> {
    let flat = topic["clusters"].as_array().expect("clusters").iter();
    let mut found: Vec<u64> =
        flat.map(|cluster| cluster["size"].as_u64().expect("a size")).collect();
    topic["topics"].as_array().expect("topics").iter().for_each(|topic| found.extend(sizes(topic)));
    assert_eq!(topic["urls"], found.iter().sum::<u64>());
    found
}

#[test]
fn the_clusters_of_a_crawl_form_a_tree() {
    let place = tempfile::tempdir().unwrap();
    let (site, crawl) = (teaching_site(), place.path().join("crawl"));
    let arguments: [&OsStr; 8] = [
        "crawl".as_ref(),
        "cluster".as_ref(),
        site.as_ref(),
        "--bags".as_ref(),
        "content".as_ref(),
        "--quiet".as_ref(),
        "-o".as_ref(),
        crawl.as_ref(),
    ];
    pagekin(arguments).ok();
    let path = crawl.to_str().expect("tests use UTF-8");
    let clusters = |options: &[&str]| pagekin([&["crawl", "clusters", path], options].concat());
    let tree: Value =
        serde_json::from_str(&clusters(&["--tree", "--format", "json"]).ok()).unwrap();
    let listed = clusters(&["--format", "jsonl", "--min-size", "1"]).ok();
    let listed = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut listed: Vec<u64> = listed.map(|cluster| cluster["size"].as_u64().unwrap()).collect();
    let mut found = sizes(&tree);
    listed.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, listed, "each flat cluster once");
    let top = tree["topics"].as_array().unwrap();
    assert!((2..=12).contains(&top.len()));
    assert!(top.iter().all(|topic| !topic["label"].as_array().unwrap().is_empty()));

    let text = clusters(&["--tree"]).ok();
    assert!(text.lines().next().is_some_and(|line| line.contains("topics of")), "{text}");
    assert!(text.contains("loaf, flour") && text.contains("(Sourdough loaf"), "{text}");
    let cut = clusters(&["--tree", "--depth", "1"]).ok();
    assert!(cut.lines().count() <= 14 && cut.lines().next() == text.lines().next(), "{cut}");
    let cut: Value =
        serde_json::from_str(&clusters(&["--tree", "--format", "json", "--depth", "1"]).ok())
            .unwrap();
    assert!(cut["topics"][0].get("topics").is_none() && cut["topics"][0]["urls"].is_u64());

    assert!(
        clusters(&["--tree", "--format", "csv"]).failed(2).contains("csv: expected table or json")
    );
    assert!(clusters(&["--depth", "2"]).failed(2).contains("--tree"));
    let none = place.path().to_str().unwrap();
    pagekin(["crawl", "clusters", none, "--tree"]).failed_with(&["crawl.json"]);

    let out = place.path().join("out");
    build(&["--from".as_ref(), crawl.as_ref()], &out, &["--pages", "browse"]).ok();
    let (mut text, mut pages) = (String::new(), Vec::new());
    outline(&tree_of(&out)["tree"], 0, &mut text, &mut pages);
    assert!(pages.len() >= 60 && text.contains("flour"), "{text}");
}

#[test]
fn topics_of_a_crawl_show_pages_that_were_read() {
    let place = tempfile::tempdir().unwrap();
    let (site, crawl) = (teaching_site(), place.path().join("crawl"));
    let arguments =
        ["crawl".as_ref(), "cluster".as_ref(), site.as_ref(), "--quiet".as_ref(), "-o".as_ref()];
    pagekin([&arguments[..], &[crawl.as_os_str()]].concat()).ok();
    let text =
        pagekin(["crawl".as_ref(), "clusters".as_ref(), crawl.as_os_str(), "--tree".as_ref()]).ok();
    // Pages without a title, which were only linked to, are shown by their URLs.
    assert!(text.contains("(Sourdough loaf") && !text.contains("(http"), "{text}");
}

#[test]
fn the_tree_agrees_with_folders_and_a_shuffled_one_does_not() {
    let site = teaching_site();
    let first: [&OsStr; 4] =
        ["evaluate".as_ref(), site.as_ref(), "--tree".as_ref(), "--quiet".as_ref()];
    let text = pagekin(arguments(&first, &["--format", "json"])).ok();
    let found: Value = serde_json::from_str(&text).unwrap();
    let score = |tree: usize, name: &str| found["trees"][tree]["scores"][name].as_f64().unwrap();
    let names: Vec<&str> = found["trees"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tree| tree["tree"].as_str())
        .collect();
    assert_eq!(names, ["pagekin", "average linkage", "shuffled"]);
    for (name, more) in [("gamma", 0.4), ("together", 0.3), ("f", 0.2)] {
        for tree in [0, 1] {
            let (here, chance) = (score(tree, name), score(2, name));
            assert!(here > chance + more, "{name} of {}: {here}, by chance {chance}", names[tree]);
        }
    }
    let table = pagekin(arguments(&first, &[])).ok();
    assert!(table.contains("average linkage") && table.contains("together"), "{table}");
    let csv = pagekin(arguments(&first, &["--format", "csv"])).ok();
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(pagekin(arguments(&first, &["--links"])).failed(2).contains("cannot be used with"));
}
