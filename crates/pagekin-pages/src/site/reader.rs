//! HTML files into what a caller keeps of each page. Whoever reads the files of a folder reads them
//! here: builds, near-duplicates, evaluations and crawls, each with a [`PageExtractor`] of its own.

use std::borrow::Borrow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use pagekin_core::address;
use pagekin_core::page::PageText;

use crate::ledger::SkipReason;
use crate::progress::{Interrupted, Observer};
use crate::site::canonical::{is_other_page_of, redirects_elsewhere};
use crate::site::html::ReadPage;
use crate::site::links::{Paths, Pointing};
use crate::site::listing::HtmlFile;
use crate::site::on_threads::{Worker, on_threads};
use crate::site::skipped::SkippedFiles;

/// Maximum number of bytes of a file in a sample.
const MAX_SAMPLED_BYTES: u64 = 8 << 20;

/// What is known of a site before its pages are read.
#[derive(Debug, Clone, Default)]
pub struct SiteOutline {
    /// Its pages by their paths, as of site 0.
    pub pages: Paths,
    /// Larger files are skipped.
    pub max_page_bytes: u64,
    /// The paths of pages that a template names as canonical: no page is folded into them.
    pub template_canonicals: Vec<String>,
}

impl SiteOutline {
    /// Of all files of a site.
    #[must_use]
    pub fn new(files: &[HtmlFile], max_page_bytes: u64) -> Self {
        let pages = Paths::new(files.iter().map(|file| (0, file.url.as_str())));
        Self { pages, max_page_bytes, template_canonicals: Vec::new() }
    }

    /// The same for a sample, which is read in addition to all pages: without the largest files.
    #[must_use]
    pub(crate) fn of_sample(&self) -> Self {
        let max_page_bytes = self.max_page_bytes.min(MAX_SAMPLED_BYTES);
        Self { max_page_bytes, ..self.clone() }
    }
}

/// What a caller keeps of pages, and what it gathers of those that one thread reads.
pub trait PageExtractor {
    /// What it takes from a file beside the page.
    type Around;
    /// What it keeps of a page.
    type Kept;

    /// Reads the bytes of a file.
    fn parse(&mut self, file: &HtmlFile, bytes: &[u8]) -> (ReadPage, Self::Around);

    /// Why a file is none of the site's own pages, by what it says of itself.
    fn skip_reason(
        &self,
        file: &HtmlFile,
        page: &PageText,
        site: &SiteOutline,
    ) -> Option<SkipReason> {
        skip_reason(&file.url, page, site)
    }

    /// What is kept of a page that is not set aside, or why nothing is.
    fn keep(
        &mut self,
        file: &HtmlFile,
        read: ReadPage,
        around: Self::Around,
    ) -> Result<Self::Kept, SkipReason>;
}

/// What became of a file, or of another input.
#[derive(Debug)]
pub enum PageOutcome<T> {
    /// It is a page, and this is what was kept.
    Page(T),
    /// It is none of the site's own.
    Skipped(SkipReason),
    /// The system's error.
    Unreadable(io::Error),
}

/// What became of a file, and what was odd about its bytes.
#[derive(Debug)]
pub struct PageRead<T> {
    /// What became of it.
    pub outcome: PageOutcome<T>,
    /// How many bytes were read.
    pub bytes: u64,
    /// Some bytes mean nothing in its encoding. Not told of what is set aside.
    pub malformed: bool,
    /// Why only the beginning of the page was read, if so. Not told of what is set aside.
    pub cut: Option<&'static str>,
}

impl<T> From<PageOutcome<T>> for PageRead<T> {
    fn from(outcome: PageOutcome<T>) -> Self {
        Self { outcome, bytes: 0, malformed: false, cut: None }
    }
}

/// A thread that read files: its keeper, and what became of each file.
pub type FileReader<K> = Worker<K, PageRead<<K as PageExtractor>::Kept>>;

/// Reads `files` of a site on the threads of the pool this runs in. Numbers of what was done are
/// places among `files`.
pub fn read_files<F, K>(
    files: &[F],
    site: &SiteOutline,
    keeper: impl Fn() -> K + Sync,
    observer: &dyn Observer,
) -> Result<Vec<FileReader<K>>, Interrupted>
where
    F: Borrow<HtmlFile> + Sync,
    K: PageExtractor<Kept: Send> + Send,
{
    let state = || (keeper(), Vec::new());
    let one = |(keeper, bytes): &mut (K, Vec<u8>), at: usize| {
        read_page(files[at].borrow(), site, bytes, keeper)
    };
    let workers = on_threads(files.len(), state, one, observer)?;
    let keeper =
        |worker: Worker<(K, Vec<u8>), _>| Worker { state: worker.state.0, done: worker.done };
    Ok(workers.into_iter().map(keeper).collect())
}

