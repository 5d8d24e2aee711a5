//! Tests that build indexes and read them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pagekin_core::QueryError;
use pagekin_core::shard::{Kind, MANIFEST_NAME};
use pagekin_pages::{Part, Silent, SourcePage};
use serde_json::{Value, json};

use crate::{
    AssetFile, Assets, BuildError, BuildOptions, FolderError, Layout, LocalIndex, Summary,
    VerifyReport, build_pages,
};

/// A made-up word for a number.
fn word(number: u64) -> String {
    let syllables = ["bak", "dor", "fim", "gup", "lon", "mer", "nas", "pid", "rof", "tul"];
    let digits = [number / 10_000, number / 1_000, number / 100, number / 10, number];
    digits.map(|digit| syllables[(digit % 10) as usize]).concat()
}

/// A page of ninety words, half of which it shares with each neighbor, and two words of all pages.
fn page(at: u64) -> SourcePage {
    let words: Vec<_> = (45 * at..45 * at + 90).map(word).collect();
    SourcePage {
        url: format!("/{}/{at}.html", at / 50),
        title: format!("Page {}", word(45 * at)),
        lang: "en".to_owned(),
        text: format!("garden kettle {}", words.join(" ")),
    }
}

/// Returns `n` pages; the last repeats the first word for word.
fn pages(n: u64) -> Vec<SourcePage> {
    let mut pages: Vec<_> = (0..n).map(page).collect();
    let first = pages[0].clone();
    let last = pages.last_mut().unwrap();
    *last = SourcePage { url: last.url.clone(), ..first };
    pages
}

fn built(
    place: &Path,
    pages: &Vec<SourcePage>,
    assets: &Assets<'_>,
    change: impl FnOnce(&mut BuildOptions),
) -> Result<Summary, BuildError> {
    let options = BuildOptions::new("", place.join("out")).with(change);
    build_pages(&options, pages, assets, &Silent)
}

/// All files below a folder, with their lengths.
fn files(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::metadata(&path).unwrap().len();
            found.insert(path, bytes);
        }
    }
    found
}

/// What [`LocalIndex::verify`] must count in an index in files, from its files and records.
fn counted(folder: &LocalIndex, path: &Path) -> VerifyReport {
    let all = files(&path.join("index"));
    let manifest = folder.index().manifest();
    let mut lists: BTreeMap<u32, u64> = BTreeMap::new();
    let records = folder.records().unwrap();
    let terms: BTreeSet<u32> =
        records.iter().flat_map(|page| page.terms.iter().map(|term| term.id)).collect();
    for &term in terms.iter().filter(|_| manifest.lists.shards > 0) {
        *lists.entry(manifest.list_shard(term)).or_default() += 1;
    }
    let outside: Vec<u64> = [MANIFEST_NAME, "pagekin.kin"]
        .iter()
        .filter_map(|name| Some(fs::metadata(path.join(name)).ok()?.len()))
        .collect();
    VerifyReport {
        files: (all.len() + outside.len()) as u64,
        bytes: all.values().chain(&outside).sum(),
        lists: lists.values().sum(),
        fewest_lists: lists.values().copied().min().unwrap_or(0),
        ..VerifyReport::default()
    }
}

/// No files of a client.
const NO_ASSETS: Assets<'_> = Assets {
    always: &[],
    components: &[],
    english: &[],
    all_languages: &[],
    offline: &[],
    tree: &[],
    mirrored: &[],
    bundle: "",
    bundled_lab: &[],
};

