//! An index and a crawl on disk with changed files, read by all their readers.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pagekin_core::shard::MANIFEST_NAME;
use pagekin_core::{LookupOptions, Preset};
use pagekin_crawl::SimilarOptions;
use pagekin_crawl::cluster::BagSource;
use pagekin_crawl::folder::checksums::{CHECKSUMS_NAME, seal};
use pagekin_crawl::folder::format::{CRAWL_VERSION, url_key};
use pagekin_crawl::folder::write::{PairWriter, UrlResults, UrlWriter, finish};
use pagekin_crawl::folder::{
    CrawlFolder, CrawlFolderError, CrawledTerm, CrawledUrl, Description, StoredPair,
};
use pagekin_crawl::fuzzing::write_signatures;
use pagekin_duplicates::{DuplicateOptions, find};
use pagekin_index::LocalIndex;
use pagekin_pages::Silent;
use pagekin_pages::site::word_ids::word_id;

use crate::script::{change, changes};
use crate::sealing::reseal;
use crate::small_index::{ADDRESSES, TEXTS, TITLES, Variety, build_into};
use crate::targets::{Outcome, Target};

/// The files of a folder, which can be changed and restored.
pub(super) struct Files {
    /// The temporary folder, removed when dropped.
    _place: tempfile::TempDir,
    pub(super) folder: PathBuf,
    /// The original files by path.
    pub(super) sound: BTreeMap<PathBuf, Vec<u8>>,
    changed: RefCell<Vec<PathBuf>>,
}

impl Files {
    pub(super) fn new(make: impl FnOnce(&Path)) -> Self {
        let place = tempfile::tempdir().expect("there is a temporary folder");
        let folder = place.path().join("folder");
        make(&folder);
        let mut sound = BTreeMap::new();
        let mut folders = vec![folder.clone()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).expect("a folder is listed") {
                let path = entry.expect("a folder is listed").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = fs::read(&path).expect("a file is read");
                    sound.insert(path, bytes);
                }
            }
        }
        Self { _place: place, folder, sound, changed: RefCell::default() }
    }

    /// Changes files according to an input. Returns the total number of bytes, and whether all
    /// changes must be detected.
    pub(super) fn change(&self, input: &[u8], reseals: bool) -> (usize, bool) {
        let paths: Vec<_> = self.sound.keys().collect();
        let mut files: BTreeMap<&Path, Vec<u8>> = BTreeMap::new();
        let mut found = false;
        for change in changes(input) {
            let path = paths[usize::from(change.of) % paths.len()];
            let bytes = files.entry(path).or_insert_with(|| self.sound[path].clone());
            change.apply(bytes);
            if change.sealed && reseals {
                reseal(bytes);
            }
            found |= !change.sealed;
        }
        let sealed = changes(input).any(|change| change.sealed);
        let differs = files.iter().any(|(path, bytes)| self.sound[*path] != *bytes);
        for (path, bytes) in files {
            fs::write(path, bytes).expect("a file is written");
            self.changed.borrow_mut().push(path.to_owned());
        }
        (
            self.sound.values().map(Vec::len).sum::<usize>() + input.len(),
            found && !sealed && differs,
        )
    }

    pub(super) fn restore(&self) {
        for path in self.changed.borrow_mut().drain(..) {
            fs::write(&path, &self.sound[&path]).expect("a file is written");
        }
    }
}

/// Returns changes of each of `files` files.
pub(super) fn seeds(files: usize, sealed: &[u8]) -> Vec<Vec<u8>> {
    let of = |file: usize| {
        sealed.iter().map(move |&how| change(file as u8, how, 7 * file as u16, [3, 2, 1]).to_vec())
    };
    (0..files).flat_map(of).collect()
}

