//! Errors of an evaluation. Each message gives the problem and the remedy.

use pagekin_index::BuildError;
use pagekin_pages::{FileError, Interrupted, OptionError, SiteError};

/// Why measures could not be evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The site or the file of classes cannot be read.
    #[error(transparent)]
    Site(SiteError),
    /// The pages cannot be indexed.
    #[error(transparent)]
    Index(BuildError),
    /// There are too few classes to distinguish pages.
    #[error(
        "too few classes to measure by: expected at least two, found {found}. Pass a CSV file of classes as --hierarchy, or measure by --links"
    )]
    TooFewClasses {
        /// The number of classes found.
        found: u32,
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

impl From<SiteError> for EvaluateError {
    fn from(error: SiteError) -> Self {
        match error {
            SiteError::Interrupted(error) => Self::Interrupted(error),
            error => Self::Site(error),
        }
    }
}

impl From<BuildError> for EvaluateError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Interrupted(error) => Self::Interrupted(error),
            error => Self::Index(error),
        }
    }
}
