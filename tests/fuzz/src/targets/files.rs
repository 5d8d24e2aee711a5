//! Other files of an index and of reports: checksums, related pages, the baseline, texts.

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::read::ZlibDecoder;
use pagekin_core::hash;
use pagekin_core::near::shingles::Shared;
use pagekin_duplicates::fuzzing::{laid_out, packed_pair};
use pagekin_duplicates::{Baseline, Duplicates, PagePair, PairKind, SitePage};
use pagekin_index::fuzzing::{mirror_list, related_entry, related_shard};
use pagekin_pages::fuzzing::file_list;
use serde_json::Value;

use crate::sealing::gzip_plain;
use crate::targets::{Outcome, Run, Target, split_mode};

const TARGET: Target = Target {
    name: "",
    reads: "",
    prepare: || (Vec::new(), Box::new(|_| Outcome::named(0, ""))),
    max_bytes: 2_048,
    memory_of_byte: 256,
    memory_free: 64 << 10,
    short: 10_000,
};

/// The list of files with their checksums.
pub const FILE_LIST: Target = Target {
    name: "file-list",
    reads: "`pagekin.files`, with and without a sound last line",
    prepare: || {
        let seeds =
            ["index\nmy page.html\npagekin.js\nchecksum 8a2d5c1e my page.html\n", "index\n", ""];
        let seeds = seeds.map(|seed| [&[1][..], seed.as_bytes()].concat()).into();
        let run = |input: &[u8]| {
            let (how, bytes) = split_mode(input);
            let mut list = bytes.to_vec();
            if how % 2 == 1 {
                let sum = hash::of_bytes(&list) as u32;
                list.extend(format!("checksum {sum:08x} pagekin.files\n").bytes());
            }
            match file_list(&list) {
                Ok(text) => {
                    assert_eq!(file_list(text.as_bytes()), Ok(text.clone()), "it is read again");
                    let outside = |name: &str| {
                        name.starts_with('/') || name.split('/').any(|part| part == "..")
                    };
                    assert!(!text.split('\n').any(outside), "{text:?}");
                    Outcome::sized(list.len(), 0, text.len())
                }
                Err(error) => Outcome::named(list.len(), &error.to_string()),
            }
        };
        (seeds, Box::new(run))
    },
    ..TARGET
};

/// The list of the mirrors of an index.
pub const MIRRORS: Target = Target {
    name: "mirrors",
    reads: "`pagekin.mirrors`, which hosts have which files",
    prepare: || {
        let seeds = [
            r#"{"format":1,"hosts":["https://a.org/"],"home":true,"kinds":{},"groups":[[0]]}"#,
            r#"{"format":1,"hosts":["https://a.org/","https://b.org/"],"home":false,"kinds":{"lists":{"first":1,"bytes":2104}},"groups":[[0,1],[1],[0]]}"#,
        ];
        let run = |input: &[u8]| match mirror_list(input) {
            Ok((again, hosts)) => {
                assert_eq!(mirror_list(&again), Ok((again.clone(), hosts)), "it is read again");
                Outcome::sized(input.len(), 0, hosts)
            }
            Err(error) => Outcome::named(input.len(), &error.to_string()),
        };
        (seeds.map(|seed| seed.as_bytes().to_vec()).into(), Box::new(run))
    },
    ..TARGET
};

/// The entry file of related pages.
pub const RELATED_ENTRY: Target = Target {
    name: "related-entry",
    reads: "`pagekin.kin`, the entry of related pages",
    prepare: || {
        let seeds = [
            r#"{"format":1,"generation":"0123456789abcdef","base":"/","shards":313,"revised":{}}"#,
            r#"{"format":1,"generation":"0123456789abcdef","base":"/","shards":400,"revised":{"fedcba9876543210":[7,195]}}"#,
        ];
        let run = |input: &[u8]| match related_entry(input, "/") {
            Ok((again, names)) => {
                let again = again.expect("it can be written");
                let twice = related_entry(&again, "/").map(|(_, names)| names);
                assert_eq!(twice.as_ref(), Ok(&names), "it is written and read again");
                let sound = |name: &String| name.starts_with("index/") && !name.contains("..");
                assert!(names.iter().all(sound), "{names:?}");
                Outcome::sized(input.len(), 0, names.len())
            }
            Err(error) => Outcome::named(input.len(), &error.to_string()),
        };
        (seeds.map(|seed| seed.as_bytes().to_vec()).into(), Box::new(run))
    },
    ..TARGET
};

/// A shard of related pages.
pub const RELATED_SHARD: Target = Target {
    name: "related-shard",
    reads: "a shard of related pages, damaged or repacked",
    prepare: || {
        let json = r#"{"bread/":[],"bread/rye.html":[["bread/wheat.html","Wheat bread",417],["bread/","Bread",7]]}"#;
        let urls = ["/bread/", "/bread/rye.html", "/bread/wheat.html"];
        let seeds = vec![
            [&[1][..], json.as_bytes()].concat(),
            [&[0][..], &gzip_plain(json.as_bytes())].concat(),
        ];
        let run = move |input: &[u8]| {
            let (how, bytes) = split_mode(input);
            let packed = if how % 2 == 1 { gzip_plain(bytes) } else { bytes.to_vec() };
            match related_shard("/", &packed, &urls) {
                Ok(pages) => {
                    assert!(pages <= urls.len());
                    Outcome::sized(packed.len(), 0, pages)
                }
                Err(error) => Outcome::named(packed.len(), &error.to_string()),
            }
        };
        (seeds, Box::new(run))
    },
    memory_free: 512 << 10,
    short: 3_000,
    ..TARGET
};

