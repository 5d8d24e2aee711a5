//! The files of a site that are read: those that are listed, without what the caller leaves out.

use std::io;
use std::path::{Path, PathBuf};

use crate::progress::Observer;
use crate::site::error::SiteError;
use crate::site::exclude::Exclude;
use crate::site::listing::{self, HtmlFile};
use crate::site::options::SiteOptions;
use crate::site::skipped::{SkipReason, SkippedFiles};

/// How many HTML files are below `site`, but not below `output`.
///
/// # Errors
///
/// If there is no such folder.
pub fn count_html_files(
    site: &Path,
    output: &Path,
    options: &SiteOptions,
) -> Result<u64, SiteError> {
    let listing = listing::list(site, output, options.naming())?;
    Ok((listing.files.len() + listing.duplicates.len()) as u64)
}

/// The files of a site that are read.
#[derive(Debug)]
pub struct SiteFiles {
    /// In the order of their addresses, each address once.
    pub files: Vec<HtmlFile>,
    /// How many there are with those that are not read.
    pub html_files: u64,
    /// What could not be listed.
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

impl SiteFiles {
    /// Those below `site`, but not below `output`, which may be the empty path. What is left out is
    /// counted as skipped.
    ///
    /// # Errors
    ///
    /// If there is no such folder, or it has no HTML file.
    pub fn list(
        site: &Path,
        output: &Path,
        options: &SiteOptions,
        exclude: &mut Exclude<'_>,
        skipped: &mut SkippedFiles<'_>,
        observer: &dyn Observer,
    ) -> Result<Self, SiteError> {
        let mut listing = listing::list(site, output, options.naming())?;
        let html_files =
            (listing.files.len() + listing.duplicates.len() + listing.unreadable.len()) as u64;
        if html_files == 0 {
            return Err(SiteError::NoHtml { path: site.to_owned(), files: listing.other_files });
        }
        if let Some(example) = listing.linked_twice.first() {
            let (n, example) = (listing.linked_twice.len(), example.display());
            observer.warn(&format!(
                "{n} links lead to folders that are read by another path, for example {example}: not followed"
            ));
        }
        listing.files.retain(|file| {
            let excluded = exclude.has_file(&file.path, site);
            if excluded {
                skipped.add(SkipReason::Excluded, &file.path);
            }
            !excluded
        });
        for path in &listing.duplicates {
            skipped.add(SkipReason::DuplicateUrl, path);
        }
        Ok(Self { files: listing.files, html_files, unreadable: listing.unreadable })
    }
}
