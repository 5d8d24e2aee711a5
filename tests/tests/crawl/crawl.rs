//! `pagekin crawl cluster`, `clusters` and `related` on small crawls.

use std::fs;
use std::path::Path;
use std::process::Command;

use pagekin_tests::place::{snapshot, teaching_site};
use pagekin_tests::program::{self, Done, command, pagekin, run};
use serde_json::{Value, json};

/// Three pages about bread and two about planets, one of which links to the other.
fn crawl() -> String {
    let page = |url: &str, title: &str, text: &str, links: Value| {
        json!({"url": url, "title": title, "text": text, "links": links}).to_string() + "\n"
    };
    let none = || json!([]);
    let rye = "sourdough rye flour water salt crumb crust oven";
    [
        page("https://bread.example/rye", "Rye", rye, none()),
        page("https://bread.example/dark", "Dark rye", &format!("{rye} molasses"), none()),
        page(
            "https://bread.example/wheat",
            "Wheat",
            "sourdough wheat flour water salt yeast",
            none(),
        ),
        page("https://sky.example/mars", "Mars", "planet orbit dust iron crater moon", none()),
        page(
            "https://sky.example/venus",
            "Venus",
            "planet orbit cloud acid crater heat",
            json!([{"url": "https://sky.example/mars", "text": "the planet Mars"}]),
        ),
    ]
    .concat()
}

/// Returns a distinct word of letters for each number.
fn word(number: u32) -> String {
    number.to_string().chars().map(|digit| char::from(digit as u8 - b'0' + b'a')).collect()
}

/// Clusters standard input and returns the summary.
#[track_caller]
fn cluster(stdin: &str, out: &Path, options: &[&str]) -> Value {
    let arguments = ["crawl", "cluster", "-", "--json", "--quiet", "-o"].map(Into::into);
    let mut command = command::<std::ffi::OsString>(arguments);
    command.arg(out).args(options);
    let done = run(&mut command, stdin.as_bytes()).ok();
    serde_json::from_str(&done).expect("a summary in JSON")
}

fn related(out: &Path, url: &str) -> Vec<(String, f64)> {
    let out = out.to_str().expect("tests use UTF-8");
    let printed = pagekin(["crawl", "related", out, "--url", url, "--json"]).ok();
    let found: Value = serde_json::from_str(&printed).expect("JSON");
    let related = found["related"].as_array().expect("a list");
    let kin = |kin: &Value| {
        (
            kin["url"].as_str().unwrap_or_default().to_owned(),
            kin["similarity"].as_f64().unwrap_or(2.0),
        )
    };
    related.iter().map(kin).collect()
}

#[test]
fn pages_that_share_words_are_related_and_form_a_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let summary = cluster(&crawl(), &out, &["--bags", "content", "--threshold", "0.2"]);
    assert_eq!((&summary["pages"], &summary["urls"]), (&json!(5), &json!(5)));
    let curve = summary["tables"]["curve"].as_array().unwrap();
    let found: Vec<f64> = curve.iter().map(|point| point["found"].as_f64().unwrap()).collect();
    assert!(found.is_sorted() && found[0] > 0.5 && found[7] > 0.999, "{found:?}");
    let kin = related(&out, "https://bread.example/rye");
    assert_eq!(kin[0].0, "https://bread.example/dark");
    assert!(kin[0].1 >= 0.4 && kin.iter().all(|(url, _)| url.contains("bread")), "{kin:?}");
    // URLs are normalized before they are looked up.
    assert_eq!(related(&out, "HTTPS://bread.example:443/rye?utm_source=x#top"), kin);

    let path = out.to_str().unwrap();
    let lines = pagekin(["crawl", "clusters", path, "--format", "jsonl"]).ok();
    let clusters: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for cluster in &clusters {
        let center = cluster["center"].as_str().unwrap();
        let host = center.split('/').nth(2).unwrap();
        let members = cluster["members"].as_array().unwrap();
        assert_eq!(members.len() + 1, cluster["size"].as_u64().unwrap() as usize);
        assert!(members.iter().all(|url| url.as_str().unwrap().contains(host)), "{cluster}");
    }
    let bread =
        clusters.iter().find(|cluster| cluster["center"].as_str().unwrap().contains("bread"));
    let terms = bread.expect("breads make a cluster")["terms"].as_array().unwrap();
    assert!(terms.contains(&json!("sourdough")) || terms.contains(&json!("rye")), "{terms:?}");
    let text = pagekin(["crawl", "clusters", path, "--format", "json"]).ok();
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found, json!({"clusters": clusters}));
    let none = pagekin(["crawl", "clusters", path, "--format", "json", "--min-size", "9"]).ok();
    assert_eq!(none, "{\"clusters\":[]}\n");
    let csv = pagekin(["crawl", "clusters", path, "--format", "csv", "--min-size", "1"]).ok();
    assert_eq!(csv.lines().count(), 6, "a heading and a line for each URL: {csv}");
    assert!(csv.starts_with("cluster,center,url,title,similarity,terms\n"), "{csv}");
    let line = |url: &str| csv.lines().find(|line| line.split(',').nth(2) == Some(url)).unwrap();
    let fields = |url: &str| line(url).split(',').map(str::to_owned).collect::<Vec<_>>();
    let dark = fields("https://bread.example/dark");
    let similar = related(&out, &dark[1]);
    let of_dark = similar.iter().find(|(url, _)| *url == dark[2]).map_or(1.0, |found| found.1);
    assert_eq!((&*dark[3], &*dark[4]), ("Dark rye", &*of_dark.to_string()));
    assert_eq!(fields(&dark[1])[4], "1", "the center");
    assert!(pagekin(["crawl", "clusters", path]).ok().contains("https://bread.example/"));
}

