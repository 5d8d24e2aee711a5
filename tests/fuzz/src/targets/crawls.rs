//! Output of crawlers: JSONL, WARC, gzip, HTTP responses. Also files of strings, and times of a
//! stream.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use pagekin_core::qgrams::{Alphabet, is_iupac};
use pagekin_crawl::fuzzing::strings;
use pagekin_duplicates::fuzzing::time_of;
use pagekin_pages::InputOptions;
use pagekin_pages::fuzzing::{answer_of_server, pages, unpacked};
use pagekin_pages::site::normal_url;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::sealing::gzip_plain as gzip;
use crate::targets::{Outcome, Run, Target, split_mode};

/// Maximum size of lines, records and pages. Larger ones are skipped.
const MAX_PAGE: u64 = 2_048;
/// Numbers of bytes that are read at a time, so that boundaries occur everywhere.
const STEPS: [usize; 2] = [7, 64 << 10];

const TARGET: Target = Target {
    name: "",
    reads: "",
    prepare: || (Vec::new(), Box::new(|_| Outcome::named(0, ""))),
    max_bytes: 4_096,
    memory_of_byte: 1_024,
    memory_free: 2 << 20,
    short: 600,
};

/// Reads a stream in small and large steps, which must give the same result.
fn check(stream: &[u8]) -> Outcome {
    let options = InputOptions::default().with(|options| options.max_page_bytes = MAX_PAGE);
    let [small, large] = STEPS.map(|step| pages(stream, step, &options));
    let (small, large) = match (small, large) {
        (Ok(small), Ok(large)) => (small, large),
        (Err(a), Err(b)) => {
            assert_eq!(a.to_string(), b.to_string());
            return Outcome::named(stream.len(), "another kind");
        }
        (a, b) => panic!("in small steps {a:?}, in large ones {b:?}"),
    };
    assert_eq!(small, large, "small and large steps give the same pages");
    let mut reasons = 0;
    for page in &large {
        match page {
            Ok(page) => {
                let targets = page.links.iter().map(|link| &link.target);
                let addresses = [&page.redirect_to, &page.canonical].into_iter().flatten();
                for address in targets.chain(addresses).chain([&page.url]) {
                    assert_eq!(normal_url::normal(address).as_ref(), Some(address));
                }
                assert!(page.links.iter().all(|link| link.target != page.url));
                reasons |= 1;
            }
            Err(reason) => reasons |= 2 << (*reason as u32),
        }
    }
    Outcome { bytes: stream.len(), class: reasons }
}

/// Lines of JSON.
pub const JSONL: Target = Target {
    name: "jsonl",
    reads: "lines of JSON with a page each",
    prepare: || {
        let seeds = [
            r#"{"url": "https://x.org/a", "title": "A", "text": "Rye bread", "lang": "en", "links": ["b", {"url": "c", "text": "d"}]}"#,
            "\u{feff}{\"url\":\"https://x.org/\",\"html\":\"<title>T</title><a href=b>\\u00fcber</a>\"}\n\n{}\nno\n",
            r#"{"url": null, "text": 1}
{"url": "https://x.org/b", "html": null, "text": "\ud83d\ude00", "links": null, "more": [[[{}]]]}"#,
        ];
        let run: Run = Box::new(check);
        (seeds.map(|seed| seed.as_bytes().to_vec()).into(), run)
    },
    ..TARGET
};

fn record(kind: &str, content_type: &str, body: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: https://x.org/a\r\nContent-Type: {content_type}\r\n\
         Content-Length: {}\r\n\r\n{body}\r\n\r\n",
        body.len()
    )
}

const ANSWER_OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<title>A</title><a href=b>c</a>";

fn records() -> Vec<String> {
    vec![
        record("response", "application/http; msgtype=response", ANSWER_OK),
        record("conversion", "text/plain", "Rye bread rises slowly."),
        record("resource", "text/html", "<title>B</title>wheat") + &record("request", "x", "GET /"),
        record("metadata", "application/json", "{}")
            + &record("response", "application/http", "HTTP/1.0 404 Not Found\r\n\r\n"),
        "WARC/1.1\r\nContent-Length: 99999999999\r\nWARC-Type: resource\r\n\r\nshort".to_owned(),
        record("warcinfo", "application/warc-fields", "software: x")
            + "garbage\r\n"
            + &record("response", "application/http", ANSWER_OK),
    ]
}

/// WARC files.
pub const WARC: Target = Target {
    name: "warc",
    reads: "a WARC or WAT file",
    prepare: || {
        let run: Run = Box::new(check);
        let all = records().concat();
        (records().into_iter().chain([all]).map(String::into_bytes).collect(), run)
    },
    ..TARGET
};

