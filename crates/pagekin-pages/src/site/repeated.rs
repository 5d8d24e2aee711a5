//! Which blocks of text stand on many pages of a site: menus, notices and footers that no element
//! says to be such.
//!
//! # Rules
//!
//! 1. At most 1,000 files are read, evenly spread over all in the order of their addresses, of at
//!    most 8 MiB each. A page
//!    that is left out of the index says nothing, nor does one without a marked body if others mark
//!    theirs.
//! 2. A [block](crate::site::blocks) is repeated if at least 20 % of these pages have it, and at
//!    least 8. How often a page has it does not matter, nor does white space at its ends.
//!
//! What is left out of a page for it, [`BlockText`] says. Nobody knows what a block is for: what 20
//! % of the pages say alike tells none of them from the others, be it a menu or a phrase.

use std::cmp::Reverse;

use pagekin_core::links::PageLinks;
use rustc_hash::FxHashMap;

use crate::ledger::SkipReason;
use crate::progress::{Interrupted, Observer, Stage};
use crate::site::blocks::{BlockReader, BlockText, Repeated, hash_of};
use crate::site::bounds;
use crate::site::html::{ReadPage, read_html_by, read_html_twice, read_html_with_links};
use crate::site::listing::HtmlFile;
use crate::site::on_threads::in_order;
use crate::site::reader::{
    PageExtractor, PageOutcome, PageRead, SiteOutline, read_files, read_page, sample,
};

/// The most pages that are looked at.
const MAX_SAMPLED: usize = 1_000;
/// The fewest pages that have a repeated block.
const MIN_PAGES: u64 = 8;
/// And in per cent of the pages that are looked at.
const MIN_PERCENT: u64 = 20;
/// So many of the commonest are told.
const TOLD: usize = 10;

/// The text that stands on many pages of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepeatedText {
    /// How many pages were looked at.
    pub sampled: u64,
    /// How many different blocks stand on at least 20 % of these, and on at least 8.
    pub blocks: u64,
    /// The commonest of them that have a letter or digit, at most 10; of equals the first of the
    /// first page.
    pub commonest: Vec<RepeatedBlock>,
    /// How many blocks were left out of the pages of the site, in all.
    pub left_out: u64,
}

/// A block of text that stands on many pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedBlock {
    /// Its text.
    pub text: String,
    /// How many of the pages that were looked at have it.
    pub pages: u64,
}

/// A block of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sighting {
    hash: u64,
    place: u32,
    /// Whether it has a letter or digit: arrows between the items of a menu tell nobody anything.
    says_something: bool,
}

/// The blocks of one page, each once, by their hashes in order of these; and whether it marks its
/// body. `None` for what is no page.
type Sampled = Option<(Vec<Sighting>, bool)>;

/// The blocks that many of `files` have, which are in the order of their addresses; and what is
/// told of them.
pub fn find(
    files: &[HtmlFile],
    site: &SiteOutline,
    observer: &dyn Observer,
) -> Result<(Repeated, RepeatedText), Interrupted> {
    let sample = sample(files, MAX_SAMPLED);
    observer.stage(Stage::Sampling, sample.len() as u64);
    let keeper = || {
        BlockExtractor(|text: String, marked| {
            let sighting = |(block, place): (&str, u32)| {
                let says_something = block.contains(char::is_alphanumeric);
                Sighting { hash: hash_of(block), place, says_something }
            };
            let mut blocks: Vec<_> = text.lines().zip(0..).map(sighting).collect();
            blocks.sort_unstable();
            blocks.dedup_by_key(|block| block.hash);
            (blocks, marked)
        })
    };
    let site = &site.of_sample();
    let read = read_files(&sample, site, keeper, observer)?;
    let sampled: Vec<Sampled> = in_order(read).1.into_iter().map(page_of).collect();
    let (common, sampled) = common(&sampled);
    let mut bytes = Vec::new();
    let worth_telling = common.iter().filter(|block| block.says_something);
    let told = worth_telling.filter_map(|block| {
        let file = sample[block.page as usize];
        let text = &mut BlockExtractor(|text, _| text);
        let text = page_of(read_page(file, site, &mut bytes, text))?;
        let text = text.lines().nth(block.place as usize)?.trim().to_owned();
        Some(RepeatedBlock { text, pages: block.pages })
    });
    let text = RepeatedText {
        sampled,
        blocks: common.len() as u64,
        commonest: told.take(TOLD).collect(),
        left_out: 0,
    };
    Ok((Repeated::new(common.iter().map(|block| block.hash)), text))
}

