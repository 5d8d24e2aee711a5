//! Why a crawl could not be clustered. Each message says what was expected, what was found and what
//! to do.

use std::io;
use std::path::{Path, PathBuf};

use pagekin_pages::{FileError, InputError, Interrupted, OptionError, OutputError, SiteError};
use pagekin_pairs::PairsError;
use pagekin_pairs::signatures::file::SignatureFileError;

use crate::folder::error::CrawlFolderError;
use crate::rank::error::RankError;

/// Why a crawl could not be clustered. A page with an error is no reason: it is skipped and
/// counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// The inputs cannot be read.
    #[error(transparent)]
    Input(InputError),
    /// A record of a file of strings is not one.
    #[error("cannot read {}, {place}: expected {expected}; found {found}", path.display())]
    Record {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// The record or the line in it, from 1.
        place: String,
        /// What should stand there, and what to do.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// There are no strings in the inputs.
    #[error(
        "nothing to cluster: expected {expected}, found none{skipped}. Pass files that contain some"
    )]
    NoRecords {
        /// What of: reads or lines.
        expected: &'static str,
        /// What was skipped, as a part of a sentence; may be empty.
        skipped: String,
    },
    /// There are no strings in the inputs that are long enough.
    #[error(
        "nothing to cluster: expected reads or lines with at least one q-gram, found none in {strings} strings: each is shorter than {q} letters, or all are unknown ones such as N. Pass a smaller --q"
    )]
    NoStrings {
        /// The strings that were read.
        strings: u64,
        /// The letters of a q-gram.
        q: u8,
    },
    /// The file of classes cannot be read.
    #[error(transparent)]
    Site(SiteError),
    /// The output is taken.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The output, or what is kept there on the way, cannot be written or read back.
    #[error("cannot work in {}: {source}. Expected a writable folder with enough space; the output is unchanged", path.display())]
    Work {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// What should have been learnt from judgments is something else.
    #[error("cannot use {}: expected the output of `pagekin crawl feedback`, found {found}. Run it again", path.display())]
    Learnt {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
    },
    /// There are no pages in the inputs.
    #[error(
        "nothing to {task}: expected pages, found none{skipped}. Pass files that contain pages: HTML, JSONL, or WARC files with responses"
    )]
    NoPages {
        /// What was to be done with them.
        task: &'static str,
        /// What was skipped, as a part of a sentence; may be empty.
        skipped: String,
    },
    /// No URL has indexable words that another shares.
    #[error(
        "nothing to cluster: expected words that at least two URLs share, found none in {pages} pages. To cluster a crawl of a \
         few pages by their texts, pass --bags content"
    )]
    NoBags {
        /// The pages that were read.
        pages: u64,
    },
    /// What an earlier stage left cannot be read back.
    #[error(transparent)]
    Folder(#[from] CrawlFolderError),
    /// URLs out of their order.
    #[error(transparent)]
    Order(#[from] OutOfOrder),
    /// Signatures or pairs that do not fit together.
    #[error(transparent)]
    Pairs(#[from] PairsError),
    /// URLs cannot be ranked.
    #[error(transparent)]
    Rank(#[from] RankError),
    /// The folder that a crawl is worked on in holds something else.
    #[error(
        "cannot work in {}: expected no folder, or one left by an interrupted run, found something else. Move it away, or \
         choose another output", path.display()
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
    /// The work ended early, and what was finished of it is kept.
    #[error("{source}. Finished stages are kept in {}: run the same command again to resume, or remove the folder to start over", kept.display())]
    Kept {
        /// Why it ended.
        source: Box<CrawlError>,
        /// The folder.
        kept: PathBuf,
    },
    /// The observer asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl CrawlError {
    /// For what goes wrong with a file of signatures.
    pub(crate) fn signatures(path: &Path) -> impl Fn(SignatureFileError) -> Self + use<> {
        let path = path.to_owned();
        move |error| match error {
            SignatureFileError::Io(source) => Self::Work { path: path.clone(), source },
            SignatureFileError::Pairs(error) => error.into(),
        }
    }

    /// For what goes wrong with a file of the output.
    pub(crate) fn work(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Work { path: path.clone(), source }
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
#[error("expected URLs in the order of their keys, found {url:?} behind {before:?}")]
pub struct OutOfOrder {
    /// The URL before.
    pub before: String,
    /// The one that should stand before it.
    pub url: String,
}
