//! Why a published index could not answer.

use std::path::PathBuf;

use pagekin_core::shard::MANIFEST_NAME;
use pagekin_core::{QueryError, ReadError};

/// Why a published index could not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteIndexError {
    /// The URL is none that is asked.
    #[error(
        "expected an https:// URL of an index without a user name, or http:// on this machine \
         (localhost, 127.0.0.1, [::1]), found {url}"
    )]
    Url {
        /// The URL that was given.
        url: String,
    },
    /// The file of root certificates cannot be used.
    #[error(
        "expected root certificates in PEM at {}, found {found}",
        path.display()
    )]
    Roots {
        /// The file.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// There is no index.
    #[error(
        "no index at {url}: expected the folder with {MANIFEST_NAME}, as published after \
         `pagekin build`, found status {status}"
    )]
    NoIndex {
        /// The URL that was given.
        url: String,
        /// What the host answered.
        status: u16,
    },
    /// The index is spread over other hosts, and its own has no files.
    #[error(
        "the files of the index at {url} are on other hosts, which are not asked: expected an \
         index whose own host has all files (`home = true`), or a folder with the output"
    )]
    Mirrored {
        /// The URL of the index.
        url: String,
    },
    /// The host did not answer, or not in time.
    #[error("cannot fetch {url}: {reason}")]
    Unreachable {
        /// What was asked for.
        url: String,
        /// What happened.
        reason: String,
    },
    /// The host answered with something else.
    #[error("cannot fetch {url}: expected {expected}, found {found}")]
    Unexpected {
        /// What was asked for.
        url: String,
        /// What should have been there.
        expected: &'static str,
        /// What was there.
        found: String,
    },
    /// The host sends elsewhere.
    #[error("cannot fetch {url}: it leads to {target}, which is on another host and not asked")]
    Elsewhere {
        /// What was asked for.
        url: String,
        /// Where it leads.
        target: String,
    },
    /// The answer is too long.
    #[error("cannot fetch {url}: expected at most {limit} bytes, found more")]
    TooLong {
        /// What was asked for.
        url: String,
        /// How many are read.
        limit: u64,
    },
    /// The call was [canceled](crate::CallEnd::cancel).
    #[error("the call was canceled")]
    Canceled,
    /// A file of the index is damaged.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The query has no answer.
    #[error(transparent)]
    Query(#[from] QueryError),
}
