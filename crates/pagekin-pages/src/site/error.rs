//! Errors of reading a site. Each message names the problem and the remedy.

use std::io;
use std::path::PathBuf;

use crate::error::{FileError, OptionError};
use crate::ledger::LostCount;
use crate::progress::Interrupted;

/// Why a site could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// The site's folder is missing or not a folder.
    #[error("cannot read the site: expected a folder at {}, found {found}. Pass the output folder of your site generator", path.display())]
    NoSite {
        /// The path of the site.
        path: PathBuf,
        /// What the path refers to.
        found: String,
    },
    /// Pages from another program cannot be read.
    #[error(
        "cannot read pages from {}: found {found}. Pass the folder of a site, or lines with a JSON object each, such as {{\"url\": \"/a/\", \"text\": \"…\"}}", path.display()
    )]
    Records {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// What was found, or the system's error.
        found: String,
    },
    /// The site contains no HTML files.
    #[error(
        "nothing to index: no .html, .htm or .xhtml files in {}, only {files} other files. Pass the folder of the built \
         site, not its sources", path.display()
    )]
    NoHtml {
        /// The site's folder.
        path: PathBuf,
        /// Number of files of other types.
        files: u64,
    },
    /// Every page was skipped.
    #[error(
        "nothing to index: none of the {files} HTML files in {} is a page with words: {found}. Pass the folder of the \
         built site", path.display()
    )]
    NoPages {
        /// The site's folder.
        path: PathBuf,
        /// Number of HTML files.
        files: u64,
        /// Why they were skipped: the reasons and their counts.
        found: String,
    },
    /// Files of the site cannot be read.
    #[error(
        "cannot read {count} of the site's files, for example {}: {example_error}. Fix them, or skip them with \
         --exclude", example.display()
    )]
    Unreadable {
        /// The number of files.
        count: u64,
        /// One of the files.
        example: PathBuf,
        /// The system's error.
        example_error: String,
    },
    /// The file of classes is invalid.
    #[error("cannot read classes from {}: expected CSV with the columns url and class, found {found}", path.display())]
    Classes {
        /// The class file.
        path: PathBuf,
        /// Its invalid content.
        found: String,
    },
    /// Some files were counted twice or not at all.
    #[error(transparent)]
    LostCount(#[from] LostCount),
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The observer asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl SiteError {
    /// Fails if there are files that cannot be read.
    ///
    /// # Errors
    ///
    /// [`SiteError::Unreadable`], with the first file as an example.
    pub fn check_readable(unreadable: &[(PathBuf, io::Error)]) -> Result<(), Self> {
        let count = unreadable.len() as u64;
        unreadable.first().map_or(Ok(()), |(example, error)| {
            let example_error = error.to_string();
            Err(Self::Unreadable { count, example: example.clone(), example_error })
        })
    }
}
