//! Opening and querying any index takes a bounded amount of memory. Each test fills a kind of shard
//! up to the limit of its reader, in as few bytes as possible.

use std::fs::{self, File};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pagekin_core::LookupOptions;
use pagekin_core::bag::Bag;
use pagekin_core::hash;
use pagekin_core::shard::{
    Coded, Completion, CompletionShard, Counts, Kind, MANIFEST_NAME, MAX_SHARD_BYTES, Manifest,
    PageMetadata, PageTerm, Posting, PostingsShard, Shards, TermList, WrittenBlock, WrittenPage,
    seal, shard_of_list,
};
use pagekin_core::terms::{Language, StopLists};
use pagekin_core::vocabulary::{Vocabulary, term_id};
use pagekin_fuzz::execution::memory_of;
use pagekin_fuzz::sealing::seal_plain;
use pagekin_fuzz::small_index::{SmallIndex, Variety, build_into};
use pagekin_index::LocalIndex;

/// Maximum memory for an index, in addition to the program's own code. Together they take 128 MB.
const MAX_MEMORY: usize = 112 << 20;
/// Limits of the readers of shards.
const MAX_POSTINGS_OF_LIST: u32 = 4_096;
const MAX_POSTINGS: u32 = 1 << 21;
const MAX_TERMS_OF_PAGE: u32 = 4_096;
const MAX_TERMS: u32 = 1 << 20;

/// Memory is measured for the whole program, so tests run one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An index on disk whose shards are replaced.
struct Forged {
    place: tempfile::TempDir,
    manifest: Manifest,
}

impl Forged {
    fn new(variety: Variety) -> Self {
        let place = tempfile::tempdir().unwrap();
        build_into(variety, &place.path().join("index"));
        Self { place, manifest: SmallIndex::new(variety).manifest }
    }

