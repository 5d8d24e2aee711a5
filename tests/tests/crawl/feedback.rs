//! `pagekin crawl feedback` and its effect on `pagekin crawl cluster`, and `cluster --classes`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pagekin_tests::place::teaching_site;
use pagekin_tests::program::{Done, arguments, pagekin};
use serde_json::Value;
use tempfile::TempDir;

fn cluster(out: &Path, options: &[&str]) -> Done {
    let site = teaching_site();
    let first =
        ["crawl".as_ref(), "cluster".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_ref()];
    pagekin(arguments(&first, &[&["--bags", "content"][..], options].concat()))
}

fn json(done: Done) -> Value {
    serde_json::from_str(&done.ok()).expect("it is JSON")
}

/// Clusters the teaching site.
fn clustered() -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().expect("a folder");
    let crawl = place.path().join("crawl");
    cluster(&crawl, &["--quiet"]).ok();
    (place, crawl)
}

fn feedback(crawl: &Path, judgments: &Path, options: &[&str]) -> Done {
    let first = ["crawl".as_ref(), "feedback".as_ref(), crawl.as_os_str(), judgments.as_os_str()];
    pagekin(arguments(&first, options))
}

/// Returns the paths of the pages in the crawl.
fn paths(crawl: &Path) -> Vec<String> {
    let first = ["crawl".as_ref(), "clusters".as_ref(), crawl.as_os_str()];
    let csv = pagekin(arguments(&first, &["--format", "csv", "--min-size", "1"])).ok();
    // URLs precede titles and contain no commas.
    let url = |line: &str| {
        let url = line.split(',').nth(2).expect("a URL");
        url.trim_start_matches("https://localhost").to_owned()
    };
    csv.lines().skip(1).map(url).collect()
}

/// Returns the first two folders of a path, which are the subject of a page on the teaching site.
fn subject(path: &str) -> String {
    path.split('/').skip(1).take(2).collect::<Vec<_>>().join("/")
}

#[test]
fn consistent_judgments_improve_and_random_ones_do_not() {
    let (place, crawl) = clustered();
    let paths = paths(&crawl);
    assert!(paths.len() > 60, "{paths:?}");
    let write = |name: &str, cluster: &dyn Fn(usize, &str) -> String| {
        let mut lines = "cluster,url\n".to_owned();
        for (at, path) in paths.iter().enumerate() {
            writeln!(lines, "{},{path}", cluster(at, path)).unwrap();
        }
        let file = place.path().join(name);
        fs::write(&file, lines).unwrap();
        file
    };
    let by_subject = write("subjects.csv", &|_, path| subject(path));
    let learned = place.path().join("learnt.json");
    let options = ["--json", "-o", learned.to_str().unwrap()];
    let report = json(feedback(&crawl, &by_subject, &options));
    assert_eq!(report["pays"], true, "{report:#}");
    assert!(report["threshold"]["gain"][1].as_f64() > Some(0.0), "{report:#}");
    let chosen = report["chosen_threshold"].as_f64().expect("a threshold");
    assert!(chosen < 0.2, "{report:#}");
    // The learned threshold is used unless one is given.
    let again = place.path().join("again");
    let with = ["--quiet", "--feedback", learned.to_str().unwrap()];
    cluster(&again, &with).ok();
    let description: Value =
        serde_json::from_slice(&fs::read(again.join("crawl.json")).unwrap()).unwrap();
    assert_eq!(description["threshold"].as_f64(), Some((chosen * 1_000.0).round()));
    let given = [&with[..], &["--threshold", "0.3"]].concat();
    cluster(&again, &given).ok();
    let description: Value =
        serde_json::from_slice(&fs::read(again.join("crawl.json")).unwrap()).unwrap();
    assert_eq!(description["threshold"], 300);

    let by_coin = write("coins.csv", &|at, _| (at * at % 13 % 4).to_string());
    let nothing = place.path().join("nothing.json");
    let text = feedback(&crawl, &by_coin, &["-o", nothing.to_str().unwrap()]).ok();
    assert!(text.contains("no gain on held-out pairs"), "{text}");
    assert!(!nothing.exists());
}

