//! Reads the HTML files of a site into what a caller keeps of each page. Builds, near-duplicate
//! detection, evaluations and crawls all use it, each with its own [`PageExtractor`].

use std::borrow::Borrow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::read::MultiGzDecoder;
use pagekin_core::address;
use pagekin_core::page::PageText;
use rustc_hash::FxHashMap;

use crate::ledger::SkipReason;
use crate::progress::{Interrupted, Observer};
use crate::site::binary::is_page;
use crate::site::blocks::PageSurroundings;
use crate::site::canonical::{is_other_page_of, redirects_elsewhere};
use crate::site::html::ReadPage;
use crate::site::links::{Paths, Pointing};
use crate::site::listing::HtmlFile;
use crate::site::on_threads::{Worker, on_threads};
use crate::site::selectors::Selectors;
use crate::site::skipped::SkippedFiles;

/// The first bytes of a file that is compressed with gzip.
const GZIP: [u8; 3] = [0x1f, 0x8b, 0x08];
/// Maximum number of bytes of a sampled file.
const MAX_SAMPLED_BYTES: u64 = 8 << 20;

/// The facts about a site that are known before its pages are read.
#[derive(Debug, Clone, Default)]
pub struct SiteOutline {
    /// The paths of its pages, as site 0.
    pub pages: Paths,
    /// Maximum number of bytes of a page. Larger files are skipped.
    pub max_page_bytes: u64,
    /// The canonical paths that a template repeats on its pages. No page is merged into them.
    pub template_canonicals: Vec<String>,
    /// Which elements of its pages are excluded, and which contain their text.
    pub selectors: Selectors,
}

impl SiteOutline {
    /// Returns the outline of all files of a site.
    #[must_use]
    pub fn new(files: &[HtmlFile], max_page_bytes: u64) -> Self {
        let pages = Paths::new(files.iter().map(|file| (0, file.url.as_str())));
        let selectors = Selectors::default();
        Self { pages, max_page_bytes, template_canonicals: Vec::new(), selectors }
    }

    /// Returns the outline for a sample, which is read in addition to all pages: without the
    /// largest files.
    #[must_use]
    pub(crate) fn of_sample(&self) -> Self {
        let max_page_bytes = self.max_page_bytes.min(MAX_SAMPLED_BYTES);
        Self { max_page_bytes, ..self.clone() }
    }
}

/// Extracts what a caller keeps of pages, and collects data about the pages that one thread reads.
pub trait PageExtractor {
    /// Data of a file besides its page.
    type Around;
    /// The result for a page.
    type Kept;

    /// Reads the bytes of a file.
    fn parse(
        &mut self,
        file: &HtmlFile,
        bytes: &[u8],
        site: &SiteOutline,
    ) -> (ReadPage, Self::Around);

    /// Returns why a file is not one of the site's own pages, judged by its content.
    fn skip_reason(
        &self,
        file: &HtmlFile,
        page: &PageText,
        site: &SiteOutline,
    ) -> Option<SkipReason> {
        skip_reason(&file.url, page, site)
    }

    /// Returns the result for a page that is not skipped, or why there is none.
    fn keep(
        &mut self,
        file: &HtmlFile,
        read: ReadPage,
        around: Self::Around,
    ) -> Result<Self::Kept, SkipReason>;
}

/// The outcome of reading a file or another input.
#[derive(Debug)]
pub enum PageOutcome<T> {
    /// The input is a page, with this result.
    Page(T),
    /// The input is not one of the site's own pages.
    Skipped(SkipReason),
    /// Reading failed with this error of the system.
    Unreadable(io::Error),
}

/// The outcome of reading a file, and the oddities of its bytes.
#[derive(Debug)]
pub struct PageRead<T> {
    /// The outcome.
    pub outcome: PageOutcome<T>,
    /// The number of bytes that were read.
    pub bytes: u64,
    /// Whether some bytes are invalid in its encoding. Not reported for skipped files.
    pub malformed: bool,
    /// The reason why only the beginning of the page was read, if so. Not reported for skipped
    /// files.
    pub cut: Option<&'static str>,
}

impl<T> From<PageOutcome<T>> for PageRead<T> {
    fn from(outcome: PageOutcome<T>) -> Self {
        Self { outcome, bytes: 0, malformed: false, cut: None }
    }
}

/// A file that has been read and parsed, but whose page is not kept yet.
#[derive(Debug)]
pub(crate) struct ParsedFile<A> {
    pub(crate) read: ReadPage,
    pub(crate) around: A,
    /// The number of bytes of the file.
    pub(crate) bytes: u64,
}

