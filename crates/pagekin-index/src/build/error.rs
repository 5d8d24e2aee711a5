//! Why an index could not be built. Each message says what was expected, what was found and what to
//! do.

use std::path::PathBuf;

use crate::mirrors::error::MirrorsError;
use crate::read::error::FolderError;
#[cfg(feature = "crawl")]
use pagekin_crawl::folder::CrawlFolderError;
use pagekin_pages::Interrupted;
use pagekin_pages::OutputError;
use pagekin_pages::SiteError;
use pagekin_pages::{FileError, OptionError};

/// Why an index could not be built. In every case the output of an earlier build is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The site cannot be read.
    #[error(transparent)]
    Site(SiteError),
    /// The folder of the crawl cannot be read.
    #[cfg(feature = "crawl")]
    #[error(transparent)]
    Crawl(#[from] CrawlFolderError),
    /// The earlier index cannot be read.
    #[error(transparent)]
    Index(#[from] FolderError),
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The output would be inside the crawl, or replace it.
    #[cfg(feature = "crawl")]
    #[error("refusing to write to {}: it contains the crawl {}, or is inside it. Choose a folder beside it", output.display(), crawl.display())]
    OutputAndCrawl {
        /// The output path.
        output: PathBuf,
        /// The folder of the crawl.
        crawl: PathBuf,
    },
    /// The bundle would be replaced with the output.
    #[error("refusing to write the offline bundle to {}: it is in the output {}, which is replaced as a whole. Choose a path beside it", path.display(), output.display())]
    BundleInOutput {
        /// The path of the bundle.
        path: PathBuf,
        /// The output.
        output: PathBuf,
    },
    /// More pages than an offline bundle holds.
    #[error(
        "the site is too large for an offline bundle: expected at most {most} pages, found {found}. Leave out a part of the site \
             with --exclude, or publish the output with --pages offline, so that visitors can keep it"
    )]
    BundleTooLarge {
        /// Pages of the site.
        found: u64,
        /// The most there may be.
        most: u64,
    },
    /// A file of the index would be longer than readers take.
    #[error(
        "the index would have a file of {folder} that is too long to be read: expected {expected}. Allow more files \
         with --max-files, or use --layout packs"
    )]
    TooLong {
        /// The folder of files of this kind; empty for the manifest.
        folder: &'static str,
        /// What a reader expects of it.
        expected: &'static str,
    },
    /// A line of a file with something for pages says something else.
    #[error("cannot read --{option} {}, line {line}: expected {expected}, found {found}", path.display())]
    Given {
        /// The option that names the file.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What a line is.
        expected: &'static str,
        /// What is wrong.
        found: String,
    },
    /// A file with something for pages names none of the site.
    #[error(
        "--{option} {} is of no page: expected lines that name pages by their path below the site, such as guide/setup.html, or by their \
         address, found {found}. Make it for this site, or build without it", path.display()
    )]
    GivenPages {
        /// The option that names the file.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// What it has instead.
        found: String,
    },
    /// The index cannot be laid out on several hosts.
    #[error(transparent)]
    Mirrors(#[from] MirrorsError),
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

impl From<SiteError> for BuildError {
    fn from(error: SiteError) -> Self {
        match error {
            SiteError::Interrupted(error) => Self::Interrupted(error),
            error => Self::Site(error),
        }
    }
}