#[test]
fn judgments_are_read_as_the_demo_saves_them_and_errors_reported() {
    let (place, crawl) = clustered();
    // Only some pages of each subject, because learning from all pairs takes long.
    let paths: Vec<_> = paths(&crawl).into_iter().step_by(2).collect();
    let file = place.path().join("judgments.csv");
    let mut lines = "url,other_url,similar\n/nowhere.html,/index.html,yes\n".to_owned();
    for (at, path) in paths.iter().enumerate() {
        for other in &paths[at + 1..] {
            let similar = if subject(path) == subject(other) { "yes" } else { "no" };
            // Hosts hide extensions.
            writeln!(
                lines,
                "{},https://localhost{other},{similar}",
                path.trim_end_matches(".html")
            )
            .unwrap();
        }
    }
    writeln!(lines, "{},{},no\n{0},{1},yes", paths[0], paths[1]).unwrap();
    fs::write(&file, &lines).unwrap();
    let report = json(feedback(&crawl, &file, &["--json"]));
    assert_eq!((&report["unknown_urls"], &report["contradictory"]), (&1.into(), &1.into()));
    assert_eq!(report["pays"], true, "{report:#}");
    let pairs = paths.len() * (paths.len() - 1) / 2 - 1;
    let judged = report["similar"].as_u64().zip(report["different"].as_u64());
    assert_eq!(judged.map(|(a, b)| a + b), Some(pairs as u64));
    let text = feedback(&crawl, &file, &[]).ok();
    assert!(
        text.contains("skipped: 1 URLs that are not in the crawl, first /nowhere.html"),
        "{text}"
    );
    for (content, expected) in [
        ("url,title\n", "found the columns url, title"),
        ("url,other_url,similar\n/a,/b,maybe\n", "found \"maybe\" in line 2"),
        ("url,other_url,similar\n/a,/b\n", "found 2 instead of 3 columns in line 2"),
        (
            "url,other_url,similar\n",
            "expected at least 10 similar pairs and as many others, found 0 and 0",
        ),
    ] {
        fs::write(&file, content).unwrap();
        feedback(&crawl, &file, &[]).failed_with(&[expected]);
    }
    feedback(place.path(), &file, &[]).failed_with(&["no clustered crawl"]);
    let wrong = ["--quiet", "--feedback", file.to_str().unwrap()];
    cluster(&place.path().join("again"), &wrong)
        .failed_with(&["expected the output of `pagekin crawl feedback`"]);
}

#[test]
fn only_pages_of_the_same_class_are_paired() {
    let place = tempfile::tempdir().unwrap();
    let report = |name: &str, classes: &str| {
        let out = place.path().join(name);
        json(cluster(&out, &["--json", "--classes", classes]))
    };
    let whole = json(cluster(&place.path().join("whole"), &["--json"]));
    assert_eq!(whole["classes"], Value::Null);
    let folders = report("folders", "folder");
    assert!(folders["classes"]["classes"].as_u64() > Some(3), "{folders:#}");
    assert!(folders["pairs"].as_u64() < whole["pairs"].as_u64());
    let across = folders["recall"].as_array().expect("ranges").iter();
    assert!(across.map(|range| range["across"].as_u64().unwrap()).sum::<u64>() > 0);
    let host = report("host", "host");
    assert_eq!((&host["classes"]["classes"], &host["pairs"]), (&1.into(), &whole["pairs"]));
    let languages = report("languages", "language");
    assert_eq!(languages["classes"]["largest"][0][0], "en", "{languages:#}");
    let text = cluster(&place.path().join("text"), &["--classes", "folder=2"]).ok();
    assert!(text.contains(" classes: localhost/") && text.contains(" across classes"), "{text}");
    for wrong in ["folder=0", "bags=3", "topic", "classes.txt"] {
        let error = cluster(&place.path().join("wrong"), &["--classes", wrong]).failed(2);
        assert!(error.contains("expected host, folder"), "{error}");
    }
    let missing = place.path().join("missing.csv");
    cluster(&place.path().join("wrong"), &["--classes", missing.to_str().unwrap()])
        .failed_with(&["cannot read", "missing.csv"]);
}
