//! Errors of writing an output. Each message names the problem and the remedy.

use std::path::PathBuf;

use crate::error::FileError;

/// Why an output could not be written. The earlier output is always unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The output path contains something other than an index.
    #[error(
        "refusing to overwrite {}: expected no folder, an empty folder or an earlier index, found {found}. Choose another path, \
         or remove it first", path.display()
    )]
    OutputTaken {
        /// The output path.
        path: PathBuf,
        /// What the path refers to.
        found: String,
    },
    /// The path of an output file refers to something else.
    #[error("refusing to overwrite {}: expected a file or nothing, found {found}. Pass the path of a file", path.display())]
    FileTaken {
        /// The path of the output file.
        path: PathBuf,
        /// What the path refers to.
        found: String,
    },
    /// The output would replace the site.
    #[error("refusing to write to {}: it contains the site {}. Choose a folder next to the site or inside it", output.display(), site.display())]
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
