//! The steps beside [`build_crawl`](crate::build_crawl).

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_ipc::reader::StreamReader;
use pagekin_core::hash::SplitMix64;
use pagekin_core::shard::{MANIFEST_NAME, Manifest};
use tempfile::TempDir;
use walkdir::WalkDir;

use super::*;
use crate::build_crawl;
use crate::crawl_folder::format::{CrawledTerm, CrawledUrl, Description, url_key, word_id};
use crate::crawl_folder::write::tests::description;
use crate::crawl_folder::write::{OfUrls, PairWriter, UrlWriter, finish};
use crate::crawl_folder::{BagSource, CrawlFolder};
use crate::index::options::{AssetFile, Assets, BuildOptions};
use crate::progress::Silent;
use crate::site::normal_url;
use crate::stage::rows::{Row, encode};
use crate::stage::signatures::range_of;
use crate::stage::tests::{Engine, clustered, kind, pages, pages_stream, records, run};
use crate::stage::trials::stream;
use crate::stage::{FragmentOptions, Stage};

/// What lies beside an index.
const ASSETS: Assets<'static> = Assets {
    always: &[AssetFile { path: "lab/page.html", bytes: b"<p>" }],
    english: &[AssetFile { path: "of-english.js", bytes: b"1" }],
    all_languages: &[AssetFile { path: "of-all.js", bytes: b"2" }],
    offline: &[],
    tree: &[],
    mirrored: &[],
    bundle: "",
};

/// The files of an index by their paths.
type Files = BTreeMap<String, Vec<u8>>;

/// The folder of a crawl of so many URLs in clusters, below `origin`; of each the center.
fn crawl(n: u32, origin: &str, seed: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut stream = SplitMix64::new(seed);
    let stem = |number: u32| {
        format!(
            "w{}",
            char::from(b'a' + (number % 26) as u8).to_string().repeat(1 + number as usize / 26)
        )
    };
    let mut terms: Vec<CrawledTerm> = (0..600)
        .map(|term| {
            let df = 2 + stream.below(n / 9 + 1);
            CrawledTerm { df, stem: stem(term).into(), word: stem(term).to_uppercase().into() }
        })
        .collect();
    terms.sort_by_key(|term| word_id(&term.stem));
    let mut urls: Vec<String> =
        (0..n).map(|url| format!("{origin}{}/page-{url}.html", url % 37)).collect();
    urls.sort_by_key(|url| url_key(url));
    let mut writer = UrlWriter::create(folder.path()).unwrap();
    let mut centers: Vec<u32> = Vec::new();
    for (number, url) in (0..).zip(&urls) {
        let is_center = |&of: &u32| centers[of as usize] == of;
        let of = Some(stream.below(n)).filter(|&of| of < number).filter(is_center);
        centers.push(of.unwrap_or(number));
        let mut words = SplitMix64::new(u64::from(centers[number as usize]) % 50);
        let mut bag: Vec<(u32, u16)> = (0..4 + stream.below(16))
            .map(|_| {
                let term = if stream.below(3) == 0 { stream.below(600) } else { words.below(600) };
                (word_id(&terms[term as usize].stem), 1 + stream.below(20) as u16)
            })
            .collect();
        bag.sort_unstable();
        bag.dedup_by_key(|entry| entry.0);
        let title = if number % 5 == 0 { String::new() } else { format!("Page {number}") };
        writer.push(&CrawledUrl { url: url.clone(), title, fragments: 1, bag }).unwrap();
    }
    writer.finish().unwrap();
    PairWriter::create(folder.path(), n).unwrap().finish().unwrap();
    let twins: Vec<u32> = (0..n).collect();
    let described = Description { spoken_of: n + 3, ..description(n, 0) };
    finish(folder.path(), &terms, OfUrls { centers: &centers, twins: &twins }, &described).unwrap();
    folder
}

