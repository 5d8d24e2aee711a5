//! `pagekin duplicates` as a gate: exit codes, baselines, and the reports that a forge reads.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use pagekin_tests::place::{Place, html, teaching_site, words};
use pagekin_tests::program::{Done, arguments, command, pagekin, run};
use serde::Deserialize;
use serde_json::{Value, json};

/// The exit code if there are more near-duplicates than allowed.
const TOO_MANY: i32 = 3;

fn duplicates(site: &Path, options: &[&str]) -> Done {
    let first: &[&OsStr] = &["duplicates".as_ref(), site.as_os_str(), "--quiet".as_ref()];
    pagekin(arguments(first, options))
}

fn json_of(site: &Path, options: &[&str]) -> Value {
    let text = duplicates(site, &[options, &["--format", "json"]].concat()).ok();
    serde_json::from_str(&text).expect("it is JSON")
}

/// A page with a copy, a near-duplicate and a page that quotes it, and an unrelated page.
fn copied() -> Place {
    let (text, edited) = (words(0, 200), format!("{} {}", words(0, 190), words(900, 5)));
    // It contains too little of the edited text.
    let quoting = format!("{} {}", words(150, 50), words(1_000, 20));
    Place::with(&[
        ("a.html", &html("A", &text)),
        ("b copy.html", &html("B", &text)),
        ("c&d.html", &html("C & D", &edited)),
        ("e[1].html", &html("E", &quoting)),
        ("z.html", &html("Z", &words(2_000, 100))),
    ])
}

// Exit codes

#[test]
fn selected_kinds_of_pairs_fail_the_command() {
    let place = copied();
    let kinds = |options: &[&str]| {
        let found = json_of(&place.site(), options);
        let pairs = found["pairs"].as_array().expect("a list").iter();
        pairs.map(|pair| pair["kind"].as_str().expect("a kind").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&[]), ["near-duplicate", "copy", "passages"]);
    for (options, expected) in [
        (&["--fail-on", "copies"][..], "at most 0, found 1 copies."),
        (&["--fail-on", "near"], "at most 0, found 1 near-duplicate pairs."),
        (&["--fail-on", "passages"], "at most 0, found 1 pairs with shared passages."),
        (&["--fail-on", "copies,near"], "at most 0, found 1 copies, 1 near-duplicate pairs."),
        (&["--fail-on", "copies,near", "--fail-over", "1"], "at most 1, found 1 copies, 1 near"),
        (&["--fail-over", "2"], "at most 2, found 1 copies, 1 near-duplicate pairs, 1 pairs with"),
    ] {
        let done = duplicates(&place.site(), options);
        // The report is complete in any case.
        assert!(done.stdout.contains("2 groups\n"), "{done:#?}");
        let message = done.failed(TOO_MANY);
        assert!(
            message.contains(expected) && message.contains("--write-baseline"),
            "{options:?}: {message}"
        );
    }
    for options in [
        &["--fail-over", "3"][..],
        &["--fail-on", "copies", "--fail-over", "1"],
        &["--fail-on", "copies,near", "--threshold", "0.99", "--fail-over", "1"],
        &[],
    ] {
        let text = duplicates(&place.site(), options).ok();
        assert!(text.contains(" groups\n"), "{options:?}: {text}");
    }
}

