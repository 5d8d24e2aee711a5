//! A folder of HTML files, listed as for a build.

use std::path::Path;

use crate::crawl::error::CrawlError;
use crate::crawl::input::options::InputOptions;
use crate::crawl::input::page;
use crate::crawl::input::page::CrawlPage;
use crate::crawl::input::summary::CrawlSkip;
use crate::site::listing;
use crate::site::listing::{HtmlFile, Listing, Naming};
use crate::site::read::read_file;

/// The HTML files below `folder`, by address.
pub(super) fn list(folder: &Path, base_url: &str) -> Result<Listing, CrawlError> {
    // No folder is named by the empty path, so none is left out as an output.
    let naming = Naming { base_url, clean: false };
    Ok(listing::list(folder, Path::new(""), naming)?)
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
