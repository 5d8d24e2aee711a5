//! Errors of a stage.

use std::io;

use arrow_schema::ArrowError;
use pagekin_crawl::cluster::CrawlError;
use pagekin_pages::{InputError, Interrupted, OptionError, SiteError};
use pagekin_pairs::PairsError;

/// An error of a stage. Output that is already written must not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// The input is not an Arrow IPC stream, or the output cannot be written.
    #[error("cannot {what}: {source}. Expected an Arrow IPC stream, whole and uncompressed")]
    Stream {
        /// The operation: "read the input" or "write the output".
        what: &'static str,
        /// The error of the library.
        source: ArrowError,
    },
    /// A column is missing, has another type, or is unknown.
    #[error("column `{column}`: expected {expected}, found {found}")]
    Column {
        /// Name of the column.
        column: String,
        /// Expected column.
        expected: String,
        /// Column found.
        found: String,
    },
    /// Rows are out of order.
    #[error(
        "column `{column}`: expected rows of each bucket together, in ascending order, found {found} after {last}. Sort each partition by \
         bucket, kind and part, and bring all rows of a bucket into one"
    )]
    Order {
        /// The column that is out of order.
        column: &'static str,
        /// Bucket, kind and part of the previous row.
        last: String,
        /// Bucket, kind and part of this row.
        found: String,
    },
    /// The stage does not take rows of this kind.
    #[error("column `kind`: expected {expected}, found {found:?}")]
    Kind {
        /// Kinds that it takes.
        expected: &'static str,
        /// Kind found.
        found: String,
    },
    /// The bytes of a row are not the expected records.
    #[error(
        "column `bytes`: expected {expected} records of kind {kind} in bucket {bucket}, found {found}"
    )]
    Records {
        /// Kind of the records.
        kind: &'static str,
        /// Bucket of the records.
        bucket: i32,
        /// Expected number of records.
        expected: u64,
        /// Content found.
        found: String,
    },
    /// Rows of several kinds do not match.
    #[error(
        "bucket {bucket}: expected {expected} for URL {number}, found none. Bring all rows of a bucket together"
    )]
    Missing {
        /// The bucket.
        bucket: i32,
        /// Expected row.
        expected: &'static str,
        /// Number of the URL.
        number: u32,
    },
    /// There are more URLs than numbers.
    #[error("expected at most 4294967295 URLs, found {found}")]
    TooMany {
        /// Number of URLs.
        found: u64,
    },
    /// The plan is invalid or from another version.
    #[error("the plan: expected what the stage `plan` of this version wrote, found {found}")]
    Plan {
        /// Content found.
        found: String,
    },
    /// An additional input file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// An error that also occurs on one machine.
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