/// An index on disk.
pub const INDEX: Target = Target {
    name: "index-folder",
    reads: "an index on disk, changed: verified, asked, compared with itself",
    prepare: || {
        let indexes = [Variety::Lists, Variety::Packs]
            .map(|variety| Files::new(|folder| build_into(variety, folder)));
        let max = indexes.iter().map(|files| files.sound.len()).max().unwrap_or(0);
        let seeds = seeds(max.min(60), &[0, 0x80]);
        let seeds = seeds.into_iter().zip(0u8..).map(|(seed, at)| [&[at], &seed[..]].concat());
        let run = move |input: &[u8]| {
            let (how, script) = super::split_mode(input);
            let files = &indexes[usize::from(how) % 2];
            files.restore();
            let (bytes, must_be_found) = files.change(script, true);
            let outcome = read_index(&files.folder, bytes, how);
            if let Err(why) = &outcome {
                return Outcome::named(bytes, why);
            }
            // The bytes after a pack's last shard and in the padding of its slots are not read. Any
            // other change must be detected.
            let in_packs = how % 2 == 1;
            assert!(in_packs || !must_be_found, "a change that was not found");
            Outcome::sized(bytes, 0, 1)
        };
        (seeds.collect(), Box::new(run))
    },
    max_bytes: 1 + 3 * 7,
    memory_of_byte: 512,
    memory_free: 128 << 20,
    short: 80,
};

/// Reads all files, and returns the first error.
fn read_index(folder: &Path, bytes: usize, how: u8) -> Result<(), String> {
    let failure = |message: String| {
        let expected = message.rsplit(": expected").next().unwrap_or_default();
        expected.chars().take(60).collect::<String>()
    };
    let mut index = LocalIndex::open(folder).map_err(|error| failure(error.to_string()))?;
    let _ = index.similar_to_text(TEXTS[0], "en", LookupOptions::default());
    let _ = index.similar_to_url(ADDRESSES[0], LookupOptions::default());
    let _ = index.search(TITLES[0], "", LookupOptions::default());
    let _ = index.page(ADDRESSES[0]);
    if (how / 2).is_multiple_of(16) {
        let options = DuplicateOptions::new(folder).with(|options| options.threads = Some(1));
        let _ = find(&options, &Silent);
    }
    let sound = index.verify().map_err(|error| failure(error.to_string()))?;
    assert!(sound.files > 0 && sound.bytes <= bytes as u64, "{sound:?}");
    assert!(folder.join(MANIFEST_NAME).exists());
    Ok(())
}

const URLS: u32 = 5;

/// A crawl of five URLs: the second is similar to the first, and the fourth is its exact duplicate.
pub(super) fn crawl(folder: &Path) {
    fs::create_dir(folder).expect("a folder is made");
    let mut urls: Vec<String> = (0..URLS).map(|n| format!("https://{n}.example/")).collect();
    urls.sort_by_key(|url| url_key(url));
    let mut terms =
        ["rye", "wheat"].map(|stem| CrawledTerm { df: 2, stem: stem.into(), word: stem.into() });
    terms.sort_by_key(|term| word_id(&term.stem));
    let mut writer = UrlWriter::create(folder).expect("a file is made");
    for url in &urls {
        let bag = terms.iter().zip([1, 5]).map(|(term, copies)| (word_id(&term.stem), copies));
        let title = format!("Title of {url}");
        let url = CrawledUrl { url: url.clone(), title, fragments: 3, bag: bag.collect() };
        writer.push(&url).expect("a URL is written");
    }
    writer.finish().expect("a file is written");
    let mut writer = PairWriter::create(folder, URLS).expect("a file is made");
    let pair = |page, other| StoredPair { page, other, thousandths: 300 };
    writer.push(&[pair(0, 1), pair(1, 0)]).expect("pairs are written");
    writer.finish().expect("a file is written");
    let params = Preset::Web.params(1);
    let position = |at: u16| vec![7, 7, at, 7, 1 << (at % 16)];
    let positions: Vec<Vec<u16>> = (0..params.signature.m).map(position).collect();
    write_signatures(folder, &positions).expect("signatures are written");
    let in_links = (0..URLS).flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
    fs::write(folder.join("in-links"), in_links).expect("numbers are written");
    let description = Description {
        version: CRAWL_VERSION,
        urls: URLS,
        pairs: 3,
        stored_pairs: 1,
        threshold: 200,
        bags: BagSource::Content,
        preset: Preset::Web,
        seed: 1,
        rules: params.bag,
        mentioned: URLS + 1,
        lang: "en".to_owned(),
        languages: vec![("de".to_owned(), 4), ("en".to_owned(), 1)],
        signatures: true,
        in_links: true,
        strings: None,
    };
    let of_urls = UrlResults { centers: &[0, 0, 2, 0, 4], twins: &[0, 1, 2, 0, 4] };
    finish(folder, &terms, of_urls, &description).expect("the crawl is written");
}