#[test]
fn pages_that_differ_only_in_numbers_are_a_separate_kind() {
    // All pages differ in as many shingles as a number can change, or in nearly all.
    let similar = |price: u32| format!("{} {price}", words(0, 200));
    let dissimilar = |price: u32| {
        let each = |at: u32| format!("{} {} ", words(3_000 + 7 * at, 7), price + at);
        (0..20).map(each).collect::<String>()
    };
    let site = |of: &dyn Fn(u32) -> String| {
        Place::with(&[("a.html", &html("A", &of(100))), ("b.html", &html("B", &of(900)))])
    };
    for (place, is_near) in [(site(&similar), true), (site(&dissimilar), false)] {
        let found = json_of(&place.site(), &[]);
        let pair = &found["pairs"][0];
        assert_eq!(pair["kind"], "same-but-numbers");
        assert_eq!(pair["resemblance"].as_f64().expect("a number") >= 0.8, is_near, "{pair}");
        let code = |kinds: &str| duplicates(&place.site(), &["--fail-on", kinds]).code;
        assert_eq!(code("copies,passages"), Some(0));
        assert_eq!(code("numbers"), Some(TOO_MANY));
        assert_eq!(code("near"), Some(if is_near { TOO_MANY } else { 0 }));
        for (format, part) in [
            ("csv", ",same-but-numbers,"),
            ("sarif", "Has the same words as [/a.html](1), with other numbers"),
            ("junit", "pagekin.same-but-numbers"),
            ("html", "\"same-but-numbers\""),
        ] {
            let report = duplicates(&place.site(), &["--format", format]).ok();
            assert!(report.contains(part), "{format}: {report}");
        }
        let table = duplicates(&place.site(), &[]).ok();
        assert!(table.contains("other numbers  /b.html"), "{table}");
    }
}

#[test]
fn exit_codes_are_documented_and_distinguish_failures() {
    for help in [&["--help"][..], &["duplicates", "--help"]] {
        let text = pagekin(help).ok();
        assert!(
            text.contains("  3  more near-duplicates than --fail-on and --fail-over"),
            "{text}"
        );
    }
    let place = copied();
    let gone = place.path("gone.json");
    let gone = gone.to_str().expect("tests use UTF-8");
    duplicates(&place.site(), &["--fail-over", "0", "--baseline", gone]).failed_with(&[
        "cannot read the baseline",
        "gone.json",
        "--write-baseline",
    ]);
    place.write("bad.json", "{\"version\": 1}");
    let bad = place.path("bad.json");
    let bad = bad.to_str().expect("tests use UTF-8");
    duplicates(&place.site(), &["--baseline", bad]).failed_with(&[
        "bad.json",
        "expected a baseline",
        "missing field",
    ]);
    for (options, part) in [
        (&["--fail-on", "twins"][..], "possible values: copies, numbers, near, passages"),
        (&["--fail-over", "many"], "invalid value 'many' for '--fail-over <N>'"),
        (&["--write-baseline", bad, "--baseline", bad], "cannot be used with"),
        (&["--write-baseline", bad, "--fail-over", "1"], "cannot be used with"),
    ] {
        let message = duplicates(&place.site(), options).failed(2);
        assert!(message.contains(part), "expected {part:?} in {message}");
    }
}

#[test]
fn every_command_that_prints_a_report_prints_it_as_json() {
    /// Returns the commands that a help lists.
    fn listed(line: &[&str]) -> Vec<String> {
        let help = pagekin([line, &["--help"]].concat()).ok();
        let groups = help.lines().skip_while(|line| !line.starts_with("Commands"));
        let lines = groups.take_while(|line| *line != "Options:");
        let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    }
    let of_site = [
        "build",
        "serve",
        "search",
        "similar",
        "related",
        "read",
        "duplicates",
        "redirects",
        "inspect",
        "mcp",
        "crawl",
        "evaluate",
        "config",
        "completions",
        "help",
    ];
    assert_eq!(listed(&[]), of_site);
    let of_crawl =
        ["cluster", "related", "clusters", "pairs", "feedback", "rank", "stream", "help"];
    assert_eq!(listed(&["crawl"]), of_crawl);
    // These print no report, but data in formats of their own, or scripts.
    let others = ["mcp", "crawl", "config", "completions", "help", "pairs", "stream"];
    let of_site = of_site.into_iter().map(|name| vec![name]);
    let of_crawl = of_crawl.into_iter().map(|name| vec!["crawl", name]);
    for line in of_site.chain(of_crawl).filter(|line| !others.contains(&line[line.len() - 1])) {
        let help = pagekin([&line[..], &["--help"]].concat()).ok();
        let has = |option: &str| help.split_whitespace().any(|word| word == option);
        assert!(has("--json") != has("--format"), "{line:?}: {help}");
        assert!(has("--json") || help.contains("json"), "{line:?}: {help}");
    }
}

