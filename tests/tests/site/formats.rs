//! Reads committed indexes: one of each supported version of the format is in `tests/formats/`, in
//! the folder of its number. While its version is supported, it must be readable with the same
//! answers, also by the second reader, which is based only on FORMAT.md.
//!
//! They are indexes of the teaching site: the manifest, `pagekin.kin` and `index/` as written by
//! `pagekin build tests/site --block-pages 4`. The folder of the same name with `-values` has an
//! index of pages with filters, sort keys and metadata: `pagekin build tests/formats/values.jsonl
//! --block-pages 4`. After the first release, a committed index is never rebuilt, because
//! published ones are not either.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect;
use pagekin_core::shard::{FORMAT_VERSION, FilterDirectory, FilterValue, MANIFEST_NAME};
use pagekin_core::{
    Answer, Filter, Lookup, LookupOptions, Preset, Refinement, SearchResult, SortBy,
};
use pagekin_crawl::cluster::{BagSource, ClusterOptions, cluster};
use pagekin_index::{Assets, BuildOptions, Layout, LocalIndex, build, build_crawl};
use pagekin_pages::{Input, Silent};
use pagekin_tests::checkout;
use pagekin_tests::place::{Place, html, teaching_site};
use serde_json::json;

/// The committed index of a version.
fn fixture(version: u16) -> PathBuf {
    checkout::of_tests("formats").join(version.to_string())
}

/// The committed index with values of a version.
fn fixture_of_values(version: u16) -> PathBuf {
    checkout::of_tests("formats").join(format!("{version}-values"))
}

/// The versions of committed indexes, ascending.
fn fixtures() -> Vec<u16> {
    let folders = fs::read_dir(fixture(0).with_file_name("")).expect("there are indexes");
    let version = |entry: std::io::Result<fs::DirEntry>| {
        let name = entry.expect("the folder can be listed").file_name();
        let name = name.to_str().expect("it is text");
        let is_other = name.ends_with("-values") || name == "values.jsonl";
        (!is_other).then(|| name.parse().expect("a folder is named after a version"))
    };
    let mut versions: Vec<_> = folders.filter_map(version).collect();
    versions.sort_unstable();
    versions
}

/// Formats the best results of an answer with their numbers.
fn format_answer(answer: &Answer) -> String {
    let mut lines = format!("by {}\n", answer.ranked_by.name());
    for result in &answer.results {
        let near = result.near.and_then(|sample| sample.nearness()).map_or("", |near| near.name());
        let (similarity, found) = (result.similarity, result.coverage);
        let line = format!("{similarity:.3} {found:.3} {} {near}", result.url);
        writeln!(lines, "{}", line.trim_end()).expect("text has room");
    }
    lines
}

#[test]
fn each_supported_version_has_an_index() {
    let supported: Vec<_> = (1..=FORMAT_VERSION).collect();
    assert_eq!(fixtures(), supported, "the folders of tests/formats");
    for version in supported {
        for folder in [fixture(version), fixture_of_values(version)] {
            let manifest = fs::read(folder.join(MANIFEST_NAME)).expect("it has a manifest");
            assert_eq!(manifest[4..6], version.to_le_bytes(), "the version of {folder:?}");
        }
    }
}

