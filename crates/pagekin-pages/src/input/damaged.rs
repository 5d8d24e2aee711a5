//! Reads randomly damaged inputs: everything is accounted for, and nothing panics.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use pagekin_core::hash::SplitMix64;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::input::error::InputError;
use crate::input::{Input, InputOptions, InputSummary, read};

/// How often each input is damaged. With three to seven records each, about 1,000 records are read.
const ROUNDS: u32 = 60;

/// The seed of the damage.
const SEED: u64 = 46;

fn http(head: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{head}\r\n");
    [head.as_bytes(), body].concat()
}

fn warc_record(head: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("WARC/1.1\r\n{head}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body, b"\r\n\r\n"].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn page(title: &str) -> Vec<u8> {
    format!(
        "<html lang=de><title>{title}</title><main>gr\u{fc}n <a href=/b>the next</a> {title}</main>"
    )
    .into_bytes()
}

/// The records of a WARC file.
fn warc() -> Vec<Vec<u8>> {
    let of = |kind: &str, url: &str| {
        format!(
            "WARC-Type: {kind}\r\nWARC-Target-URI: https://x.org/{url}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n\
             WARC-Payload-Digest: sha1:AB{url}\r\nContent-Type: application/http\r\n"
        )
    };
    let packed = gzip(&page("Packed"));
    vec![
        warc_record("WARC-Type: warcinfo\r\n", b"software: none\r\n"),
        warc_record(&of("request", "a"), b"GET /a HTTP/1.1\r\nHost: x.org\r\n\r\n"),
        warc_record(&of("response", "a"), &http("", &page("One"))),
        warc_record(&of("response", "b"), &http("Content-Encoding: gzip\r\n", &packed)),
        warc_record(
            &of("response", "a"),
            &http("Transfer-Encoding: chunked\r\n", b"3\r\n<p>\r\n0\r\n\r\n"),
        ),
        warc_record(&(of("revisit", "c") + "WARC-Refers-To-Target-URI: https://x.org/a\r\n"), b""),
        warc_record(&of("metadata", "a"), b"fetchTimeMs: 3\r\n"),
    ]
}

/// The records of an ARC file.
fn arc() -> Vec<Vec<u8>> {
    let record = |url: &str, kind: &str, body: &[u8]| {
        let head = format!("{url} 192.0.2.1 20060102030405 {kind} {}\n", body.len());
        [head.as_bytes(), body, b"\n"].concat()
    };
    let version = b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n";
    vec![
        record("filedesc://x.arc", "text/plain", version),
        record("https://x.org/a", "text/html", &http("", &page("One"))),
        record("dns:x.org", "text/dns", b"20060102030405\nx.org. IN A 192.0.2.1\n"),
        record("https://x.org/b", "text/html", &http("", &page("Two"))),
    ]
}

/// The lines of a file.
fn lines() -> Vec<Vec<u8>> {
    [
        r#"{"url": "https://x.org/a", "title": "One", "text": "gr\u00fcn \ud83d\ude00", "score": NaN}"#,
        r#"{"url": "https://x.org/b", "html": "<title>Two</title><p>text", "lang": "de"}"#,
        r#"{"url": "https://x.org/a", "text": "again", "links": [{"url": "/c", "text": "see"}]}"#,
        r#"{"url": "https://x.org/d"}"#,
        r"[1, 2]",
    ]
    .map(|line| format!("{line}\n").into_bytes())
    .to_vec()
}

/// Changes, removes, inserts or duplicates bytes.
fn damage(bytes: &mut Vec<u8>, stream: &mut SplitMix64) {
    for _ in 0..=stream.below(3) {
        let length = bytes.len() as u32;
        let at = stream.below(length.max(1)) as usize;
        let end = (at + 1 + stream.below(24) as usize).min(bytes.len());
        let any = stream.next_u64();
        match stream.below(8) {
            0 | 1 if at < bytes.len() => bytes[at] ^= 1 << (any % 8),
            2 if at < bytes.len() => bytes[at] = any as u8,
            3 => drop(bytes.drain(at..end)),
            4 => bytes.truncate(at),
            5 => drop(bytes.splice(at..at, any.to_le_bytes())),
            6 => {
                let again = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, again));
            }
            _ => bytes[at..end].fill(b'9'),
        }
    }
}

