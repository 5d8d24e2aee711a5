//! Rows that are written one after the other: to standard output, or into a file that is replaced.

use std::io::{self, Write};
use std::path::Path;

use pagekin_crawl::folder::CrawlFolderError;
use pagekin_crawl::rank::RankError;
use pagekin_pages::replace_file;

use crate::failure::Failure;

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

/// Has `write` write to standard output, or into a file that replaces an earlier one when done.
pub(crate) fn write_out(
    file: Option<&Path>,
    write: impl FnOnce(Box<dyn Write + Send>) -> Result<(), Failed>,
) -> Result<(), Failure> {
    let Some(path) = file else {
        return match write(Box::new(io::stdout())) {
            Err(Failed::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(Failed::Output(error)) => Err(error.into()),
            Err(Failed::Read(error)) => Err(error),
            Ok(()) => Ok(()),
        };
    };
    replace_file(path, |file| match write(Box::new(file.try_clone()?)) {
        Err(Failed::Output(error)) => {
            let path = path.display();
            Err(format!("cannot write {path}: {error}. Expected enough space; nothing was changed")
                .into())
        }
        Err(Failed::Read(error)) => Err(error),
        Ok(()) => Ok(()),
    })
}
