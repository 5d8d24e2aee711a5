//! Why a stage could not be run.

use std::io;

use arrow_schema::ArrowError;
use pagekin_crawl::cluster::CrawlError;
use pagekin_pages::{InputError, Interrupted, OptionError, SiteError};
use pagekin_pairs::PairsError;

/// Why a stage could not be run. What it has written until then is not to be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// The input is no Arrow IPC stream, or the output is not taken.
    #[error("cannot {what}: {source}. Expected an Arrow IPC stream, whole and uncompressed")]
    Stream {
        /// What was done: read the input or write the output.
        what: &'static str,
        /// The library's error.
        source: ArrowError,
    },
    /// A column is missing, is of another type, or is not known.
    #[error("column `{column}`: expected {expected}, found {found}")]
    Column {
        /// Its name.
        column: String,
        /// What should be there.
        expected: String,
        /// What is.
        found: String,
    },
    /// Rows are out of order.
    #[error(
        "column `{column}`: expected rows of each bucket together, in ascending order, found {found} after {last}. Sort each partition by \
         bucket, kind and part, and bring all rows of a bucket into one"
    )]
    Order {
        /// The column that descends.
        column: &'static str,
        /// Where the row before is: bucket, kind and part.
        last: String,
        /// Where this one is.
        found: String,
    },
    /// A row of a kind that the stage does not take.
    #[error("column `kind`: expected {expected}, found {found:?}")]
    Kind {
        /// The kinds it takes.
        expected: &'static str,
        /// What came.
        found: String,
    },
    /// Bytes are not the records that they should be.
    #[error(
        "column `bytes`: expected {expected} records of kind {kind} in bucket {bucket}, found {found}"
    )]
    Records {
        /// Their kind.
        kind: &'static str,
        /// Their bucket.
        bucket: i32,
        /// How many there should be.
        expected: u64,
        /// What there is.
        found: String,
    },
    /// Rows of several kinds do not belong together.
    #[error(
        "bucket {bucket}: expected {expected}, found none for URL {number}. Were all rows of the bucket brought together?"
    )]
    Missing {
        /// The bucket.
        bucket: i32,
        /// What should have come.
        expected: &'static str,
        /// Of which URL.
        number: u32,
    },
    /// There are more URLs than numbers.
    #[error("expected at most 4294967295 URLs, found {found}")]
    TooMany {
        /// How many there are.
        found: u64,
    },
    /// A plan is none, or of another program.
    #[error("the plan: expected what the stage `plan` of this version wrote, found {found}")]
    Plan {
        /// What is wrong with it.
        found: String,
    },
    /// A file that a stage reads beside its input.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// What fails on one machine too.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
}

impl StageError {
    pub(crate) fn reading(source: ArrowError) -> Self {
        Self::Stream { what: "read the input", source }
    }

    pub(crate) fn writing(source: ArrowError) -> Self {
        Self::Stream { what: "write the output", source }
    }
}

impl From<PairsError> for StageError {
    fn from(error: PairsError) -> Self {
        Self::Crawl(error.into())
    }
}

impl From<InputError> for StageError {
    fn from(error: InputError) -> Self {
        Self::Crawl(error.into())
    }
}

impl From<OptionError> for StageError {
    fn from(error: OptionError) -> Self {
        Self::Crawl(error.into())
    }
}

impl From<SiteError> for StageError {
    fn from(error: SiteError) -> Self {
        Self::Crawl(error.into())
    }
}

impl From<Interrupted> for StageError {
    fn from(error: Interrupted) -> Self {
        Self::Crawl(error.into())
    }
}
