//! Why nothing could be learnt. Each message says what was expected, what was found and what to do.

use std::path::PathBuf;

use pagekin_pages::{FileError, Interrupted, OptionError};

use crate::folder::error::CrawlFolderError;

/// Why nothing could be learnt from judgments.
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
    /// The file of judgments says something else.
    #[error(
        "cannot read judgments from {}: expected CSV with the columns url, other_url and similar (yes or no), or url and cluster, found {found}",
        path.display()
    )]
    Judgments {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
    },
    /// There are too few judgments to hold some of them out.
    #[error(
        "too few judgments: expected at least {} similar pairs and as many others, found {similar} and {different}. Judge more pairs",
        Self::MIN
    )]
    TooFew {
        /// Pairs that were judged similar.
        similar: u32,
        /// Pairs that were judged not to be.
        different: u32,
    },
}

impl FeedbackError {
    /// The fewest judgments of each kind.
    pub const MIN: u32 = 10;
}
