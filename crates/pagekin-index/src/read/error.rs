//! Errors of an index in a folder.

use std::io;
use std::path::PathBuf;

use pagekin_core::shard::MANIFEST_NAME;
use pagekin_core::{QueryError, ReadError};

/// An index in a folder cannot be read or queried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// There is no index.
    #[error("no index at {}: expected a folder with {MANIFEST_NAME}, as written by `pagekin build`, found {found}", path.display())]
    NoIndex {
        /// The path that was given.
        path: PathBuf,
        /// What is there instead.
        found: &'static str,
    },
    /// A file of the index is missing or cannot be read.
    #[error("cannot read {}: {source}. Rebuild the index", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The index was built without related pages.
    #[error(
        "no related pages in {}: the index was built with --related-count 0. Rebuild it without that option", path.display()
    )]
    NoRelated {
        /// The folder of the index.
        path: PathBuf,
    },
    /// A file of the index is damaged.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The query has no answer.
    #[error(transparent)]
    Query(#[from] QueryError),
}
