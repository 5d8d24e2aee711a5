//! Why sites could not be compared. Each message says what was expected, what was found and what to
//! do.

use std::path::PathBuf;

use pagekin_core::near::ParameterError;
use pagekin_index::FolderError;
use pagekin_pages::{FileError, Interrupted, OptionError, SiteError};

/// Why sites could not be compared, with themselves or with one another.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DuplicatesError {
    /// A site cannot be read.
    #[error(transparent)]
    Site(SiteError),
    /// The index that was given cannot be read.
    #[error(transparent)]
    Index(#[from] FolderError),
    /// The index has no text sketches.
    #[error("the index {} has no text sketches to find near-duplicates by: it was built from a crawl. Rebuild \
             it, or pass the folder of the site", path.display())]
    NoSketches {
        /// The index.
        path: PathBuf,
    },
    /// The folder that was given has none of the index's pages.
    #[error("the pages of the index are not in {}: expected the folder of the indexed site, found none of {pages} pages, for \
             example {example}", path.display())]
    OtherSite {
        /// The folder.
        path: PathBuf,
        /// The pages that were looked for.
        pages: u64,
        /// The address of one.
        example: String,
    },
    /// An index was given where a site is needed.
    #[error(
        "cannot compare the pages of {}: expected a site's folder of HTML, found an index, which has no texts. Pass the folder \
         that was indexed", path.display()
    )]
    IndexForSite {
        /// The path that was given.
        path: PathBuf,
    },
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The observer asked to stop.
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
