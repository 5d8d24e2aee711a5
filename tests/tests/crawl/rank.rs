//! `pagekin crawl rank`: the links of inputs and of clustered crawls, in every format.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pagekin_tests::place::{snapshot, teaching_site};
use pagekin_tests::program::{Done, command, pagekin, run};
use serde_json::{Value, json};

/// Writes HTML pages as JSONL.
fn write_pages(file: &Path, pages: &[(&str, &str)]) {
    let line = |(url, html): &(&str, &str)| json!({"url": url, "html": html}).to_string();
    let lines: Vec<String> = pages.iter().map(line).collect();
    fs::write(file, lines.join("\n")).expect("there is room");
}

/// Runs `pagekin crawl rank` on an input.
fn rank(input: &Path, options: &[&str]) -> Done {
    run(command(["crawl", "rank"]).arg(input).args(options), b"")
}

/// Returns the printed ranks by URL.
fn ranks(input: &Path, options: &[&str]) -> BTreeMap<String, f64> {
    let lines = rank(input, &[options, &["--format", "jsonl"]].concat()).ok();
    let line = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("JSON");
        (
            value["url"].as_str().expect("a URL").to_owned(),
            value["rank"].as_f64().expect("a number"),
        )
    };
    lines.lines().map(line).collect()
}

#[track_caller]
fn assert_ranks(found: &BTreeMap<String, f64>, expected: &[(&str, f64)]) {
    let urls: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(urls, expected.iter().map(|(url, _)| *url).collect::<Vec<_>>());
    for ((url, found), (_, expected)) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{url}: {found}, expected {expected}");
    }
}

#[test]
fn two_pages_have_the_ranks_computed_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.jsonl");
    // The second page was never read. Repeated links, links to the page itself, and nofollow links
    // do not count.
    write_pages(
        &file,
        &[(
            "https://a.example/",
            "<title>A</title><a href=https://b.example/>b</a> <a href=https://b.example/#x>b</a> \
             <a href=/>a</a> <a rel=nofollow href=https://c.example/>c</a>",
        )],
    );
    let expected = [("https://a.example/", 8.0 / 23.0), ("https://b.example/", 15.0 / 23.0)];
    assert_ranks(&ranks(&file, &[]), &expected);
    // a = 1/2 (1/2 + 1/2 b) and b = a + 1/2 a.
    let half = [("https://a.example/", 0.4), ("https://b.example/", 0.6)];
    assert_ranks(&ranks(&file, &["--reset-probability", "0.5"]), &half);
    // If all visits start at a: a = 1/8 + 7/8 b and b = 7/8 a.
    let from_a = [("https://a.example/", 8.0 / 15.0), ("https://b.example/", 7.0 / 15.0)];
    let values = folder.path().join("values.csv");
    fs::write(&values, "url,value\nhttps://b.example/,0\nhttps://a.example/,7\n").unwrap();
    assert_ranks(&ranks(&file, &["--reset", values.to_str().unwrap()]), &from_a);
}

#[test]
fn redirects_and_canonical_urls_pass_on_their_rank() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.jsonl");
    let url = |name: &str| format!("https://x.example/{name}");
    write_pages(
        &file,
        &[
            (&url("old"), "<meta http-equiv=refresh content='0; url=/new'><a href=/never>x</a>"),
            (
                &url("copy"),
                "<link rel=canonical href=/new><title>N</title><a href=/from-copy>x</a>",
            ),
        ],
    );
    let printed = rank(&file, &["--format", "json"]).ok();
    let found: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        (&found["urls"], &found["links"], &found["dangling"]),
        (&json!(4), &json!(3), &json!(1))
    );
    let mut links: Vec<(&str, u64, u64)> = found["ranks"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|of| {
            let links = |name: &str| of[name].as_u64().expect("a number");
            (of["url"].as_str().expect("a URL"), links("in_links"), links("out_links"))
        })
        .collect();
    links.sort_unstable();
    let expected = [("copy", 0, 1), ("from-copy", 1, 0), ("new", 2, 1), ("old", 0, 1)];
    let expected = expected.map(|(name, from, to)| (url(name), from, to));
    assert_eq!(links, expected.each_ref().map(|(url, from, to)| (url.as_str(), *from, *to)));
}

