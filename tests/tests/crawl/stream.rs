//! `pagekin crawl stream`: its output, and seamless resumption of a killed stream.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pagekin_tests::place::teaching_site;
use pagekin_tests::program::{Done, PATIENCE, command, pagekin, run};
use serde_json::{Value, json};

/// Returns the pages of the teaching site as a stream, one every ten minutes from a start time:
/// each page twice, the second time on another host with some words omitted.
fn site_lines(from: i64) -> Vec<String> {
    let mut pages: Vec<PathBuf> = walkdir::WalkDir::new(teaching_site())
        .into_iter()
        .map(|entry| entry.expect("it can be listed").into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "html"))
        .collect();
    pages.sort();
    let pages = pages.iter().map(|path| fs::read(path).expect("it can be read"));
    let pages: Vec<String> = pages.map(|page| String::from_utf8_lossy(&page).into()).collect();
    let mut lines = Vec::new();
    for (n, html) in pages.iter().enumerate() {
        let time = from + n as i64 * 600;
        lines.push(
            json!({"url": format!("https://a.example/{n}"), "html": html, "published": time}),
        );
        if n >= 7 {
            let copied = &pages[n - 7];
            let words = copied.split(' ').enumerate().filter(|(at, _)| at % 40 != n % 40);
            let html = words.map(|(_, word)| word).collect::<Vec<_>>().join(" ");
            lines.push(
                json!({"url": format!("https://b.example/{n}"), "html": html, "published": time}),
            );
        }
    }
    lines.iter().map(Value::to_string).collect()
}

fn write(path: &Path, lines: &[String]) {
    fs::write(path, lines.join("\n") + "\n").expect("there is room");
}

fn stream(input: &Path, options: &[&str]) -> Done {
    run(command(["crawl", "stream"]).arg(input).args(options), b"")
}

fn line(url: &str, text: &str, published: &str) -> String {
    json!({"url": url, "text": text, "published": published}).to_string()
}

const BREAD: &str =
    "Rye bread needs sourdough, long kneading and patience; bakers feed their starter daily";

#[test]
fn a_repeated_page_is_reported_with_its_similarity() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.jsonl");
    write(
        &file,
        &[
            line("https://a.example/", BREAD, "2026-11-20T00:00:00Z"),
            line("https://b.example/", "Kestrels hover above meadows", "2026-11-20T06:00:00Z"),
            line("https://c.example/", BREAD, "2026-11-20T12:00:00Z"),
            line("https://d.example/", BREAD, "2026-11-21T12:00:01Z"),
        ],
    );
    let output = stream(&file, &["--threshold", "0.25"]).ok();
    let found: Vec<Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Half a horizon reduces the similarity to the root of 0.25. The last page is more than a day
    // after all others.
    let expected = json!({"url": "https://c.example/", "earlier": "https://a.example/", "similarity": 1.0,
        "decayed": 0.5, "seconds": 43_200.0});
    assert_eq!(found, [expected]);
    let weeks = stream(&file, &["--threshold", "0.25", "--horizon", "2w", "--quiet"]);
    assert_eq!((weeks.stdout.lines().count(), weeks.stderr.as_str()), (3, ""));
}

#[test]
fn each_of_many_equal_lines_is_reported_with_a_hundred_others() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.jsonl");
    let page = |n| {
        let (url, text) = (format!("https://{n}.example/"), format!("{BREAD} number{n}"));
        line(&url, &text, "2026-11-20T00:00:00Z")
    };
    write(&file, &(0..300).map(page).collect::<Vec<_>>());
    let done = stream(&file, &[]);
    let expected: usize = (0..300).map(|before| before.min(100)).sum();
    assert_eq!((done.code, done.stdout.lines().count()), (Some(0), expected));
    assert!(done.stderr.contains("199 pages had too many similar predecessors"), "{}", done.stderr);
}

