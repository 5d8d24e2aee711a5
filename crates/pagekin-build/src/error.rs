//! Why a build failed. Each message says what was expected, what was found and what to do.

use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::near::ParameterError;

use crate::crawl_folder::error::CrawlFolderError;
use crate::index_folder::error::FolderError;
use crate::progress::Observer;

/// Why a build failed. In every case the output of an earlier build is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
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
         built site; if canonical URLs exclude its pages, set --base-url to where it is published", path.display()
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
    /// The output path holds something that is not an index.
    #[error(
        "refusing to overwrite {}: expected no folder, an empty folder or an earlier index, found {found}. Choose another path, \
         or remove it first", path.display()
    )]
    OutputTaken {
        /// The path that was given.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// The path of an output file is taken by something else.
    #[error("refusing to overwrite {}: expected a file or nothing, found {found}. Pass the path of a file", path.display())]
    FileTaken {
        /// The path that was given.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// The index that was given cannot be read.
    #[error(transparent)]
    Index(#[from] FolderError),
    /// The index has no text sketches.
    #[error("the index {} has no text sketches to find near-duplicates by: it was built with --no-sketches or from a crawl. Rebuild \
             it, or pass the folder of the site", path.display())]
    NoSketches {
        /// The index.
        path: PathBuf,
    },
    /// The folder that was given has none of the index's pages.
    #[error("the pages of the index are not in {}: expected the folder of the indexed site, found none of {pages} pages, for \
             example {example}", path.display())]
    OtherSite {
        /// The folder.
        path: PathBuf,
        /// The pages that were looked for.
        pages: u64,
        /// The address of one.
        example: String,
    },
    /// The output would replace the site.
    #[error("refusing to write to {}: it contains the site {}. Choose a folder beside the site or inside it", output.display(), site.display())]
    OutputHoldsSite {
        /// The output path.
        output: PathBuf,
        /// The site.
        site: PathBuf,
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
             with --exclude, or publish the output with --offline, so that visitors can keep it"
    )]
    BundleTooLarge {
        /// Pages of the site.
        found: u64,
        /// The most there may be.
        most: u64,
    },
    /// The output would be inside the crawl, or replace it.
    #[error("refusing to write to {}: it contains the crawl {}, or is inside it. Choose a folder beside it", output.display(), crawl.display())]
    OutputAndCrawl {
        /// The output path.
        output: PathBuf,
        /// The folder of the crawl.
        crawl: PathBuf,
    },
    /// An index was given where a site is needed.
    #[error(
        "cannot compare the pages of {}: expected a site's folder of HTML, found an index, which has no texts. Pass the folder \
         that was indexed", path.display()
    )]
    IndexForSite {
        /// The path that was given.
        path: PathBuf,
    },
    /// The folder of the crawl cannot be read.
    #[error(transparent)]
    Crawl(#[from] CrawlFolderError),
    /// The file of classes says something else.
    #[error("cannot read classes from {}: expected CSV with the columns url and class, found {found}", path.display())]
    Classes {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
    },
    /// There is nothing to tell pages apart by.
    #[error(
        "nothing to measure by: expected pages in at least two classes, found {found}. Pass a CSV file of classes as --hierarchy, or measure by --links"
    )]
    TooFewClasses {
        /// How many classes there are.
        found: u32,
    },
    /// Reading or writing failed.
    #[error("cannot {action} {}: {source}{}", path.display(), hint(source))]
    Io {
        /// What was tried: `write`, `create`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file of mirrors says something else.
    #[error("cannot read the mirrors from {}: expected `copies`, `home`, and for each host `[[host]]` with its `url`, found: {found}", path.display())]
    MirrorsFile {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        found: String,
    },
    /// A host has less room than its part of the index needs.
    #[error(
        "the mirror {url} has too little room: expected at least {expected} MB, found max-megabytes = {found}. Raise it, add hosts, or \
         lower `copies`"
    )]
    MirrorRoom {
        /// The address of the host.
        url: String,
        /// Millions of bytes that are needed.
        expected: u64,
        /// Those that there are.
        found: u64,
    },
    /// An option is out of range.
    #[error("{option} is {found}: expected {expected}")]
    Option {
        /// Its name.
        option: &'static str,
        /// The range.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// The observer asked to stop.
    #[error("interrupted: nothing was written, the output is unchanged")]
    Interrupted,
}

impl From<ParameterError> for BuildError {
    fn from(ParameterError { name: option, expected, found }: ParameterError) -> Self {
        Self::Option { option, expected, found: found.to_string() }
    }
}

/// Fails if the observer asked to stop. It is asked between pieces of work that take a small part
/// of a second each.
pub(crate) fn check(observer: &dyn Observer) -> Result<(), BuildError> {
    if observer.cancelled() { Err(BuildError::Interrupted) } else { Ok(()) }
}

impl BuildError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

/// What to do about the common failures.
fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            ". Free some space, or choose an output path on another disk; the earlier output is unchanged"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            ". Choose a writable path; the earlier output is unchanged"
        }
        _ => "",
    }
}
