//! Why a build failed. Each message says what was expected, what was found and what to do.

use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::near::ParameterError;

use crate::crawl_folder::error::CrawlFolderError;
use crate::index_folder::error::FolderError;

/// Why a build failed. Whatever the reason, the output of an earlier build is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The site's folder is not there, or no folder.
    #[error("cannot read the site: expected a folder at {}, found {found}. Give the folder your site generator writes", path.display())]
    NoSite {
        /// The path that was given.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// The site has no HTML.
    #[error(
        "there is nothing to index: expected .html, .htm or .xhtml files below {}, found {files} other files. Give the folder that \
         holds the built site, not its sources", path.display()
    )]
    NoHtml {
        /// The site's folder.
        path: PathBuf,
        /// Files of other types.
        files: u64,
    },
    /// No page was left after those that do not count.
    #[error(
        "there is nothing to index: expected pages with words in the {files} HTML files below {}, found {found}. Give the folder of the built site; --base-url tells where it is published, if \
         canonical addresses are in the way", path.display()
    )]
    NoPages {
        /// The site's folder.
        path: PathBuf,
        /// HTML files.
        files: u64,
        /// Why none counts: the reasons and their numbers.
        found: String,
    },
    /// Files of the site that cannot be read.
    #[error(
        "{count} of the site's files cannot be read, such as {}: {example_error}. Mend them, or pass --skip-unreadable to leave \
         them out", example.display()
    )]
    Unreadable {
        /// How many.
        count: u64,
        /// One of them.
        example: PathBuf,
        /// What the system says of it.
        example_error: String,
    },
    /// The output path holds something that is not an index.
    #[error(
        "will not write to {}: expected nothing there, an empty folder or an earlier index, found {found}. Give another path, or \
         remove it yourself", path.display()
    )]
    OutputTaken {
        /// The path that was given.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// A file was to be written where something else is.
    #[error("will not write to {}: expected a file or nothing there, found {found}. Give the path of a file", path.display())]
    FileTaken {
        /// The path that was given.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// An index was to tell of its pages, and cannot.
    #[error(transparent)]
    Index(#[from] FolderError),
    /// An index has no sketches of the texts of its pages.
    #[error("the index {} has no sketches, by which near-duplicates are found: it was built with --no-sketches or from a crawl. Build it \
             anew, or give the folder of the site", path.display())]
    NoSketches {
        /// The index.
        path: PathBuf,
    },
    /// The folder that was given has none of the pages of an index.
    #[error("the pages of the index are not in {}: expected the folder of the site that was indexed, found none of {pages} pages, \
             such as that of {example}", path.display())]
    OtherSite {
        /// The folder.
        path: PathBuf,
        /// The pages that were looked for.
        pages: u64,
        /// The address of one.
        example: String,
    },
    /// The output would replace the site.
    #[error("will not write to {}: the site {} lies in it. Give a folder beside the site, or one within it", output.display(), site.display())]
    OutputHoldsSite {
        /// The output path.
        output: PathBuf,
        /// The site.
        site: PathBuf,
    },
    /// The output would lie in the crawl, or replace it.
    #[error("will not write to {}: expected a folder beside the crawl {}, found one that holds it or lies in it. Give another", output.display(), crawl.display())]
    OutputAndCrawl {
        /// The output path.
        output: PathBuf,
        /// The folder of the crawl.
        crawl: PathBuf,
    },
    /// An index was given where a site must be.
    #[error(
        "cannot compare the pages of {}: expected a site's folder of HTML, found an index, which holds no texts. Give the \
         folder that was indexed", path.display()
    )]
    IndexForSite {
        /// The path that was given.
        path: PathBuf,
    },
    /// The folder of a crawl cannot be read.
    #[error(transparent)]
    Crawl(#[from] CrawlFolderError),
    /// Reading or writing failed.
    #[error("cannot {action} {}: {source}{}", path.display(), hint(source))]
    Io {
        /// What was tried: "write", "create".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// An option is out of its range.
    #[error("{option} is {found}: expected {expected}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Its range.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// The observer asked to stop.
    #[error("interrupted: nothing was written; the output is as it was before")]
    Interrupted,
}

impl From<ParameterError> for BuildError {
    fn from(ParameterError { name: option, expected, found }: ParameterError) -> Self {
        Self::Option { option, expected, found: found.to_string() }
    }
}

impl BuildError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

/// What to do about the failures people meet.
fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            ". Make room, or give an output path on another disk; the earlier output is untouched"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            ". Give a path you may write to; the earlier output is untouched"
        }
        _ => "",
    }
}
