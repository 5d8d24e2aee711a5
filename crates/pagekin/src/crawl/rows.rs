//! Writes rows to standard output, or to a file that replaces an earlier one.

use std::io::{self, Write};
use std::path::Path;

use pagekin_crawl::folder::CrawlFolderError;
use pagekin_crawl::rank::RankError;
use pagekin_pages::replace_file;

use crate::failure::Failure;
use crate::output::{Printer, Reader, stdout};

/// An error while reading or writing rows.
pub(crate) enum RowError {
    /// Reading the rows failed.
    Read(Failure),
    /// Writing the rows failed.
    Output(io::Error),
}

impl From<CrawlFolderError> for RowError {
    fn from(error: CrawlFolderError) -> Self {
        Self::Read(error.into())
    }
}

impl From<RankError> for RowError {
    fn from(error: RankError) -> Self {
        Self::Read(error.into())
    }
}

impl From<io::Error> for RowError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Calls `write` with standard output, or with a file that replaces an earlier one when done.
/// Control characters are escaped as `reader` needs.
pub(crate) fn write_out(
    file: Option<&Path>,
    reader: Reader,
    write: impl FnOnce(Box<dyn Write + Send>) -> Result<(), RowError>,
) -> Result<(), Failure> {
    let Some(path) = file else {
        return match write(Box::new(stdout(reader))) {
            Err(RowError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(RowError::Output(error)) => Err(error.into()),
            Err(RowError::Read(error)) => Err(error),
            Ok(()) => Ok(()),
        };
    };
    replace_file(path, |file| {
        let file = file.try_clone()?;
        let into: Box<dyn Write + Send> = match reader {
            Reader::People => Box::new(Printer::for_people(file)),
            Reader::Programs => Box::new(file),
        };
        match write(into) {
            Err(RowError::Output(error)) => Err(format!(
                "cannot write {}: {error}. Nothing was changed. Check the free space",
                path.display()
            )
            .into()),
            Err(RowError::Read(error)) => Err(error),
            Ok(()) => Ok(()),
        }
    })
}