/// Rows of one kind, of `some` records each, by the bucket of each record.
fn packed<T: Serialize>(
    kind: &str,
    some: usize,
    all: impl IntoIterator<Item = (i32, T)>,
    put: fn(&T, &mut Vec<u8>),
) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (bucket, record) in all {
        let is_open = |row: &&mut Row| row.bucket == bucket && row.records < some as u64;
        if rows.last_mut().as_ref().is_none_or(|row| !is_open(row)) {
            let part = rows.iter().filter(|row| row.bucket == bucket).count() as i32;
            let (records, bytes, first) = (0, Vec::new(), 0);
            rows.push(Row { bucket, kind: kind.into(), part, records, bytes, first });
        }
        let row = rows.last_mut().unwrap();
        row.records += 1;
        put(&record, &mut row.bytes);
    }
    rows
}

/// Tells rows the numbers of their first records.
fn number(rows: &mut [Row]) {
    rows.sort_by_key(|row| (row.bucket, row.part));
    let mut first = 0;
    for row in rows {
        row.first = first;
        first += row.records;
    }
}

/// The index by the steps, in so many buckets.
fn by_steps(crawl: &Path, max_files: u32, mut engine: Engine, buckets: u32) -> Files {
    let mut crawl = CrawlFolder::open(crawl).unwrap();
    let Description { spoken_of, preset, seed, lang, languages, .. } = crawl.description().clone();
    let urls = crawl.urls().unwrap().map(Result::unwrap);
    let buckets_of = |url: &CrawledUrl| (url_key(&url.url) >> 60) as i32;
    let urls = urls.map(|url| (buckets_of(&url), url));
    let mut bags = packed("bags", 100, urls, encode);
    number(&mut bags);
    let put = |of: &(u32, u32), bytes: &mut Vec<u8>| {
        bytes.extend([of.0.to_le_bytes(), of.1.to_le_bytes()].concat());
    };
    let centers = (0..).zip(crawl.centers().unwrap()).filter(|(url, of)| url != of || url % 2 == 0);
    let centers = packed("centers", 999, centers.map(|of| (range_of(of.0), of)), put);
    let words = crawl.terms().unwrap().into_iter().map(|(_, word)| (0, word));
    let words = packed("words", 50, words, encode);

    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("index");
    let settle = |step: IndexStep, rows: &[&[Row]]| {
        let (rows, _) = run(&Stage::Index(step), stream(&rows.concat(), false)).unwrap();
        kind(&rows, "index").iter().for_each(|row| fs::write(&state, &row.bytes).unwrap());
        rows
    };
    let mut spread = |step: IndexStep, rows: &[&[Row]], by_bucket: bool| {
        engine.run(&Stage::Index(step), rows, by_bucket)
    };
    let languages = PageLanguages { named: languages, lang };
    let of_pages = PageOptions { preset, languages: languages.clone() };
    let made = spread(IndexStep::Pages(of_pages), &[&bags], false);
    let [pages, facts, parts] = ["pages", "facts", "parts"].map(|name| kind(&made, name));
    let cuts = settle(IndexStep::Ranges(buckets), &[&facts]);
    let ranges = place.path().join("ranges");
    fs::write(&ranges, &cuts[0].bytes).unwrap();
    let members = spread(IndexStep::Members(buckets), &[&pages, &centers], true);
    let ordered = spread(IndexStep::Order { ranges }, &[&members], true);
    let mut sorted = spread(IndexStep::Sort, &[&ordered], true);
    number(&mut sorted);
    let step = IndexStep::Stretches { pages: records(&sorted) as u32 };
    let made = spread(step, &[&sorted], false);
    let [stretches, drawn] = ["stretches", "drawn"].map(|name| kind(&made, name));
    let options = DescribeOptions { spoken_of, preset, seed, languages };
    settle(IndexStep::Describe(options), &[&facts, &drawn, &words]);
    let counts = spread(IndexStep::Count(state.clone()), &[&stretches], true);
    settle(IndexStep::Model(state.clone()), &[&counts]);
    let sizes = spread(IndexStep::Measure(state.clone()), &[&stretches], true);
    let mut options = ArrangeOptions::new(&state);
    options.max_files = max_files;
    settle(IndexStep::Arrange(options), &[&parts, &sizes]);
    let made = spread(IndexStep::Records(state.clone()), &[&stretches], true);
    let [postings, addresses, sample] =
        ["postings", "addresses", "sample"].map(|name| kind(&made, name));
    let counts = spread(IndexStep::CountLists(state.clone()), &[&postings], true);
    settle(IndexStep::ModelLists(state.clone()), &[&counts]);
    let lists = spread(IndexStep::Lists(state.clone()), &[&postings, &addresses], true);
    let [first, second] = [&made, &lists].map(|rows| kind(rows, "hashes"));
    let finished = settle(IndexStep::Finish(state.clone()), &[&first, &second, &sample]);
    let mut files = Files::new();
    let mut streams = Vec::new();
    for rows in [&made, &lists, &finished] {
        let mut output = Vec::new();
        let input = Cursor::new(stream(&kind(rows, "payloads"), false));
        let files = Stage::Index(IndexStep::Files(state.clone()));
        files.run(input, &mut output, 1).unwrap();
        streams.push(output);
    }
    let mut output = Vec::new();
    let beside = Stage::Index(IndexStep::Beside { index: state.clone(), assets: ASSETS });
    beside.run(Cursor::new([]), &mut output, 1).unwrap();
    streams.push(output);
    let mut last = String::new();
    for output in streams {
        for batch in StreamReader::try_new(Cursor::new(output), None).unwrap() {
            let batch = batch.unwrap();
            let (paths, bytes) =
                (batch.column(0).as_string::<i32>(), batch.column(1).as_binary::<i32>());
            for at in 0..batch.num_rows() {
                let twice = files.insert(paths.value(at).to_owned(), bytes.value(at).to_vec());
                paths.value(at).clone_into(&mut last);
                assert!(twice.is_none(), "{last}");
            }
        }
    }
    assert_eq!(last, MANIFEST_NAME);
    files
}