#[test]
fn verify_reads_and_counts_all_of_an_index() {
    let pages = pages(420);
    for (layout, related_count, tables) in
        [(Layout::Files, 5, Some(true)), (Layout::Files, 0, None), (Layout::Packs, 5, Some(true))]
    {
        let place = tempfile::tempdir().unwrap();
        let summary = built(place.path(), &pages, &NO_ASSETS, |options| {
            (options.layout, options.related_count, options.tables) =
                (layout, related_count, tables);
        });
        let (summary, path) = (summary.unwrap(), place.path().join("out"));
        assert_eq!((summary.pages, summary.html_files, summary.followed), (420, 420, false));
        let folder = LocalIndex::open(&path).unwrap();
        let sound = folder.verify().unwrap();
        assert_eq!(sound.buckets > 0, tables.is_some());
        assert!(sound.fewest_lists >= 64, "{sound:?}");
        let counted = counted(&folder, &path);
        let (buckets, client_files) = (sound.buckets, Some(1));
        assert_eq!(sound, VerifyReport { buckets, client_files, ..counted });
        // The number of shards in memory makes no difference.
        assert_eq!(folder.verify_in_parts(0).unwrap(), sound);
        // The summary counts files by kind, and those that are not part of the index.
        let others = ["pagekin.files", "pagekin.basis"].map(|name| path.join(name));
        let others = others.iter().map(|path| fs::metadata(path).unwrap().len()).sum::<u64>();
        assert_eq!(
            (summary.total_files(), summary.total_bytes()),
            (sound.files + 2, sound.bytes + others)
        );
        assert_eq!(summary.seed, BuildOptions::new("", "").seed);
        assert_eq!(summary.generation, folder.index().manifest().generation());
    }
}

#[test]
fn pages_are_found_by_words_and_urls() {
    let place = tempfile::tempdir().unwrap();
    built(place.path(), &pages(420), &NO_ASSETS, |_| {}).unwrap();
    let mut folder = LocalIndex::open(&place.path().join("out")).unwrap();
    for at in [1, 77, 200, 418] {
        let SourcePage { url, title, text, .. } = page(at);
        let answer = folder.similar_to_text(&text, "en", Default::default()).unwrap();
        assert_eq!((&*answer.results[0].url, &*answer.results[0].title), (&*url, &*title));
        let answer = folder.search(&title, "en", Default::default()).unwrap();
        assert_eq!(answer.results[0].url, url);
        let view = folder.page(&url).unwrap();
        assert_eq!((&view.url, &view.title), (&url, &title));
        let kin = folder.similar_to_url(&url, Default::default()).unwrap();
        let near = [page(at - 1).url, page(at + 1).url];
        let found: Vec<_> = kin.results.iter().take(2).map(|found| found.url.clone()).collect();
        assert!(
            near.iter().all(|url| found.contains(url) || at == 1 || at == 418),
            "{at}: {found:?}"
        );
    }
}

#[test]
fn a_build_that_reuses_an_index_keeps_most_of_its_files() {
    for layout in [Layout::Files, Layout::Packs] {
        let place = tempfile::tempdir().unwrap();
        let mut all = pages(420);
        built(place.path(), &all, &NO_ASSETS, |options| options.layout = layout).unwrap();
        let out = place.path().join("out");
        let names = |folder: &Path| -> BTreeSet<String> {
            let all = files(&folder.join("index")).into_keys();
            all.map(|path| path.strip_prefix(folder).unwrap().display().to_string()).collect()
        };
        let before = (names(&out), LocalIndex::open(&out).unwrap().index().manifest().clone());
        all[7].text += " again";
        all.push(page(500));
        let next = tempfile::tempdir().unwrap();
        let summary = built(next.path(), &all, &NO_ASSETS, |options| {
            (options.layout, options.previous) = (layout, Some(out.clone()));
        });
        assert!(summary.unwrap().followed);
        let new = next.path().join("out");
        let folder = LocalIndex::open(&new).unwrap();
        folder.verify().unwrap();
        let manifest = folder.index().manifest();
        let of = |manifest: &pagekin_core::shard::Manifest| {
            let shards = [Kind::Lists, Kind::Tables, Kind::Addresses]
                .map(|kind| manifest.part(kind).map_or(0, |part| part.shards));
            (shards, manifest.block_pages, manifest.sketch_pages, manifest.sketch_values)
        };
        assert_eq!(of(manifest), of(&before.1));
        let kept = names(&new).intersection(&before.0).count();
        match layout {
            Layout::Files => assert!(5 * kept > 3 * before.0.len(), "{kept} of {}", before.0.len()),
            Layout::Packs => assert!(kept < before.0.len()),
        }
        // Without changes, all files stay.
        let last = tempfile::tempdir().unwrap();
        built(last.path(), &all, &NO_ASSETS, |options| {
            (options.layout, options.previous) = (layout, Some(new.clone()));
        })
        .unwrap();
        assert_eq!(names(&last.path().join("out")), names(&new));
    }
}