#[test]
fn a_pair_is_reported_before_the_next_page_arrives() {
    let mut child = command(["crawl", "stream"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut into = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap()).lines();
    for url in ["https://a.example/", "https://b.example/"] {
        writeln!(into, "{}", json!({"url": url, "text": BREAD})).unwrap();
    }
    // Standard input stays open, so a program that waits for its end would wait forever.
    let pair = from.next().expect("a pair").expect("it can be read");
    assert!(pair.contains(r#""earlier":"https://a.example/""#), "{pair}");
    drop(into);
    assert!(child.wait().unwrap().success());
}

#[test]
fn bad_lines_are_reported_by_number_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.jsonl");
    let late = line("https://e.example/", BREAD, "2026-11-19T00:00:00Z");
    write(
        &file,
        &[
            line("https://a.example/", BREAD, "2026-11-20T00:00:00Z"),
            "no page".to_owned(),
            String::new(),
            line("https://b.example/", BREAD, "yesterday"),
            line("https://c.example/", "", "2026-11-20T00:00:00Z"),
            line("https://d.example/", BREAD, "2126-11-20T00:00:00Z"),
            late,
            line("https://f.example/", BREAD, "2026-11-19T23:00:00Z"),
        ],
    );
    let done = stream(&file, &[]);
    assert_eq!(done.stdout.lines().count(), 1, "{done:#?}");
    assert!(done.stdout.contains(r#""seconds":-3600.0"#), "{done:#?}");
    for part in [
        "skipped line 2 of ",
        "not JSON objects",
        "skipped line 4 of ",
        "a time in an unknown format",
        "skipped line 5 of ",
        "no indexable words",
        "skipped line 6 of ",
        "ahead of the clock",
        "skipped line 7 of ",
        "more than --allowed-lateness",
        "2 pages, 1 pair",
    ] {
        assert!(done.stderr.contains(part), "expected {part:?} in {}", done.stderr);
    }
    assert_eq!(done.code, Some(0));
}

#[test]
fn a_line_with_an_invalid_or_missing_time_is_skipped_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let options = ["--horizon", "6h", "--threshold", "0.6"];
    let sound = site_lines(1_790_000_000 - 365 * 86_400);
    write(&at("sound"), &sound);
    let expected = stream(&at("sound"), &options).ok();
    assert!(expected.lines().count() >= 10, "{expected}");
    let untimed = json!({"url": "https://x.example/", "text": BREAD}).to_string();
    let ahead = line("https://x.example/", BREAD, "2026-09-01T00:00:00Z");
    let behind = line("https://x.example/", BREAD, "1999-01-01T00:00:00Z");
    for (wrong, message) in
        [(untimed, "have no time"), (ahead, "more than --horizon"), (behind, "")]
    {
        for place in [0, 1, 20] {
            let mut lines = sound.clone();
            lines.insert(place, wrong.clone());
            write(&at("pages"), &lines);
            let done = stream(&at("pages"), &options);
            assert_eq!(done.stdout, expected, "{wrong} as line {place}");
            let is_told = done.stderr.contains(&format!("skipped line {} of", place + 1));
            let is_first = done.stderr.contains("times of the first lines do not fit");
            assert!(is_told || place == 0, "{}", done.stderr);
            assert!(is_first || place > 0 || message.is_empty(), "{}", done.stderr);
            assert!(place == 0 || done.stderr.contains(message), "{}", done.stderr);
        }
    }
}

#[test]
fn words_with_digits_are_words() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.jsonl");
    let page =
        |n| line(&format!("https://{n}.example/"), "ipv6 mp3 x86_64", "2026-11-20T00:00:00Z");
    write(&file, &[page(1), page(2)]);
    assert_eq!(stream(&file, &[]).ok().lines().count(), 1);
}

fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.metadata().ok()).map(|data| data.len()).sum()
}