/// The parsed files of a sample, by their indexes. A caller that reads all files takes each
/// of them once, instead of reading it again.
#[derive(Debug, Default)]
pub struct ParsedFiles(Mutex<FxHashMap<usize, ParsedFile<PageSurroundings>>>);

impl ParsedFiles {
    pub(crate) fn new(files: FxHashMap<usize, ParsedFile<PageSurroundings>>) -> Self {
        Self(Mutex::new(files))
    }

    /// Removes and returns a file, if it was sampled.
    pub(crate) fn take(&self, at: usize) -> Option<ParsedFile<PageSurroundings>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&at)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// The extractor of one thread, and the outcome of each file that it read.
pub type FileReader<K> = Worker<K, PageRead<<K as PageExtractor>::Kept>>;

/// Reads `files` of a site on the threads of the current pool. Input numbers are indexes into
/// `files`.
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

/// Reads one file. `bytes` is a reused buffer, whose content is overwritten.
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
    if !is_page(bytes) {
        return PageRead { bytes: n, ..PageOutcome::Skipped(SkipReason::NotHtml).into() };
    }
    let (read, around) = keeper.parse(file, bytes, site);
    keep_page(file, site, ParsedFile { read, around, bytes: n }, keeper)
}

/// Keeps the page of a parsed file, unless it is skipped.
pub(crate) fn keep_page<K: PageExtractor>(
    file: &HtmlFile,
    site: &SiteOutline,
    parsed: ParsedFile<K::Around>,
    keeper: &mut K,
) -> PageRead<K::Kept> {
    let ParsedFile { read, around, bytes: n } = parsed;
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

/// Returns the results for `files`, and counts the files that have none.
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

/// Returns at most `max` of `files`, evenly spaced.
pub(crate) fn sample(files: &[HtmlFile], max: usize) -> Vec<&HtmlFile> {
    sampled(files.len(), max).map(|at| &files[at]).collect()
}

/// Returns the indexes of at most `max` of `all` files, evenly spaced.
pub(crate) fn sampled(all: usize, max: usize) -> impl Iterator<Item = usize> {
    let n = all.min(max);
    (0..n).map(move |at| at * all / n)
}

/// Returns why the page at `url` is not one of the site's own pages, judged by its content.
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

/// Whether a host serves the page at `url` for missing pages: `404.html` and `404/index.html`, in
/// any folder, because multilingual sites have several.
pub(crate) fn is_not_found(url: &str) -> bool {
    let path = address::path(url).trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    matches!(name, "404" | "404.html" | "404.htm" | "404.xhtml")
}

/// Reads a file into `bytes`, and unpacks it if it is compressed with gzip, as hosts store pages.
/// Returns `false` if the file or its content is larger than `max` bytes. Special files are not
/// opened, because that could block forever.
pub fn read_file(path: &Path, max: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.len() > max {
        return Ok(false);
    }
    // The file may have grown since.
    File::open(path)?.take(max + 1).read_to_end(bytes)?;
    unpack(bytes, max)?;
    Ok(bytes.len() as u64 <= max)
}

/// Replaces bytes that are compressed with gzip by their content, up to `max` bytes and one more.
pub fn unpack(bytes: &mut Vec<u8>, max: u64) -> io::Result<()> {
    if bytes.starts_with(&GZIP) {
        let packed = std::mem::take(bytes);
        MultiGzDecoder::new(&*packed).take(max + 1).read_to_end(bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    #[test]
    fn gzipped_files_are_unpacked_up_to_the_maximum() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("index.html");
        let packed = |text: &[u8]| {
            let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
            packer.write_all(text).unwrap();
            packer.finish().unwrap()
        };
        let mut bytes = Vec::new();
        let mut read = |stored: &[u8], max| {
            fs::write(&file, stored).unwrap();
            read_file(&file, max, &mut bytes).map(|is_whole| (is_whole, bytes.clone()))
        };
        let members = [packed(b"<p>one"), packed(b" two")].concat();
        assert_eq!(read(&members, 100).unwrap(), (true, b"<p>one two".to_vec()));
        assert_eq!(read(b"<p>one", 100).unwrap(), (true, b"<p>one".to_vec()));
        let large = packed(&[b'a'; 10_000]);
        assert!(!read(&large, 9_999).unwrap().0);
        assert!(read(&large, 10_000).unwrap().0);
        assert!(read(&large[..large.len() - 9], 10_000).is_err());
    }

    #[test]
    fn pages_for_missing_pages_are_recognized_by_their_urls() {
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
