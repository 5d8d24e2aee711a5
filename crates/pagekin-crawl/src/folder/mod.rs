//! The folder that a crawl became: its [format](mod@format), how it is written and how it is read.

pub(crate) mod error;
pub mod format;
pub(crate) mod pairs;
pub(crate) mod places;
pub(crate) mod read;
pub(crate) mod urls;
pub mod write;

pub use crate::folder::error::CrawlFolderError;
pub use crate::folder::format::{
    BagSource, CrawledTerm, CrawledUrl, Description, StoredPair, StringRules,
};
pub use crate::folder::read::CrawlFolder;
pub use crate::folder::urls::CrawledUrls;