/// Kills a stream repeatedly, resumes it, and compares the combined output with that of an
/// uninterrupted one.
#[test]
fn a_killed_stream_resumes_without_losing_or_repeating_a_pair() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let file = at("pages.jsonl");
    write(&file, &site_lines(1_790_000_000));
    let options = ["--horizon", "6h", "--threshold", "0.6", "--quiet"];
    let whole = stream(&file, &options).ok();
    assert!(whole.lines().count() >= 10, "{whole}");
    let (output, checkpoint) = (at("pairs.jsonl"), at("checkpoint"));
    let text = fs::read(&file).unwrap();
    let mut fed = 0;
    let mut kills = 0;
    // Each run is fed from the beginning, slightly further than the previous one, and killed while
    // it reads, sometimes immediately.
    for run in 1.. {
        let mut child = command(["crawl", "stream", "-"])
            .args(options)
            .arg("--checkpoint")
            .arg(&checkpoint)
            .arg("--output")
            .arg(&output)
            .stdin(Stdio::piped())
            .spawn()
            .expect("it starts");
        fed = (fed + text.len() / 9).min(text.len());
        let mut into = child.stdin.take().unwrap();
        let before = bytes_in(&checkpoint);
        let _ = into.write_all(&text[..fed]);
        if fed == text.len() {
            drop(into);
            assert!(child.wait().unwrap().success());
            break;
        }
        // Every third run may not even have started; the others have accepted some input.
        let start = Instant::now();
        while run % 3 > 0 && bytes_in(&checkpoint) <= before && start.elapsed() < PATIENCE {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(7 * run % 20));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    assert!(kills >= 5);
    assert_eq!(fs::read_to_string(&output).unwrap(), whole);
    // A last run, after all input was accepted.
    let again = [&options[..4], &["--checkpoint", checkpoint.to_str().unwrap()]].concat();
    let done = stream(&file, &again);
    assert_eq!(done.stdout, "");
    assert!(
        done.stderr.contains("already processed") && done.stderr.contains("0 pages"),
        "{done:#?}"
    );
    let files = fs::read_dir(&checkpoint).unwrap().count();
    assert!(files <= 12, "files of earlier horizons are removed: {files}");
}

/// Returns a stream, its two halves, and its pairs.
fn in_halves() -> (tempfile::TempDir, [PathBuf; 3], String) {
    let folder = tempfile::tempdir().expect("there is room");
    let files = ["all", "one", "two"].map(|name| folder.path().join(name));
    let lines = site_lines(1_790_000_000);
    let (first, second) = lines.split_at(lines.len() / 2);
    for (file, lines) in files.iter().zip([&lines[..], first, second]) {
        write(file, lines);
    }
    let whole = stream(&files[0], &["--threshold", "0.6", "--quiet"]).ok();
    (folder, files, whole)
}

#[test]
fn lines_after_a_checkpoint_may_be_fed_alone() {
    let (folder, [_, one, two], whole) = in_halves();
    let checkpoint = folder.path().join("checkpoint");
    let options = ["--threshold", "0.6", "--quiet", "--checkpoint", checkpoint.to_str().unwrap()];
    let parts = stream(&one, &options).ok() + &stream(&two, &options).ok();
    assert_eq!(parts, whole);
}

#[test]
fn a_pair_is_in_the_file_once_even_if_lines_are_fed_again() {
    let (folder, [all, one, two], whole) = in_halves();
    let (checkpoint, output) = (folder.path().join("checkpoint"), folder.path().join("pairs"));
    let options = ["--threshold", "0.6", "--quiet", "--checkpoint", checkpoint.to_str().unwrap()];
    let options = [&options[..], &["-o", output.to_str().unwrap()]].concat();
    for fed in [&one, &two, &all, &one, &two] {
        stream(fed, &options).ok();
    }
    assert_eq!(fs::read_to_string(&output).unwrap(), whole);
}

#[test]
fn an_output_that_is_not_in_the_checkpoint_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (file, checkpoint, output) = (at("pages"), at("checkpoint"), at("pairs"));
    let page = |n: usize| line(&format!("https://a.example/{n}"), BREAD, "2026-11-20T00:00:00Z");
    write(&file, &[page(1), page(2), page(3)]);
    let with = |output: &Path| {
        let options =
            ["--checkpoint", checkpoint.to_str().unwrap(), "-o", output.to_str().unwrap()];
        stream(&file, &options)
    };
    with(&output).ok();
    let pairs = fs::read_to_string(&output).unwrap();
    let other = at("other");
    for text in
        ["diary\n".repeat(900), pairs.replace("a.example/1", "a.example/7"), pairs.clone() + "x"]
    {
        fs::write(&other, &text).unwrap();
        with(&other).failed_with(&["is not the output of the checkpoint", "pairs of one page"]);
        assert_eq!(fs::read_to_string(&other).unwrap(), text);
    }
    fs::write(&other, pairs.clone() + &pairs[..20]).unwrap();
    with(&other).ok();
    assert_eq!(fs::read_to_string(&other).unwrap(), pairs);
}

