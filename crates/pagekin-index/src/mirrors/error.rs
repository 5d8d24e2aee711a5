//! Errors of spreading an index over several hosts.

use std::path::PathBuf;

use pagekin_pages::{FileError, OptionError};

/// An index cannot be spread over several hosts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorsError {
    /// The file of mirrors is invalid.
    #[error("cannot read the mirrors from {}: expected `copies`, `home`, and a `[[host]]` with its `url` for each host, found: {found}", path.display())]
    Described {
        /// The file.
        path: PathBuf,
        /// The problem, and its place in the file.
        found: String,
    },
    /// A host has too little space for its share of the index.
    #[error(
        "the mirror {url} has too little space: expected at least {expected} MB, found max-megabytes = {found}. Raise it, add hosts, or \
         lower `copies`"
    )]
    Room {
        /// The URL of the host.
        url: String,
        /// The space that it needs, in MB.
        expected: u64,
        /// The space that it has, in MB.
        found: u64,
    },
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
}