const DEMO: &str =
    "<html><head><title>Demo</title></head><body>\n  <p><a href=\"lab/\">Lab</a></p>\n</body>";

const ASSETS: Assets<'_> = Assets {
    always: &[
        AssetFile { path: "index.html", bytes: DEMO.as_bytes() },
        AssetFile { path: "pagekin.js", bytes: b"client" },
    ],
    offline: &[
        AssetFile { path: "offline.js", bytes: b"control" },
        AssetFile { path: "offline-worker.js", bytes: b"worker" },
    ],
    ..NO_ASSETS
};

#[test]
fn files_of_the_client_are_verified_by_their_checksums() {
    let place = tempfile::tempdir().unwrap();
    built(place.path(), &pages(3), &ASSETS, |_| {}).unwrap();
    let out = place.path().join("out");
    let verify = || LocalIndex::open(&out).unwrap().verify().map(|sound| sound.client_files);
    assert_eq!(verify().unwrap(), Some(3));
    let script = out.join("pagekin.js");
    fs::write(&script, "clienT").unwrap();
    let error = verify().unwrap_err().to_string();
    assert!(error.contains("pagekin.js"), "{error}");
    fs::remove_file(&script).unwrap();
    assert!(matches!(verify(), Err(FolderError::Io { path, .. }) if path == script));
    fs::create_dir(&script).unwrap();
    let error = verify().unwrap_err().to_string();
    assert!(error.contains("a file"), "{error}");
    // Without the list, nothing is known of them. A list that is too large is an error.
    fs::remove_file(out.join("pagekin.files")).unwrap();
    assert_eq!(verify().unwrap(), None);
    fs::write(out.join("pagekin.files"), vec![b'\n'; (2 << 20) + 1]).unwrap();
    assert!(verify().is_err());
    // The output has no lab, so the link to it is gone.
    let demo = fs::read_to_string(out.join("index.html")).unwrap();
    assert_eq!(demo, "<html><head><title>Demo</title></head><body>\n</body>");
}

#[test]
fn a_missing_file_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    built(place.path(), &pages(420), &NO_ASSETS, |options| options.tables = Some(true)).unwrap();
    let out = place.path().join("out");
    let folder = LocalIndex::open(&out).unwrap();
    for (path, _) in files(&out.join("index")).into_iter().step_by(5) {
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(matches!(folder.verify(), Err(FolderError::Io { .. })), "{}", path.display());
        fs::write(&path, bytes).unwrap();
    }
    folder.verify().unwrap();
}

#[test]
fn related_json_contains_the_related_pages() {
    let place = tempfile::tempdir().unwrap();
    let given = vec![page(1), page(0), page(50)];
    let summary = built(place.path(), &given, &NO_ASSETS, |options| {
        (options.related_json, options.related_count) = (true, 1);
    })
    .unwrap();
    let path = place.path().join("out/related.json");
    let text = fs::read_to_string(&path).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let kin = |of: &SourcePage, similarity: &Value| json!([{ "url": of.url, "path": &of.url[1..], "title": of.title, "similarity": similarity }]);
    let similarity = &json["/0/0.html"][0]["similarity"];
    assert!((0.2..1.0).contains(&similarity.as_f64().unwrap()), "{text}");
    assert_eq!(json["base"], "/");
    assert_eq!(json["/0/0.html"], kin(&page(1), similarity));
    assert_eq!(json["/0/1.html"], kin(&page(0), similarity));
    assert_eq!(json.as_object().unwrap().len(), 4);
    let lines: Vec<_> = text.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(lines, ["{", "\"base\"", "\"/0/0.html\"", "\"/0/1.html\"", "\"/1/50.html\"", "}"]);
    let part = Part { name: "related.json", files: 1, bytes: text.len() as u64 };
    assert!(summary.parts.contains(&part), "{:?}", summary.parts);
    let refused = built(place.path(), &given, &NO_ASSETS, |options| {
        (options.related_json, options.related_count) = (true, 0);
    });
    assert!(refused.unwrap_err().to_string().contains("related-count"));
}