/// The index by one machine.
fn by_one_machine(crawl: &Path, max_files: u32) -> Files {
    let place = tempfile::tempdir().unwrap();
    let output = place.path().join("index");
    let options = BuildOptions::new(crawl, &output).with(|options| {
        options.max_files = max_files;
        options.related_count = 0;
        options.tables = Some(false);
    });
    build_crawl(&options, &ASSETS, &Silent).unwrap();
    let files = WalkDir::new(&output).into_iter().map(Result::unwrap);
    let path = |path: &Path| path.strip_prefix(&output).unwrap().to_str().unwrap().to_owned();
    let files = files.filter(|file| file.file_type().is_file());
    let files = files.map(|file| (path(file.path()), fs::read(file.path()).unwrap()));
    files.collect()
}

#[track_caller]
fn check(crawl: &TempDir, max_files: u32, tasks: &[(usize, u32)]) -> Manifest {
    let expected = by_one_machine(crawl.path(), max_files);
    for &(tasks, buckets) in tasks {
        let files = by_steps(crawl.path(), max_files, Engine::new(tasks), buckets);
        assert!(files.keys().eq(expected.keys()), "other paths on {tasks} tasks");
        let differs = files.iter().zip(&expected).find(|(file, expected)| file != expected);
        assert!(differs.is_none(), "{:?} on {tasks} tasks", differs.map(|(file, _)| file.0));
    }
    Manifest::decode(&expected[MANIFEST_NAME]).unwrap()
}

#[test]
fn a_crawl_has_the_files_of_one_machine() {
    let manifest = check(&crawl(3_000, "https://x.example/", 1), 20_000, &[(1, 1), (5, 70)]);
    assert!(manifest.lists.shards > 1 && manifest.blocks.shards > 10);
    assert_eq!(manifest.base_url, "https://x.example/");
}