// Baselines

#[test]
fn pairs_in_the_baseline_pass_and_new_ones_fail() {
    let place = copied();
    let path = place.path("known.json");
    let baseline = path.to_str().expect("tests use UTF-8");
    let done = pagekin(arguments(
        &["duplicates".as_ref(), place.site().as_os_str()],
        &["--write-baseline", baseline],
    ));
    assert!(done.stderr.contains("3 known groups written to"), "{done:#?}");
    done.ok();
    let written: Value =
        serde_json::from_slice(&fs::read(&path).expect("it is there")).expect("JSON");
    let expected = json!({"version": 1, "groups": [
        {"kind": "copy", "pages": ["/a.html", "/b%20copy.html"]},
        {"kind": "near-duplicate", "pages": ["/a.html", "/c&d.html"]},
        {"kind": "passages", "pages": ["/a.html", "/e%5B1%5D.html"]},
    ]});
    assert_eq!(written, expected);
    let gated = |options: &[&str]| {
        let first = ["--fail-on", "copies,near,passages", "--baseline", baseline];
        duplicates(&place.site(), &[&first, options].concat())
    };
    assert!(gated(&[]).ok().contains("0 pairs are new, 3 in the baseline\n"));

    // A new copy is new, whichever page is its likely original.
    place.write("site/0.html", html("0", &words(0, 200)));
    let done = gated(&[]);
    assert!(done.stdout.contains("1 pairs are new, 3 in the baseline\n"), "{done:#?}");
    let message = done.failed(TOO_MANY);
    assert!(
        message.contains("at most 0 that are not in the baseline, found 1 copies."),
        "{message}"
    );
    let report: Value =
        serde_json::from_str(&gated(&["--format", "json"]).stdout).expect("it is JSON");
    assert_eq!(report["gate"]["failing"], 1);
    assert_eq!(report["gate"]["failed"], true);
    let known = report["pairs"].as_array().expect("a list").iter().map(|pair| &pair["known"]);
    assert_eq!(known.filter(|known| **known == json!(true)).count(), 3);
    assert_eq!(gated(&["--fail-over", "1", "--format", "csv"]).ok().matches(",true\n").count(), 3);

    // The remaining known pairs stay known when the original is removed, and the removed ones are
    // reported.
    for gone in ["site/0.html", "site/a.html", "site/e[1].html"] {
        fs::remove_file(place.path(gone)).expect("it is there");
    }
    let text = gated(&[]).ok();
    assert!(text.contains("0 pairs are new, 1 in the baseline\n"), "{text}");
    assert!(text.contains("2 groups of the baseline no longer exist"), "{text}");
}

#[test]
fn a_baseline_of_the_same_site_is_identical() {
    let place = Place::empty();
    let write = |name: &str, threads: &str| {
        let path = place.path(name);
        let options = ["--write-baseline", path.to_str().expect("UTF-8"), "--threads", threads];
        assert!(duplicates(&teaching_site(), &options).ok().starts_with("12 groups\n"));
        fs::read_to_string(path).expect("it is text")
    };
    let (one, two) = (write("1.json", "1"), write("2.json", "2"));
    assert_eq!(one, two);
    assert_eq!(one.lines().count(), 12 + 5, "a group is a line: {one}");
}

// Reports

