//! Errors of building an index.

use std::path::PathBuf;

use crate::mirrors::error::MirrorsError;
use crate::read::error::FolderError;
#[cfg(feature = "crawl")]
use pagekin_crawl::folder::CrawlFolderError;
use pagekin_pages::Interrupted;
use pagekin_pages::OutputError;
use pagekin_pages::SiteError;
use pagekin_pages::{FileError, OptionError};

/// An index cannot be built. The output of an earlier build is unchanged in every case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The site cannot be read.
    #[error(transparent)]
    Site(#[from] SiteError),
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
    #[error("refusing to write to {}: it contains the crawl {}, or is inside it. Choose a folder outside it", output.display(), crawl.display())]
    OutputAndCrawl {
        /// The output path.
        output: PathBuf,
        /// The folder of the crawl.
        crawl: PathBuf,
    },
    /// The bundle would be replaced together with the output.
    #[error("refusing to write the offline bundle to {}: it is in the output {}, which is replaced as a whole. Choose a path outside it", path.display(), output.display())]
    BundleInOutput {
        /// The path of the bundle.
        path: PathBuf,
        /// The output.
        output: PathBuf,
    },
    /// The site has too many pages for an offline bundle.
    #[error(
        "the site is too large for an offline bundle: expected at most {most} pages, found {found}. Exclude a part of the site \
             with --exclude, or publish the output with --pages offline, so that visitors can store it"
    )]
    BundleTooLarge {
        /// The number of pages of the site.
        found: u64,
        /// The maximum number of pages.
        most: u64,
    },
    /// A file of the index would exceed the limits of readers.
    #[error(
        "a file of the index in {folder} would be too long for readers: expected {expected}. Use \
         --layout packs, or exclude a part of the site with --exclude"
    )]
    TooLong {
        /// The folder of such files; empty for the manifest.
        folder: &'static str,
        /// The limit that it would exceed.
        expected: &'static str,
    },
    /// A line of a file with data for pages is invalid.
    #[error("cannot read --{option} {}, line {line}: expected {expected}, found {found}", path.display())]
    Given {
        /// The option that names the file.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The format of a line.
        expected: &'static str,
        /// The problem.
        found: String,
    },
    /// A file with data for pages names no page of the site.
    #[error(
        "--{option} {} names no page of this site: found {found}. Name pages by their path below the site, such as \
         guide/setup.html, or by their URL", path.display()
    )]
    GivenPages {
        /// The option that names the file.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// The names in the file.
        found: String,
    },
    /// The index cannot be spread over several hosts.
    #[error(transparent)]
    Mirrors(#[from] MirrorsError),
    /// An option is out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The observer requested the build to stop. See [`is_interrupted`](Self::is_interrupted).
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl BuildError {
    /// Whether the observer requested the build to stop.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Interrupted(_) | Self::Site(SiteError::Interrupted(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interruptions_are_recognized_at_any_level() {
        assert!(BuildError::from(Interrupted).is_interrupted());
        assert!(BuildError::from(SiteError::from(Interrupted)).is_interrupted());
        let option = OptionError { option: "seed", expected: "a number", found: "x".to_owned() };
        assert!(!BuildError::from(option).is_interrupted());
    }
}
