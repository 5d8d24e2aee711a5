//! Errors of reading the pages of a crawl. Each message names the problem and the remedy.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::OptionError;
use crate::ledger::LostCount;
use crate::progress::Interrupted;
use crate::site::error::SiteError;

/// Why the inputs of a crawl could not be read. An error in a single page is not one of these: the
/// page is skipped and counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// There are no inputs.
    #[error("no input. Pass a folder of HTML, a JSONL or WARC file, or - for standard input")]
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
        "unknown format of {}: expected a folder of HTML, JSONL (starts with {{), WARC (starts with WARC/), ARC, plain or packed by gzip or zstd, or WACZ, \
         found a file that starts with {found}. A single HTML file has no URL: pass its folder", path.display()
    )]
    UnknownKind {
        /// The input; `-` is standard input.
        path: PathBuf,
        /// Its first bytes, escaped.
        found: String,
    },
    /// The base URL of folders is invalid.
    #[error(
        "the base URL is {found:?}: expected an http or https URL such as https://example.org/docs/"
    )]
    BaseUrl {
        /// The invalid URL.
        found: String,
    },
    /// A folder of HTML cannot be listed.
    #[error(transparent)]
    Site(SiteError),
    /// An input was counted twice or not at all.
    #[error(transparent)]
    LostCount(#[from] LostCount),
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// The observer asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl From<SiteError> for InputError {
    fn from(error: SiteError) -> Self {
        match error {
            SiteError::Interrupted(error) => Self::Interrupted(error),
            error => Self::Site(error),
        }
    }
}

impl InputError {
    pub fn io(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path: path.clone(), source }
    }
}
