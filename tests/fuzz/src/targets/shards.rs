//! The manifest and each kind of shard: they can be queried, and encoding and decoding them again
//! gives the same.

use std::fmt::Debug;

use pagekin_core::hash::{self, SplitMix64};
use pagekin_core::lookup::{Filter, Refinement, SortBy};
use pagekin_core::lsh::TableKey;
use pagekin_core::page_set::PageSet;
use pagekin_core::shard::{
    AddressShard, CompletionShard, Kind, Manifest, PageBlock, PageMetadata, PageSample,
    PostingsShard, Shards, SketchShard, TableShard, WordShard, WrittenBlock, WrittenFilters, open,
};
use pagekin_core::vocabulary::term_id;
use pagekin_core::{Index, Lookup, LookupOptions, ReadError};
use rustc_hash::FxHashSet;

use crate::sealing::{reseal, seal_plain};
use crate::small_index::{ADDRESSES as ASKED, SmallIndex, Variety};
use crate::targets::{Outcome, Run, Target, split_mode};

/// The size of a reencoded shard is bounded by that of the input, except for texts whose common
/// prefixes were not omitted.
const TEXTS: &str = "texts of a sensible length";

/// The operations on shards of a kind.
struct Codec<T> {
    kind: Kind,
    decode: fn(&Manifest, u64, &[u8]) -> Result<T, ReadError>,
    /// Encodes the payload.
    encode: fn(&T, &Manifest) -> Vec<u8>,
    /// Queries the decoded shard, and returns the size of the result.
    ask: fn(&T, &Manifest) -> usize,
}

fn prepare<T: PartialEq + Debug + 'static>(
    variety: Variety,
    Codec { kind, decode, encode, ask }: Codec<T>,
) -> (Vec<Vec<u8>>, Run) {
    let index = SmallIndex::new(variety);
    let (generation, payloads) = index.payloads(kind);
    assert!(!payloads.is_empty(), "the index has shards of {:?}", kind);
    let manifest = index.manifest;
    let (mut shard, mut again) = (Vec::new(), Vec::new());
    let run = move |payload: &[u8]| {
        seal_plain(kind, generation, payload, &mut shard);
        let bytes = shard.len();
        let read = match decode(&manifest, generation, &shard) {
            Ok(read) => read,
            Err(error) => return refused(bytes, &error),
        };
        let size = ask(&read, &manifest);
        let payload = encode(&read, &manifest);
        seal_plain(kind, generation, &payload, &mut again);
        match decode(&manifest, generation, &again) {
            Err(ReadError::Damaged { what: TEXTS, .. }) if payload.len() < bytes => {}
            twice => assert_eq!(twice, Ok(read), "what is written again is read as the same"),
        }
        Outcome::sized(bytes, 0, size)
    };
    (payloads, Box::new(run))
}

/// Returns the class of an error. With a valid checksum and generation, only one reason remains.
fn refused(bytes: usize, error: &ReadError) -> Outcome {
    match error {
        ReadError::Damaged { what, .. } => Outcome::named(bytes, what),
        error => panic!("expected a malformed shard to be refused, found: {error}"),
    }
}

const TARGET: Target = Target {
    name: "",
    reads: "",
    prepare: || (Vec::new(), Box::new(|_| Outcome::named(0, ""))),
    max_bytes: 4_096,
    memory_of_byte: 64,
    memory_free: 256 << 10,
    short: 20_000,
};

/// A part of the map from URLs to pages.
pub const ADDRESSES: Target = Target {
    name: "addresses",
    reads: "a shard of addresses",
    prepare: || {
        prepare(
            Variety::Lists,
            Codec {
                kind: Kind::Addresses,
                decode: |manifest, generation, bytes| {
                    AddressShard::decode("x", generation, manifest.slots(), bytes)
                },
                encode: |shard, _| shard.encode(),
                ask: |shard, manifest| {
                    let asked = ASKED.into_iter().chain(["/p/1.html", "/p/9.html"]);
                    let found: Vec<_> = asked.flat_map(|url| shard.candidates(url)).collect();
                    assert!(found.iter().all(|&page| page < manifest.slots()));
                    found.len()
                },
            },
        )
    },
    ..TARGET
};

/// Some pages to choose from.
pub const SAMPLE: Target = Target {
    name: "sample",
    reads: "the shard of pages to choose from",
    prepare: || {
        prepare(
            Variety::Lists,
            Codec {
                kind: Kind::Sample,
                decode: |manifest, generation, bytes| {
                    PageSample::decode("x", generation, manifest, bytes)
                },
                encode: |sample, _| sample.encode(),
                ask: |sample, _| sample.0.len(),
            },
        )
    },
    ..TARGET
};

