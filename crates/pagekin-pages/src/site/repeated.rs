//! Blocks of text that occur on many pages of a site: menus, notices and footers that no element
//! marks as such.
//!
//! # Rules
//!
//! 1. At most 1,000 files of at most 8 MiB each are read, evenly spread over all files in the order
//!    of URLs. Pages that are not indexed are ignored, and so are pages without a marked body if
//!    others mark theirs.
//! 2. A [block](crate::site::blocks) is repeated if at least 20% of these pages contain it, and at
//!    least 8. Its frequency on a page and white space at its ends do not matter.
//!
//! The pages of the sample are handed on to the build, which would otherwise read most sites twice.
//!
//! [`BlockText`] defines what is removed from a page. The purpose of a block is unknown, but text
//! that 20% of the pages share does not distinguish them, whether it is a menu or a phrase.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};

use pagekin_core::links::PageLinks;
use rustc_hash::FxHashMap;

use crate::ledger::SkipReason;
use crate::progress::{Interrupted, Observer, Stage};
use crate::site::blocks::{BlockReader, BlockText, PageSurroundings, Repeated, hash_of};
use crate::site::bounds;
use crate::site::html::{ReadPage, read_html_twice, read_selected, read_selected_with_links};
use crate::site::listing::HtmlFile;
use crate::site::on_threads::in_order;
use crate::site::reader::{
    PageExtractor, PageOutcome, PageRead, ParsedFile, ParsedFiles, SiteOutline, read_files,
    read_page, sample, sampled,
};
use crate::site::selectors::Selectors;

/// Maximum number of pages that are sampled.
const MAX_SAMPLED: usize = 1_000;
/// Minimum number of sampled pages with a repeated block.
const MIN_PAGES: u64 = 8;
/// Minimum percentage of sampled pages with a repeated block.
const MIN_PERCENT: u64 = 20;
/// Maximum number of bytes of the sampled files whose pages are handed on. A parsed page takes less
/// memory than its file.
const MAX_HANDED_ON: u64 = 48 << 20;
/// Maximum number of blocks that are reported.
const MAX_REPORTED: usize = 10;

/// The text that many pages of a site share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepeatedText {
    /// Number of sampled pages.
    pub sampled: u64,
    /// Number of different blocks on at least 20% of these, and on at least 8.
    pub blocks: u64,
    /// The most common of them that contain a letter or digit, at most 10. Equally common ones are
    /// in the order of their first occurrence.
    pub commonest: Vec<RepeatedBlock>,
    /// Total number of blocks that were removed from the pages of the site.
    pub left_out: u64,
}

/// A block of text that many pages share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedBlock {
    /// The text of the block.
    pub text: String,
    /// Number of sampled pages with the block.
    pub pages: u64,
}

/// A block on a sampled page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sighting {
    hash: u64,
    place: u32,
    /// Whether it contains a letter or digit, unlike arrows between the items of a menu.
    is_reportable: bool,
}

/// The unique blocks of a page, sorted by hash, and whether it marks its body. `None` if the file
/// is not a page.
type Sampled = Option<(Vec<Sighting>, bool)>;

/// Returns the blocks that many of `files` share, a report on them, and the sampled pages. `files`
/// are sorted by URL.
pub fn find(
    files: &[HtmlFile],
    site: &SiteOutline,
    observer: &dyn Observer,
) -> Result<(Repeated, RepeatedText, ParsedFiles), Interrupted> {
    let sample = sample(files, MAX_SAMPLED);
    observer.stage(Stage::Sampling, sample.len() as u64);
    let handed_on = &AtomicU64::new(0);
    let extractor = || {
        BlockExtractor::new(|text: String, bytes, read: ReadPage, around: PageSurroundings| {
            let sighting = |(block, place): (&str, u32)| {
                let is_reportable = block.contains(char::is_alphanumeric);
                Sighting { hash: hash_of(block), place, is_reportable }
            };
            let mut blocks: Vec<_> = text.lines().zip(0..).map(sighting).collect();
            blocks.sort_unstable();
            blocks.dedup_by_key(|block| block.hash);
            let has_space = handed_on.fetch_add(bytes, Ordering::Relaxed) + bytes <= MAX_HANDED_ON;
            let marked = read.page.marked;
            ((blocks, marked), has_space.then(|| Box::new(ParsedFile { read, around, bytes })))
        })
    };
    let site = &site.of_sample();
    let mut parsed = FxHashMap::default();
    let read = in_order(read_files(&sample, site, extractor, observer)?).1;
    let places = sampled(files.len(), MAX_SAMPLED);
    let sampled = places.zip(read).map(|(at, file)| {
        let (sampled, page) = page_of(file)?;
        parsed.extend(page.map(|page| (at, *page)));
        Some(sampled)
    });
    let sampled: Vec<Sampled> = sampled.collect();
    let (common, sampled) = common(&sampled);
    let mut bytes = Vec::new();
    let reportable = common.iter().filter(|block| block.is_reportable);
    let reported = reportable.filter_map(|block| {
        let file = sample[block.page as usize];
        let text = &mut BlockExtractor::new(|text, _, _, _| text);
        let text = page_of(read_page(file, site, &mut bytes, text))?;
        let text = text.lines().nth(block.place as usize)?.trim().to_owned();
        Some(RepeatedBlock { text, pages: block.pages })
    });
    let text = RepeatedText {
        sampled,
        blocks: common.len() as u64,
        commonest: reported.take(MAX_REPORTED).collect(),
        left_out: 0,
    };
    let repeated = Repeated::new(common.iter().map(|block| block.hash));
    Ok((repeated, text, ParsedFiles::new(parsed)))
}

