//! What is read, and what must hold of it.
//!
//! | module | targets |
//! | --- | --- |
//! | [`shards`] | the manifest, each kind of shard, and their headers |
//! | [`lookups`] | a lookup driven to its end on an index of which bytes were changed |
//! | [`texts`] | what visitors paste: terms, excerpts, shingles, comparisons, addresses |
//! | [`pages`] | HTML of sites |
//! | [`crawls`] | JSONL, WARC, gzip, answers of servers, FASTA, FASTQ and lines |
//! | [`folders`] | an index and a crawl on disk, read by all that reads them |
//! | [`links`] | the links of a crawl |
//! | [`stages`] | the rows that stages of a crawl take |
//! | [`handwritten`] | what people write: settings, hosts, grids, classes, judgments, reset values, what was learnt, what a model gives |
//! | [`moves`] | redirects, as hosts read them |
//! | [`streams`] | the checkpoint of a stream |
//! | [`files`] | other files: that of checksums, the list of mirrors, related pages, the baseline, texts of a report |
//!
//! A target that says more than "no panic" compares with a slow twin, with what was written, or
//! with the answer that is known.

pub mod crawls;
pub mod files;
pub mod folders;
pub mod handwritten;
pub mod links;
pub mod lookups;
pub mod moves;
pub mod pages;
pub mod shards;
pub mod stages;
pub mod streams;
pub mod texts;

use pagekin_core::hash;

/// Reads an input, and panics if something does not hold.
pub type Run = Box<dyn FnMut(&[u8]) -> Outcome>;

/// A reader under test.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it reads, in a table.
    pub reads: &'static str,
    /// The inputs to begin with, and how one is read.
    pub prepare: fn() -> (Vec<Vec<u8>>, Run),
    /// The most bytes of an input.
    pub most_bytes: usize,
    /// Maximum memory in use: bytes for each byte that is read, and a constant.
    pub memory_of_byte: usize,
    /// See [`memory_of_byte`](Self::memory_of_byte).
    pub memory_free: usize,
    /// The executions of a short run, which takes about a second in a debug build.
    pub short: u64,
}

/// What became of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The bytes that were read, by which memory is bounded.
    pub bytes: usize,
    /// A number for outcomes of a kind. An input with a new one is kept.
    pub class: u64,
}

impl Outcome {
    /// Of a kind with a name.
    #[must_use]
    pub fn named(bytes: usize, name: &str) -> Self {
        Self { bytes, class: hash::of_bytes(name.as_bytes()) }
    }

    /// Of something with a size: each power of two is a kind of its own.
    #[must_use]
    pub fn sized(bytes: usize, what: u8, size: usize) -> Self {
        Self { bytes, class: hash::mix(u64::from(what) << 32 | u64::from((size + 1).ilog2())) }
    }
}

/// All targets, the fastest first.
pub const ALL: &[Target] = &[
    shards::ADDRESSES,
    shards::SAMPLE,
    shards::WORDS,
    shards::COMPLETIONS,
    shards::SKETCHES,
    shards::TABLES,
    shards::LISTS,
    shards::BLOCKS,
    shards::MANIFEST,
    shards::HEADER,
    files::FILE_LIST,
    files::MIRRORS,
    files::RELATED_ENTRY,
    files::RELATED_SHARD,
    files::BASELINE,
    handwritten::SETTINGS,
    handwritten::HOSTS,
    handwritten::GRID,
    handwritten::CLASSES,
    handwritten::GIVEN_TERMS,
    handwritten::GIVEN_VECTORS,
    handwritten::JUDGMENTS,
    handwritten::LEARNT,
    moves::REDIRECTS,
    streams::JOURNAL,
    links::LINKS,
    stages::STAGES,
    texts::ADDRESS,
    texts::TERMS,
    texts::EXCERPT,
    texts::COMPARISON,
    texts::SKETCH,
    files::REPORT,
    pages::HTML,
    crawls::JSONL,
    crawls::WARC,
    crawls::ARC,
    crawls::ZSTD,
    crawls::GZIP,
    crawls::ANSWER,
    crawls::READS,
    crawls::TIMES,
    lookups::LOOKUP,
    lookups::OPENED,
    folders::INDEX,
    folders::CRAWL,
    handwritten::RESET_VALUES,
    links::LINK_FOLDER,
    streams::CHECKPOINT,
];

/// A target by its name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Target> {
    ALL.iter().find(|target| target.name == name)
}

/// An input as a byte that says how it is read, and the rest.
fn split_mode(input: &[u8]) -> (u8, &[u8]) {
    input.split_first().map_or((0, input), |(&how, rest)| (how, rest))
}