/// ARC files.
pub const ARC: Target = Target {
    name: "arc",
    reads: "an ARC file",
    prepare: || {
        let head = "filedesc://a.arc 0.0.0.0 20080430204825 text/plain 13\n1 0 Archive\n\n\n";
        let page =
            "http://x.org/a 1.2.3.4 20080430204826 text/html 25\nHTTP/1.1 200 OK\r\n\r\n<p>rye\n";
        let seeds = [format!("{head}{page}"), format!("{head}garbage\n{page}{page}")];
        let run: Run = Box::new(check);
        (seeds.map(String::into_bytes).into(), run)
    },
    ..TARGET
};

/// Zstd files with frames.
pub const ZSTD: Target = Target {
    name: "zstd",
    reads: "a WARC file of zstd frames, with a dictionary or damaged",
    prepare: || {
        let frame = |record: &String| compress_to_vec(record.as_bytes(), CompressionLevel::Fastest);
        let mut seeds: Vec<Vec<u8>> = records().iter().map(frame).collect();
        seeds.push(seeds[..3].concat());
        let dictionary =
            [&[0x5d, 0x2a, 0x4d, 0x18, 40, 0, 0, 0, 0x37, 0xa4, 0x30, 0xec][..], &[1; 36]];
        seeds.push([&dictionary.concat(), &*seeds[0]].concat());
        let run: Run = Box::new(check);
        (seeds, run)
    },
    memory_free: 64 << 20,
    ..TARGET
};

/// Gzip files with members.
pub const GZIP: Target = Target {
    name: "gzip",
    reads: "a WARC file of gzip members, damaged or repacked",
    prepare: || {
        let members: Vec<_> = records().iter().map(|record| gzip(record.as_bytes())).collect();
        let mut seeds: Vec<_> = members.iter().map(|member| [&[0][..], member].concat()).collect();
        seeds.push([&[0][..], &members[..3].concat()].concat());
        seeds.push([&[1][..], records()[..3].concat().as_bytes()].concat());
        let run = |input: &[u8]| {
            let (how, bytes) = split_mode(input);
            if how % 2 == 1 {
                // Valid members, one for each part of the input.
                let members: Vec<u8> = bytes.split(|&byte| byte == 0).flat_map(gzip).collect();
                let content: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
                for step in STEPS {
                    let (found, damaged) = unpacked(&members, step).expect("memory is read");
                    assert!(found == content && damaged == 0, "what was packed is unpacked");
                }
                return check(&members);
            }
            let [small, large] = STEPS.map(|step| unpacked(bytes, step).expect("memory is read"));
            assert_eq!(small.1, large.1, "small and large steps find the same damage");
            let mut whole = Vec::new();
            let sound = MultiGzDecoder::new(bytes).read_to_end(&mut whole).is_ok();
            if sound {
                assert_eq!(large, (whole, 0), "a sound file is unpacked as by its library");
            }
            if large.1 == 0 {
                check(bytes)
            } else {
                Outcome::sized(bytes.len(), 9, large.1 as usize)
            }
        };
        (seeds, Box::new(run))
    },
    memory_of_byte: 2_048,
    memory_free: 4 << 20,
    short: 300,
    ..TARGET
};

/// HTTP responses.
pub const ANSWER: Target = Target {
    name: "answer",
    reads: "an answer of a server: headers, chunks, gzip and deflate",
    prepare: || {
        let html = b"<title>A</title>some text";
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
        let packed = |name: &str, body: &[u8]| {
            [head.as_bytes(), format!("Content-Encoding: {name}\r\n\r\n").as_bytes(), body].concat()
        };
        let chunked = "Transfer-Encoding: chunked\r\n\r\n5\r\n<p>ab\r\n3;x=y\r\ncde\r\n0\r\n\r\n";
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(html).expect("memory takes all");
        let seeds = vec![
            ANSWER_OK.as_bytes().to_vec(),
            [head, chunked].concat().into_bytes(),
            packed("gzip", &gzip(html)),
            packed("deflate", &zlib.finish().expect("memory takes all")),
            packed("identity, x-gzip", &gzip(&[b'a'; 3_000])),
            packed("br", html),
            packed("br", b"\x8b\x15\x80<title>Rye</title><p>Rye bread rises slowly.\x03"),
            packed("zstd", &compress_to_vec(&html[..], CompressionLevel::Fastest)),
        ];
        let run = |input: &[u8]| match answer_of_server(input, MAX_PAGE) {
            Ok((media, body)) => {
                assert!(body.len() as u64 <= MAX_PAGE.max(input.len() as u64));
                assert!(!media.starts_with("image/"));
                Outcome::sized(input.len(), 0, body.len())
            }
            Err(reason) => Outcome::named(input.len(), reason.code()),
        };
        (seeds, Box::new(run))
    },
    // The windows of brotli and zstd.
    memory_of_byte: 64,
    memory_free: 64 << 20,
    short: 5_000,
    ..TARGET
};

