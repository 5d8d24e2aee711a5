//! Errors from building the tree of a crawl.

use pagekin_pages::{Interrupted, OptionError};

use crate::folder::error::CrawlFolderError;

/// An error from building the tree of a crawl.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The crawl cannot be read.
    #[error(transparent)]
    Crawl(#[from] CrawlFolderError),
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// The observer asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
