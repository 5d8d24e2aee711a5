//! A folder of HTML files, listed as for a build.

use std::path::{Path, PathBuf};

use crate::input::error::InputError;
use crate::input::options::{Input, InputOptions};
use crate::input::page;
use crate::input::page::CrawlPage;
use crate::input::summary::CrawlSkip;
use crate::progress::Observer;
use crate::site::exclude::Exclude;
use crate::site::listing;
use crate::site::listing::{HtmlFile, Naming};
use crate::site::read::{is_not_found, read_file};

/// The HTML files below a folder.
#[derive(Debug, Default)]
pub(super) struct HtmlFolder {
    /// By address.
    pub(super) files: Vec<HtmlFile>,
    /// Files that are no pages, by the reason.
    pub(super) skipped: Vec<(PathBuf, CrawlSkip)>,
}

/// Lists a folder.
pub(super) fn list(
    folder: &Path,
    options: &InputOptions,
    exclude: &mut Exclude<'_>,
) -> Result<HtmlFolder, InputError> {
    let base_url = options.base_url.as_deref().unwrap_or(InputOptions::LOCALHOST);
    // No folder is named by the empty path, so none is left out as an output.
    let listing = listing::list(folder, Path::new(""), Naming { base_url, clean: false })?;
    let (mut files, mut skipped) = (Vec::with_capacity(listing.files.len()), Vec::new());
    for file in listing.files {
        if exclude.has_file(&file.path, folder) {
            skipped.push((file.path, CrawlSkip::Excluded));
        } else if is_not_found(&file.url) {
            skipped.push((file.path, CrawlSkip::NotFound));
        } else {
            files.push(file);
        }
    }
    skipped.extend(listing.duplicates.into_iter().map(|path| (path, CrawlSkip::DuplicateFile)));
    skipped.extend(listing.unreadable.into_iter().map(|(path, _)| (path, CrawlSkip::Unreadable)));
    Ok(HtmlFolder { files, skipped })
}

/// Warns of globs that match no file of the folders among `inputs`.
///
/// # Errors
///
/// If what is written is no glob, or a folder cannot be listed.
pub fn check_globs(
    inputs: &[Input],
    options: &InputOptions,
    observer: &dyn Observer,
) -> Result<(), InputError> {
    if options.exclude.is_empty() {
        return Ok(());
    }
    let mut exclude = Exclude::of(&options.exclude)?;
    for input in inputs {
        if let Input::Path(path) = input
            && path.is_dir()
        {
            list(path, options, &mut exclude)?;
        }
    }
    exclude.warn_of_unmatched(observer);
    Ok(())
}

/// Reads a file; `bytes` is set to its size.
pub(super) fn page(
    file: &HtmlFile,
    options: &InputOptions,
    bytes: &mut u64,
) -> Result<CrawlPage, CrawlSkip> {
    let mut html = Vec::new();
    match read_file(&file.path, options.max_page_bytes, &mut html) {
        Ok(true) => {}
        Ok(false) => return Err(CrawlSkip::TooLarge),
        Err(_) => return Err(CrawlSkip::Unreadable),
    }
    *bytes = html.len() as u64;
    let mut page = page::of_html(&file.url, &html, None, options)?;
    if options.base_url.is_none() {
        page::forget_own_host(&mut page);
    }
    Ok(page)
}
