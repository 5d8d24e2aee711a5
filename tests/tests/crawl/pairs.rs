//! `pagekin crawl pairs`: the same pairs in every format, read by other programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use pagekin_tests::checkout;
use pagekin_tests::place::{snapshot, teaching_site};
use pagekin_tests::program::{command, pagekin, run};
use serde_json::{Value, json};

/// Both URLs, the similarity in thousandths, and both titles.
type Pair = (String, String, u64, Option<String>, Option<String>);

/// Clusters the teaching site by its texts. Some of its pages occur again under other URLs.
fn clustered(folder: &Path) -> PathBuf {
    let out = folder.join("crawl");
    let copies = folder.join("copies.jsonl");
    let page = |name: &str, text: &str| {
        json!({"url": format!("https://example.org/{name}"), "title": "", "text": text}).to_string()
    };
    let text = "sourdough bread, \"rye\" flour\nand a starter";
    let lines = ["a", "b", "c"].map(|name| page(name, text));
    fs::write(&copies, lines.join("\n")).expect("there is room");
    let mut command = command(["crawl", "cluster", "--bags", "both", "--quiet"]);
    run(command.arg(teaching_site()).arg(&copies).arg("-o").arg(&out), b"").ok();
    out
}

fn pair(value: &Value) -> Pair {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let thousandths = (1_000.0 * value["similarity"].as_f64().expect("a number")).round() as u64;
    (
        text("url").expect("a URL"),
        text("other_url").expect("a URL"),
        thousandths,
        text("title"),
        text("other_title"),
    )
}

fn pairs_of_jsonl(lines: &str) -> BTreeSet<Pair> {
    let pairs: Vec<Pair> =
        lines.lines().map(|line| pair(&serde_json::from_str(line).expect("JSON"))).collect();
    let all = pairs.len();
    let pairs: BTreeSet<Pair> = pairs.into_iter().collect();
    assert_eq!(pairs.len(), all, "once each");
    pairs
}

/// Writes the pairs of a crawl in a format to a file.
#[track_caller]
fn written(crawl: &Path, format: &str, options: &[&str]) -> PathBuf {
    let file = crawl.with_file_name(format!("pairs.{format}"));
    let mut command = command(["crawl", "pairs", "--format", format]);
    run(command.arg(crawl).arg("-o").arg(&file).args(options), b"").ok();
    file
}

#[test]
fn every_format_contains_the_pairs_of_the_lists() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = clustered(folder.path());
    let path = crawl.to_str().unwrap();
    let jsonl = pagekin(["crawl", "pairs", path, "--format", "jsonl"]).ok();
    let pairs = pairs_of_jsonl(&jsonl);
    let description: Value =
        serde_json::from_slice(&fs::read(crawl.join("crawl.json")).unwrap()).unwrap();
    assert_eq!(description["pairs"], pairs.len());
    assert!(pairs.len() > 20, "{}", pairs.len());
    assert_eq!(fs::read_to_string(written(&crawl, "jsonl", &[])).unwrap(), jsonl);
    let copies: Vec<_> = pairs.iter().filter(|pair| pair.2 == 1_000 && pair.3.is_none()).collect();
    assert_eq!(copies.len(), 3, "three copies without titles: {copies:?}");

    // Each list contains its pairs, and no others.
    let mut lists: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for (url, other, similarity, ..) in &pairs {
        lists.entry(url).or_default().insert(other, *similarity);
        lists.entry(other).or_default().insert(url, *similarity);
    }
    for (url, list) in lists.iter().take(20) {
        let printed =
            pagekin(["crawl", "related", path, "--url", url, "--json", "--limit", "1000"]).ok();
        let found: Value = serde_json::from_str(&printed).unwrap();
        let found: BTreeMap<&str, u64> = found["related"]
            .as_array()
            .unwrap()
            .iter()
            .map(|of| {
                let similarity = 1_000.0 * of["similarity"].as_f64().unwrap();
                (of["url"].as_str().unwrap(), similarity.round() as u64)
            })
            .collect();
        assert_eq!(&found, list, "{url}");
    }

    let csv = fs::read_to_string(written(&crawl, "csv", &[])).unwrap();
    assert!(csv.starts_with("url,other_url,similarity,title,other_title\n"), "{csv:.100}");
    assert_eq!(csv.lines().count(), pairs.len() + 1);

    // A higher minimum omits lower pairs.
    let half = pairs_of_jsonl(
        &pagekin(["crawl", "pairs", path, "--format", "jsonl", "--threshold", "0.5"]).ok(),
    );
    assert!(half.len() < pairs.len() && !half.is_empty());
    assert_eq!(half, pairs.into_iter().filter(|pair| pair.2 >= 500).collect());
}