#[test]
fn near_identical_versions_form_one_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let text = |from: u32, to: u32| (from..to).map(word).collect::<Vec<_>>().join(" ");
    let page = |name: String, text: String| {
        json!({"url": format!("https://x.example/{name}"), "text": text}).to_string() + "\n"
    };
    // Two versions of each half are the most similar pages. The last page is similar to a half.
    let mut pages: String = (0..20)
        .map(|version| {
            let half = if version % 2 == 0 { text(500, 520) } else { text(700, 720) };
            let two = 1_000 + 20 * (version % 2 * 5 + version / 4);
            let own = text(5_000 + version, 5_001 + version);
            let text = [text(100, 160), half, text(two, two + 3), own].join(" ");
            page(format!("v{version}"), text)
        })
        .collect();
    pages += &page("half".to_owned(), [text(500, 520), text(9_000, 9_020)].join(" "));
    let sizes = |options: &[&str]| {
        let out = folder.path().join("out");
        cluster(&pages, &out, &[&["--bags", "content", "--exact"], options].concat());
        let out = out.to_str().expect("tests use UTF-8");
        let printed = pagekin(["crawl", "clusters", out, "--format", "json"]).ok();
        let found: Value = serde_json::from_str(&printed).expect("JSON");
        let clusters = found["clusters"].as_array().expect("a list");
        clusters.iter().map(|one| one["size"].as_u64().expect("a number")).collect::<Vec<_>>()
    };
    assert_eq!(sizes(&["--threshold", "0.3"]), [20]);
    // The halves are less similar to each other.
    assert_eq!(sizes(&["--threshold", "0.4"]), [10, 10]);
    for single in [["--join", "none"], ["--preset", "paper"]] {
        assert_eq!(sizes(&[&["--threshold", "0.3"], &single[..]].concat()), [2; 10]);
    }
}

#[test]
fn the_last_text_of_a_recaptured_url_counts() {
    let folder = tempfile::tempdir().unwrap();
    let text = |from: u32| (from..from + 60).map(word).collect::<Vec<_>>().join(" ");
    let page = |name: &str, from| {
        let url = format!("https://x.example/{name}");
        json!({"url": url, "text": text(from)}).to_string() + "\n"
    };
    let pages = [
        page("news", 0),
        page("old", 0),
        page("news", 100),
        page("news", 200),
        page("new", 200),
        page("other", 300),
    ];
    let out = folder.path().join("out");
    let summary = cluster(&pages.concat(), &out, &["--bags", "content", "--exact"]);
    let captures = &summary["skipped"][0];
    assert_eq!((&captures["reason"], &captures["count"]), (&json!("capture"), &json!(2)));
    let kin = related(&out, "https://x.example/news");
    assert_eq!(kin, [("https://x.example/new".to_owned(), 1.0)]);
}

