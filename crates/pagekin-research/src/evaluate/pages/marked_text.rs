//! A parsed document into the page that a build reads, and where in its text links, blocks, lists
//! and headings are.
//!
//! What of a page counts is decided by the core's [`PageReader`] and, of text that repeats, by
//! [`blocks`](pagekin_pages::site::blocks). So a reader is given, with the text, *marks*:
//! characters of private use (planes 15 and 16 of Unicode), which come through to its text if what
//! they mark does, and are then taken out. A text that has such characters itself has spaces in
//! their place.

use std::borrow::Cow;

use pagekin_core::page::{PageReader, PageText, Visit};
use pagekin_pages::site::blocks::{
    BlockReader, BlockText, FIRST_LINK, LINK_END, MAX_LINKS, is_border, is_mark,
};
use pagekin_pages::site::dom::Listener;

// Beside the marks of links, which are those of the reader of blocks.
const BLOCK: char = '\u{100001}';
const HEADING: char = '\u{100002}';
const HEADING_END: char = '\u{100003}';
const LIST: char = '\u{100004}';
const LIST_END: char = '\u{100005}';

/// What is at a place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mark {
    /// A link begins, by its place among [`MarkedText::hrefs`].
    Link(u16),
    /// The last link that began ends.
    LinkEnd,
    /// A paragraph, cell, item, row, heading or the like begins or ends, or a hard break.
    Block,
    /// A heading of any level.
    Heading,
    HeadingEnd,
    /// A list or table.
    List,
    ListEnd,
}

/// The text of a page with its marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MarkedText {
    pub(crate) text: String,
    /// By their places in the text, in bytes, ascending.
    pub(crate) marks: Vec<(usize, Mark)>,
    /// The addresses of links, as written.
    pub(crate) hrefs: Vec<String>,
    /// That of the first `base`.
    pub(crate) base: Option<String>,
}

/// What was read with marks in the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marked {
    text: String,
    hrefs: Vec<String>,
    base: Option<String>,
}

/// Hears a walk over a document as a [`BlockReader`] does.
///
/// There is a [`PageReader`] beside it: marks in a heading would be text of the heading, so title,
/// headings and blocks are those of a reader that hears of none.
#[derive(Debug, Default)]
pub(crate) struct MarkingReader {
    blocks: BlockReader,
    marked: PageReader,
    hrefs: Vec<String>,
    /// What is to be told when an open element ends, outermost first.
    ends: Vec<&'static [char]>,
}

impl MarkingReader {
    fn mark(&mut self, mark: char) {
        self.marked.text(mark.encode_utf8(&mut [0; 4]));
    }

    /// The page as a [`BlockReader`] alone would have read it, and what is marked in it.
    pub(crate) fn finish(self) -> (PageText, Marked) {
        let (page, around) = self.blocks.finish();
        (page, Marked { text: self.marked.finish().text, hrefs: self.hrefs, base: around.base })
    }
}

impl Listener for MarkingReader {
    fn open<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> Visit {
        self.blocks.open(name, &attribute);
        if self.marked.open(name, &attribute) == Visit::Skip {
            if matches!(name, "br" | "hr") {
                self.mark(BLOCK);
            }
            return Visit::Skip;
        }
        let (begins, ends): (&[char], &[char]) = match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => (&[BLOCK, HEADING], &[HEADING_END, BLOCK]),
            "ul" | "ol" | "dl" | "table" => (&[BLOCK, LIST], &[LIST_END, BLOCK]),
            "p" | "li" | "dt" | "dd" | "tr" | "td" | "th" | "div" | "section" | "article"
            | "blockquote" | "pre" | "figure" | "caption" | "details" | "summary" | "main" => {
                (&[BLOCK], &[BLOCK])
            }
            "a" => match attribute("href") {
                Some(href) if self.hrefs.len() < MAX_LINKS => {
                    let number = self.hrefs.len() as u32;
                    self.hrefs.push(href.trim().to_owned());
                    self.mark(char::from_u32(FIRST_LINK as u32 + number).unwrap_or(BLOCK));
                    (&[], &[LINK_END])
                }
                _ => (&[], &[]),
            },
            _ => (&[], &[]),
        };
        for &mark in begins {
            self.mark(mark);
        }
        self.ends.push(ends);
        Visit::Inside
    }

    fn text(&mut self, text: &str) {
        self.blocks.text(text);
        // As it is for the reader of blocks.
        if text.contains(is_border) {
            self.marked.text(&text.replace(is_border, " "));
        } else {
            self.marked.text(text);
        }
    }

    fn close(&mut self) {
        for &mark in self.ends.pop().unwrap_or_default() {
            self.mark(mark);
        }
        self.marked.close();
        self.blocks.close();
    }
}

