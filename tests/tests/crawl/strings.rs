//! `pagekin crawl cluster --alphabet` on small files of reads and lines, and the commands on its
//! output.

use std::fs;
use std::path::Path;

use pagekin_tests::program::pagekin;
use serde_json::{Value, json};

/// Three copies of each of two strands, and an unrelated read. The copies contain errors.
const READS: &str = "\
@a.1 run=7
ACGTTGCAAGCTTACGGATCTTGACCATGAGGCTAATCCGTA
+
IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII
@a.2
ACGTTGCAAGCTTACGGATCTTGACCATGAGGCTAATCCGAA
+
IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII
@b.1
TTCGAGGACTATCAGCCGTGATTACGCAAGTCTGGTTCACAG
+
IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII
@a.3
acgttgcaagcttacggatcttgaccatgaggctaatccgta
+
IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII
@b.2
TTCGAGGACTATCAGCGTGATTACGCAAGTCTGGTTCACAG
+
IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII
@alone
GGGCCCTTTAAAGGGACACACTCTCTGTGTGAGAGACCCCCA
+
IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII
@short
ACG
+
III
";

fn cluster(folder: &Path, text: &str, options: &[&str]) -> Value {
    let input = folder.join("strings");
    fs::write(&input, text).expect("there is room");
    let (input, out) = (input.display().to_string(), folder.join("out").display().to_string());
    let all = [&["crawl", "cluster", &input, "-o", &out, "--json", "--quiet"], options].concat();
    serde_json::from_str(&pagekin(all).ok()).expect("a summary in JSON")
}

/// Returns the clusters, each sorted, with its center.
fn clusters(out: &str) -> Vec<Vec<String>> {
    let printed = pagekin(["crawl", "clusters", out, "--format", "json"]).ok();
    let found: Value = serde_json::from_str(&printed).expect("JSON");
    let name = |name: &Value| name.as_str().expect("a name").to_owned();
    let mut all: Vec<Vec<String>> = found["clusters"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|cluster| {
            let members = cluster["members"].as_array().expect("a list").iter();
            let mut names: Vec<String> = members.chain([&cluster["center"]]).map(name).collect();
            names.sort_unstable();
            names
        })
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn reads_are_clustered_and_identified_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    for pairing in [&[][..], &["--exact"]] {
        let options = [&["--alphabet", "dna"], pairing].concat();
        let summary = cluster(folder.path(), READS, &options);
        assert_eq!((&summary["urls"], &summary["empty"]), (&json!(6), &json!(1)), "{summary}");
        assert_eq!(summary["strings"]["alphabet"], "dna");
        assert_eq!(clusters(&out), [vec!["a.1", "a.2", "a.3"], vec!["b.1", "b.2"]]);
    }
    let related = pagekin(["crawl", "related", &out, "--name", "a.3"]).ok();
    assert!(related.starts_with("100.0%  a.1  ACGTTGCAAG"), "{related}");
    let none = pagekin(["crawl", "related", &out, "--name", "alone"]).ok();
    assert!(none.starts_with("no read has a similarity"), "{none}");
    let table = pagekin(["crawl", "clusters", &out]).ok();
    assert!(
        table.starts_with("2 clusters of at least 2 reads") && !table.contains("URL"),
        "{table}"
    );
    let pairs = pagekin(["crawl", "pairs", &out, "--format", "csv"]).ok();
    assert!(
        pairs
            .lines()
            .any(|line| line.starts_with("a.1,a.3,1.0,") || line.starts_with("a.3,a.1,1.0,")),
        "{pairs}"
    );

    // Commands that need words report that.
    let index = folder.path().join("index").display().to_string();
    for needs_pages in [
        &["build", "--from", &out, "-o", &index][..],
        &["crawl", "clusters", &out, "--tree"],
        &["crawl", "feedback", &out, &out, "-o", &index],
    ] {
        pagekin(needs_pages.to_vec()).failed_with(&["of strings", "pagekin crawl clusters"]);
    }
}

#[test]
fn the_report_uses_the_word_reads() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("reads.fastq");
    fs::write(&input, READS).unwrap();
    let out = folder.path().join("out");
    let arguments =
        ["crawl", "cluster", "--alphabet", "dna", "--join", "none", "-o"].map(Into::into);
    let arguments = [&arguments[..], &[out.into_os_string(), input.into_os_string()]].concat();
    let report = pagekin(arguments).ok();
    for line in [
        "7 reads (",
        "6-grams; pairs with a similarity of at least",
        "6 reads with a bag, 1 without q-grams",
        "--name NAME",
    ] {
        assert!(report.contains(line), "{report}");
    }
    let without_stages = report.split("reading reads").next().unwrap();
    assert!(!without_stages.contains("URL") && !without_stages.contains("page"), "{report}");
}

#[test]
fn lines_are_clustered_and_equal_ones_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    let lines = "Main Street 12, Springfield\nmain street 12 Springfield\nMain Street 12, Springfield\nOak Avenue 3, Shelbyville\n";
    let summary = cluster(folder.path(), lines, &["--alphabet", "text"]);
    assert_eq!((&summary["pages"], &summary["urls"]), (&json!(4), &json!(3)), "{summary}");
    let street = ["Main Street 12, Springfield", "main street 12 Springfield"];
    assert_eq!(clusters(&out), [street.to_vec()]);
    let related = pagekin(["crawl", "related", &out, "--name", street[0]]).ok();
    assert!(related.contains(street[1]), "{related}");
}

#[test]
fn an_input_without_strings_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("empty.fq"), folder.path().join("out"));
    fs::write(&input, "\n").unwrap();
    let (input, out) = (input.to_str().unwrap(), out.to_str().unwrap());
    for (alphabet, expected) in [("dna", "no reads as FASTA"), ("text", "no lines of text")] {
        let done = pagekin(["crawl", "cluster", input, "-o", out, "--alphabet", alphabet]);
        done.failed_with(&["nothing to cluster", expected]);
    }
}

#[test]
fn conflicting_options_are_refused_before_anything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("reads");
    fs::write(&input, ">a\nACGT\n>b\nAC-T\n").unwrap();
    let (input, out) =
        (input.display().to_string(), folder.path().join("out").display().to_string());
    let with =
        |options: &[&str]| pagekin([&["crawl", "cluster", &input, "-o", &out], options].concat());
    for (options, expected) in [
        (&["--q", "7"][..], "--alphabet"),
        (&["--both-strands"], "--alphabet"),
        (&["--alphabet", "dna", "--classes", "host"], "--classes"),
        (&["--alphabet", "dna", "--links"], "--links"),
        (&["--alphabet", "dna", "--error-rate", "0.4"], "0 to 0.3"),
        (&["--alphabet", "dna", "--join", "2"], "or none"),
        (&["--alphabet", "protein"], "dna"),
    ] {
        let message = with(options).failed(2);
        assert!(message.contains(expected), "{message}");
    }
    with(&["--alphabet", "dna"]).failed_with(&["record 2", "'-'", "--alphabet text"]);
    with(&["--alphabet", "text", "--both-strands"]).misused_saying(&["both-strands", "dna"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing but the input");
}
