//! Why measures could not be evaluated. Each message says what was expected, what was found and
//! what to do.

use pagekin_index::BuildError;
use pagekin_pages::{FileError, Interrupted, OptionError, SiteError};

/// Why measures could not be evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The site or the file of classes cannot be read.
    #[error(transparent)]
    Site(SiteError),
    /// Its pages cannot be weighed.
    #[error(transparent)]
    Index(BuildError),
    /// There is nothing to tell pages apart by.
    #[error(
        "nothing to measure by: expected pages in at least two classes, found {found}. Pass a CSV file of classes as --hierarchy, or measure by --links"
    )]
    TooFewClasses {
        /// How many classes there are.
        found: u32,
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