impl MarkedText {
    /// Without the blocks that were left out of the page, and their links.
    pub(crate) fn new(marked: Marked, blocks: &BlockText) -> Self {
        let Marked { text, hrefs, base } = marked;
        let mut left =
            Self { text: String::with_capacity(text.len()), marks: Vec::new(), hrefs, base };
        // Of the links that are open, which stay.
        let mut open = Vec::new();
        let mut runs = blocks.left_out_runs.iter().peekable();
        let mut number = 0;
        for line in text.split_inclusive('\n') {
            let (line, marks) = taken_out(line);
            let has_text = !line.trim().is_empty();
            while runs.next_if(|run| run.end <= number).is_some() {}
            // What has no text is left out if it is within.
            let left_out = runs
                .peek()
                .is_some_and(|run| run.start < number || (run.start == number && has_text));
            number += usize::from(has_text);
            for (at, mark) in marks {
                let stays = match mark {
                    Mark::Link(_) => {
                        open.push(!left_out);
                        !left_out
                    }
                    Mark::LinkEnd => open.pop().unwrap_or(false),
                    Mark::Heading | Mark::HeadingEnd => !left_out,
                    Mark::Block | Mark::List | Mark::ListEnd => true,
                };
                if stays {
                    left.marks.push((left.text.len() + if left_out { 0 } else { at }, mark));
                }
            }
            if !left_out {
                left.text.push_str(&line);
            }
        }
        left.cut(blocks.text.chars().filter(|c| !c.is_whitespace()).count());
        left
    }

    /// Leaves so many characters that are no white space: a page that was cut has no more.
    fn cut(&mut self, most: usize) {
        let mut written = self.text.char_indices().filter(|(_, c)| !c.is_whitespace());
        if let Some((end, _)) = written.nth(most) {
            self.text.truncate(end);
            self.marks.retain(|&(at, _)| at <= end);
        }
    }
}

