//! The output folder of a clustered crawl: its format, its writer and its reader.

// Hidden: other crates of this workspace, released together with this one, write such folders too.
// The format may change without notice.
#[doc(hidden)]
pub mod checksums;
pub(crate) mod error;
#[doc(hidden)]
pub mod format;
pub(crate) mod leb128;
pub(crate) mod pairs;
pub(crate) mod places;
pub(crate) mod read;
pub(crate) mod urls;
pub(crate) mod values;
#[doc(hidden)]
pub mod write;
// Last, because it writes crawls.
#[cfg(any(test, feature = "fixtures"))]
#[doc(hidden)]
pub mod fixtures;

pub use crate::folder::error::CrawlFolderError;
pub use crate::folder::format::{
    BagSource, CrawledTerm, CrawledUrl, Description, StoredPair, StringRules,
};
pub use crate::folder::read::CrawlFolder;
pub use crate::folder::urls::CrawledUrls;
