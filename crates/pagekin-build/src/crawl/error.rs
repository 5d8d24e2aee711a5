//! Why a crawl could not be clustered. Each message says what was expected, what was found and what
//! to do.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::BuildError;
use crate::minhash::SignedBy;
use crate::rank::RankError;

/// Why a crawl could not be clustered. A page with an error is no reason: it is skipped and
/// counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// Nothing was given to read.
    #[error(
        "nothing to read: expected folders of HTML, JSONL or WARC files, or - for standard input, found none. Pass at least one"
    )]
    NoInput,
    /// An input cannot be opened or read.
    #[error("cannot read {}: {source}. Pass a readable folder of HTML, JSONL file or WARC file, or omit it", path.display())]
    Io {
        /// The input; `-` is standard input.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// An input has an unknown format.
    #[error(
        "unknown format of {}: expected a folder of HTML, JSONL (starts with {{) or WARC (starts with WARC/), plain or gzipped, \
         found a file that starts with {found}. A single HTML file has no URL: pass its folder", path.display()
    )]
    UnknownKind {
        /// The input; `-` is standard input.
        path: PathBuf,
        /// Its first bytes, escaped.
        found: String,
    },
    /// A record of a file of strings is not one.
    #[error("cannot read {}, {place}: expected {expected}; found {found}", path.display())]
    Record {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// The record or the line in it, from 1.
        place: String,
        /// What should stand there, and what to do.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// There are no strings in the inputs.
    #[error(
        "nothing to cluster: expected reads or lines with at least one q-gram, found none in {strings} strings: each is shorter than {q} letters, or all are unknown ones such as N. Pass a smaller --q"
    )]
    NoStrings {
        /// The strings that were read.
        strings: u64,
        /// The letters of a q-gram.
        q: u8,
    },
    /// What fails a build too: an option, a folder that cannot be listed, an output that is taken.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The base URL of folders is invalid.
    #[error(
        "the base URL is {found:?}: expected an http or https URL such as https://example.org/docs/"
    )]
    BaseUrl {
        /// What was given.
        found: String,
    },
    /// The output, or what is kept there on the way, cannot be written or read back.
    #[error("cannot work in {}: {source}. Expected a writable folder with enough space; the output is unchanged", path.display())]
    Work {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// What should have been learnt from judgements is something else.
    #[error("cannot use {}: expected the output of `pagekin feedback`, found {found}. Run it again", path.display())]
    Learnt {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
    },
    /// There are no pages in the inputs.
    #[error(
        "nothing to cluster: expected pages, found none{skipped}. Pass files that contain pages: HTML, JSONL, or WARC files with responses"
    )]
    NoPages {
        /// What was skipped, as a part of a sentence; may be empty.
        skipped: String,
    },
    /// No URL has indexable words that another shares.
    #[error(
        "nothing to cluster: expected words that at least two URLs share, found none in {pages} pages. To cluster a crawl of a \
         few pages by their texts, pass --bags content"
    )]
    NoBags {
        /// The pages that were read.
        pages: u64,
    },
    /// URLs out of their order.
    #[error(transparent)]
    Order(#[from] OutOfOrder),
    /// Signatures or pairs that do not fit together.
    #[error(transparent)]
    Pairs(#[from] PairsError),
    /// URLs cannot be ranked.
    #[error(transparent)]
    Rank(#[from] RankError),
    /// The folder that a crawl is worked on in holds something else.
    #[error(
        "cannot work in {}: expected no folder, or one left by an interrupted run, found something else. Move it away, or \
         choose another output", path.display()
    )]
    WorkplaceTaken {
        /// The folder.
        path: PathBuf,
    },
    /// Another run has the same output.
    #[error("cannot work in {}: another run is using it. Wait for it, or choose another output", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The work ended early, and what was finished of it is kept.
    #[error("{source}. Finished stages are kept in {}: run the same command again to resume, or remove the folder to start over", kept.display())]
    Kept {
        /// Why it ended.
        source: Box<CrawlError>,
        /// The folder.
        kept: PathBuf,
    },
    /// The work was asked to stop.
    #[error("interrupted; the output is unchanged")]
    Interrupted,
}

impl CrawlError {
    /// For what goes wrong with a file of the output.
    pub(crate) fn work(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Work { path: path.clone(), source }
    }

    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path: path.clone(), source }
    }
}

/// URLs that do not ascend in the order of the crawl.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected URLs in the order of their keys, found {url:?} behind {before:?}")]
pub struct OutOfOrder {
    /// The URL before.
    pub before: String,
    /// The one that should stand before it.
    pub url: String,
}

/// Why signatures or pairs were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairsError {
    /// Signatures of another algorithm, seed or size.
    #[error(
        "cannot compare these signatures: expected those of {expected}, found those of {found}. Sign all pages with the same \
         options"
    )]
    Unlike {
        /// What the first ones were made by.
        expected: Box<SignedBy>,
        /// What these were.
        found: Box<SignedBy>,
    },
    /// Values that are no whole signatures.
    #[error("expected signatures of {m} values each, found {found} values in all")]
    Ragged {
        /// Values of a signature.
        m: u16,
        /// Values that were given.
        found: usize,
    },
    /// Pages or pairs that do not come in ascending order.
    #[error(
        "{what} must come in ascending order, each once: found {found} after {last}. Sort them first"
    )]
    OutOfOrder {
        /// What was given.
        what: &'static str,
        /// What came before.
        last: String,
        /// What came then.
        found: String,
    },
    /// A number that is out of its range.
    #[error("{what} is {found}: expected {expected}")]
    Range {
        /// What it tells.
        what: &'static str,
        /// The range.
        expected: &'static str,
        /// What was given.
        found: String,
    },
}