/// Reads an input and checks its ledger. Returns `None` if it is not a valid input.
fn read_and_check(input: Input, what: &str) -> Option<InputSummary> {
    let options = InputOptions::default().with(|options| {
        options.base_url = Some("https://x.org/".to_owned());
    });
    let mut pages = 0;
    let summary = read(&[input], &options, |some, _| {
        pages += some.len() as u64;
        Ok::<(), InputError>(())
    });
    let summary = match summary {
        Ok(summary) => summary,
        Err(InputError::UnknownKind { .. } | InputError::Io { .. }) => return None,
        Err(error) => panic!("{what}: {error}"),
    };
    let ledger = &summary.ledger;
    let others: u64 = ledger.skipped.values().map(|skipped| skipped.count).sum();
    assert_eq!(ledger.came_in, ledger.pages + others, "{what}");
    // Pages that are folded are returned, too.
    assert!((ledger.pages..=ledger.came_in).contains(&pages), "{what}");
    Some(summary)
}

/// Reads records as a file, plain or individually packed, damaged before or after packing. Returns
/// the number of inputs.
fn read_damaged(place: &Path, name: &str, records: &[Vec<u8>], stream: &mut SplitMix64) -> u64 {
    let mut came_in = 0;
    for round in 0..ROUNDS {
        let mut records = records.to_vec();
        let damaged = stream.below(records.len() as u32) as usize;
        let is_packed = round % 3 > 0;
        if round % 3 < 2 {
            damage(&mut records[damaged], stream);
        }
        if is_packed {
            let pack = if round % 2 == 0 { gzip } else { zstd };
            records = records.iter().map(|record| pack(record)).collect();
        }
        if round % 3 == 2 {
            damage(&mut records[damaged], stream);
        }
        let path = place.join(name);
        fs::write(&path, records.concat()).unwrap();
        let summary = read_and_check(Input::Path(path), &format!("{name}, round {round}"));
        came_in += summary.map_or(0, |summary| summary.ledger.came_in);
    }
    came_in
}

#[test]
fn damaged_inputs_are_accounted_for() {
    let place = tempfile::tempdir().unwrap();
    let mut stream = SplitMix64::new(SEED);
    let mut came_in = 0;
    for (name, records) in [("warc", warc()), ("arc", arc()), ("lines", lines())] {
        let whole = place.path().join("whole");
        fs::write(&whole, records.concat()).unwrap();
        let summary = read_and_check(Input::Path(whole), name).expect("a valid input");
        assert!(summary.ledger.pages > 0 && summary.ledger.came_in + 1 >= records.len() as u64);
        let found = read_damaged(place.path(), name, &records, &mut stream);
        // Most damage affects one record, so the others are still found.
        assert!(found > u64::from(ROUNDS) * records.len() as u64 / 2, "{name}: {found}");
        came_in += found;
    }
    let folder = place.path().join("site");
    fs::create_dir_all(folder.join("sub")).unwrap();
    for round in 0..ROUNDS {
        for name in ["a.html", "sub/b.html", "c.htm"] {
            let mut page = page(name);
            damage(&mut page, &mut stream);
            fs::write(folder.join(name), page).unwrap();
        }
        let what = format!("folder, round {round}");
        let summary = read_and_check(Input::Path(folder.clone()), &what).expect("a valid folder");
        assert_eq!(summary.ledger.came_in, 3, "{what}");
        came_in += 3;
    }
    assert!(came_in >= 1_000, "{came_in}");
}
