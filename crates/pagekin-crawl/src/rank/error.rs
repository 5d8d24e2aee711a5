//! Why URLs could not be ranked. Each message says what was expected, what was found and what to
//! do.

use std::io;
use std::path::{Path, PathBuf};

use pagekin_pages::{Interrupted, OptionError};

use crate::folder::error::CrawlFolderError;

/// Why URLs could not be ranked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RankError {
    /// A clustered crawl was made without keeping its links.
    #[error(
        "no links in {}: expected a crawl that was clustered with --links. Cluster it again with --links, or pass what it was \
         read from: folders of HTML, JSONL or WARC files", path.display()
    )]
    NoLinks {
        /// The folder that was given.
        path: PathBuf,
    },
    /// Another version wrote the links.
    #[error("expected links of version {expected} at {}, found version {found}. Cluster the crawl again", path.display())]
    OtherVersion {
        /// The folder.
        path: PathBuf,
        /// The version that this program reads.
        expected: u32,
        /// Its version.
        found: u32,
    },
    /// The links cannot be read.
    #[error("cannot read {}: {source}. Cluster the crawl again with --links", path.display())]
    Links {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },
    /// What is worked on cannot be written or read back.
    #[error("cannot work in {}: {source}. Expected a writable folder with enough space; nothing was changed", path.display())]
    Work {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// There is nothing to rank.
    #[error(
        "nothing to rank: expected pages, found none. Pass files that contain pages, or rank URLs that were only linked to, too"
    )]
    NoUrls,
    /// Reset values of URLs that are not among those ranked.
    #[error(
        "cannot give a reset value to {first}{}: expected a URL that was read or linked to and is ranked. Write it as `pagekin crawl rank` \
         lists it", and_others(*count)
    )]
    UnknownUrls {
        /// The first of them.
        first: String,
        /// How many there are.
        count: u64,
    },
    /// A text that is no URL.
    #[error(
        "{found:?} is no URL: expected one such as https://example.org/docs/, or a path such as /docs/"
    )]
    NoUrl {
        /// What was given.
        found: String,
    },
    /// A reset value that is none.
    #[error("the reset value of {url} is {found}: expected a number of at least 0")]
    Value {
        /// The URL.
        url: String,
        /// What was given.
        found: String,
    },
    /// All reset values are 0.
    #[error(
        "all reset values are 0: expected at least one above 0, as visitors must begin somewhere"
    )]
    NoValue,
    /// The file of reset values says something else.
    #[error("cannot read reset values from {}: expected CSV with the columns url and value, found {found}", path.display())]
    Values {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
    },
    /// The clustered crawl cannot be read.
    #[error(transparent)]
    Crawl(#[from] CrawlFolderError),
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// The observer asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl RankError {
    /// For what goes wrong with a file of links.
    pub(crate) fn links(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::Interrupted => Interrupted.into(),
            _ => Self::Links { path: path.clone(), source },
        }
    }
}

fn and_others(count: u64) -> String {
    if count > 1 { format!(" and {} others", count - 1) } else { String::new() }
}