    fn folder(&self) -> std::path::PathBuf {
        self.place.path().join("index")
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.folder().join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn write_manifest(&self) {
        self.write(MANIFEST_NAME, &self.manifest.encode());
    }

    fn write_shard(&self, kind: Kind, number: u32, payload: &[u8]) {
        let mut sealed = Vec::new();
        seal_plain(kind, self.manifest.generation_of(kind, number), payload, &mut sealed);
        self.write(&self.manifest.name(kind, number), &sealed);
    }

    /// Opens and queries it, and returns the errors.
    #[track_caller]
    fn ask(&self) -> Vec<String> {
        let mut errors = Vec::new();
        let memory = memory_of(|| {
            let mut index = match LocalIndex::open(&self.folder()) {
                Ok(index) => index,
                Err(error) => return errors.push(error.to_string()),
            };
            let options = LookupOptions::default();
            let mut add = |error: Option<String>| errors.extend(error);
            let text = "feed the rye starter in the oven before the evening, bread knife";
            add(index.similar_to_text(text, "en", options).err().map(|error| error.to_string()));
            add(index.search("ov", "", options).err().map(|error| error.to_string()));
            let of_url = index.similar_to_url("/p/3.html", options);
            add(of_url.err().map(|error| error.to_string()));
            add(index.page("/p/3.html").err().map(|error| error.to_string()));
        });
        assert!(memory <= MAX_MEMORY, "it took {memory} bytes of memory; {errors:?}");
        errors
    }
}

#[test]
fn huge_lists_take_little_memory() {
    let _alone = alone();
    let mut forged = Forged::new(Variety::Lists);
    let shards = 4;
    forged.manifest.lists = Shards::from_files(shards);
    forged.manifest.block_pages = MAX_POSTINGS_OF_LIST;
    forged.manifest.sketches = Shards::default();
    let postings: Vec<_> = (0..MAX_POSTINGS_OF_LIST).map(|page| Posting::new(page, 3, 1)).collect();
    let asked = ["feed", "rye", "starter", "oven", "even", "bread", "knife"].map(term_id);
    let shard = |number: u32| {
        let first = (u64::from(number) << 24).div_ceil(u64::from(shards)) as u32;
        let own = asked.into_iter().filter(|&term| shard_of_list(term, shards) == number);
        let mut terms: Vec<u32> =
            own.chain(first..).take((MAX_POSTINGS / MAX_POSTINGS_OF_LIST) as usize).collect();
        terms.sort_unstable();
        PostingsShard(terms.into_iter().map(|term| TermList::new(term, postings.clone())).collect())
    };
    let mut counts = Counts::for_coded::<PostingsShard>();
    shard(0).count(&mut counts, &forged.manifest);
    forged.manifest.list_model = counts.model();
    forged.write_manifest();
    for number in 0..shards {
        let payload = shard(number).encode(&forged.manifest);
        assert!(payload.len() < 64 << 10, "{} bytes", payload.len());
        forged.write_shard(Kind::Lists, number, &payload);
    }
    let errors = forged.ask();
    assert!(errors.iter().any(|error| error.contains("32 MiB of memory")), "{errors:?}");
}

#[test]
fn blocks_with_many_terms_take_little_memory() {
    let _alone = alone();
    let mut forged = Forged::new(Variety::Whole);
    let pages = MAX_TERMS / MAX_TERMS_OF_PAGE;
    let blocks = 16;
    forged.manifest.blocks = Shards::from_files(blocks);
    forged.manifest.block_pages = pages;
    forged.manifest.sketches = Shards::default();
    let terms: Vec<_> = (0..MAX_TERMS_OF_PAGE).map(|at| PageTerm::from_text(2 * at, 0)).collect();
    let metadata = PageMetadata::default();
    let (bag, urls) = (Bag::default(), (0..pages).map(|at| format!("/{at}")).collect::<Vec<_>>());
    let page = |url| WrittenPage {
        url,
        title: "",
        length: 1,
        copies: 0,
        language: 0,
        is_listing: false,
        metadata: &metadata,
        terms: &terms,
        bag: &bag,
        embedding: None,
    };
    let block = WrittenBlock((0..).zip(urls.iter().map(|url| page(url))).collect());
    let mut counts = Counts::for_coded::<WrittenBlock<'_>>();
    block.count(&mut counts, &forged.manifest);
    forged.manifest.page_model = counts.model();
    forged.write_manifest();
    let payload = block.encode(&forged.manifest);
    assert!(payload.len() < 64 << 10, "{} bytes", payload.len());
    for number in 0..blocks {
        forged.write_shard(Kind::Pages, number, &payload);
    }
    let errors = forged.ask();
    assert!(errors.iter().any(|error| error.contains("32 MiB of memory")), "{errors:?}");
}

/// Texts of three letters, in the order that front coding stores in the fewest bytes.
fn short_words() -> impl Iterator<Item = String> {
    let letters = || (b'a'..=b'z').map(char::from);
    letters().flat_map(move |a| {
        letters().flat_map(move |b| {
            letters().flat_map(move |c| letters().map(move |d| [a, b, c, d].iter().collect()))
        })
    })
}

#[test]
fn shards_with_many_words_take_little_memory() {
    let _alone = alone();
    let mut forged = Forged::new(Variety::Lists);
    let words: Vec<_> = short_words()
        .map(|word| Completion { weight: hash::of_bytes(word.as_bytes()) as u8 % 16, word })
        .collect();
    let shard = CompletionShard(words);
    let mut counts = Counts::for_coded::<CompletionShard>();
    shard.count(&mut counts, &forged.manifest);
    forged.manifest.completion_model = counts.model();
    let payload = shard.encode(&forged.manifest);
    let sealed = seal(Kind::Completions, forged.manifest.generation(), &payload);
    assert!(payload.len() > 400_000 && sealed.len() < MAX_SHARD_BYTES, "{}", payload.len());
    forged.manifest.completions = Shards::from_files(7);
    let starts = ["b", "f", "k", "o", "ova", "ovb"];
    forged.manifest.completion_starts = starts.map(str::to_owned).into();
    forged.write_manifest();
    for number in 0..7 {
        forged.write(&forged.manifest.name(Kind::Completions, number), &sealed);
    }
    forged.ask();
}

#[test]
fn the_largest_manifests_take_little_memory() {
    let _alone = alone();
    let mut forged = Forged::new(Variety::Packs);
    let sound = forged.manifest.clone();
    // One byte per slot in packs.
    forged.manifest.lists = Shards::back_to_back((0..1_900_000).map(|_| 64));
    forged.write_manifest();
    forged.ask();
    // A second index opened while the first is open.
    let memory = memory_of(|| {
        let one = LocalIndex::open(&forged.folder());
        let other = LocalIndex::open(&forged.folder());
        assert!(one.is_ok() && other.is_ok());
    });
    assert!(memory <= MAX_MEMORY, "it took {memory} bytes of memory");
    // Many terms, two of which fit into a byte.
    forged.manifest = sound.clone();
    forged.manifest.vocabulary = Vocabulary::new((0..1 << 20).map(|id| (2 * id, 7)), 9);
    forged.write_manifest();
    forged.ask();
    forged.manifest.vocabulary = Vocabulary::new((0..1 + (1 << 20)).map(|id| (2 * id, 7)), 9);
    forged.write_manifest();
    assert!(forged.ask()[0].contains("a sensible number of terms"));
    // The maximum number of stop words, and one more.
    for (count, is_read) in [(1 << 16, true), ((1 << 16) + 1, false)] {
        forged.manifest = sound.clone();
        let words: Vec<_> = short_words().take(count).collect();
        forged.manifest.stop = StopLists::new();
        forged.manifest.stop.insert(Language::english(), words.iter().map(String::as_str));
        forged.write_manifest();
        let errors = forged.ask();
        assert_ne!(errors.iter().any(|error| error.contains("stop words")), is_read, "{errors:?}");
    }
    // A number above the maximum.
    forged.manifest = sound;
    forged.manifest.lists = Shards::back_to_back((0..2_200_000).map(|_| 64));
    forged.write_manifest();
    assert!(forged.ask()[0].contains("found more"));
}

#[test]
fn an_endless_file_is_read_only_up_to_the_size_of_the_index() {
    let _alone = alone();
    for name in [MANIFEST_NAME, "pagekin.mirrors"] {
        let forged = Forged::new(Variety::Lists);
        // A sparse file, which takes no space on disk.
        let file = File::create(forged.folder().join(name)).unwrap();
        file.set_len(1 << 40).unwrap();
        let errors = forged.ask();
        assert!(errors[0].contains("found more"), "{errors:?}");
    }
    for kind in [Kind::Lists, Kind::Pages, Kind::Addresses, Kind::Words, Kind::Completions] {
        let forged = Forged::new(Variety::Lists);
        for number in 0..forged.manifest.part(kind).unwrap().shards {
            let name = forged.manifest.name(kind, number);
            File::create(forged.folder().join(name)).unwrap().set_len(1 << 40).unwrap();
        }
        let errors = forged.ask();
        assert!(errors.iter().any(|error| error.contains("found more")), "{kind:?}: {errors:?}");
    }
}

/// Lists and tables that exceed the memory limit are verified in parts.
#[test]
fn a_page_missing_in_a_list_is_found_in_any_part() {
    let _alone = alone();
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("index");
    build_into(Variety::Packs, &folder);
    let whole = LocalIndex::open(&folder).unwrap().verify().unwrap();
    let in_parts = LocalIndex::open(&folder).unwrap().verify_in_parts(1).unwrap();
    assert_eq!(whole, in_parts);
}