#[test]
fn junit_has_a_test_case_per_pair() {
    let place = copied();
    let path = place.path("known.json");
    let baseline = path.to_str().expect("tests use UTF-8");
    let known =
        json!({"version": 1, "groups": [{"kind": "copy", "pages": ["/b%20copy.html", "/a.html"]}]});
    place.write("known.json", known.to_string());
    let options = ["--format", "junit", "--baseline", baseline, "--fail-on", "copies,near"];
    let done = duplicates(&place.site(), &options);
    let text = done.stdout.clone();
    done.failed(TOO_MANY);
    let document = roxmltree::Document::parse(&text).expect("it is XML");
    let root = document.root_element();
    assert!(root.has_tag_name("testsuites"));
    let counts = |node: roxmltree::Node<'_, '_>| {
        ["tests", "failures", "skipped", "errors"]
            .map(|name| node.attribute(name).and_then(|n| n.parse::<usize>().ok()))
    };
    assert_eq!(counts(root), [Some(4), Some(1), Some(2), Some(0)], "{text}");
    let mut found = BTreeMap::new();
    for suite in root.children().filter(roxmltree::Node::is_element) {
        assert!(suite.has_tag_name("testsuite"));
        let tests: Vec<_> = suite.children().filter(roxmltree::Node::is_element).collect();
        assert_eq!(counts(suite)[0], Some(tests.len()));
        for test in tests {
            // No pair is of this kind.
            if test.attribute("classname") == Some("pagekin.same-but-numbers") {
                assert_eq!(test.first_element_child(), None);
                continue;
            }
            let outcome = test.first_element_child().expect("none of them passed");
            let message = outcome.attribute("message").expect("it has a message").to_owned();
            assert!(test.attribute("file").is_some_and(|file| Path::new(file).is_file()), "{text}");
            let class = test.attribute("classname").expect("it has one");
            assert_eq!(outcome.attribute("type"), class.strip_prefix("pagekin."));
            let name = test.attribute("name").expect("it has one");
            found.insert(name.to_owned(), (outcome.tag_name().name().to_owned(), message));
        }
    }
    let outcomes: Vec<_> =
        found.iter().map(|(name, (outcome, _))| (&name[..], &outcome[..])).collect();
    let expected = [
        ("/b%20copy.html and /a.html", "skipped"),
        ("/c&d.html and /a.html", "failure"),
        ("/e%5B1%5D.html and /a.html", "skipped"),
    ];
    assert_eq!(outcomes, expected);
    assert!(found["/b%20copy.html and /a.html"].1.starts_with("In the baseline."), "{text}");
    assert!(found["/c&d.html and /a.html"].1.starts_with("Nearly copies /a.html: "), "{text}");
    assert!(found["/e%5B1%5D.html and /a.html"].1.starts_with("Not in --fail-on."), "{text}");

    // Without pairs, the report has one passing test case.
    let lone = Place::with(&[("a.html", &html("A", &words(0, 50)))]);
    let text = duplicates(&lone.site(), &["--format", "junit", "--fail-over", "0"]).ok();
    let document = roxmltree::Document::parse(&text).expect("it is XML");
    assert_eq!(counts(document.root_element()), [Some(4), Some(0), Some(0), Some(0)], "{text}");
}

