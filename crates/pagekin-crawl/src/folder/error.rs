//! Errors from reading the folder of a crawl. Each message states the problem and the remedy.

use std::io;
use std::path::PathBuf;

use crate::folder::format::{CRAWL_VERSION, DESCRIPTION_NAME};

/// An error from reading the folder of a crawl.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlFolderError {
    /// The folder does not contain a crawl.
    #[error("no clustered crawl at {}: the folder contains no {DESCRIPTION_NAME}. Pass the output folder of `pagekin crawl cluster`", path.display())]
    NoCrawl {
        /// The given folder.
        path: PathBuf,
    },
    /// Another version of pagekin wrote the crawl.
    #[error("expected a crawl of version {CRAWL_VERSION} at {}, found version {found}. Cluster the crawl again", path.display())]
    OtherVersion {
        /// The folder.
        path: PathBuf,
        /// Version of the crawl.
        found: u32,
    },
    /// The bags follow other rules than the preset of this program.
    #[error("expected bags of this version's preset {preset} at {}, found bags with other rules. Cluster the crawl again", path.display())]
    OtherRules {
        /// The folder.
        path: PathBuf,
        /// Name of its preset.
        preset: &'static str,
    },
    /// The crawl is of strings.
    #[error("the crawl at {} is of strings (--alphabet), which have no words. Use `pagekin crawl clusters`, `related` or `pairs`", path.display())]
    OfStrings {
        /// The folder.
        path: PathBuf,
    },
    /// The crawl does not contain the signatures that this query needs.
    #[error("the crawl at {} has no signatures. Cluster it again with --signatures", path.display())]
    NoSignatures {
        /// The folder.
        path: PathBuf,
    },
    /// The crawl does not contain the numbers of in-links.
    #[error("the crawl at {} has no links. Cluster it again with --links", path.display())]
    NoInLinks {
        /// The folder.
        path: PathBuf,
    },
    /// A file is damaged.
    #[error("{} is damaged: expected {expected}. Cluster the crawl again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The expected content.
        expected: &'static str,
    },
    /// The crawl does not contain this URL.
    #[error(
        "the crawl does not contain {url}. Pass a URL that was crawled or linked to, in its normal form"
    )]
    UnknownUrl {
        /// The requested URL.
        url: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
}