#[test]
fn so_have_crawls_that_are_read_whole() {
    check(&crawl(40, "https://x.example/", 2), 20_000, &[(1, 1), (3, 7)]);
    let manifest = check(&crawl(1, normal_url::LOCALHOST, 3), 20_000, &[(2, 3)]);
    assert_eq!((manifest.lists.shards, &*manifest.base_url), (0, "/"));
}

#[test]
fn so_have_crawls_of_several_stretches() {
    let crawl = crawl(12_500, "https://x.example/", 4);
    let manifest = check(&crawl, 300, &[(4, 16)]);
    assert!(manifest.addresses.shards > 1 && manifest.lists.shards > 1);
}

#[test]
fn spoiled_rows_are_read_or_refused() {
    let crawl = crawl(300, "https://x.example/", 6);
    by_steps(crawl.path(), 20_000, Engine::spoiling(2), 4);
}

#[test]
fn terms_are_those_of_one_machine() {
    let pages = pages(300, 20, 3);
    let folder = clustered(&pages);
    let crawl = CrawlFolder::open(folder.path()).unwrap();
    let mut engine = Engine::new(3);
    let options = FragmentOptions::new(16).with(|options| {
        options.bags = BagSource::Content;
        options.words = true;
    });
    let (mut read, mut languages) = (Vec::new(), 0);
    for part in pages.chunks(pages.len() / 3) {
        let (rows, report) = run(&Stage::Fragments(options.clone()), pages_stream(part)).unwrap();
        languages += report["language: en"].as_u64().unwrap();
        read.extend(rows);
    }
    assert_eq!(crawl.description().languages, [("en".to_owned(), languages as u32)]);
    let [fragments, spoken] = ["fragments", "spoken"].map(|name| kind(&read, name));
    let collapsed = engine.run(&Stage::Collapse, &[&fragments], true);
    let [urls, terms] = ["urls", "terms"].map(|name| kind(&collapsed, name));
    let spoken_of = records(&urls) as u32;
    assert_eq!(spoken_of, crawl.description().spoken_of);
    let words = Stage::Index(IndexStep::Words { spoken_of });
    let words = engine.run(&words, &[&spoken, &terms], true);
    let mut words: Vec<CrawledTerm> =
        words.iter().flat_map(|row| row.decoded::<CrawledTerm>("words").unwrap()).collect();
    words.sort_by_key(|term| word_id(&term.stem));
    let expected: Vec<_> = crawl.terms().unwrap().into_iter().map(|(_, term)| term).collect();
    assert!(expected.len() > 500 && expected.iter().any(|term| term.word != term.stem));
    assert!(words == expected, "{} of {}", words.len(), expected.len());
}

#[test]
fn rows_that_are_missing_are_named() {
    let crawl = crawl(300, "https://x.example/", 5);
    let mut urls = CrawlFolder::open(crawl.path())
        .unwrap()
        .urls()
        .unwrap()
        .map(Result::unwrap)
        .collect::<Vec<_>>();
    urls[7].url = "javascript:alert(1)".to_owned();
    let urls = urls.into_iter().map(|url| (0, url));
    let mut bags = packed("bags", 100, urls, encode);
    number(&mut bags);
    let pages = Stage::Index(IndexStep::Pages(PageOptions::new()));
    let error = run(&pages, stream(&bags, true)).unwrap_err().to_string();
    assert!(error.contains("http and https addresses"), "{error}");
    let (made, _) = run(&pages, stream(&bags[1..], true)).unwrap();
    let describe = Stage::Index(IndexStep::Describe(DescribeOptions::new(300)));
    let error = run(&describe, stream(&kind(&made, "facts"), false)).unwrap_err().to_string();
    assert!(error.contains("a record of kind drawn"), "{error}");
    let error = run(&describe, stream(&made, false)).unwrap_err().to_string();
    assert!(error.contains("expected drawn, facts or words"), "{error}");
}
