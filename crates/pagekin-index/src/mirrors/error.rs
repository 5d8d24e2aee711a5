//! Why an index could not be laid out on several hosts. Each message says what was expected, what
//! was found and what to do.

use std::path::PathBuf;

use pagekin_pages::{FileError, OptionError};

/// Why an index could not be laid out on several hosts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorsError {
    /// The file of mirrors says something else.
    #[error("cannot read the mirrors from {}: expected `copies`, `home`, and for each host `[[host]]` with its `url`, found: {found}", path.display())]
    Described {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        found: String,
    },
    /// A host has less room than its part of the index needs.
    #[error(
        "the mirror {url} has too little room: expected at least {expected} MB, found max-megabytes = {found}. Raise it, add hosts, or \
         lower `copies`"
    )]
    Room {
        /// The address of the host.
        url: String,
        /// Millions of bytes that are needed.
        expected: u64,
        /// Those that there are.
        found: u64,
    },
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
}