/// Reads one file. `bytes` are for those of the file, whatever is in them.
pub fn read_page<K: PageExtractor>(
    file: &HtmlFile,
    site: &SiteOutline,
    bytes: &mut Vec<u8>,
    keeper: &mut K,
) -> PageRead<K::Kept> {
    match read_file(&file.path, site.max_page_bytes, bytes) {
        Ok(true) => {}
        Ok(false) => return PageOutcome::Skipped(SkipReason::TooLarge).into(),
        Err(error) => return PageOutcome::Unreadable(error).into(),
    }
    let n = bytes.len() as u64;
    let (read, around) = keeper.parse(file, bytes);
    if let Some(reason) = keeper.skip_reason(file, &read.page, site) {
        return PageRead { bytes: n, ..PageOutcome::Skipped(reason).into() };
    }
    let (malformed, cut) = (read.malformed, read.cut);
    let outcome = match keeper.keep(file, read, around) {
        Ok(kept) => PageOutcome::Page(kept),
        Err(reason) => PageOutcome::Skipped(reason),
    };
    PageRead { outcome, bytes: n, malformed, cut }
}

/// What was kept of `files`; what was not is counted.
pub fn kept<T>(
    files: &[HtmlFile],
    read: Vec<PageRead<T>>,
    skipped: &mut SkippedFiles<'_>,
    unreadable: &mut Vec<(PathBuf, io::Error)>,
) -> Vec<T> {
    let mut all = Vec::with_capacity(read.len());
    for (file, read) in files.iter().zip(read) {
        match read.outcome {
            PageOutcome::Page(page) => all.push(page),
            PageOutcome::Skipped(reason) => skipped.add(reason, &file.path),
            PageOutcome::Unreadable(error) => unreadable.push((file.path.clone(), error)),
        }
    }
    all
}

/// So many of `files` at most, evenly spread over all.
pub(crate) fn sample(files: &[HtmlFile], most: usize) -> Vec<&HtmlFile> {
    let n = files.len().min(most);
    (0..n).map(|at| &files[at * files.len() / n]).collect()
}

/// Why a page at `url` is none of the site's own, by what it says of itself.
fn skip_reason(url: &str, page: &PageText, site: &SiteOutline) -> Option<SkipReason> {
    if is_not_found(url) {
        return Some(SkipReason::NotFound);
    }
    let redirect = page.redirect.as_deref();
    if redirect.is_some_and(|target| redirects_elsewhere(url, target)) {
        return Some(SkipReason::Redirect);
    }
    if page.noindex {
        return Some(SkipReason::NoIndex);
    }
    let canonical = page.canonical.as_deref();
    let is_of_template = |canonical: &str| {
        let path = || Pointing::from(url, None)?.to(canonical);
        !site.template_canonicals.is_empty()
            && path().is_some_and(|path| site.template_canonicals.contains(&path))
    };
    let elsewhere = canonical.is_some_and(|canonical| {
        is_other_page_of(&site.pages, url, canonical) && !is_of_template(canonical)
    });
    elsewhere.then_some(SkipReason::Canonical)
}

/// Whether a host answers with the page at `url` where no page is: `404.html` and `404/index.html`,
/// in any folder, as sites of several languages have them.
pub(crate) fn is_not_found(url: &str) -> bool {
    let path = address::path(url).trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    matches!(name, "404" | "404.html" | "404.htm" | "404.xhtml")
}

/// Reads a file into `bytes`; `false` if it is larger than `most`. What is no plain file is not
/// even opened: that may wait for ever.
pub fn read_file(path: &Path, most: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.len() > most {
        return Ok(false);
    }
    // It may have grown since.
    File::open(path)?.take(most + 1).read_to_end(bytes)?;
    Ok(bytes.len() as u64 <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_missing_pages_are_known_by_their_addresses() {
        for url in ["/404.html", "/404/", "/de/404.html", "https://x.org/de/404/", "/404.htm"] {
            assert!(is_not_found(url), "{url}");
        }
        for url in
            ["/", "/404-errors.html", "/404/a.html", "/a404.html", "https://404/", "/403.html"]
        {
            assert!(!is_not_found(url), "{url}");
        }
    }
}