#[test]
fn a_clustered_crawl_with_links_is_ranked_like_its_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = folder.path().join("crawl");
    let cluster = |options: &[&str]| {
        let mut command = command(["crawl", "cluster", "--quiet", "--bags", "both"]);
        run(command.arg(teaching_site()).arg("-o").arg(&crawl).args(options), b"").ok();
    };
    cluster(&[]);
    rank(&crawl, &[]).failed_with(&["Cluster the crawl again with --links"]);
    cluster(&["--links"]);
    let csv = rank(&crawl, &["--format", "csv"]).ok();
    assert_eq!(rank(&teaching_site(), &["--format", "csv"]).ok(), csv);
    for threads in ["1", "2", "5"] {
        assert_eq!(rank(&crawl, &["--format", "csv", "--threads", threads]).ok(), csv);
        let read =
            rank(&teaching_site(), &["--format", "csv", "--threads", threads, "--memory", "1"]);
        assert_eq!(read.ok(), csv);
    }
    assert!(csv.starts_with("url,rank,in_links,out_links,title\nhttps://localhost/kitchen/,0.1"));

    // Other formats contain the same ranks.
    let from_csv: BTreeMap<&str, f64> = csv
        .lines()
        .skip(1)
        .map(|line| {
            // No URL of the site contains a comma.
            let fields: Vec<&str> = line.split(',').collect();
            (fields[0], fields[1].parse().unwrap())
        })
        .collect();
    let sorted: Vec<(&str, f64)> = from_csv.iter().map(|(url, rank)| (*url, *rank)).collect();
    assert_ranks(&ranks(&crawl, &[]), &sorted);
    assert!((from_csv.values().sum::<f64>() - 1.0).abs() < 1e-12);
    let table = rank(&crawl, &["-l", "3"]).ok();
    assert!(table.contains(" 66         8  https://localhost/kitchen/  Kitchen"), "{table}");
    assert_eq!(table.lines().count(), 2 + 2 + 3);
    let json: Value =
        serde_json::from_str(&rank(&crawl, &["--format", "json", "-l", "2"]).ok()).unwrap();
    assert_eq!(json["converged"], true);
    assert_eq!(json["ranks"].as_array().map(Vec::len), Some(2));
    let file = folder.path().join("ranks.parquet");
    rank(&crawl, &["--format", "parquet", "-o", file.to_str().unwrap()]).ok();
    let bytes = fs::read(&file).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));

    // Visitors who start in a folder stay near it.
    let sourdough = "https://localhost/kitchen/bread/sourdough.html";
    let reset = folder.path().join("reset.csv");
    let options = ["--reset", reset.to_str().unwrap()];
    fs::write(&reset, "url,value\n/kitchen/bread/,1\n/kitchen/bread/sourdough.html,1\n").unwrap();
    let flavoured = ranks(&crawl, &options);
    assert!(flavoured[sourdough] > 3.0 * from_csv[sourdough], "{flavoured:?}");
    fs::write(&reset, "url,value\n/none,1\n").unwrap();
    rank(&crawl, &options).failed_with(&["https://localhost/none", "not a ranked URL"]);
}

#[test]
fn another_program_reads_the_same_ranks_from_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ranks.parquet");
    rank(&teaching_site(), &["--format", "parquet", "-o", file.to_str().unwrap()]).ok();
    let Some(python) = std::env::var_os("DUCKDB_PYTHON") else {
        return eprintln!("not tested: DUCKDB_PYTHON names no Python with DuckDB");
    };
    let program = "import duckdb, json, sys\n\
                   rows = duckdb.sql(f\"select url, rank from '{sys.argv[1]}'\").fetchall()\n\
                   print(json.dumps(dict(rows)))";
    let output =
        std::process::Command::new(python).args(["-c", program]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: BTreeMap<String, f64> = serde_json::from_slice(&output.stdout).unwrap();
    let expected = ranks(&teaching_site(), &[]);
    assert_ranks(
        &read,
        &expected.iter().map(|(url, rank)| (url.as_str(), *rank)).collect::<Vec<_>>(),
    );
}

#[test]
fn a_file_is_written_entirely_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = folder.path().join("crawl");
    let mut cluster = command(["crawl", "cluster", "--quiet", "--links", "--bags", "both"]);
    run(cluster.arg(teaching_site()).arg("-o").arg(&crawl), b"").ok();
    let file = folder.path().join("ranks.csv");
    let into = ["--format", "csv", "-o", file.to_str().unwrap()];
    rank(&crawl, &into).ok();
    assert_eq!(fs::read_to_string(&file).unwrap(), rank(&crawl, &["--format", "csv"]).ok());
    for name in ["links", "links.urls", "links.json"] {
        let path = crawl.join(name);
        let sound = fs::read(&path).unwrap();
        fs::write(&path, &sound[..sound.len() - 3]).unwrap();
        let before = snapshot(folder.path());
        rank(&crawl, &into).failed_with(&[name, "Cluster the crawl again with --links"]);
        assert_eq!(snapshot(folder.path()), before, "nothing is changed and nothing is left");
        fs::write(&path, sound).unwrap();
    }
    rank(&teaching_site(), &into).ok();
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|of| of.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    let message = rank(&crawl, &["--format", "parquet"]).failed(2);
    assert!(message.contains("--output"), "{message}");
    // The ranks of a page and of all that it links to change places in each iteration.
    let star = folder.path().join("star.jsonl");
    let home = "<a href=https://a.example/>a</a>";
    let pages = [
        ("https://a.example/", "<a href=/b>b</a> <a href=/c>c</a>"),
        ("https://a.example/b", home),
        ("https://a.example/c", home),
    ];
    write_pages(&star, &pages);
    let slow = rank(&star, &["--reset-probability", "1e-9"]);
    assert!(slow.stderr.contains("Raise --reset-probability"), "{slow:?}");
    slow.ok();
    for (options, part) in [
        (["--reset-probability", "1"], "above 0 and below 1"),
        (["--exclude", "["], "expected a glob"),
    ] {
        let message = rank(&crawl, &options).failed(2);
        assert!(message.contains(part), "{message}");
    }
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    rank(&empty, &[]).failed_with(&["nothing to rank: the inputs contain no pages"]);
    pagekin(["crawl", "rank"]).failed(2);
}