/// The part of SARIF that a forge reads, with the names and types of the schema of version 2.1.0;
/// unknown fields are refused.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sarif {
    #[serde(rename = "$schema")]
    schema: String,
    version: String,
    runs: Vec<SarifRun>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SarifRun {
    tool: SarifTool,
    results: Vec<SarifResult>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SarifTool {
    driver: SarifDriver,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SarifDriver {
    name: String,
    semantic_version: String,
    information_uri: String,
    rules: Vec<SarifRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SarifRule {
    id: String,
    name: String,
    short_description: SarifMessage,
    full_description: SarifMessage,
    help: SarifMessage,
    default_configuration: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SarifMessage {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SarifResult {
    rule_id: String,
    rule_index: usize,
    level: String,
    message: SarifMessage,
    locations: Vec<SarifLocation>,
    related_locations: Vec<SarifLocation>,
    partial_fingerprints: BTreeMap<String, String>,
    baseline_state: Option<String>,
    properties: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SarifLocation {
    id: Option<u32>,
    message: Option<SarifMessage>,
    physical_location: SarifPlace,
    logical_locations: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SarifPlace {
    artifact_location: SarifFile,
    region: SarifRegion,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SarifFile {
    uri: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SarifRegion {
    start_line: u32,
}

/// Returns the results of a run in the parent folder of the site, as on a forge.
fn sarif(place: &Place, site: &str, options: &[&str]) -> Vec<SarifResult> {
    let options = [&["duplicates", site, "--quiet", "--format", "sarif"], options].concat();
    let done = run(command(options).current_dir(place.path("")), b"");
    let mut log: Sarif = serde_json::from_str(&done.stdout).expect("it is SARIF");
    assert!(log.schema.ends_with("sarif-2.1.0.json"));
    assert_eq!((&log.version[..], log.runs.len()), ("2.1.0", 1));
    let SarifRun { tool: SarifTool { driver }, results } = log.runs.remove(0);
    assert_eq!(driver.name, "pagekin");
    assert!(driver.semantic_version.split('.').all(|part| part.parse::<u32>().is_ok()));
    assert!(driver.information_uri.starts_with("https://"));
    let names: BTreeSet<_> = driver.rules.iter().map(|rule| &rule.name).collect();
    assert_eq!((driver.rules.len(), names.len()), (4, 4));
    for rule in &driver.rules {
        for text in [&rule.short_description, &rule.full_description, &rule.help] {
            assert!(!text.text.is_empty(), "{}", rule.id);
        }
        assert_eq!(rule.default_configuration, json!({"level": "warning"}));
    }
    for result in &results {
        assert_eq!(driver.rules[result.rule_index].id, result.rule_id);
        assert!(["error", "warning", "note"].contains(&&result.level[..]));
        // The link in the message leads to the related location.
        assert!(result.message.text.contains("](1)"), "{}", result.message.text);
        let [related] = &result.related_locations[..] else { panic!("one is related") };
        assert!(related.id == Some(1) && related.message.is_some());
        for location in result.locations.iter().chain([related]) {
            assert_eq!(location.physical_location.region.start_line, 1);
            assert!(location.logical_locations[0]["fullyQualifiedName"].is_string());
        }
        assert!(result.properties["resemblance"].is_f64());
    }
    results
}

#[test]
fn sarif_has_a_result_per_pair() {
    let place = copied();
    let known =
        json!({"version": 1, "groups": [{"kind": "copy", "pages": ["/b%20copy.html", "/a.html"]}]});
    place.write("known.json", known.to_string());
    let gate = ["--baseline", "known.json", "--fail-on", "copies,near"];
    let results = sarif(&place, "site", &gate);
    let seen: Vec<_> = results
        .iter()
        .map(|result| {
            let uri =
                |location: &SarifLocation| location.physical_location.artifact_location.uri.clone();
            let uris = (uri(&result.locations[0]), uri(&result.related_locations[0]));
            assert_eq!(uris.1, "site/a.html");
            (&result.rule_id[..], &result.level[..], result.baseline_state.as_deref(), uris.0)
        })
        .collect();
    let expected = [
        ("near-duplicate", "error", Some("new"), "site/c%26d.html".to_owned()),
        ("copy", "note", Some("unchanged"), "site/b%20copy.html".to_owned()),
        ("passages", "note", Some("new"), "site/e%5B1%5D.html".to_owned()),
    ];
    assert_eq!(seen, expected);

    // Without a gate there are no errors, and without a baseline no new results. Fingerprints are
    // the same, whatever path names the site.
    let site = place.site();
    for site in ["./site", site.to_str().expect("tests use UTF-8")] {
        let again = sarif(&place, site, &[]);
        assert!(
            again.iter().all(|result| result.level == "warning" && result.baseline_state.is_none())
        );
        for (one, two) in results.iter().zip(&again) {
            assert_eq!(one.partial_fingerprints, two.partial_fingerprints);
            let uri = |result: &SarifResult| {
                result.locations[0].physical_location.artifact_location.uri.clone()
            };
            assert_eq!(uri(one), uri(two));
        }
    }
    let fingerprints: BTreeSet<_> =
        results.iter().map(|result| &result.partial_fingerprints).collect();
    assert_eq!(fingerprints.len(), 3);
}