/// Reads the sequences of a FASTA file line by line.
fn plain_fasta(bytes: &[u8]) -> Vec<String> {
    let mut reads: Vec<String> = Vec::new();
    for line in bytes.trim_ascii_start().split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match (line, reads.last_mut()) {
            ([b'>', ..], _) => reads.push(String::new()),
            (line, Some(read)) => *read += &String::from_utf8_lossy(line),
            (_, None) => {}
        }
    }
    reads
}

/// Files of strings.
pub const READS: Target = Target {
    name: "reads",
    reads: "FASTA, FASTQ or lines, plain or gzipped",
    prepare: || {
        let plain = [
            "\0>a x\nACGT\nNN\n\n>b\r\nacgu\r\n>a\nG\n",
            "\0@a\nACGT\n+\nII@I\n@b\nN\n+b\n>\n",
            "\0ACGT\n\nTTGA",
            "\u{1}Rye loaf\n\u{feff}gr\u{fc}n\nRye loaf\n",
            "\u{1}>p one\nMKWV\nTF*\n>q\nMK-W\n",
        ];
        let mut seeds: Vec<Vec<u8>> = plain.map(|seed| seed.as_bytes().to_vec()).into();
        seeds.push([&[0][..], &gzip(&plain[0].as_bytes()[1..])].concat());
        let run = |input: &[u8]| {
            let (how, bytes) = split_mode(input);
            let alphabet = if how % 2 == 0 { Alphabet::Dna } else { Alphabet::Text };
            let [small, large] = STEPS.map(|step| strings(bytes, step, alphabet, MAX_PAGE));
            let (small, large) = match (small, large) {
                (Ok(small), Ok(large)) => (small, large),
                (Err(a), Err(b)) => {
                    // If a damaged member is preceded by bad strings, either may be reported.
                    let is_packed = bytes.starts_with(&[0x1f, 0x8b]);
                    assert!(is_packed || a.to_string() == b.to_string(), "{a}, {b}");
                    return Outcome::named(bytes.len(), "damaged");
                }
                (a, b) => panic!("in small steps {a:?}, in large ones {b:?}"),
            };
            assert_eq!(small, large, "small and large steps give the same strings");
            if alphabet == Alphabet::Dna {
                assert!(large.iter().all(|(_, read)| read.bytes().all(is_iupac)));
                let mut names: Vec<&String> = large.iter().map(|(name, _)| name).collect();
                names.sort_unstable();
                assert!(names.windows(2).all(|two| two[0] < two[1]), "{names:?}");
                if bytes.trim_ascii_start().starts_with(b">") {
                    let reads: Vec<&String> = large.iter().map(|(_, read)| read).collect();
                    let expected = plain_fasta(bytes);
                    assert_eq!(reads, expected.iter().collect::<Vec<_>>());
                }
            }
            Outcome::sized(bytes.len(), how % 2, large.len())
        };
        (seeds, Box::new(run))
    },
    ..TARGET
};

/// Publication times of pages.
pub const TIMES: Target = Target {
    name: "times",
    reads: "when the page of a line of `stream` was published",
    prepare: || {
        let seeds = [
            r#"{"published": "1970-01-01T02:00:00.5+02:00", "url": "https://x.org/"}"#,
            r#"{"time": 1.25, "more": [{}], "published": null}"#,
            r#"{"published": "2026-11-23t10:00:60.999999999Z", "time": 1e3}"#,
        ];
        let run = |input: &[u8]| match time_of(input, None) {
            Ok(Some(time)) => {
                let seconds = time as f64 / 1_000.0;
                let line = format!("{{\"time\": {seconds}, \"published\": null}}");
                let is_read = seconds.abs() >= 1e11;
                assert!(is_read || time_of(line.as_bytes(), None) == Ok(Some(time)), "{line}");
                Outcome::sized(input.len(), u8::from(time < 0), time.unsigned_abs() as usize)
            }
            Ok(None) => Outcome::named(input.len(), "none"),
            Err(_) => Outcome::named(input.len(), "no time"),
        };
        (seeds.map(|seed| seed.as_bytes().to_vec()).into(), Box::new(run))
    },
    max_bytes: 256,
    memory_of_byte: 64,
    memory_free: 64 << 10,
    short: 10_000,
};
