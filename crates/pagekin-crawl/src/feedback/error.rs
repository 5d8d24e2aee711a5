//! Errors from learning from judgments. Each message states the problem and the remedy.

use std::path::PathBuf;

use pagekin_pages::{FileError, Interrupted, OptionError};

use crate::folder::error::CrawlFolderError;

/// An error from learning from judgments.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FeedbackError {
    /// The crawl cannot be read.
    #[error(transparent)]
    Crawl(#[from] CrawlFolderError),
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The observer asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The file of judgments has other content.
    #[error(
        "cannot read judgments from {}: expected CSV with the columns url, other_url and similar (yes or no), or url and cluster, found {found}",
        path.display()
    )]
    Judgments {
        /// The file.
        path: PathBuf,
        /// The content found.
        found: String,
    },
    /// There are too few judgments to hold some out.
    #[error(
        "too few judgments: expected at least {} similar pairs and as many others, found {similar} and {different}. Judge more pairs",
        Self::MIN
    )]
    TooFew {
        /// Number of pairs judged similar.
        similar: u32,
        /// Number of pairs judged not similar.
        different: u32,
    },
}

impl FeedbackError {
    /// Minimum number of judgments of each kind.
    pub const MIN: u32 = 10;
}
