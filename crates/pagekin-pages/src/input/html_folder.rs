//! Reads folders of HTML files, listed as for a build.

use std::path::{Path, PathBuf};

use pagekin_core::links::PageLinks;
use pagekin_core::page::PageText;

use crate::input::error::InputError;
use crate::input::options::{Input, InputOptions};
use crate::input::page;
use crate::input::page::CrawlPage;
use crate::ledger::SkipReason;
use crate::progress::Observer;
use crate::site::exclude::Exclude;
use crate::site::files;
use crate::site::html::{ReadPage, is_html_name, read_html_at};
use crate::site::listing::{HtmlFile, Naming};
use crate::site::reader::{PageExtractor, PageOutcome, SiteOutline, is_not_found, read_page};

/// The HTML files below a folder.
#[derive(Debug, Default)]
pub(super) struct HtmlFolder {
    /// Sorted by URL.
    pub(super) files: Vec<HtmlFile>,
    /// Files that are not pages, with the reason.
    pub(super) skipped: Vec<(PathBuf, SkipReason)>,
}

/// Lists the HTML files of a folder.
pub(super) fn list(
    folder: &Path,
    options: &InputOptions,
    exclude: &mut Exclude<'_>,
) -> Result<HtmlFolder, InputError> {
    let base_url = options.base_url.as_deref().unwrap_or(InputOptions::LOCALHOST);
    let naming = Naming { base_url, clean: false };
    // The empty path matches no folder, so no folder is excluded as an output.
    let listed = files::listed(folder, Path::new(""), naming, exclude)?;
    let files = listed.files.into_iter().map(|mut file| {
        if !is_html_name(&file.path) {
            file.url = of_crawler(file.url);
        }
        file
    });
    let (not_found, files) = files.partition(|file| is_not_found(&file.url));
    let not_found: Vec<HtmlFile> = not_found;
    let not_found = not_found.into_iter().map(|file| (file.path, SkipReason::NotFound));
    let mut skipped = listed.skipped_files;
    skipped.extend(not_found);
    let unreadable = listed.unreadable.into_iter();
    skipped.extend(unreadable.map(|(path, _)| (path, SkipReason::Unreadable)));
    Ok(HtmlFolder { files, skipped })
}

/// Returns the URL of a file named by a crawler. The query, with its escapes, follows the first
/// `?`, or `@` on some systems.
fn of_crawler(url: String) -> String {
    let at = url.rfind('/').map_or(0, |at| at + 1);
    let (folder, name) = url.split_at(at);
    let split = name.split_once("%3F").or_else(|| {
        name.split_once('@').filter(|(name, query)| !name.is_empty() && query.contains('='))
    });
    match split {
        Some((name, query)) => format!("{folder}{name}?{}", query.replace("%25", "%")),
        None => url,
    }
}

/// Warns of globs that match no file in the folders among `inputs`.
///
/// # Errors
///
/// Returns an error if a glob is invalid, or if a folder cannot be listed.
pub fn check_globs(
    inputs: &[Input],
    options: &InputOptions,
    observer: &dyn Observer,
) -> Result<(), InputError> {
    if options.exclude.is_empty() {
        return Ok(());
    }
    let mut exclude = Exclude::new(&options.exclude)?;
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

/// Extracts pages for a crawl.
struct CrawlPageExtractor<'a> {
    options: &'a InputOptions,
}

impl PageExtractor for CrawlPageExtractor<'_> {
    type Around = PageLinks;
    type Kept = Result<CrawlPage, SkipReason>;

    fn parse(&mut self, file: &HtmlFile, bytes: &[u8], _: &SiteOutline) -> (ReadPage, PageLinks) {
        read_html_at(&file.url, bytes, None)
    }

    /// Keeps redirects and copies, which a crawl records as such.
    fn skip_reason(&self, _: &HtmlFile, _: &PageText, _: &SiteOutline) -> Option<SkipReason> {
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
            page::drop_own_canonical(page);
        }
        Ok(page)
    }
}

/// Reads a file, and sets `bytes` to its size.
pub(super) fn page(
    file: &HtmlFile,
    options: &InputOptions,
    bytes: &mut u64,
) -> Result<CrawlPage, SkipReason> {
    let extractor = &mut CrawlPageExtractor { options };
    let site = &SiteOutline::new(&[], options.max_page_bytes);
    let read = read_page(file, site, &mut Vec::new(), extractor);
    *bytes = read.bytes;
    match read.outcome {
        PageOutcome::Page(page) => page,
        PageOutcome::Skipped(reason) => Err(reason),
        PageOutcome::Unreadable(_) => Err(SkipReason::Unreadable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_of_crawlers_give_urls() {
        let check = |name: &str, expected: &str| {
            assert_eq!(
                of_crawler(format!("https://x.org/a/{name}")),
                format!("https://x.org/a/{expected}")
            );
        };
        check("item%3Fid=1", "item?id=1");
        check("page.php%3Fa=b%252Fc%3Fd", "page.php?a=b%2Fc%3Fd");
        check("index.html@p=2", "index.html?p=2");
        check("@user", "@user");
        check("a@b", "a@b");
        check("about", "about");
    }
}
