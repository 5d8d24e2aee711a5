//! Why a crawl could not be read. Each message says what was expected, what was found and what to do.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::BuildError;

/// Why a crawl could not be read. What is wrong with one page is no such reason: it is left out and counted.
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
    /// A folder cannot be listed.
    #[error(transparent)]
    Folder(#[from] BuildError),
    /// The base address of folders is no address.
    #[error(
        "the base address is {found:?}: expected an http or https address such as https://example.org/docs/"
    )]
    BaseUrl {
        /// What was given.
        found: String,
    },
    /// Whoever takes the pages asked to stop.
    #[error("interrupted while the crawl was read")]
    Interrupted,
}

impl CrawlError {
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path: path.clone(), source }
    }
}
