//! Every command that reads accounts for its inputs: 1,020 damaged files, lines and records are
//! pages, are folded into others, or are skipped with a reason.

use std::fs;

use pagekin_core::hash::SplitMix64;
use pagekin_tests::place::Place;
use pagekin_tests::program::pagekin;
use serde_json::{Value, json};

/// The number of files, lines and records, each.
const INPUTS: u64 = 340;

/// Changes, removes or repeats some bytes, but keeps lines whole.
fn damage(bytes: &mut Vec<u8>, random: &mut SplitMix64) {
    for _ in 0..random.below(4) {
        let length = bytes.len() as u32;
        let at = random.below(length.max(1)) as usize;
        let end = (at + 1 + random.below(40) as usize).min(bytes.len());
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.truncate(at),
            3 => bytes[at..end].fill(random.below(256) as u8),
            4 => drop(bytes.splice(at..at, [0xff, 0xfe, b'<', 0])),
            _ => {
                let again = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, again));
            }
        }
    }
}

/// Returns a page; some redirect, name another page as canonical, or are `noindex`.
fn page(n: u64, random: &mut SplitMix64) -> String {
    let head = match n % 9 {
        0 => "<meta http-equiv=refresh content='0; url=1.html'>".to_owned(),
        1 => "<meta name=robots content=noindex>".to_owned(),
        2 => "<link rel=canonical href='4.html'>".to_owned(),
        _ => String::new(),
    };
    let mut letter = || char::from(b'a' + random.below(20) as u8);
    let mut word = || String::from_iter([letter(), letter(), letter()]);
    let words: Vec<String> = (0..30).map(|_| word()).collect();
    format!("<!doctype html><title>Page {n}</title>{head}<main><p>{}</main>", words.join(" "))
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

/// The number of skipped inputs of a report.
fn skipped(report: &Value) -> u64 {
    let reasons = report.as_array().expect("a list of reasons");
    assert!(reasons.iter().all(|reason| reason["examples"][0].is_string()), "{report}");
    reasons.iter().map(|reason| reason["count"].as_u64().expect("a count")).sum()
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// Returns the standard output of a command with JSON, on an input below a place.
fn report(place: &Place, command: &[&str], input: &str, options: &[&str]) -> Value {
    let input = place.path(input).display().to_string();
    parsed(&pagekin([command, &[&input], options].concat()).ok())
}

#[test]
fn commands_that_read_sites_account_for_damaged_files() {
    let (place, random) = (Place::empty(), &mut SplitMix64::new(1));
    for n in 0..INPUTS {
        let mut bytes = page(n, random).into_bytes();
        damage(&mut bytes, random);
        place.write(&format!("site/{n}.html"), bytes);
    }
    let built = parsed(&place.try_build(&["--json", "--quiet"]).ok());
    let found = report(&place, &["duplicates"], "site", &["--format=json"]);
    for report in [&built, &found] {
        assert_eq!(number(&report["html_files"]), INPUTS);
        assert_eq!(number(&report["pages"]) + skipped(&report["skipped"]), INPUTS, "{report}");
        assert!(skipped(&report["skipped"]) > INPUTS / 20, "{report}");
    }
    let site = place.site().display().to_string();
    let moved = report(&place, &["redirects"], "site", &[&site, "--format=json"]);
    let pages = moved["pages"].as_array().map_or(0, Vec::len) as u64;
    assert_eq!(pages + skipped(&moved["skipped"]["before"]), INPUTS);
    let clustered = clustered(&place, "site");
    assert_eq!(number(&clustered["came_in"]), INPUTS);
    assert_eq!(number(&clustered["pages"]) + skipped(&clustered["skipped"]), INPUTS, "{clustered}");
}

/// Returns the summary of clustering an input below a place.
fn clustered(place: &Place, input: &str) -> Value {
    let out = format!("--output={}", place.path("crawl").display());
    let options = ["--json", "--quiet", "--bags=content", &out];
    let found = report(place, &["crawl", "cluster"], input, &options);
    fs::remove_dir_all(place.path("crawl")).expect("it was written");
    found
}

#[test]
fn commands_that_read_crawls_account_for_damaged_lines_and_records() {
    let (place, random) = (Place::empty(), &mut SplitMix64::new(2));
    let (mut lines, mut records) = (Vec::new(), Vec::new());
    for n in 0..INPUTS {
        let (html, url) = (page(n, random), format!("https://x.example/{n}.html"));
        let line = json!({ "url": url, "html": html, "published": 1_700_000_000 + n });
        let mut line = line.to_string().into_bytes();
        damage(&mut line, random);
        line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        // A line without any byte would not count.
        line.extend_from_slice(if line.trim_ascii().is_empty() { b".\n" } else { b"\n" });
        lines.extend(line);
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
        let length = http.len();
        let mut record = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\nContent-Length: {length}\r\n\r\n{http}\r\n\r\n"
        )
        .into_bytes();
        if n > 0 {
            damage(&mut record, random);
        }
        records.extend(record);
    }
    place.write("lines.jsonl", &lines);
    place.write("records.warc", &records);
    for (input, expected) in
        [("lines.jsonl", INPUTS..=INPUTS), ("records.warc", INPUTS / 2..=2 * INPUTS)]
    {
        let found = clustered(&place, input);
        let came_in = number(&found["came_in"]);
        assert!(expected.contains(&came_in), "{input}: {came_in}");
        assert_eq!(
            number(&found["pages"]) + skipped(&found["skipped"]),
            came_in,
            "{input}: {found}"
        );
        let ranked = report(&place, &["crawl", "rank"], input, &["--format=json", "--quiet"]);
        assert_eq!(number(&ranked["came_in"]), came_in, "{input}: {ranked}");
        assert_eq!(
            number(&ranked["pages"]) + skipped(&ranked["skipped"]),
            came_in,
            "{input}: {ranked}"
        );
    }
    // A stream reports in lines such as "skipped 3 that are noindex, first …" and "330 pages, …".
    let done = pagekin(["crawl", "stream", &place.path("lines.jsonl").display().to_string()]);
    let counts = done.stderr.lines().filter_map(|line| {
        let line = line.strip_prefix("skipped ").or(line.contains(" pages, ").then_some(line))?;
        line.split(' ').next()?.parse::<u64>().ok()
    });
    assert_eq!(counts.sum::<u64>(), INPUTS, "{}", done.stderr);
}