/// A text without its marks, and these.
fn taken_out(text: &str) -> (String, Vec<(usize, Mark)>) {
    let (mut plain, mut marks) = (String::with_capacity(text.len()), Vec::new());
    for piece in text.split_inclusive(is_mark) {
        let Some(mark) = piece.chars().next_back().filter(|&c| is_mark(c)) else {
            plain.push_str(piece);
            continue;
        };
        plain.push_str(&piece[..piece.len() - mark.len_utf8()]);
        let mark = match mark {
            LINK_END => Mark::LinkEnd,
            BLOCK => Mark::Block,
            HEADING => Mark::Heading,
            HEADING_END => Mark::HeadingEnd,
            LIST => Mark::List,
            LIST_END => Mark::ListEnd,
            // An `alt` is not looked at before the page's reader takes it: it may have what is no
            // mark of ours.
            link if link < LINK_END => Mark::Link((link as u32 - FIRST_LINK as u32) as u16),
            _ => continue,
        };
        marks.push((plain.len(), mark));
    }
    (plain, marks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::site::blocks::{Repeated, hash_of};
    use pagekin_pages::site::html::read_html_by;
    use proptest::prelude::*;

    fn read(html: &str) -> (BlockText, MarkedText) {
        read_without(html, &Repeated::default())
    }

    fn read_without(html: &str, repeated: &Repeated) -> (BlockText, MarkedText) {
        let (read, marked) =
            read_html_by(html.as_bytes(), MarkingReader::default(), MarkingReader::finish);
        let blocks = BlockText::new(&read.page, repeated);
        let marked = MarkedText::new(marked, &blocks);
        (blocks, marked)
    }

    /// The text of each link.
    fn links(marked: &MarkedText) -> Vec<(&str, &str)> {
        let mut open = Vec::new();
        let mut found = Vec::new();
        for &(at, mark) in &marked.marks {
            match mark {
                Mark::Link(number) => open.push((number, at)),
                Mark::LinkEnd => {
                    let (number, start) = open.pop().unwrap();
                    found.push((&*marked.hrefs[usize::from(number)], &marked.text[start..at]));
                }
                _ => {}
            }
        }
        found
    }

    fn lines(text: &str) -> Vec<&str> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn links_of_the_main_text_are_marked_where_they_stand() {
        let (_, marked) = read(
            "<nav><a href=no>x</a></nav><main>One <a href=a>two</a>three<ul><li><a href=b>four</a></ul></main><a href=no>y</a>",
        );
        assert_eq!(links(&marked), [("a", "two"), ("b", "four")]);
    }

    #[test]
    fn repeated_blocks_and_their_links_are_left_out() {
        // A picture is a block without words.
        let repeated = ["All the pages", "Home", "", "News"];
        let repeated = Repeated::new(repeated.iter().map(|block| hash_of(block)));
        let (blocks, marked) = read_without(
            "<h2>All the pages</h2><ul><li><a href=a>Home</a><li><a href=i><img></a><li><a href=b>News</a></ul>\
             <p>One <a href=c>two</a><h2>News</h2><a href=d>four",
            &repeated,
        );
        assert_eq!(lines(&blocks.text), ["One two", "News", "four"]);
        assert_eq!(links(&marked), [("c", "two"), ("d", "four")]);
        let headings = marked.marks.iter().filter(|(_, mark)| *mark == Mark::Heading);
        assert_eq!(headings.count(), 1);
    }

    #[test]
    fn marks_of_the_text_itself_are_none() {
        let (_, marked) =
            read("<main>a\u{f0001}b\u{100001}<img alt='c\u{10fffd}d'><a href=e>f</a></main>");
        assert_eq!(marked.text.split_whitespace().collect::<Vec<_>>(), ["a", "b", "cd", "f"]);
        let links = marked.marks.iter().filter(|(_, mark)| matches!(mark, Mark::Link(_)));
        assert_eq!(links.count(), 1);
    }

    #[test]
    fn a_page_that_is_cut_has_no_more_here() {
        let words = (0..130_000).map(|at| format!("<a href=a>\u{e9}</a> x_{at} "));
        let html: String = words.collect();
        let (blocks, marked) = read(&html);
        assert_eq!(lines(&marked.text), lines(&blocks.text));
        assert!(!marked.text.contains("_129999") && marked.text.contains("_90000"));
        assert!(marked.marks.iter().all(|&(at, _)| at <= marked.text.len()));
    }

    proptest! {
        #[test]
        fn the_text_is_the_one_a_build_reads(tags in prop::collection::vec(
            prop::sample::select(vec![
                "<main>", "</main>", "<p>", "</p>", "<b>", "<table>", "<tr>", "<td>", "</table>", "<a href=x>", "</a>",
                "<nav>", "</nav>", "<h1>", "</h1>", "<h4>word</h4>", "<ul>", "<li>", "</ul>", "<br>", "<title>", "</title>",
                "text ", "Hash", "Map", "two\nlines", "<img alt=z>", "<base href=y>", "<article>", "</article>", "<wbr>", "<h2>", "</h2>",
            ]), 0..60)) {
            let html = tags.concat();
            for repeated in [&[][..], &["text", "Hash"], &["two lines", "text word", "z"]] {
                let repeated = Repeated::new(repeated.iter().map(|block| hash_of(block)));
                let (blocks, marked) = read_without(&html, &repeated);
                prop_assert_eq!(lines(&marked.text), lines(&blocks.text));
                prop_assert!(marked.marks.iter().all(|&(at, _)| marked.text.is_char_boundary(at)));
                prop_assert!(marked.marks.is_sorted_by_key(|&(at, _)| at));
                let of = |mark| marked.marks.iter().filter(|(_, other)| *other == mark).count();
                prop_assert_eq!(of(Mark::List), of(Mark::ListEnd));
                prop_assert_eq!(links(&marked).len(), of(Mark::LinkEnd));
            }
        }
    }
}
