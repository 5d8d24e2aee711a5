//! Why a site could not be read. Each message says what was expected, what was found and what to
//! do.

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
        /// The path that was given.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// The site has no HTML.
    #[error(
        "nothing to index: expected .html, .htm or .xhtml files in {}, found {files} other files. Pass the folder of the built \
         site, not its sources", path.display()
    )]
    NoHtml {
        /// The site's folder.
        path: PathBuf,
        /// Files of other types.
        files: u64,
    },
    /// Every page was skipped.
    #[error(
        "nothing to index: expected pages with words among the {files} HTML files in {}, found {found}. Pass the folder of the \
         built site", path.display()
    )]
    NoPages {
        /// The site's folder.
        path: PathBuf,
        /// HTML files.
        files: u64,
        /// Why they were skipped: the reasons and their numbers.
        found: String,
    },
    /// Files of the site that cannot be read.
    #[error(
        "cannot read {count} of the site's files, for example {}: {example_error}. Fix them, or pass --skip-unreadable to skip \
         them", example.display()
    )]
    Unreadable {
        /// How many.
        count: u64,
        /// One of them.
        example: PathBuf,
        /// The system's error.
        example_error: String,
    },
    /// The file of classes says something else.
    #[error("cannot read classes from {}: expected CSV with the columns url and class, found {found}", path.display())]
    Classes {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
    },
    /// Some files are accounted for twice or not at all.
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