#[test]
fn signatures_find_texts_and_rarely_linked_urls_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let options = ["--bags", "content", "--threshold", "0.9"];
    cluster(&crawl(), &out, &options);
    let path = out.to_str().unwrap();
    let rye = "https://bread.example/rye";
    assert!(related(&out, rye).is_empty());
    let ask = |options: &[&str], text: &str| {
        run(command(["crawl", "related", path]).args(options), text.as_bytes())
    };
    ask(&["-"], "rye").failed_with(&["has no signatures", "--signatures"]);

    cluster(&crawl(), &out, &[&options[..], &["--signatures", "--links"]].concat());
    let kin = related(&out, rye);
    assert_eq!(kin[0].0, "https://bread.example/dark");
    assert!(kin.len() == 2 && kin[1].1 < 0.4, "however little: {kin:?}");
    let found = ask(&["-", "--json"], "a dark rye of sourdough and molasses").ok();
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!((&found["url"], &found["related"][0]["title"]), (&Value::Null, &json!("Dark rye")));
    let html = "<title>The planets</title><p>Mars and Venus orbit";
    let both = ask(&["-"], html).ok();
    assert!(both.contains("sky.example/mars") && both.contains("sky.example/venus"), "{both}");
    assert!(
        ask(&["-"], "zzz").ok().starts_with("no URL of the crawl has anything in common with it")
    );
}

#[test]
fn an_interrupted_crawl_resumes_and_a_running_one_is_not_disturbed() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("crawl.jsonl");
    fs::write(&input, crawl()).unwrap();
    let (input, out) = (input.to_str().unwrap(), folder.path().join("out"));
    let arguments = ["crawl", "cluster", input, "--bags", "content", "-o", out.to_str().unwrap()];
    let place = folder.path().join("out.unfinished");
    // Nothing can be resumed without anything to cluster.
    fs::write(input, "{\"url\": \"https://a.example/\", \"text\": \"\"}\n").unwrap();
    let nothing = pagekin(arguments).failed(1);
    assert!(
        nothing.contains("nothing to cluster") && !nothing.contains("out.unfinished"),
        "{nothing}"
    );
    assert!(!place.exists() && !out.exists());
    // A larger crawl, whose URLs exceed the file size limit: the run ends after its first stages.
    let more = |n: u32| {
        let text = ["loaf", "oven", "crust"].map(|of| format!("{of}{}", word(n / 3))).join(" ");
        json!({"url": format!("https://{n}.example/{}", "x".repeat(150)), "text": text}).to_string()
            + "\n"
    };
    fs::write(input, crawl() + &(0..90).map(more).collect::<String>()).unwrap();
    let limited = || {
        let mut shell = Command::new("bash");
        let script = r#"ulimit -c 0 -f 8; exec "$@""#;
        shell.args(["-c", script, "bash"]).arg(program::path()).args(arguments);
        assert_ne!(run(&mut shell, b"").code, Some(0));
        assert!(place.is_dir() && !out.exists());
    };
    let is_resumed = |done: Done| {
        assert_eq!(done.code, Some(0), "{done:#?}");
        assert!(!place.exists() && out.join("crawl.json").is_file());
        ["reading pages: already done", "building bags: already done"]
            .map(|stage| done.stderr.contains(stage))
    };
    limited();
    assert_eq!(is_resumed(pagekin(arguments)), [true, true]);
    fs::remove_dir_all(&out).unwrap();
    limited();
    // Another input starts over, and at the end only the output is left.
    fs::write(input, crawl()).unwrap();
    assert_eq!(is_resumed(pagekin(arguments)), [false, false]);
    fs::create_dir(&place).unwrap();
    fs::write(place.join("diary"), "mine").unwrap();
    pagekin(arguments).failed_with(&["out.unfinished", "not left by an interrupted run"]);
    assert!(place.join("diary").exists() && out.join("crawl.json").is_file());
}

#[test]
fn small_crawls_are_compared_exactly_or_with_tables() {
    let folder = tempfile::tempdir().unwrap();
    let clustered = |name: &str, options: &[&str]| {
        let out = folder.path().join(name);
        let always = ["--bags", "content", "--threshold", "0.1"];
        let summary = cluster(&crawl(), &out, &[&always[..], options].concat());
        (summary, related(&out, "https://bread.example/rye"))
    };
    let (summary, exact) = clustered("exact", &["--exact", "--memory", "4GiB"]);
    assert!(summary["tables"].is_null());
    let (summary, tables) = clustered("tables", &["-k", "1", "-l", "40"]);
    assert_eq!((&summary["tables"]["k"], &summary["tables"]["l"]), (&json!(1), &json!(40)));
    assert_eq!(exact, tables);
}