/// A crawl on disk.
pub const CRAWL: Target = Target {
    name: "crawl-folder",
    reads: "a clustered crawl on disk, changed",
    prepare: || {
        let files = Files::new(crawl);
        let seeds = seeds(files.sound.len(), &[0, 1, 2, 3, 5, 0x80]);
        let run = move |input: &[u8]| {
            files.restore();
            let (bytes, must_be_found) = files.change(input, false);
            if changes(input).any(|change| change.sealed) {
                seal(&files.folder).expect("a file is written");
                let path = files.folder.join(CHECKSUMS_NAME);
                files.changed.borrow_mut().push(path);
            }
            match read_crawl(&files.folder) {
                Ok(pairs) => {
                    // Not all lists of signatures were read.
                    let verified = CrawlFolder::open(&files.folder).and_then(|all| all.verify());
                    assert!(!must_be_found || verified.is_err(), "a change that was not found");
                    Outcome::sized(bytes, 0, pairs)
                }
                Err(error) => {
                    let folder = files.folder.display().to_string();
                    Outcome::named(bytes, &error.to_string().replace(&folder, ""))
                }
            }
        };
        (seeds, Box::new(run))
    },
    max_bytes: 4 * 7,
    memory_of_byte: 64,
    memory_free: 1 << 20,
    short: 600,
};

/// Reads all files, and returns the first error.
fn read_crawl(folder: &Path) -> Result<usize, CrawlFolderError> {
    let mut crawl = CrawlFolder::open(folder)?;
    let n = crawl.description().urls;
    let params = crawl.params().map(|_| ());
    let mut urls = Vec::new();
    let mut result = Ok(());
    for url in crawl.urls()?.take(64) {
        match url {
            Ok(url) => urls.push(url.url),
            Err(error) => result = Err(error),
        }
    }
    for (number, url) in (0..n.min(64)).zip(&urls) {
        let found = crawl.number_of(url);
        assert!(result.is_err() || found.as_ref().map_or(true, |found| *found == number));
        let related = crawl.related(number);
        let related = related.map_err(|error| result = Err(error)).unwrap_or_default();
        assert!(related.iter().all(|&(page, thousandths)| page < n && thousandths <= 1_000));
        result = result.and(crawl.url(number).map(drop)).and(found.map(drop));
        let options = SimilarOptions { limit: 3, min_in_links: number % 2 };
        let similar = [
            crawl.similar_to_url(number, options),
            crawl.similar_to_text("rye and wheat", "en", options),
        ];
        for found in similar {
            match found {
                Ok(found) => assert!(
                    found.len() <= 3 && found.iter().all(|&(page, of)| page < n && of <= 1_000)
                ),
                Err(error) => result = Err(error),
            }
        }
    }
    let centers = crawl.centers();
    assert!(centers.as_ref().is_ok_and(|all| all.iter().all(|&c| c < n)) || centers.is_err());
    let (words, groups) = (crawl.words(), crawl.twin_groups());
    let mut pairs = 0;
    crawl.each_pair(|pair| {
        assert!(pair.page <= pair.other && pair.other < n, "{pair:?} of {n}");
        pairs += 1;
        Ok::<(), CrawlFolderError>(())
    })?;
    result?;
    params?;
    centers?;
    words?;
    groups?;
    Ok(pairs)
}