#[test]
fn values_of_each_version_are_read_as_before() {
    let mut lines = String::new();
    let mut write = |line: String| lines.extend([&*line, "\n"]);
    for version in fixtures() {
        let mut folder = LocalIndex::open(&fixture_of_values(version)).expect("it is read");
        let sound = folder.verify().expect("it is sound");
        let (pages, bytes) = (sound.pages_with_metadata, sound.metadata_bytes);
        write(format!("version {version}: metadata of {pages} pages in {bytes} bytes"));
        let directory = folder.filters().expect("they are read").expect("there are some");
        for (name, values) in &directory.filters {
            let values = values.iter().map(|value| format!("{} {}", value.value, value.pages));
            write(format!("{name}: {}", values.collect::<Vec<_>>().join(", ")));
        }
        for (filter, key) in [
            (Some(Filter::has("kind", "green")), "price"),
            (Some(Filter::has("taste", "smoke")), "name"),
            (None, "price"),
        ] {
            let sort = Some(SortBy { key: key.to_owned(), descending: true });
            let refinement = Refinement { filter, sort, counts: true };
            let options = LookupOptions::default();
            let lookup = Lookup::from_typed(folder.index(), "tea", "en", options).expect("words");
            let answer = folder.answer_refined(lookup, Some(refinement)).expect("it answers");
            let result = |one: &SearchResult| {
                let values = one.metadata.pairs().map(|(key, value)| format!(" {key}={value}"));
                format!("{}{}", one.url, values.collect::<String>())
            };
            let results: Vec<_> = answer.results.iter().map(result).collect();
            write(format!("by {key}: {}", results.join(", ")));
        }
    }
    expect![[r#"
        version 1: metadata of 3 pages in 50 bytes
        kind: black 2, dark 1, green 2, oolong 1
        taste: earth 1, grass 1, honey 1, malt 1, orchid 1, sea 2, smoke 2
        by price: /gyokuro/ image=gyokuro.webp, /sencha/
        by name: /oolong/ grower=Bee, /keemun/
        by price: /gyokuro/ image=gyokuro.webp, /oolong/ grower=Bee, /sencha/, /keemun/, /assam/ grower=Ann image=assam.webp image_alt=Leaves, /mate/
    "#]].assert_eq(&lines);
}

#[test]
fn indexes_of_each_version_answer_as_before() {
    let mut answers = String::new();
    for version in fixtures() {
        let mut folder = LocalIndex::open(&fixture(version)).expect("it is read");
        let sound = folder.verify().expect("it is sound");
        let options = LookupOptions { limit: 3, ..LookupOptions::default() };
        let passage = "Feed the starter with flour and water, and let the dough rise overnight.";
        let german = "Den platten Reifen abnehmen und das Loch im Schlauch flicken.";
        let of_passage = folder.similar_to_text(passage, "", options).expect("it answers");
        let of_german = folder.similar_to_text(german, "", options).expect("it answers");
        let address = "/garden/compost/worm-bin.html";
        let of_page = folder.similar_to_url(address, options).expect("it answers");
        let of_typed = folder.search("rye loa", "", options).expect("it answers");
        let (files, bytes, lists) = (sound.files, sound.bytes, sound.lists);
        writeln!(answers, "version {version}: {files} files, {bytes} bytes, {lists} lists")
            .expect("text has room");
        for answer in [of_passage, of_german, of_page, of_typed] {
            answers += &format_answer(&answer);
        }
    }
    expect![[r#"
        version 1: 47 files, 66078 bytes, 1896 lists
        by coverage
        0.065 1.000 /kitchen/bread/sourdough.html
        0.032 0.718 /kitchen/bread/baguette.html
        0.039 0.606 /kitchen/bread/rye-loaf.html
        by coverage
        0.035 0.667 /de/fahrrad/reifenpanne.html
        0.074 0.455 /de/fahrrad/
        0.040 0.152 /de/
        by similarity
        0.172 0.322 /garden/compost/hot-heap.html
        0.097 0.212 /garden/compost/leaf-mould.html
        0.080 0.159 /garden/compost/
        by coverage
        0.025 0.600 /kitchen/bread/rye-loaf.html
        0.019 0.600 /archive/letters/slow-oven.html
        0.019 0.600 /kitchen/bread/sourdough.html
    "#]]
    .assert_eq(&answers);
}

/// Returns the results of the second reader for an index; `None` if Python is missing.
fn second_reader(index: &Path, what: &str) -> Option<serde_json::Value> {
    let program = fixture(0).with_file_name("").with_file_name("second_reader").join("read.py");
    let run = Command::new("python3").arg(program).arg(index).arg(what).output();
    let output = match run {
        // Where all tests must run, Python is installed.
        Err(error) if error.kind() == ErrorKind::NotFound && std::env::var_os("CI").is_none() => {
            eprintln!("not tested: python3 is not installed");
            return None;
        }
        run => run.expect("python3 runs"),
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {complaint}", index.display());
    Some(serde_json::from_slice(&output.stdout).expect("it prints JSON"))
}

/// Checks that the second reader finds as much in an index as the first.
#[track_caller]
fn check_by_second_reader(index: &Path) {
    let Some(found) = second_reader(index, "--check") else { return };
    let folder = LocalIndex::open(index).expect("it is read");
    let sound = folder.verify().expect("it is sound");
    let manifest = folder.index().manifest();
    let records = folder.records().expect("they are read");
    let terms: usize = records.iter().map(|record| record.terms.len()).sum();
    let expected = [
        ("pages", records.len() as u64),
        ("terms", manifest.vocabulary.len().into()),
        ("files", sound.files),
        ("bytes", sound.bytes),
        ("buckets", sound.buckets),
        ("lists", sound.lists),
        ("fewest_lists", sound.fewest_lists),
        ("record_terms", terms as u64),
        ("pages_with_metadata", sound.pages_with_metadata),
    ];
    for (name, expected) in expected {
        assert_eq!(found[name], expected, "{name} of {}", index.display());
    }
    let directory = folder.filters().expect("they are read");
    let of_filter = |values: &[FilterValue]| -> BTreeMap<String, u32> {
        values.iter().map(|value| (value.value.clone(), value.pages)).collect()
    };
    let filters = directory.iter().flat_map(|directory| &directory.filters);
    let filters: BTreeMap<_, _> =
        filters.map(|(name, values)| (name.clone(), of_filter(values))).collect();
    assert_eq!(found["filter_values"], json!(filters), "filters of {}", index.display());
    let keys: Vec<&str> = directory.iter().flat_map(FilterDirectory::sort_keys).collect();
    assert_eq!(found["sort_keys"], json!(keys), "sort keys of {}", index.display());
}

#[test]
fn the_second_reader_reads_committed_indexes() {
    check_by_second_reader(&fixture(FORMAT_VERSION));
    check_by_second_reader(&fixture_of_values(FORMAT_VERSION));
}

#[test]
fn the_second_reader_reads_new_indexes() {
    let place = Place::with_copy_of(&teaching_site());
    let check = |name: &str, change: &dyn Fn(&mut BuildOptions)| {
        let mut options = BuildOptions::new(place.site(), place.path(name));
        options.block_pages = Some(4);
        change(&mut options);
        build(&options, &Assets::default(), &Silent).expect("it is built");
        check_by_second_reader(&options.output);
        LocalIndex::open(&options.output).expect("it is read").index().manifest().clone()
    };
    let whole = check("whole", &|options| options.block_pages = None);
    assert!(whole.read_whole && whole.lists.shards > 0);
    let packs = check("packs", &|options| {
        options.layout = Layout::Packs;
        options.tables = Some(true);
    });
    assert!(packs.tables.slot > 0 && packs.lists.is_packed() && packs.lists.slot == 0);
    check("first", &|_| ());
    place.write("site/new.html", html("A page", "Sourdough with snake_case::Names and 1024 words"));
    let next = check("next", &|options| options.previous = Some(place.path("first")));
    assert!(!next.lists.revised.is_empty() && !next.blocks.revised.is_empty());
    let values = "A <i data-pagekin-meta=author>baker</i> of <b data-pagekin-filter=kind>rye</b>";
    place.write("site/new.html", html("A page", values));
    assert_eq!(check("values", &|_| ()).filters.shards, 1);
    let sound = LocalIndex::open(&place.path("values")).expect("it is read").verify();
    assert_eq!(sound.expect("it is sound").pages_with_metadata, 1);
}

/// The second reader builds the bags and compares all pairs of pages: an index that is read whole
/// gives the same results.
#[test]
fn the_second_reader_finds_the_same_pages() {
    let place = Place::with_copy_of(&teaching_site());
    let options = BuildOptions::new(place.site(), place.out());
    build(&options, &Assets::default(), &Silent).expect("it is built");
    let Some(found) = second_reader(&place.out(), "--similarities") else { return };
    let pages: BTreeMap<String, BTreeMap<String, f64>> =
        serde_json::from_value(found).expect("it has the similarities of each page");
    assert_eq!(pages.len(), 68);
    let mut folder = LocalIndex::open(&place.out()).expect("it is read");
    let mut compared = 0;
    for (address, others) in &pages {
        let lookup = LookupOptions { limit: 68, copies: true, ..LookupOptions::default() };
        let answer = folder.similar_to_url(address, lookup).expect("it answers");
        for result in &answer.results {
            let similarity = others[&result.url];
            assert!((result.similarity - similarity).abs() < 1e-12, "{address}: {}", result.url);
        }
        // Pages in other languages are ranked by a part of their similarity, so that the least
        // similar of them are not results.
        let best = others.values().copied().fold(0.0, f64::max);
        for (url, _) in others.iter().filter(|&(_, &similarity)| similarity > 0.25 * best) {
            let is_result = answer.results.iter().any(|result| result.url == *url);
            assert!(is_result, "{address}: {url}");
        }
        compared += answer.results.len();
    }
    assert!(compared > 5 * pages.len(), "{compared} results were compared");
}

#[test]
fn the_second_reader_reads_the_index_of_a_crawl() {
    for preset in [Preset::Web, Preset::Paper] {
        let place = Place::empty();
        let cluster_options = ClusterOptions::new(place.path("crawl")).with(|options| {
            (options.preset, options.bags) = (preset, BagSource::Content);
        });
        let inputs = [Input::Path(teaching_site())];
        cluster(&inputs, &cluster_options, &Silent).expect("it is clustered");
        let options = BuildOptions::new(place.path("crawl"), place.out())
            .with(|options| options.block_pages = Some(4));
        build_crawl(&options, &Assets::default(), &Silent).expect("it is built");
        check_by_second_reader(&options.output);
        let index = LocalIndex::open(&options.output).expect("it is read");
        let manifest = index.index().manifest();
        assert!(manifest.lists.shards > 0 && !manifest.texts);
        assert_eq!(manifest.params.preset(), Some(preset));
    }
}