#[test]
fn anchor_text_describes_the_linked_page() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let page = |number: u32, target: &str, text: &str| {
        let link = json!({"url": target, "text": text});
        json!({"url": format!("https://{number}.example/"), "title": "", "text": "", "links": [link]}).to_string()
    };
    // Neither page was crawled, and their anchor texts are equal.
    let lines = [
        page(1, "https://a.example/", "roller coaster park"),
        page(2, "https://b.example/", "roller coaster park"),
        page(3, "https://c.example/", "pet food shop"),
        page(4, "https://d.example/", "pet food store"),
    ];
    let summary = cluster(&lines.join("\n"), &out, &["--bags", "anchor"]);
    assert_eq!((&summary["urls"], &summary["twins"]), (&json!(4), &json!(1)));
    assert_eq!(related(&out, "https://a.example/"), [("https://b.example/".to_owned(), 1.0)]);
    assert_eq!(related(&out, "https://c.example/")[0].0, "https://d.example/");
}

#[test]
fn a_folder_is_clustered_equally_with_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let site = teaching_site();
    let clustered = |name: &str, threads: &str| {
        let out = folder.path().join(name);
        let mut command =
            command(["crawl", "cluster", "--bags", "both", "--quiet", "--threads", threads]);
        run(command.arg(&site).arg("-o").arg(&out), b"").ok();
        snapshot(&out)
    };
    let one = clustered("one", "1");
    assert!(one["pairs"].len() > 100 && one["crawl.json"].len() > 10);
    assert_eq!(one, clustered("three", "3"));
    // Also when it replaces the earlier output.
    assert_eq!(one, clustered("one", "2"));
}

#[test]
fn a_crawl_is_verified_and_every_reader_finds_a_flipped_bit() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    cluster(&crawl(), &out, &["--bags", "content", "--links"]);
    let path = out.to_str().unwrap();
    let verified = || pagekin(["inspect", path, "--verify"]);
    let is_list = |name: &&String| ["checksums", "pagekin.files"].contains(&name.as_str());
    let files = snapshot(&out).keys().filter(|name| !is_list(name)).count();
    assert!(verified().ok().contains(&format!("verified: {files} files")));
    let read = [["clusters", "json"], ["pairs", "csv"], ["rank", "csv"]];
    let read = read.map(|[command, format]| ["crawl", command, path, "--format", format]);
    let sound = read.map(|arguments| pagekin(arguments).ok());
    for (name, bytes) in snapshot(&out) {
        if bytes.is_empty() || name == "pagekin.files" {
            continue;
        }
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 4;
        fs::write(out.join(&name), flipped).unwrap();
        verified().failed_with(&[&name]);
        for (arguments, sound) in read.iter().zip(&sound) {
            let done = pagekin(arguments);
            assert!(done.code == Some(1) || done.stdout == *sound, "{name}: {arguments:?}");
        }
        fs::write(out.join(&name), bytes).unwrap();
    }
    verified().ok();
}

#[test]
fn invalid_input_is_reported_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    cluster(&crawl(), &out, &["--bags", "content"]);
    let before = snapshot(&out);
    let path = out.to_str().unwrap();
    let mut again = command(["crawl", "cluster", "-", "--quiet", "-o", path]);
    run(&mut again, b"{\"url\": \"https://a.example/\", \"text\": \"\"}\n")
        .failed_with(&["nothing to cluster", "--bags content"]);
    run(&mut command(["crawl", "cluster", "-", "-o", path]), b"no crawl at all")
        .failed_with(&["unknown format of -", "JSONL"]);
    let metadata = "WARC/1.0\r\nWARC-Type: metadata\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}\r\n\r\n";
    run(&mut command(["crawl", "cluster", "-", "-o", path]), metadata.repeat(3).as_bytes())
        .failed_with(&["contain no pages", "skipped 3 that are metadata without", "record 1"]);
    assert!(!folder.path().join("out.unfinished").exists());
    pagekin(["crawl", "cluster", "/nowhere/at/all", "-o", path]).failed_with(&["/nowhere/at/all"]);
    assert_eq!(snapshot(&out), before);
    let taken = folder.path().join("taken");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("diary"), "mine").unwrap();
    let mut command = command(["crawl", "cluster", "-", "--quiet", "-o", taken.to_str().unwrap()]);
    run(&mut command, crawl().as_bytes()).failed_with(&["diary"]);
    cluster(&crawl(), &out, &["--bags", "content", "--threshold", "0.95"]);
    let alone = pagekin(["crawl", "related", path, "--url", "https://bread.example/wheat"]).ok();
    assert!(alone.contains("0.95") && alone.contains("lower --threshold"), "{alone}");
    pagekin(["crawl", "related", path, "--url", "https://none.example/"])
        .failed_with(&["https://none.example/"]);
    pagekin(["crawl", "clusters", folder.path().to_str().unwrap()]).failed_with(&["crawl.json"]);
}