/// Pairs of three pages, of each kind.
fn found() -> Duplicates {
    let page = |url: &str| SitePage { url: url.to_owned(), ..SitePage::default() };
    let pair = |a, b, kind| {
        let shared = Shared { both: 1, a: 1, b: 1 };
        PagePair { a, b, kind, shared, similarities: None }
    };
    Duplicates {
        pages: ["/a.html", "/b.html", "/c.html", "/d.html"].map(page).into(),
        pairs: vec![
            pair(0, 1, PairKind::Copy),
            pair(0, 2, PairKind::NearDuplicate),
            pair(0, 3, PairKind::Passages),
        ],
        ..Duplicates::default()
    }
}

/// The baseline of known duplicates.
pub const BASELINE: Target = Target {
    name: "baseline",
    reads: "a baseline of known duplicates",
    prepare: || {
        let found = found();
        let own = Baseline::new(&found).encode().expect("it is JSON");
        let other = r#"{"version": 1, "groups": [{"kind": "near-duplicate", "pages": ["/a.html", "/b.html", "/c.html"]}]}"#;
        let run = move |input: &[u8]| {
            let text = String::from_utf8_lossy(input);
            match Baseline::decode(&text) {
                Ok(baseline) => {
                    let again = baseline.encode().expect("it can be written");
                    assert_eq!(Baseline::decode(&again).expect("it is read again"), baseline);
                    let known = baseline.known(&found);
                    assert_eq!(known.pairs.len(), found.pairs.len());
                    assert!(known.gone <= baseline.groups());
                    let known = known.pairs.iter().filter(|known| **known).count();
                    Outcome::sized(input.len(), known as u8, baseline.groups() as usize)
                }
                Err(error) => {
                    // The position and the content in the message are not part of the class.
                    let message = error.to_string();
                    let kind = message.split(['`', '"', '0']).next().unwrap_or_default();
                    Outcome::named(input.len(), kind.split(" at line").next().unwrap_or_default())
                }
            }
        };
        let run: Run = Box::new(run);
        (vec![own.into_bytes(), other.as_bytes().to_vec()], run)
    },
    ..TARGET
};

/// Texts in a report.
pub const REPORT: Target = Target {
    name: "report",
    reads: "two texts in the report of duplicates, with their passages",
    prepare: || {
        let same = "feed the starter the evening before baking and let the dough rise in a basket";
        let seeds = [
            format!("Mine 👩‍👧. {same}\n\n {same} bäckt 東京\u{ff}{same} theirs"),
            format!("a\u{ff}{same}"),
        ];
        // A byte that is in no text separates the two.
        let seeds = seeds.map(|seed| {
            let (a, b) = seed.split_once('\u{ff}').unwrap_or_default();
            [a.as_bytes(), &[0xff], b.as_bytes()].concat()
        });
        let run = |input: &[u8]| {
            let at = input.iter().position(|&byte| byte == 0xff).unwrap_or(input.len());
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            let (a, b) = (text(&input[..at]), text(input.get(at + 1..).unwrap_or_default()));
            let chunk = packed_pair(&a, &b).expect("memory takes all");
            let packed = BASE64_STANDARD.decode(chunk).expect("it is base64");
            let mut json = Vec::new();
            ZlibDecoder::new(&packed[..]).read_to_end(&mut json).expect("it is packed");
            let texts: Value = serde_json::from_slice(&json).expect("it is JSON");
            let (a, b) = (laid_out(&a), laid_out(&b));
            assert_eq!((texts[0][0].as_str(), texts[1][0].as_str()), (Some(&*a), Some(&*b)));
            let numbers = |value: &Value| -> Vec<u64> {
                let numbers = value.as_array().expect("numbers").iter();
                numbers.map(|number| number.as_u64().expect("a number")).collect()
            };
            let passages = [(&a, &texts[1][1]), (&b, &texts[1][2])].map(|(text, stored)| {
                let (units, stored) = (text.encode_utf16().count() as u64, numbers(stored));
                let (passages, rest) = stored.as_chunks::<3>();
                assert!(rest.is_empty());
                let end: u64 = passages.iter().map(|[between, own, _]| between + own).sum();
                assert!(end <= units && passages.iter().all(|[_, own, _]| *own > 0));
                passages.to_vec()
            });
            let [of_a, of_b] = &passages;
            assert_eq!(of_a.is_empty(), of_b.is_empty());
            assert!(of_a.iter().all(|[_, _, other]| *other < of_b.len() as u64));
            assert!(of_b.iter().all(|[_, _, other]| *other < of_a.len() as u64));
            Outcome::sized(input.len(), 0, of_a.len())
        };
        (seeds.into(), Box::new(run))
    },
    memory_of_byte: 512,
    memory_free: 1 << 20,
    short: 600,
    ..TARGET
};