#[test]
fn the_related_pages_of_a_page_are_read_from_its_shard() {
    let place = tempfile::tempdir().unwrap();
    let given = vec![page(1), page(0), page(50)];
    let open = |related_count| {
        let _ = fs::remove_dir_all(place.path().join("out"));
        let change = |options: &mut BuildOptions| options.related_count = related_count;
        built(place.path(), &given, &NO_ASSETS, change).unwrap();
        LocalIndex::open(&place.path().join("out")).unwrap()
    };
    let index = open(1);
    // Hosts hide the ending.
    for url in ["/0/0.html", "/0/0"] {
        let (url, related) = index.related(url).unwrap();
        let [found] = &related[..] else { panic!("{related:?}") };
        assert_eq!((&*url, &found.url, &found.title), ("/0/0.html", &page(1).url, &page(1).title));
        assert!((0.2..1.0).contains(&found.similarity), "{found:?}");
    }
    let error = index.related("/none.html").unwrap_err();
    assert!(matches!(error, FolderError::Query(QueryError::UnknownUrl { .. })), "{error}");
    let error = open(0).related("/0/0.html").unwrap_err();
    assert!(matches!(error, FolderError::NoRelated { .. }), "{error}");
}

#[test]
fn files_for_offline_use_are_listed() {
    let place = tempfile::tempdir().unwrap();
    let pages = pages(3);
    let summary = built(place.path(), &pages, &ASSETS, |options| options.offline = true).unwrap();
    let out = place.path().join("out");
    let demo = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(demo.contains("  <script type=\"module\" src=\"offline.js\"></script>\n</head>"));
    let list: Value = serde_json::from_slice(&fs::read(out.join("offline.json")).unwrap()).unwrap();
    assert_eq!(list["pages"], 3);
    let mut expected = files(&out);
    expected.retain(|path, _| {
        let name = path.strip_prefix(&out).unwrap().to_str().unwrap();
        // Visitors do not need these.
        let others = ["offline-worker.js", "offline.json", "pagekin.basis", "pagekin.files"];
        !others.contains(&name) && !name.ends_with(".kin")
    });
    let named = |(path, bytes): (&PathBuf, &u64)| {
        json!([path.strip_prefix(&out).unwrap().to_str().unwrap(), bytes])
    };
    let mut expected: Vec<_> = expected.iter().map(named).collect();
    expected.sort_by_key(|file| file[0].as_str().unwrap().to_owned());
    assert_eq!(list["files"], Value::from(expected.clone()));
    let bytes = expected.iter().map(|file| file[1].as_u64().unwrap()).sum::<u64>();
    assert_eq!(list["bytes"], bytes);
    // Another client changes the generation of the list, though the index is the same.
    let other = Assets { english: &[AssetFile { path: "other.js", bytes: b"other" }], ..ASSETS };
    let again = tempfile::tempdir().unwrap();
    let same = built(again.path(), &pages, &other, |options| options.offline = true).unwrap();
    assert_eq!(same.generation, summary.generation);
    let text = fs::read(again.path().join("out/offline.json")).unwrap();
    assert_ne!(serde_json::from_slice::<Value>(&text).unwrap()["generation"], list["generation"]);
    // A program without the control refuses the option.
    for assets in [NO_ASSETS, Assets { offline: &[], ..ASSETS }] {
        let refused = built(again.path(), &pages, &assets, |options| options.offline = true);
        assert!(refused.unwrap_err().to_string().contains("service worker"));
    }
}
