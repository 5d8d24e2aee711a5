//! Errors from clustering a crawl. Each message states the problem and the remedy.

use std::io;
use std::path::{Path, PathBuf};

use pagekin_pages::{FileError, InputError, Interrupted, OptionError, OutputError, SiteError};
use pagekin_pairs::PairsError;
use pagekin_pairs::signatures::file::SignatureFileError;

use crate::folder::error::CrawlFolderError;
use crate::rank::error::RankError;

/// An error from clustering a crawl. Pages with errors are skipped and counted instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// The inputs cannot be read.
    #[error(transparent)]
    Input(InputError),
    /// A record in a file of strings is invalid.
    #[error("cannot read {}, {place}: expected {expected}; found {found}", path.display())]
    Record {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// Number of the record or the line, from 1.
        place: String,
        /// The expected content, and the remedy.
        expected: &'static str,
        /// The content found.
        found: String,
    },
    /// The inputs contain no strings.
    #[error(
        "nothing to cluster: the inputs contain no {expected}{skipped}. Pass files that contain some"
    )]
    NoRecords {
        /// The expected kind of strings: reads or lines.
        expected: &'static str,
        /// What was skipped, as a part of a sentence. May be empty.
        skipped: String,
    },
    /// The inputs contain no strings that are long enough.
    #[error(
        "nothing to cluster: none of the {strings} strings contains a q-gram: each is shorter than {q} letters, or contains only unknown letters such as N. Pass a smaller --q"
    )]
    NoStrings {
        /// Number of strings that were read.
        strings: u64,
        /// Number of letters in a q-gram.
        q: u8,
    },
    /// The file of classes cannot be read.
    #[error(transparent)]
    Site(SiteError),
    /// The output folder cannot be used.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The output or an intermediate file cannot be written or read back.
    #[error("cannot work in {}: {source}. Make sure that the folder is writable and has enough space. The output is unchanged", path.display())]
    Work {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file is not the output of `pagekin crawl feedback`.
    #[error("cannot use {}: expected the output of `pagekin crawl feedback`, found {found}. Run it again", path.display())]
    Learned {
        /// The file.
        path: PathBuf,
        /// The content found.
        found: String,
    },
    /// The inputs contain no pages.
    #[error(
        "nothing to {task}: the inputs contain no pages{skipped}. Pass HTML, JSONL, or WARC files with responses"
    )]
    NoPages {
        /// The task that needs pages, as a verb.
        task: &'static str,
        /// What was skipped, as a part of a sentence. May be empty.
        skipped: String,
    },
    /// No indexable word occurs in the bags of two URLs.
    #[error(
        "nothing to cluster: no word of the {pages} pages is shared by two URLs. To cluster a few pages by their texts, pass --bags content"
    )]
    NoBags {
        /// Number of pages that were read.
        pages: u64,
    },
    /// The result of an earlier stage cannot be read back.
    #[error(transparent)]
    Folder(#[from] CrawlFolderError),
    /// URLs are not in the expected order.
    #[error(transparent)]
    Order(#[from] OutOfOrder),
    /// Signatures or pairs do not match.
    #[error(transparent)]
    Pairs(#[from] PairsError),
    /// The URLs cannot be ranked.
    #[error(transparent)]
    Rank(#[from] RankError),
    /// The working folder contains something else.
    #[error(
        "cannot work in {}: it was not left by an interrupted run. Move it away, or choose another output", path.display()
    )]
    WorkplaceTaken {
        /// The folder.
        path: PathBuf,
    },
    /// Another run has the same output.
    #[error("cannot work in {}: another run is using it. Wait for it, or choose another output", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The work ended early; finished stages are kept.
    #[error("{source}. Finished stages are kept in {}: run the same command again to resume, or remove the folder to start over", kept.display())]
    Kept {
        /// Why the work ended.
        source: Box<CrawlError>,
        /// The folder.
        kept: PathBuf,
    },
    /// The observer asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl CrawlError {
    /// Converts errors from a file of signatures of the work.
    pub(crate) fn signatures(path: &Path) -> impl Fn(SignatureFileError) -> Self + use<> {
        let path = path.to_owned();
        move |error| match error {
            SignatureFileError::Io(source) => Self::Work { path: path.clone(), source },
            SignatureFileError::Pairs(error) => error.into(),
        }
    }
}

/// Adds the file or folder of the work at which reading or writing failed.
pub(crate) trait At<T> {
    fn at(self, path: &Path) -> Result<T, CrawlError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, CrawlError> {
        self.map_err(|source| CrawlError::Work { path: path.to_owned(), source })
    }
}

impl From<InputError> for CrawlError {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Interrupted(error) => Self::Interrupted(error),
            error => Self::Input(error),
        }
    }
}

impl From<SiteError> for CrawlError {
    fn from(error: SiteError) -> Self {
        match error {
            SiteError::Interrupted(error) => Self::Interrupted(error),
            error => Self::Site(error),
        }
    }
}

/// URLs that do not ascend in the order of the crawl.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected URLs in the order of their keys, found {url:?} after {before:?}")]
pub struct OutOfOrder {
    /// The previous URL.
    pub before: String,
    /// The URL that should be before it.
    pub url: String,
}