/// DuckDB's Python package reads the CSV and the Parquet file. Where all tests must run, it is
/// installed.
#[test]
fn another_program_reads_the_same_pairs_from_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = clustered(folder.path());
    let expected = pairs_of_jsonl(&fs::read_to_string(written(&crawl, "jsonl", &[])).unwrap());
    let files = ["csv", "jsonl", "parquet"].map(|format| written(&crawl, format, &[]));
    let python = std::env::var_os("DUCKDB_PYTHON").unwrap_or_else(|| "python3".into());
    let program = checkout::of_tests("second_reader/pairs.py");
    let run = Command::new(python).arg(program).args(&files).output();
    let is_needed = std::env::var_os("DUCKDB_PYTHON").is_some();
    let output = match run {
        Err(error) if error.kind() == ErrorKind::NotFound && !is_needed => {
            return eprintln!("not tested: python3 is not installed");
        }
        run => run.expect("python3 runs"),
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    if !is_needed && output.status.code() == Some(77) {
        return eprintln!("not tested: {complaint}");
    }
    assert!(output.status.success(), "{complaint}");
    let read: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
    for file in &files {
        let pairs = read[file.to_str().unwrap()].as_array().expect("a list of pairs");
        assert_eq!(pairs.len(), expected.len(), "{}", file.display());
        assert_eq!(pairs.iter().map(pair).collect::<BTreeSet<_>>(), expected, "{}", file.display());
    }
}

#[test]
fn a_file_is_written_entirely_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = clustered(folder.path());
    let path = crawl.to_str().unwrap();
    for format in ["csv", "jsonl", "parquet"] {
        let file = written(&crawl, format, &[]);
        assert!(fs::metadata(&file).unwrap().len() > 1_000);
    }
    // The last pairs are damaged, so the first are already written when that is found.
    let pairs = crawl.join("pairs");
    let bytes = fs::read(&pairs).unwrap();
    let mut damaged = bytes.clone();
    let end = damaged.len();
    damaged[end - 12..].fill(0xff);
    fs::write(&pairs, damaged).unwrap();
    let before = snapshot(folder.path());
    for format in ["csv", "jsonl", "parquet"] {
        let file = folder.path().join(format!("pairs.{format}"));
        let file = file.to_str().unwrap();
        pagekin(["crawl", "pairs", path, "--format", format, "-o", file])
            .failed_with(&["pairs is damaged", "Cluster the crawl again"]);
        let new = folder.path().join("new");
        pagekin(["crawl", "pairs", path, "--format", format, "-o", new.to_str().unwrap()])
            .failed(1);
    }
    assert_eq!(snapshot(folder.path()), before, "nothing is changed and nothing is left");
    fs::write(&pairs, bytes).unwrap();
    pagekin(["crawl", "pairs", path, "--format", "csv", "-o", path])
        .failed_with(&["refusing to overwrite"]);
    let message = pagekin(["crawl", "pairs", path, "--format", "parquet"]).failed(2);
    assert!(message.contains("--output"), "{message}");
    let message =
        pagekin(["crawl", "pairs", path, "--format", "csv", "--threshold", "0"]).failed(2);
    assert!(message.contains("0.001"), "{message}");
}

#[test]
fn text_of_a_page_is_never_a_spreadsheet_formula() {
    let folder = tempfile::tempdir().expect("there is room");
    let out = folder.path().join("crawl");
    let pages = folder.path().join("pages.jsonl");
    let title = "=HYPERLINK(\"https://evil.example\")";
    let page = |name: &str| {
        let text = "sourdough bread, rye flour and a starter";
        json!({"url": format!("https://example.org/{name}"), "title": title, "text": text,
               "links": ["https://example.org/a"]})
        .to_string()
    };
    fs::write(&pages, ["a", "b"].map(page).join("\n")).expect("there is room");
    let mut command = command(["crawl", "cluster", "--bags", "both", "--links", "--quiet"]);
    run(command.arg(&pages).arg("-o").arg(&out), b"").ok();
    let path = out.to_str().expect("a text");
    let marked = "\"'=HYPERLINK(\"\"https://evil.example\"\")\"";
    for command in ["pairs", "clusters", "rank"] {
        let csv = pagekin(["crawl", command, path, "--format", "csv"]).ok();
        assert!(csv.contains(marked), "{csv}");
        let formula = csv.replace(marked, "").contains("=HYPERLINK");
        assert!(!formula, "{csv}");
        let jsonl = pagekin(["crawl", command, path, "--format", "jsonl"]).ok();
        assert!(jsonl.contains("\"=HYPERLINK("), "{jsonl}");
    }
}