/// Reads a page and its links as [`read_html_with_links`] does, but if no element says what its
/// body is, without the blocks that are `repeated`; and how many these are.
///
/// Of a page that does say so, what other pages have too is no menu: it is what they copy.
#[must_use]
pub fn read_without(bytes: &[u8], repeated: &Repeated) -> (ReadPage, PageLinks, u64) {
    if repeated.is_empty() {
        let (read, links) = read_html_with_links(bytes, None);
        return (read, links, 0);
    }
    let (mut read, links, blocks) = read_html_twice(bytes, BlockReader::default());
    let (mut page, around) = blocks.finish();
    if around.marks_body {
        return (read, links, 0);
    }
    bounds::cut(&mut page);
    let own = BlockText::new(&page, repeated);
    if own.left_out > 0 {
        // Between blocks there are two ends of lines: one may stand within a block.
        read.page.text = own.text.replace('\n', "\n\n");
        read.page.other = own.other.replace('\n', "\n\n");
        read.page.headings = own.headings;
    }
    (read, links, own.left_out)
}

/// Takes what it keeps of a page from its text by its blocks, and whether it marks its body.
struct BlockExtractor<F>(F);

impl<F: Fn(String, bool) -> T, T> PageExtractor for BlockExtractor<F> {
    type Around = ();
    type Kept = T;

    fn parse(&mut self, _: &HtmlFile, bytes: &[u8]) -> (ReadPage, ()) {
        let (read, _) = read_html_by(bytes, BlockReader::default(), BlockReader::finish);
        (read, ())
    }

    fn keep(&mut self, _: &HtmlFile, read: ReadPage, (): ()) -> Result<T, SkipReason> {
        let blocks = BlockText::new(&read.page, &Repeated::default());
        Ok((self.0)(blocks.text, read.page.marked))
    }
}

/// What was kept, if it is a page. What is none says nothing, whatever the reason.
fn page_of<T>(read: PageRead<T>) -> Option<T> {
    match read.outcome {
        PageOutcome::Page(page) => Some(page),
        PageOutcome::Skipped(_) | PageOutcome::Unreadable(_) => None,
    }
}

/// A block and where it stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Common {
    hash: u64,
    pages: u64,
    page: u32,
    place: u32,
    says_something: bool,
}

/// The blocks that enough pages have, the commonest first, and how many pages were looked at.
fn common(sampled: &[Sampled]) -> (Vec<Common>, u64) {
    let any_marked = sampled.iter().flatten().any(|(_, marked)| *marked);
    let pages = (0..).zip(sampled).filter_map(|(page, sampled)| Some((page, sampled.as_ref()?)));
    let mut counts: FxHashMap<u64, Common> = FxHashMap::default();
    let mut n = 0;
    for (page, (blocks, _)) in pages.filter(|(_, (_, marked))| *marked || !any_marked) {
        n += 1;
        for &Sighting { hash, place, says_something } in blocks {
            let new = Common { hash, pages: 0, page, place, says_something };
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

    /// What is found on a site of these pages.
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
    fn only_pages_that_mark_no_body_are_read_without() {
        let menu = "<ul><li><a href=/a>Home</a><li>All the pages</ul>";
        let repeated = Repeated::new(["Home", "All the pages"].map(hash_of).into_iter());
        let words = |html: &str| {
            let (read, links, left_out) = read_without(html.as_bytes(), &repeated);
            let words = read.page.text.split_whitespace().collect::<Vec<_>>().join(" ");
            (words, links.links.len(), left_out)
        };
        let (own, none) = ("Home All the pages Own text.".to_owned(), Repeated::default());
        assert_eq!(words(&format!("{menu}<p>Own text.")), ("Own text.".to_owned(), 1, 2));
        assert_eq!(words(&format!("<main>{menu}<p>Own text.</main>")), (own.clone(), 1, 0));
        let whole = read_without(format!("{menu}<p>Own text.").as_bytes(), &none).0.page.text;
        assert_eq!(whole.split_whitespace().collect::<Vec<_>>().join(" "), own);
        // Of nothing else.
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
        // Of more pages, 8 are too few.
        check(&pages(41, |at| menu(at).to_owned()), 41, &[("Home", 9)]);
        check(&pages(46, |at| menu(at).to_owned()), 46, &[]);
        check(&pages(7, |_| "<p>All of few".to_owned()), 7, &[]);
    }

    #[test]
    fn what_is_no_page_of_the_index_says_nothing() {
        let mut pages = pages(10, |_| "<p>On all pages".to_owned());
        pages[3] += "<meta name=robots content=noindex>";
        pages[4] += &" ".repeat(1_000);
        check(&pages, 8, &[("On all pages", 8)]);
        pages.iter_mut().take(9).for_each(|page| *page += "<p data-pagekin-body>On marked pages");
        check(&pages, 7, &[]);
    }

    #[test]
    fn of_many_pages_some_are_looked_at_all_over_the_site() {
        let found = found(&pages(2_500, |at| format!("<p>Every {}", at % 5)));
        assert_eq!((found.sampled, found.blocks), (1_000, 2));
    }
}