/// Reads a page and its links with the selectors of its site. If no element marks its body, removes
/// the blocks that are `repeated`. Also returns their number.
///
/// Text that a page with a marked body shares with others is not a menu, but copied text.
#[must_use]
pub fn read_without(
    bytes: &[u8],
    repeated: &Repeated,
    selectors: &Selectors,
) -> (ReadPage, PageLinks, u64) {
    if repeated.is_empty() {
        let (read, links) = read_selected_with_links(bytes, selectors);
        return (read, links, 0);
    }
    let (mut read, links, blocks) = read_html_twice(bytes, selectors, BlockReader::default());
    let (mut page, around) = blocks.finish();
    if around.marks_body {
        return (read, links, 0);
    }
    bounds::cut(&mut page);
    let own = BlockText::new(&page, repeated);
    if own.left_out > 0 {
        // Two line ends separate blocks, because a block may contain one.
        read.page.text = own.text.replace('\n', "\n\n");
        read.page.other = own.other.replace('\n', "\n\n");
        read.page.headings = own.headings;
    }
    (read, links, own.left_out)
}

/// Extracts data from the blocks of a page's text, the size of its file, and the page.
struct BlockExtractor<F> {
    extract: F,
    /// The size of the file that was parsed last.
    bytes: u64,
}

impl<F: Fn(String, u64, ReadPage, PageSurroundings) -> T, T> BlockExtractor<F> {
    fn new(extract: F) -> Self {
        Self { extract, bytes: 0 }
    }
}

impl<F: Fn(String, u64, ReadPage, PageSurroundings) -> T, T> PageExtractor for BlockExtractor<F> {
    type Around = PageSurroundings;
    type Kept = T;

    fn parse(
        &mut self,
        _: &HtmlFile,
        bytes: &[u8],
        site: &SiteOutline,
    ) -> (ReadPage, PageSurroundings) {
        self.bytes = bytes.len() as u64;
        read_selected(bytes, &site.selectors, BlockReader::default(), BlockReader::finish)
    }

    fn keep(
        &mut self,
        _: &HtmlFile,
        read: ReadPage,
        around: PageSurroundings,
    ) -> Result<T, SkipReason> {
        let blocks = BlockText::new(&read.page, &Repeated::default());
        Ok((self.extract)(blocks.text, self.bytes, read, around))
    }
}

/// Returns the extracted data of a page, or `None` for other files.
fn page_of<T>(read: PageRead<T>) -> Option<T> {
    match read.outcome {
        PageOutcome::Page(page) => Some(page),
        PageOutcome::Skipped(_) | PageOutcome::Unreadable(_) => None,
    }
}

/// A block and its first occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Common {
    hash: u64,
    pages: u64,
    page: u32,
    place: u32,
    is_reportable: bool,
}