/// The display words of terms.
pub const WORDS: Target = Target {
    name: "words",
    reads: "the shard of the words that terms are shown as",
    prepare: || {
        prepare(
            Variety::Lists,
            Codec {
                kind: Kind::Words,
                decode: |_, generation, bytes| WordShard::decode("x", generation, bytes),
                encode: |words, _| words.encode(),
                ask: |words, _| {
                    let found = ["bread", "oven"].map(|stem| words.word(term_id(stem)).is_some());
                    assert!(!words.is_empty() || found == [false; 2]);
                    words.len()
                },
            },
        )
    },
    ..TARGET
};

/// Completions of typed words.
pub const COMPLETIONS: Target = Target {
    name: "completions",
    reads: "a shard of completions of typed words",
    prepare: || {
        prepare(
            Variety::Lists,
            Codec {
                kind: Kind::Completions,
                decode: |manifest, generation, bytes| {
                    CompletionShard::decode("x", generation, manifest, bytes)
                },
                encode: |shard, manifest| shard.encode(manifest),
                ask: |shard, _| shard.0.len(),
            },
        )
    },
    ..TARGET
};

/// Sketches of pages.
pub const SKETCHES: Target = Target {
    name: "sketches",
    reads: "a shard of sketches, and what a text shares with them",
    prepare: || {
        prepare(
            Variety::Lists,
            Codec {
                kind: Kind::Sketches,
                decode: |manifest, generation, bytes| {
                    SketchShard::decode("x", generation, manifest, bytes)
                },
                encode: |shard, _| shard.encode(),
                ask: |shard, manifest| {
                    for (slot, sketch) in &shard.0 {
                        assert_eq!(shard.page(*slot), Some(sketch));
                        assert!(*slot < manifest.sketch_pages);
                        super::texts::check_sketches(sketch, &shard.0[0].1);
                    }
                    shard.0.len()
                },
            },
        )
    },
    ..TARGET
};

/// Buckets of LSH tables.
pub const TABLES: Target = Target {
    name: "tables",
    reads: "a shard of LSH tables",
    prepare: || {
        prepare(
            Variety::Packs,
            Codec {
                kind: Kind::Tables,
                decode: |manifest, generation, bytes| {
                    let partners = manifest.params.tables.partners();
                    TableShard::decode("x", generation, manifest.slots(), partners, bytes)
                },
                encode: |shard, _| shard.encode(),
                ask: |shard, manifest| {
                    let partners = vec![7; manifest.params.tables.partners()];
                    for bucket in [0, 1, 0x1234, 0x0007_ffff] {
                        let key = TableKey { bucket, partners: partners.clone() };
                        let pages = shard.matches(&key).map(|(page, _)| page);
                        assert!(pages.is_sorted_by(|a, b| a < b));
                        let _ = shard.is_cut(&key);
                    }
                    shard.buckets()
                },
            },
        )
    },
    ..TARGET
};

/// Lists of terms.
pub const LISTS: Target = Target {
    name: "lists",
    reads: "a shard of lists of terms",
    prepare: || {
        prepare(
            Variety::Lists,
            Codec {
                kind: Kind::Lists,
                decode: |manifest, generation, bytes| {
                    PostingsShard::decode("x", generation, manifest, bytes)
                },
                encode: |shard, manifest| shard.encode(manifest),
                ask: |shard, manifest| {
                    for list in &shard.0 {
                        assert_eq!(shard.list(list.term), Some(list));
                        assert!(list.df as usize >= list.postings.len());
                        assert!(list.postings.is_sorted_by(|a, b| a.page < b.page));
                        assert!(list.postings.iter().all(|found| found.page < manifest.slots()));
                    }
                    shard.0.iter().map(|list| list.postings.len()).sum()
                },
            },
        )
    },
    // 64 postings of 8 bytes per byte, and 65,536; the lists; and the encoded copy.
    memory_of_byte: 2_048,
    memory_free: 3 << 20,
    short: 6_000,
    ..TARGET
};

fn blocks() -> (Vec<Vec<u8>>, Run) {
    let (mut seeds, run) = prepare(
        Variety::Lists,
        Codec {
            kind: Kind::Pages,
            decode: |manifest, generation, bytes| {
                PageBlock::decode("x", generation, manifest, bytes)
            },
            encode: |block, manifest| WrittenBlock::from(block).encode(manifest),
            ask: |block, manifest| {
                for (slot, record) in &block.0 {
                    assert!(*slot < manifest.block_pages);
                    assert_eq!(block.page(*slot), Some(record));
                    assert!(record.terms.is_sorted_by(|a, b| a.id < b.id));
                    let max_terms = usize::from(manifest.params.bag.max_terms);
                    assert!(record.bag.entries().len() <= max_terms);
                    assert!(record.term(term_id("oven")).is_none_or(|term| term.class < 32));
                }
                let metadata = block.0.iter().map(|(_, record)| record.metadata.pairs().count());
                block.0.iter().map(|(_, record)| record.terms.len()).chain(metadata).sum()
            },
        },
    );
    seeds.push(block_with_metadata());
    (seeds, run)
}

