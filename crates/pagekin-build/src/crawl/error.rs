//! Why a crawl could not be clustered. Each message says what was expected, what was found and what to do.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::BuildError;
use crate::minhash::SignedBy;

/// Why a crawl could not be clustered. What is wrong with one page is no such reason: it is left out and counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// Nothing was given to read.
    #[error(
        "there is nothing to read: expected folders of HTML, JSONL or WARC files, or - for standard input, found none. Give at \
         least one"
    )]
    NoInput,
    /// An input cannot be opened or read.
    #[error("cannot read {}: {source}. Give a folder of HTML, a JSONL or a WARC file that you may read, or leave it out", path.display())]
    Io {
        /// The input; `-` is standard input.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// An input is of no kind that is known.
    #[error(
        "cannot tell what {} is: expected a folder of HTML, JSONL (a {{ first) or WARC (WARC/ first), either of them also as gzip, \
         found a file that begins with {found}. An HTML file has no address of its own: give its folder", path.display()
    )]
    UnknownKind {
        /// The input; `-` is standard input.
        path: PathBuf,
        /// Its first bytes, escaped.
        found: String,
    },
    /// What fails a build too: an option, a folder that cannot be listed, an output that is taken.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The base address of folders is no address.
    #[error(
        "the base address is {found:?}: expected an http or https address such as https://example.org/docs/"
    )]
    BaseUrl {
        /// What was given.
        found: String,
    },
    /// The output, or what is kept there on the way, cannot be written or read back.
    #[error("cannot work in {}: {source}. Expected a disk with room that you may write to; the output is as it was", path.display())]
    Work {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nothing that counts was said of any URL.
    #[error(
        "there is nothing to cluster: expected words that at least two URLs share, found none in {pages} pages. A crawl of a few \
         pages may be clustered by their texts: --bags content"
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
    /// The folder that a crawl is worked on in holds something else.
    #[error(
        "cannot work in {}: expected that it does not exist or is what an interrupted run left, found something else. Move it \
         away, or write to another output", path.display()
    )]
    WorkplaceTaken {
        /// The folder.
        path: PathBuf,
    },
    /// Another run has the same output.
    #[error("cannot work in {}: another run does at present. Wait for it, or write to another output", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The work ended early, and what was finished of it is kept.
    #[error("{source}. What is finished is kept in {}: the same command goes on from there, and removing the folder gives it up", kept.display())]
    Kept {
        /// Why it ended.
        source: Box<CrawlError>,
        /// The folder.
        kept: PathBuf,
    },
    /// The work was asked to stop.
    #[error("interrupted; the output is as it was")]
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
        /// Its range.
        expected: &'static str,
        /// What was given.
        found: String,
    },
}