/// Special files in a checkpoint are neither truncated through a link nor waited for.
#[cfg(unix)]
#[test]
fn links_and_pipes_in_a_checkpoint_are_refused() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (file, diary, checkpoint) = (at("pages"), at("diary"), at("checkpoint"));
    write(&file, &[line("https://a.example/", BREAD, "2026-11-20T00:00:00Z")]);
    fs::write(&diary, "mine").unwrap();
    let options = ["--checkpoint", checkpoint.to_str().unwrap()];
    stream(&file, &options).ok();
    for name in [".lock", "stream.json", "pages-0000000001"] {
        let path = checkpoint.join(name);
        let sound = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        symlink(&diary, &path).unwrap();
        stream(&file, &options).failed_with(&[name, "not a regular file"]);
        fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        if made.is_ok_and(|made| made.success()) {
            stream(&file, &options).failed_with(&[name, "a pipe"]);
            fs::remove_file(&path).unwrap();
        }
        fs::write(&path, sound).unwrap();
    }
    assert_eq!(fs::read_to_string(&diary).unwrap(), "mine");
    stream(&file, &options).ok();
}

#[test]
fn checkpoints_that_do_not_match_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (file, other, checkpoint, output) =
        (at("pages"), at("other"), at("checkpoint"), at("pairs"));
    let page = |n: usize| line(&format!("https://a.example/{n}"), BREAD, "2026-11-20T00:00:00Z");
    write(&file, &[page(1), page(2), page(3)]);
    write(&other, &[page(1), page(4), page(5)]);
    let with = ["--checkpoint", checkpoint.to_str().unwrap(), "-o", output.to_str().unwrap()];
    stream(&file, &with).ok();
    let pairs = fs::read(&output).unwrap();
    let fails = |input: &Path, options: &[&str], parts: &[&str]| {
        stream(input, &[&with[..], options].concat()).failed_with(parts);
    };
    fails(&file, &["--threshold", "0.8"], &["--threshold 0.7", "--threshold 0.8", "same options"]);
    fails(&other, &[], &["other has changed", "3 lines", "another line 3"]);
    write(&other, &[page(1)]);
    fails(&other, &[], &["3 lines", "found 1 lines"]);
    stream(&file, &["-o", output.to_str().unwrap()]).failed_with(&["not empty", "--checkpoint"]);
    fs::write(&output, "").unwrap();
    fails(&file, &[], &["was truncated", "found 0"]);
    fs::write(&output, pairs).unwrap();
    let mut files: Vec<PathBuf> =
        fs::read_dir(&checkpoint).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().contains("pages-"));
    let whole = fs::read(&files[0]).unwrap();
    // Any changed byte is detected. A truncated part is treated as never written.
    let mut messages = BTreeSet::new();
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(&files[0], damaged).unwrap();
        messages.insert(stream(&file, &with).failed(1));
    }
    assert!(
        messages.iter().all(|message| message.contains("the checkpoint is damaged")),
        "{messages:?}"
    );
    fs::write(&files[0], &whole[..whole.len() - 1]).unwrap();
    stream(&file, &with).ok();
    assert_eq!(fs::read_to_string(&output).unwrap().lines().count(), 3);
    stream(&file, &["--checkpoint", folder.path().to_str().unwrap()])
        .failed_with(&["not a checkpoint", "a folder that contains"]);
    let options = checkpoint.join("stream.json");
    fs::write(&options, r#"{"version":9}"#).unwrap();
    fails(&file, &[], &["version 1", "found version 9"]);
}

#[test]
fn conflicting_options_are_refused() {
    for (options, part) in [
        (&["--threshold", "1"][..], "above 0 and below 1"),
        (&["--horizon", "0s"], "more than 0"),
        (&["--horizon", "1h", "--allowed-lateness", "2h"], "at most the horizon"),
    ] {
        pagekin(["crawl", "stream"].iter().chain(options)).failed_with(&[part]);
    }
    pagekin(["crawl", "stream", "--horizon", "soon"]).failed(2);
    pagekin(["crawl", "stream", "no-such-file"]).failed_with(&["cannot read no-such-file"]);
}
