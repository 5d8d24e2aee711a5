//! A folder of HTML files, listed as for a build.

use std::path::{Path, PathBuf};

use pagekin_core::links::PageLinks;
use pagekin_core::page::PageText;

use crate::input::error::InputError;
use crate::input::options::{Input, InputOptions};
use crate::input::page;
use crate::input::page::CrawlPage;
use crate::input::summary::CrawlSkip;
use crate::progress::Observer;
use crate::site::exclude::Exclude;
use crate::site::files;
use crate::site::html::{ReadPage, read_html_with_links};
use crate::site::listing::{HtmlFile, Naming};
use crate::site::reader::{PageKeeper, PageOutcome, SiteOutline, is_not_found, read_page};
use crate::site::skipped::SkipReason;

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
    let naming = Naming { base_url, clean: false };
    // No folder is named by the empty path, so none is left out as an output.
    let listed = files::listed(folder, Path::new(""), naming, exclude)?;
    let (not_found, files) = listed.files.into_iter().partition(|file| is_not_found(&file.url));
    let not_found: Vec<HtmlFile> = not_found;
    let not_found = not_found.into_iter().map(|file| (file.path, CrawlSkip::NotFound));
    let left_out = listed.left_out.into_iter().map(|(path, why)| (path, CrawlSkip::from(why)));
    let mut skipped: Vec<_> = left_out.chain(not_found).collect();
    let unreadable = listed.unreadable.into_iter();
    skipped.extend(unreadable.map(|(path, _)| (path, CrawlSkip::Unreadable)));
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

/// Keeps pages as a crawl has them.
struct CrawlKeeper<'a> {
    options: &'a InputOptions,
}

impl PageKeeper for CrawlKeeper<'_> {
    type Around = PageLinks;
    type Kept = Result<CrawlPage, CrawlSkip>;

    fn parse(&mut self, _: &HtmlFile, bytes: &[u8]) -> (ReadPage, PageLinks) {
        read_html_with_links(bytes, None)
    }

    /// A crawl has redirects and copies too, which say so.
    fn set_aside(&self, _: &HtmlFile, _: &PageText, _: &SiteOutline) -> Option<SkipReason> {
        None
    }

    fn keep(
        &mut self,
        file: &HtmlFile,
        read: ReadPage,
        links: PageLinks,
    ) -> Result<Self::Kept, SkipReason> {
        let mut page = page::of_read(&file.url, read, &links, self.options);
        if let Ok(page) = &mut page
            && self.options.base_url.is_none()
        {
            page::forget_own_host(page);
        }
        Ok(page)
    }
}

/// Reads a file; `bytes` is set to its size.
pub(super) fn page(
    file: &HtmlFile,
    options: &InputOptions,
    bytes: &mut u64,
) -> Result<CrawlPage, CrawlSkip> {
    let keeper = &mut CrawlKeeper { options };
    let site = &SiteOutline::of(&[], options.max_page_bytes);
    let read = read_page(file, site, &mut Vec::new(), keeper);
    *bytes = read.bytes;
    match read.outcome {
        PageOutcome::Page(page) => page,
        PageOutcome::Skipped(reason) => Err(reason.into()),
        PageOutcome::Unreadable(_) => Err(CrawlSkip::Unreadable),
    }
}