/// Returns the payload of a block whose first page has metadata.
fn block_with_metadata() -> Vec<u8> {
    let index = SmallIndex::new(Variety::Lists);
    let (generation, payloads) = index.payloads(Kind::Pages);
    let mut shard = Vec::new();
    seal_plain(Kind::Pages, generation, &payloads[0], &mut shard);
    let mut block =
        PageBlock::decode("x", generation, &index.manifest, &shard).expect("the block is sound");
    let pairs = [("author", "Ann"), ("image", "/a.png"), ("image_alt", "")];
    block.0[0].1.metadata = PageMetadata::new(pairs);
    WrittenBlock::from(&block).encode(&index.manifest)
}

/// Blocks of records.
pub const BLOCKS: Target = Target {
    name: "blocks",
    reads: "a block of page records",
    prepare: blocks,
    // 64 terms per byte, and 65,536, each of which is decoded, stored, weighted and encoded.
    memory_of_byte: 8_192,
    memory_free: 16 << 20,
    short: 2_000,
    ..TARGET
};

/// Filters and sort keys of pages.
pub const FILTERS: Target = Target {
    name: "filters",
    reads: "a shard of filters and sort keys, and the pages that are found with it",
    prepare: filters,
    // Names and values of a byte, with their places.
    memory_of_byte: 256,
    memory_free: 8 << 20,
    short: 3_000,
    ..TARGET
};

fn filters() -> (Vec<Vec<u8>>, Run) {
    let SmallIndex { mut manifest, shards, .. } = SmallIndex::new(Variety::Whole);
    manifest.filters = Shards::from_files(1);
    let set = |pages: &[u32]| PageSet::from_ascending(pages.iter().copied());
    let value = |name: &str, pages: &[u32]| (name.to_owned(), set(pages));
    let colors = vec![value("blue", &[0, 1, 2, 7]), value("red", &[3, 5])];
    let written = WrittenFilters {
        all: PageSet::below(manifest.pages),
        filters: vec![
            ("color".to_owned(), colors),
            ("kind".to_owned(), vec![value("tea", &[2, 3])]),
        ],
        sorts: vec![("size".to_owned(), vec![(0, 2), (3, 0), (5, 1), (7, 1)])],
    };
    let manifest_bytes = manifest.encode();
    let name = manifest.name(Kind::Filters, 0);
    let generation = manifest.generation();
    let mut shard = Vec::new();
    let slots = manifest.slots();
    let run = move |payload: &[u8]| {
        seal_plain(Kind::Filters, generation, payload, &mut shard);
        let mut index = Index::open(&manifest_bytes).expect("the manifest is sound");
        let refinement = Refinement {
            filter: Some(Filter::any([
                Filter::has("color", "red"),
                Filter::has("kind", "tea").negated(),
            ])),
            sort: payload
                .len()
                .is_multiple_of(2)
                .then(|| SortBy { key: "size".to_owned(), descending: true }),
            counts: true,
        };
        let mut lookup = Lookup::from_filter(&index, refinement, LookupOptions::default());
        loop {
            let wanted = lookup.wanted(&mut index).expect("there is no URL to be unknown");
            if wanted.is_empty() {
                break;
            }
            for wanted in wanted {
                let bytes = if wanted == name { &shard } else { &shards[&wanted].bytes };
                if let Err(error) = lookup.supply(&mut index, &wanted, bytes) {
                    return refused(shard.len(), &error);
                }
            }
        }
        let answer = lookup.answer().expect("nothing more is wanted");
        let found = answer.found.as_ref().expect("results are counted");
        assert!(answer.results.len() <= found.total as usize && found.total <= slots);
        for (_, count) in found.filters.iter().flatten().flat_map(|filter| &filter.values) {
            assert!(*count <= found.total);
        }
        Outcome::sized(shard.len(), 0, found.total as usize)
    };
    (written.encode(slots), Box::new(run))
}

