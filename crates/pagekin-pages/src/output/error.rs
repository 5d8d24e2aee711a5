//! Why an output could not be written. Each message says what was expected, what was found and what
//! to do.

use std::path::PathBuf;

use crate::error::FileError;

/// Why an output could not be written. In every case the earlier output is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The output path holds something that is not an index.
    #[error(
        "refusing to overwrite {}: expected no folder, an empty folder or an earlier index, found {found}. Choose another path, \
         or remove it first", path.display()
    )]
    OutputTaken {
        /// The path that was given.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// The path of an output file is taken by something else.
    #[error("refusing to overwrite {}: expected a file or nothing, found {found}. Pass the path of a file", path.display())]
    FileTaken {
        /// The path that was given.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// The output would replace the site.
    #[error("refusing to write to {}: it contains the site {}. Choose a folder beside the site or inside it", output.display(), site.display())]
    OutputHoldsSite {
        /// The output path.
        output: PathBuf,
        /// The site.
        site: PathBuf,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
}
