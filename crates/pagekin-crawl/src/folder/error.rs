//! Why a crawl's folder could not be read. Each message says what was expected, what was found and
//! what to do.

use std::io;
use std::path::PathBuf;

use crate::folder::format::{CRAWL_VERSION, DESCRIPTION_NAME};

/// Why a crawl's folder could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlFolderError {
    /// There is none.
    #[error("no clustered crawl at {}: expected the output folder of `pagekin crawl cluster`, found no {DESCRIPTION_NAME} in it", path.display())]
    NoCrawl {
        /// The folder that was given.
        path: PathBuf,
    },
    /// Another version wrote it.
    #[error("expected a crawl of version {CRAWL_VERSION} at {}, found version {found}. Cluster the crawl again", path.display())]
    OtherVersion {
        /// The folder.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// Its bags were made by other rules than this program's.
    #[error("expected bags of this version's preset {preset} at {}, found bags made by other rules. Cluster the crawl again", path.display())]
    OtherRules {
        /// The folder.
        path: PathBuf,
        /// The name of its preset.
        preset: &'static str,
    },
    /// It is of strings.
    #[error("expected a crawl of pages at {}, found one of strings (--alphabet), which have no words. Use `pagekin crawl clusters`, `related` or `pairs`", path.display())]
    OfStrings {
        /// The folder.
        path: PathBuf,
    },
    /// It has not what tells which URLs are like another or like a text.
    #[error("expected a crawl with signatures at {}, found none. Cluster the crawl again with --signatures", path.display())]
    NoSignatures {
        /// The folder.
        path: PathBuf,
    },
    /// It does not know how many URLs link to one.
    #[error("expected a crawl with links at {}, found none. Cluster the crawl again with --links", path.display())]
    NoInLinks {
        /// The folder.
        path: PathBuf,
    },
    /// A file is not what it should be.
    #[error("{} is damaged: expected {expected}. Cluster the crawl again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What should be there.
        expected: &'static str,
    },
    /// The crawl does not have this URL.
    #[error(
        "the crawl has no URL {url}: expected one that was crawled or linked to, in its normal form"
    )]
    UnknownUrl {
        /// The URL that was asked for.
        url: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}
