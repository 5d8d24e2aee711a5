//! Extracts the text of a page as read by a build, with the positions of links, blocks, lists and
//! headings.
//!
//! The core's [`PageReader`] decides what is the text of a page, and
//! [`blocks`](pagekin_pages::site::blocks) decides what is repeated. So a reader is passed *marks*
//! along with the text: private-use characters (planes 15 and 16 of Unicode). They reach the output
//! if the text around them does, and are then removed. Such characters in the original text are
//! replaced with spaces.

use std::borrow::Cow;

use pagekin_core::page::{PageReader, PageText, Visit};
use pagekin_pages::site::blocks::{
    BlockReader, BlockText, FIRST_LINK, LINK_END, MAX_LINKS, is_border, is_mark,
};
use pagekin_pages::site::dom::Listener;

// In addition to the marks of links, which are those of the block reader.
const BLOCK: char = '\u{100001}';
const HEADING: char = '\u{100002}';
const HEADING_END: char = '\u{100003}';
const LIST: char = '\u{100004}';
const LIST_END: char = '\u{100005}';

/// An element at a position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mark {
    /// The start of a link, by its index in [`MarkedText::hrefs`].
    Link(u16),
    /// The end of the last open link.
    LinkEnd,
    /// The start or end of a block such as a paragraph, cell, item, row or heading, or a hard
    /// break.
    Block,
    /// The start of a heading of any level.
    Heading,
    HeadingEnd,
    /// The start of a list or table.
    List,
    ListEnd,
}

/// The text of a page with its marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MarkedText {
    pub(crate) text: String,
    /// Marks by their positions in the text in bytes, ascending.
    pub(crate) marks: Vec<(usize, Mark)>,
    /// The URLs of links, as written.
    pub(crate) hrefs: Vec<String>,
    /// The URL of the first `base` element.
    pub(crate) base: Option<String>,
}

/// A text that still contains the characters of its marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marked {
    text: String,
    hrefs: Vec<String>,
    base: Option<String>,
}

/// Listens to the traversal of a document like a [`BlockReader`], and adds marks.
///
/// Marks in a heading would become text of the heading. So there are two readers: the title,
/// headings and blocks are those of a reader without marks, and a [`PageReader`] gets the marks.
#[derive(Debug, Default)]
pub(crate) struct MarkingReader {
    blocks: BlockReader,
    marked: PageReader,
    hrefs: Vec<String>,
    /// The marks to add at the end of each open element, outermost first.
    ends: Vec<&'static [char]>,
}

impl MarkingReader {
    fn mark(&mut self, mark: char) {
        self.marked.text(mark.encode_utf8(&mut [0; 4]));
    }

    /// Returns the page as read by a [`BlockReader`], and its text with marks.
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
        // Remove characters of marks, as in the block reader.
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
    /// Extracts the marks, without removed blocks and their links.
    pub(crate) fn new(marked: Marked, blocks: &BlockText) -> Self {
        let Marked { text, hrefs, base } = marked;
        let mut left =
            Self { text: String::with_capacity(text.len()), marks: Vec::new(), hrefs, base };
        // For each open link, whether it is kept.
        let mut open = Vec::new();
        let mut runs = blocks.left_out_runs.iter().peekable();
        let mut number = 0;
        for line in text.split_inclusive('\n') {
            let (line, marks) = split_marks(line);
            let has_text = !line.trim().is_empty();
            while runs.next_if(|run| run.end <= number).is_some() {}
            // A line without text is removed if it is between removed lines.
            let removed = runs
                .peek()
                .is_some_and(|run| run.start < number || (run.start == number && has_text));
            number += usize::from(has_text);
            for (at, mark) in marks {
                let stays = match mark {
                    Mark::Link(_) => {
                        open.push(!removed);
                        !removed
                    }
                    Mark::LinkEnd => open.pop().unwrap_or(false),
                    Mark::Heading | Mark::HeadingEnd => !removed,
                    Mark::Block | Mark::List | Mark::ListEnd => true,
                };
                if stays {
                    left.marks.push((left.text.len() + if removed { 0 } else { at }, mark));
                }
            }
            if !removed {
                left.text.push_str(&line);
            }
        }
        left.cut(blocks.text.chars().filter(|c| !c.is_whitespace()).count());
        left
    }

    /// Keeps at most `max` non-white-space characters, the length of the page if it was truncated.
    fn cut(&mut self, max: usize) {
        let mut written = self.text.char_indices().filter(|(_, c)| !c.is_whitespace());
        if let Some((end, _)) = written.nth(max) {
            self.text.truncate(end);
            self.marks.retain(|&(at, _)| at <= end);
        }
    }
}

/// Separates a text and its marks.
fn split_marks(text: &str) -> (String, Vec<(usize, Mark)>) {
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
            // The text of an `alt` is not checked before the reader gets it, so it may contain
            // characters that are not our marks.
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

    /// Returns the URL and the text of each link.
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
    fn links_of_the_main_text_are_marked_in_place() {
        let (_, marked) = read(
            "<nav><a href=no>x</a></nav><main>One <a href=a>two</a>three<ul><li><a href=b>four</a></ul></main><a href=no>y</a>",
        );
        assert_eq!(links(&marked), [("a", "two"), ("b", "four")]);
    }

    #[test]
    fn repeated_blocks_and_their_links_are_removed() {
        // An image is a block without words.
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
    fn marks_in_the_original_text_are_ignored() {
        let (_, marked) =
            read("<main>a\u{f0001}b\u{100001}<img alt='c\u{10fffd}d'><a href=e>f</a></main>");
        assert_eq!(marked.text.split_whitespace().collect::<Vec<_>>(), ["a", "b", "cd", "f"]);
        let links = marked.marks.iter().filter(|(_, mark)| matches!(mark, Mark::Link(_)));
        assert_eq!(links.count(), 1);
    }

    #[test]
    fn a_truncated_page_is_truncated_here_too() {
        let words = (0..130_000).map(|at| format!("<a href=a>\u{e9}</a> x_{at} "));
        let html: String = words.collect();
        let (blocks, marked) = read(&html);
        assert_eq!(lines(&marked.text), lines(&blocks.text));
        assert!(!marked.text.contains("_129999") && marked.text.contains("_90000"));
        assert!(marked.marks.iter().all(|&(at, _)| at <= marked.text.len()));
    }

    proptest! {
        #[test]
        fn the_text_matches_that_of_a_build(tags in prop::collection::vec(
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
