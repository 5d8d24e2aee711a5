//! Errors of a stream. Each message gives the problem and the remedy.

use std::io;
use std::path::PathBuf;

use pagekin_pages::{LostCount, OptionError, OutputError};

/// Why a stream could not be followed. An invalid page is not an error: it is skipped and counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The horizon is out of range.
    #[error("the horizon is out of range: expected more than 0 and at most 1,000 years")]
    Horizon,
    /// The threshold is out of range.
    #[error("the minimum similarity is {found}: expected a number above 0 and below 1")]
    Min {
        /// The value of the option.
        found: f64,
    },
    /// The allowed lateness is out of range.
    #[error("the allowed lateness is out of range: expected at least 0 and at most the horizon")]
    Late,
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// The counts of lines do not add up.
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
    /// The input has another format.
    #[error(
        "cannot follow {}: expected one JSON object per line, found {found}. Write pages as JSON lines with `url`, `text` or \
         `html`, and `published`", path.display()
    )]
    NoLines {
        /// The input; `-` is standard input.
        path: PathBuf,
        /// The format found.
        found: &'static str,
    },
    /// The input starts like the input of the checkpoint, but differs from it.
    #[error(
        "{} has changed: expected the same {lines} lines that the checkpoint contains, found {found}. Pass the same input from \
         its start, or only the lines after line {lines}", path.display()
    )]
    OtherInput {
        /// The input; `-` is standard input.
        path: PathBuf,
        /// The number of lines that the checkpoint contains.
        lines: u64,
        /// The difference found.
        found: String,
    },
    /// Pairs cannot be written.
    #[error("cannot write pairs: {source}. Make sure that there is enough space")]
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
    /// The output contains something that this stream has not written.
    #[error(
        "{} is not empty. Remove it, or pass a new file or the one that belongs to --checkpoint",
        path.display()
    )]
    OutputTaken {
        /// The file.
        path: PathBuf,
    },
    /// The output is shorter than when the checkpoint was written.
    #[error(
        "{} was truncated: expected at least the {expected} bytes recorded in the checkpoint, found {found}. Pass the file that \
         belongs to the checkpoint, or start again with another --checkpoint and --output", path.display()
    )]
    OutputShort {
        /// The file.
        path: PathBuf,
        /// The length recorded in the checkpoint, in bytes.
        expected: u64,
        /// The length of the file, in bytes.
        found: u64,
    },
    /// The output belongs to another stream.
    #[error(
        "{} is not the output of the checkpoint: expected the {expected} bytes recorded in the checkpoint, followed at most by the \
         pairs of one page. Pass the file that belongs to the checkpoint, or start again with another --checkpoint and --output",
        path.display()
    )]
    OtherOutput {
        /// The file.
        path: PathBuf,
        /// The length recorded in the checkpoint, in bytes.
        expected: u64,
    },
    /// A file of the checkpoint cannot be written.
    #[error(transparent)]
    Write(#[from] OutputError),
    /// The checkpoint cannot be written or read back.
    #[error("cannot use the checkpoint {}: {source}. Pass a writable folder with enough space", path.display())]
    Checkpoint {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file of the checkpoint is not a regular file.
    #[error(
        "{} is not a regular file, but a link, a folder, a pipe or a device. Remove it, or pass another \
         folder",
        path.display()
    )]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// The folder is not a checkpoint.
    #[error("{} is not a checkpoint, but {found}. Pass a new or empty folder, or a checkpoint", path.display())]
    NoCheckpoint {
        /// The folder.
        path: PathBuf,
        /// A description of the folder.
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
        /// The version of the checkpoint.
        found: u32,
    },
    /// The checkpoint was created with other options.
    #[error(
        "the checkpoint {} was created with {found}: expected {expected}. Pass the same options, or another folder", path.display()
    )]
    OtherOptions {
        /// The folder.
        path: PathBuf,
        /// The current options.
        expected: String,
        /// The options of the checkpoint.
        found: String,
    },
    /// Another process uses the checkpoint.
    #[error("the checkpoint {} is in use by another process. Stop it, or pass another folder", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The checkpoint is damaged.
    #[error(
        "the checkpoint is damaged: expected whole records in {}, found {found}. Pass another folder, and process the last horizon again",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage found.
        found: &'static str,
    },
}
