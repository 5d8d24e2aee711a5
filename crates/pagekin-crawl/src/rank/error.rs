//! Errors from ranking URLs. Each message states the problem and the remedy.

use std::io;
use std::path::{Path, PathBuf};

use pagekin_pages::{Interrupted, OptionError};

use crate::folder::error::CrawlFolderError;

/// An error from ranking URLs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RankError {
    /// The crawl was clustered without keeping its links.
    #[error(
        "no links in {}. Cluster the crawl again with --links, or pass its inputs: folders of HTML, \
         JSONL or WARC files", path.display()
    )]
    NoLinks {
        /// The given folder.
        path: PathBuf,
    },
    /// Another version of pagekin wrote the links.
    #[error("expected links of version {expected} at {}, found version {found}. Cluster the crawl again", path.display())]
    OtherVersion {
        /// The folder.
        path: PathBuf,
        /// Version that this program reads.
        expected: u32,
        /// Version of the links.
        found: u32,
    },
    /// The links cannot be read.
    #[error("cannot read {}: {source}. Cluster the crawl again with --links", path.display())]
    Links {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// An intermediate file cannot be written or read back.
    #[error("cannot work in {}: {source}. Make sure that the folder is writable and has enough space. Nothing was changed", path.display())]
    Work {
        /// The folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// There are no pages to rank.
    #[error(
        "nothing to rank: the inputs contain no pages. Pass files that contain pages, or rank URLs that were only linked to, too"
    )]
    NoUrls,
    /// URLs with reset values are not among the ranked ones.
    #[error(
        "cannot give a reset value to {first}{}, which is not a ranked URL. Write it as `pagekin crawl rank` \
         lists it", and_others(*count)
    )]
    UnknownUrls {
        /// The first such URL.
        first: String,
        /// Number of such URLs.
        count: u64,
    },
    /// A text that is no URL.
    #[error(
        "{found:?} is not a URL. Pass one such as https://example.org/docs/, or a path such as /docs/"
    )]
    NoUrl {
        /// The given text.
        found: String,
    },
    /// A reset value is not a valid number.
    #[error("the reset value of {url} is {found}. Pass a number of at least 0")]
    Value {
        /// The URL.
        url: String,
        /// The given value.
        found: String,
    },
    /// All reset values are 0.
    #[error("all reset values are 0. Pass at least one above 0, so that visitors start somewhere")]
    NoValue,
    /// The file of reset values has other content.
    #[error("cannot read reset values from {}: expected CSV with the columns url and value, found {found}", path.display())]
    Values {
        /// The file.
        path: PathBuf,
        /// The content found.
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
    /// Converts errors from a file of links.
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