/// Returns the blocks on enough pages, the most common first, and the number of sampled pages.
fn common(sampled: &[Sampled]) -> (Vec<Common>, u64) {
    let any_marked = sampled.iter().flatten().any(|(_, marked)| *marked);
    let pages = (0..).zip(sampled).filter_map(|(page, sampled)| Some((page, sampled.as_ref()?)));
    let mut counts: FxHashMap<u64, Common> = FxHashMap::default();
    let mut n = 0;
    for (page, (blocks, _)) in pages.filter(|(_, (_, marked))| *marked || !any_marked) {
        n += 1;
        for &Sighting { hash, place, is_reportable } in blocks {
            let new = Common { hash, pages: 0, page, place, is_reportable };
            counts.entry(hash).or_insert(new).pages += 1;
        }
    }
    let enough = |block: &Common| block.pages >= MIN_PAGES && block.pages * 100 >= n * MIN_PERCENT;
    let mut common: Vec<_> = counts.into_values().filter(enough).collect();
    common.sort_unstable_by_key(|block| (Reverse(block.pages), block.page, block.place));
    (common, n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use std::fs;

    /// Finds the repeated text of a site with these pages.
    fn found(pages: &[String]) -> RepeatedText {
        let site = tempfile::tempdir().unwrap();
        let write = |(at, html): (usize, &String)| {
            let path = site.path().join(format!("{at:04}.html"));
            fs::write(&path, html).unwrap();
            HtmlFile { path, url: format!("/{at:04}.html") }
        };
        let files: Vec<_> = pages.iter().enumerate().map(write).collect();
        find(&files, &SiteOutline::new(&files, 1_000), &Silent).unwrap().1
    }

    #[test]
    fn blocks_are_removed_only_from_pages_without_a_marked_body() {
        let menu = "<ul><li><a href=/a>Home</a><li>All the pages</ul>";
        let repeated = Repeated::new(["Home", "All the pages"].map(hash_of).into_iter());
        let words = |html: &str| {
            let (read, links, left_out) =
                read_without(html.as_bytes(), &repeated, &Selectors::default());
            let words = read.page.text.split_whitespace().collect::<Vec<_>>().join(" ");
            (words, links.links.len(), left_out)
        };
        let (own, none) = ("Home All the pages Own text.".to_owned(), Repeated::default());
        assert_eq!(words(&format!("{menu}<p>Own text.")), ("Own text.".to_owned(), 1, 2));
        assert_eq!(words(&format!("<main>{menu}<p>Own text.</main>")), (own.clone(), 1, 0));
        let menu_and_text = format!("{menu}<p>Own text.");
        let whole = read_without(menu_and_text.as_bytes(), &none, &Selectors::default());
        let whole = whole.0.page.text;
        assert_eq!(whole.split_whitespace().collect::<Vec<_>>().join(" "), own);
        // A page without other text is kept.
        assert_eq!(words(menu), ("Home All the pages".to_owned(), 1, 0));
    }

    #[track_caller]
    fn check(pages: &[String], sampled: u64, expected: &[(&str, u64)]) {
        let found = found(pages);
        let commonest = found.commonest.iter().map(|block| (&*block.text, block.pages));
        assert_eq!(commonest.collect::<Vec<_>>(), expected);
        assert_eq!((found.sampled, found.blocks), (sampled, expected.len() as u64));
    }

    fn pages(n: usize, with: impl Fn(usize) -> String) -> Vec<String> {
        (0..n).map(|at| format!("<p>Own {at}<p>Own {at}{}", with(at))).collect()
    }

    #[test]
    fn blocks_of_many_pages_are_repeated() {
        let menu = |at: usize| match at {
            0..8 => "<ul><li><a href=x>Home</a><li>\n Our <b>news</b> </ul>",
            8 => "<ul><li>Home",
            _ => "",
        };
        check(&pages(40, |at| menu(at).to_owned()), 40, &[("Home", 9), ("Our news", 8)]);
        // 8 of more pages are too few.
        check(&pages(41, |at| menu(at).to_owned()), 41, &[("Home", 9)]);
        check(&pages(46, |at| menu(at).to_owned()), 46, &[]);
        check(&pages(7, |_| "<p>All of few".to_owned()), 7, &[]);
    }

    #[test]
    fn pages_that_are_not_indexed_are_ignored() {
        let mut pages = pages(10, |_| "<p>On all pages".to_owned());
        pages[3] += "<meta name=robots content=noindex>";
        pages[4] += &" ".repeat(1_000);
        check(&pages, 8, &[("On all pages", 8)]);
        pages.iter_mut().take(9).for_each(|page| *page += "<p data-pagekin-body>On marked pages");
        check(&pages, 7, &[]);
    }

    #[test]
    fn the_sample_is_spread_over_the_site() {
        let found = found(&pages(2_500, |at| format!("<p>Every {}", at % 5)));
        assert_eq!((found.sampled, found.blocks), (1_000, 2));
    }
}