/// The manifest.
pub const MANIFEST: Target = Target {
    name: "manifest",
    reads: "the manifest, with vocabulary and stop lists, and an index of it",
    prepare: || {
        let payload = |variety| {
            let index = SmallIndex::new(variety);
            let opened = open("x", Kind::Manifest, None, &index.manifest_bytes);
            let (generation, payload) = opened.expect("the manifest is sound");
            // The generation comes first, because the payload contains it too.
            [&generation.to_le_bytes()[..], &payload].concat()
        };
        let mut shard = Vec::new();
        let run = move |input: &[u8]| {
            let (generation, payload) = input.split_first_chunk().unwrap_or((&[0; 8], input));
            seal_plain(Kind::Manifest, u64::from_le_bytes(*generation), payload, &mut shard);
            let bytes = shard.len();
            let manifest = match Manifest::decode(&shard) {
                Ok(manifest) => manifest,
                Err(error) => return refused(bytes, &error),
            };
            ask_manifest(&manifest);
            // Deflating the encoded copy takes longer than everything else.
            if hash::of_bytes(input).is_multiple_of(64) {
                let again = Manifest::decode(&manifest.encode());
                match again {
                    Err(ReadError::Damaged { what: TEXTS, .. }) => {}
                    again => assert_eq!(again, Ok(manifest), "it is written and read again"),
                }
            } else {
                assert!(Index::open(&shard).is_ok());
            }
            Outcome::sized(bytes, 0, 1)
        };
        (Variety::ALL.map(payload).into(), Box::new(run))
    },
    max_bytes: 12 << 10,
    memory_of_byte: 256,
    memory_free: 8 << 20,
    short: 1_500,
};

/// Queries a manifest as a lookup does.
fn ask_manifest(manifest: &Manifest) {
    for kind in Kind::NUMBERED {
        let part = manifest.part(kind).expect("all kinds but the manifest have a part");
        for number in [0, part.shards / 2, part.shards.saturating_sub(1)] {
            if number < part.shards {
                let name = manifest.name(kind, number);
                assert!(name.starts_with("index/"), "{name}");
                let file = part.file_of(number);
                assert!(file < part.files(), "shard {number} of {part:?}");
                assert!(part.shards_of(file).contains(&number), "shard {number} of {part:?}");
            }
        }
    }
    if manifest.lists.shards > 0 {
        for stem in ["oven", "a_b", "1024"] {
            assert!(manifest.list_shard(term_id(stem)) < manifest.lists.shards);
        }
    }
    for url in ASKED {
        assert!(manifest.address_shard(url) < manifest.addresses.shards);
    }
    for rank in 0..manifest.vocabulary.len() {
        let (id, _) = manifest.vocabulary.get(rank).expect("each rank has a term");
        assert_eq!(manifest.vocabulary.rank(id), Some(rank));
    }
}

/// Headers, with and without a valid checksum.
pub const HEADER: Target = Target {
    name: "header",
    reads: "the header of a shard, and the deflated payload after it",
    prepare: || {
        let mut seeds = Vec::new();
        let mut sound = FxHashSet::default();
        let index = SmallIndex::new(Variety::Lists);
        let all = index.shards.values().map(|shard| (shard.kind as u8, &shard.bytes));
        let mut of_kind = [0; 10];
        for (kind, bytes) in all.chain([(Kind::Manifest as u8, &index.manifest_bytes)]) {
            of_kind[usize::from(kind)] += 1;
            if of_kind[usize::from(kind)] <= 4 {
                sound.insert(bytes.clone());
                seeds.push([&[kind][..], bytes].concat());
            }
        }
        // Data that is not from the site deflates well.
        let mut rng = SplitMix64::new(1);
        for (kind, n) in [(Kind::Sample, 3_000), (Kind::Sketches, 70_000)] {
            let payload: Vec<u8> = (0..n).map(|_| rng.below(2) as u8).collect();
            let bytes = pagekin_core::shard::seal(kind, 7, &payload);
            sound.insert(bytes.clone());
            seeds.push([&[kind as u8][..], &bytes].concat());
        }
        let mut shard = Vec::new();
        let run = move |input: &[u8]| {
            let (how, bytes) = split_mode(input);
            shard.clear();
            shard.extend_from_slice(bytes);
            let is_resealed = how & 0x80 != 0;
            if is_resealed {
                reseal(&mut shard);
            }
            let kinds = [Kind::Manifest].into_iter().chain(Kind::NUMBERED);
            let kind =
                kinds.into_iter().find(|&kind| kind as u8 == (how & 0x7f) % 10).expect("ten kinds");
            match open("x", kind, None, &shard) {
                Err(error) => match error {
                    ReadError::Damaged { what, .. } => Outcome::named(shard.len(), what),
                    error => Outcome::named(shard.len(), error.code()),
                },
                Ok((_, payload)) => {
                    assert!(is_resealed || sound.contains(bytes), "a change that was not found");
                    assert!(payload.len() <= 32 * shard.len() + (64 << 10));
                    Outcome::sized(shard.len(), 0, payload.len())
                }
            }
        };
        (seeds, Box::new(run))
    },
    memory_of_byte: 64,
    memory_free: 512 << 10,
    short: 10_000,
    ..TARGET
};
