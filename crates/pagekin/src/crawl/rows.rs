//! Rows that are written one after the other: to standard output, or into a file that is replaced.

use std::io::{self, Write};
use std::path::Path;

use pagekin_crawl::folder::CrawlFolderError;
use pagekin_crawl::rank::RankError;
use pagekin_pages::replace_file;

use crate::failure::Failure;
use crate::output::{Printer, Reader, stdout};

/// Why rows could not be written.
pub(crate) enum Failed {
    /// They could not be read.
    Read(Failure),
    /// The output did not take them.
    Output(io::Error),
}

impl From<CrawlFolderError> for Failed {
    fn from(error: CrawlFolderError) -> Self {
        Self::Read(error.into())
    }
}

impl From<RankError> for Failed {
    fn from(error: RankError) -> Self {
        Self::Read(error.into())
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Has `write` write for `reader` to standard output, or into a file that replaces an earlier one
/// when done.
pub(crate) fn write_out(
    file: Option<&Path>,
    reader: Reader,
    write: impl FnOnce(Box<dyn Write + Send>) -> Result<(), Failed>,
) -> Result<(), Failure> {
    let Some(path) = file else {
        return match write(Box::new(stdout(reader))) {
            Err(Failed::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(Failed::Output(error)) => Err(error.into()),
            Err(Failed::Read(error)) => Err(error),
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
            Err(Failed::Output(error)) => Err(format!(
                "cannot write {}: {error}. Expected enough space; nothing was changed",
                path.display()
            )
            .into()),
            Err(Failed::Read(error)) => Err(error),
            Ok(()) => Ok(()),
        }
    })
}
