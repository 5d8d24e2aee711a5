//! Errors of a comparison. Each message gives the problem and the remedy.

use std::path::PathBuf;

use pagekin_core::near::ParameterError;
use pagekin_index::FolderError;
use pagekin_pages::{FileError, Interrupted, OptionError, SiteError};

/// Why sites could not be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DuplicatesError {
    /// A site cannot be read.
    #[error(transparent)]
    Site(SiteError),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] FolderError),
    /// The index has no text sketches.
    #[error("the index {} has no text sketches, which are needed to find near-duplicates: it was built with --no-sketches or from a crawl. Rebuild \
             it, or pass the folder of the site", path.display())]
    NoSketches {
        /// The index.
        path: PathBuf,
    },
    /// The folder contains none of the indexed pages.
    #[error("the pages of the index are not in {}: none of its {pages} pages was found, for example {example}. Pass the folder of the \
             indexed site", path.display())]
    OtherSite {
        /// The folder.
        path: PathBuf,
        /// The number of pages that were expected.
        pages: u64,
        /// The URL of one of them.
        example: String,
    },
    /// An index was passed where a site is needed.
    #[error(
        "cannot compare the pages of {}: it is an index, which does not contain texts. Pass the folder of the indexed \
         site", path.display()
    )]
    IndexForSite {
        /// The path of the index.
        path: PathBuf,
    },
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The observer requested a stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl From<SiteError> for DuplicatesError {
    fn from(error: SiteError) -> Self {
        match error {
            SiteError::Interrupted(error) => Self::Interrupted(error),
            error => Self::Site(error),
        }
    }
}

impl From<ParameterError> for DuplicatesError {
    fn from(ParameterError { name: option, expected, found }: ParameterError) -> Self {
        OptionError { option, expected, found: found.to_string() }.into()
    }
}
