//! The readers under test, and their invariants.
//!
//! | module | targets |
//! | --- | --- |
//! | [`shards`] | the manifest, each kind of shard, and their headers |
//! | [`lookups`] | a complete lookup on an index with changed bytes |
//! | [`texts`] | pasted texts: terms, excerpts, shingles, comparisons, URLs |
//! | [`pages`] | HTML of sites |
//! | [`crawls`] | JSONL, WARC, gzip, HTTP responses, FASTA, FASTQ and lines |
//! | [`folders`] | an index and a crawl on disk, read by all their readers |
//! | [`links`] | the links of a crawl |
//! | [`stages`] | the rows that stages of a crawl read |
//! | [`handwritten`] | files that people write: settings, hosts, grids, classes, judgments, reset values, learned parameters, terms and vectors of models |
//! | [`moves`] | redirects, as hosts read them |
//! | [`streams`] | the checkpoint of a stream |
//! | [`files`] | other files: checksums, mirrors, related pages, the baseline, texts of a report |
//!
//! A target that checks more than "no panic" compares the result with that of a slow equivalent,
//! with the written data, or with a known answer.

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

/// Reads an input, and panics if an invariant is violated.
pub type Run = Box<dyn FnMut(&[u8]) -> Outcome>;

/// A reader under test.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name on the command line.
    pub name: &'static str,
    /// A description of the input, for a table.
    pub reads: &'static str,
    /// Returns the seeds, and the function that reads an input.
    pub prepare: fn() -> (Vec<Vec<u8>>, Run),
    /// Maximum size of an input in bytes.
    pub max_bytes: usize,
    /// Maximum memory in use, in bytes per byte that is read, in addition to `memory_free`.
    pub memory_of_byte: usize,
    /// Memory that is allowed regardless of the input.
    pub memory_free: usize,
    /// Number of executions of a short run, which takes about a second in a debug build.
    pub short: u64,
}

/// The outcome of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The number of bytes that were read, which bounds the memory.
    pub bytes: usize,
    /// The class of the outcome. An input with a new class is kept.
    pub class: u64,
}

impl Outcome {
    /// Returns an outcome whose class is a name.
    #[must_use]
    pub fn named(bytes: usize, name: &str) -> Self {
        Self { bytes, class: hash::of_bytes(name.as_bytes()) }
    }

    /// Returns an outcome with a size: each power of two is a class.
    #[must_use]
    pub fn sized(bytes: usize, what: u8, size: usize) -> Self {
        Self { bytes, class: hash::mix(u64::from(what) << 32 | u64::from((size + 1).ilog2())) }
    }
}

/// All targets, fastest first.
pub const ALL: &[Target] = &[
    shards::ADDRESSES,
    shards::SAMPLE,
    shards::WORDS,
    shards::COMPLETIONS,
    shards::SKETCHES,
    shards::TABLES,
    shards::LISTS,
    shards::FILTERS,
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

/// Finds a target by name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Target> {
    ALL.iter().find(|target| target.name == name)
}

/// Splits an input into a byte that selects how it is read, and the rest.
fn split_mode(input: &[u8]) -> (u8, &[u8]) {
    input.split_first().map_or((0, input), |(&how, rest)| (how, rest))
}
