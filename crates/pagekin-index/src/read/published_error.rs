//! Errors of a published index.

use std::path::PathBuf;

use pagekin_core::shard::MANIFEST_NAME;
use pagekin_core::{QueryError, ReadError};

/// A published index cannot be read or queried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteIndexError {
    /// The URL is not allowed.
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
        /// What is there instead.
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
        /// The status of the response.
        status: u16,
    },
    /// The index is spread over other hosts, and its own host does not have the files.
    #[error(
        "the files of the index at {url} are on other hosts, from which nothing is fetched. Use an \
         index whose own host has all files (`home = true`), or a folder with the output"
    )]
    Mirrored {
        /// The URL of the index.
        url: String,
    },
    /// The host did not respond, or not in time.
    #[error("cannot fetch {url}: {reason}")]
    Unreachable {
        /// The requested URL.
        url: String,
        /// The cause.
        reason: String,
    },
    /// The response is not as expected.
    #[error("cannot fetch {url}: expected {expected}, found {found}")]
    Unexpected {
        /// The requested URL.
        url: String,
        /// What was expected.
        expected: &'static str,
        /// The actual response.
        found: String,
    },
    /// The host redirects to another host.
    #[error("cannot fetch {url}: it redirects to {target}, which is on another host")]
    Elsewhere {
        /// The requested URL.
        url: String,
        /// The target of the redirect.
        target: String,
    },
    /// The response is too long.
    #[error("cannot fetch {url}: expected at most {limit} bytes, found more")]
    TooLong {
        /// The requested URL.
        url: String,
        /// Maximum length in bytes.
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
