//! Why a stream could not be followed. Each message says what was expected, what was found and what
//! to do.

use std::io;
use std::path::PathBuf;

use pagekin_pages::{LostCount, OptionError, OutputError};

/// Why a stream could not be followed. A page with an error is no reason: it is skipped and
/// counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The horizon is none.
    #[error("the horizon is out of range: expected more than 0 and at most 1,000 years")]
    Horizon,
    /// The threshold is none.
    #[error("the minimum similarity is {found}: expected a number above 0 and below 1")]
    Min {
        /// What was given.
        found: f64,
    },
    /// The lateness is none.
    #[error(
        "the time that a page may be late is out of range: expected at least 0 and at most the horizon"
    )]
    Late,
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// What became of the lines is not all that came in.
    #[error(transparent)]
    Lost(#[from] LostCount),
    /// The input cannot be read.
    #[error("cannot read {}: {source}. Pass a readable file of JSON lines, or - for standard input", path.display())]
    Input {
        /// The input; `-` is standard input.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The input is something else.
    #[error(
        "cannot follow {}: expected lines with a JSON object each, found {found}. Write pages as JSON lines with `url`, `text` or \
         `html`, and `published`", path.display()
    )]
    NoLines {
        /// The input; `-` is standard input.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// The input is not the one that the checkpoint is of, though it begins like it.
    #[error(
        "{} is not what it was: expected the same {lines} lines that the checkpoint took, found {found}. Feed it again from its \
         beginning, or only what came after line {lines}", path.display()
    )]
    OtherInput {
        /// The input; `-` is standard input.
        path: PathBuf,
        /// The lines that were taken.
        lines: u64,
        /// What is there.
        found: String,
    },
    /// Pairs cannot be written.
    #[error("cannot write pairs: {source}. Expected enough space")]
    Output {
        /// The system's error.
        source: io::Error,
    },
    /// The output cannot be opened.
    #[error("cannot write {}: {source}. Pass a file in a writable folder", path.display())]
    OutputFile {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The output has something that this stream has not written.
    #[error(
        "{} is not empty: expected a new file, or the one that belongs to --checkpoint. Pass another file, or remove it",
        path.display()
    )]
    OutputTaken {
        /// The file.
        path: PathBuf,
    },
    /// The output is shorter than it was.
    #[error(
        "{} was changed: expected at least the {expected} bytes that the checkpoint knows of, found {found}. Pass the file that \
         belongs to the checkpoint, or begin anew with another --checkpoint and --output", path.display()
    )]
    OutputShort {
        /// The file.
        path: PathBuf,
        /// The bytes that it had.
        expected: u64,
        /// The bytes that it has.
        found: u64,
    },
    /// The output is another's.
    #[error(
        "{} is another output: expected the {expected} bytes that the checkpoint knows of, and at most the pairs of one page behind \
         them. Pass the file that belongs to the checkpoint, or begin anew with another --checkpoint and --output", path.display()
    )]
    OtherOutput {
        /// The file.
        path: PathBuf,
        /// The bytes that it had.
        expected: u64,
    },
    /// A file of the checkpoint cannot be written.
    #[error(transparent)]
    Write(#[from] OutputError),
    /// The checkpoint cannot be written or read back.
    #[error("cannot work in the checkpoint {}: {source}. Expected a writable folder with enough space", path.display())]
    Checkpoint {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// What should be a file of the checkpoint is none.
    #[error(
        "{} is no regular file: expected one of a checkpoint, found a link, a folder, a pipe or a device. Remove it, or pass another \
         folder",
        path.display()
    )]
    NoFile {
        /// What is there.
        path: PathBuf,
    },
    /// The folder is something else.
    #[error("{} is no checkpoint: expected a new or empty folder, or a checkpoint, found {found}. Pass another folder", path.display())]
    NoCheckpoint {
        /// The folder.
        path: PathBuf,
        /// What is in it.
        found: String,
    },
    /// Another version wrote the checkpoint.
    #[error(
        "expected a checkpoint of version {expected} at {}, found version {found}. Use the pagekin that wrote it, or another folder",
        path.display()
    )]
    OtherVersion {
        /// The folder.
        path: PathBuf,
        /// The version that this program reads.
        expected: u32,
        /// Its version.
        found: u32,
    },
    /// The checkpoint was made with other options.
    #[error(
        "the checkpoint {} was made with {found}: expected {expected}. Pass the same options, or another folder", path.display()
    )]
    OtherOptions {
        /// The folder.
        path: PathBuf,
        /// What was passed now.
        expected: String,
        /// What was passed then.
        found: String,
    },
    /// Another process has the checkpoint.
    #[error("the checkpoint {} is in use by another process. Stop it, or pass another folder", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The checkpoint is damaged.
    #[error(
        "the checkpoint is damaged: expected whole records in {}, found {found}. Pass another folder, and feed the last horizon again",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: &'static str,
    },
}
