//! Why a crawl has no tree.

use crate::crawl_folder::error::CrawlFolderError;
use crate::error::OptionError;
use crate::progress::Interrupted;

/// Why no tree could be made of a crawl.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The crawl cannot be read.
    #[error(transparent)]
    Crawl(#[from] CrawlFolderError),
    /// An option is out of range.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The observer asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
