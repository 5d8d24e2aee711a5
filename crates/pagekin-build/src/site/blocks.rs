//! A parsed document into the page that a build counts: the text of the core's rules in blocks, and which of its words
//! stand in links.
//!
//! What of a page counts is decided by the core's [`PageReader`] alone. So it is given, with the text, *marks* where links
//! begin and end: control characters, which come through to its text if the links do, and are then taken out. A text that
//! has such characters itself has spaces in their place.
//!
//! A *block* is what stands between two borders of elements that are not inline: a paragraph, a cell, an item, a line before
//! a hard break. It is a line of [`BlockText::text`]. So the ends of lines that are written within a block are spaces there.
//!
//! # Quirks
//!
//! 1. Links in headings are text like any other: their marks would be text of the headings.

use std::borrow::Cow;

use pagekin_core::page::{Page, PageReader, Visit};
use pagekin_core::terms::for_each_word;

use crate::site::dom::Listener;

const LINK: char = '\u{1}';
const LINK_END: char = '\u{2}';

/// A page with at least so many links in its text, which have at least half of its words, is a listing.
const LISTING_LINKS: usize = 3;

/// Hears a walk over a document as a [`PageReader`] does.
#[derive(Debug, Default)]
pub(crate) struct BlockReader {
    page: PageReader,
    /// The open elements, outermost first.
    stack: Vec<Open>,
    /// How many of these are headings.
    headings: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Link,
    Heading,
    Other,
}

impl BlockReader {
    fn mark(&mut self, mark: char) {
        self.page.text(mark.encode_utf8(&mut [0; 4]));
    }

    /// The page as a [`PageReader`] alone would have read it, but for its text, which has marks: [`BlockText::of`] takes them
    /// out.
    pub(crate) fn finish(self) -> (Page, ()) {
        (self.page.finish(), ())
    }
}

impl Listener for BlockReader {
    fn open<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> Visit {
        if self.page.open(name, &attribute) == Visit::Skip {
            return Visit::Skip;
        }
        let open = match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Open::Heading,
            "a" if self.headings == 0 && attribute("href").is_some_and(|href| leads(&href)) => {
                self.mark(LINK);
                Open::Link
            }
            _ => Open::Other,
        };
        self.headings += usize::from(open == Open::Heading);
        self.stack.push(open);
        Visit::Inside
    }

    fn text(&mut self, text: &str) {
        let is_border = |c: char| matches!(c, '\n' | '\r' | LINK | LINK_END);
        if text.contains(is_border) {
            self.page.text(&text.replace(is_border, " "));
        } else {
            self.page.text(text);
        }
    }

    fn close(&mut self) {
        match self.stack.pop() {
            Some(Open::Link) => self.mark(LINK_END),
            Some(Open::Heading) => self.headings -= 1,
            Some(Open::Other) | None => {}
        }
        self.page.close();
    }
}

/// Whether a link leads away from where it stands.
fn leads(href: &str) -> bool {
    let href = href.trim_start();
    !href.is_empty() && !href.starts_with('#')
}

/// The text of a page by its blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BlockText {
    /// A block to a line.
    pub(crate) text: String,
    /// How many links are in it.
    links: usize,
    /// The text of the links, one to a line.
    linked: String,
}

impl BlockText {
    /// Of a text that a [`BlockReader`] gave.
    pub(crate) fn of(marked: &str) -> Self {
        let mut blocks = Self { text: String::with_capacity(marked.len()), ..Self::default() };
        // How many links are open: where parsers put one inside another, its words count once.
        let mut open = 0;
        for block in marked.split('\n') {
            blocks.push(block, &mut open);
        }
        blocks
    }

    fn push(&mut self, block: &str, open: &mut usize) {
        if block.trim().is_empty() {
            return;
        }
        for piece in block.split_inclusive([LINK, LINK_END]) {
            let mark = piece.chars().next_back().filter(|&c| matches!(c, LINK | LINK_END));
            let plain = &piece[..piece.len() - mark.map_or(0, char::len_utf8)];
            self.text.push_str(plain);
            if *open > 0 {
                self.linked.push_str(plain);
            }
            match mark {
                Some(LINK) => {
                    self.links += 1;
                    *open += 1;
                }
                Some(_) => {
                    *open = open.saturating_sub(1);
                    self.linked.push('\n');
                }
                None => {}
            }
        }
        self.text.push('\n');
        self.linked.push('\n');
    }

    /// Whether the page is a listing: contents, an index, a list of all there is. It has at least three links to
    /// elsewhere in its text, and at least half of its `words` words are in links.
    pub(crate) fn is_listing(&self, words: usize) -> bool {
        if self.links < LISTING_LINKS {
            return false;
        }
        let mut linked = 0;
        for_each_word(&self.linked, |_| linked += 1);
        2 * linked >= words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::html::{read_html, read_html_by};
    use pagekin_core::terms::for_each_compound;
    use proptest::prelude::*;

    fn read(html: &str) -> (Page, BlockText) {
        let (read, ()) = read_html_by(html.as_bytes(), BlockReader::default(), BlockReader::finish);
        let blocks = BlockText::of(&read.page.text);
        (read.page, blocks)
    }

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_owned()));
        for_each_compound(text, |compound| words.push(format!("{compound:?}")));
        words
    }

    #[track_caller]
    fn check_listing(html: &str, expected: bool) {
        let (_, blocks) = read(html);
        assert_eq!(blocks.is_listing(words(&blocks.text).len()), expected, "{blocks:?}");
    }

    #[test]
    fn blocks_are_lines() {
        let (_, blocks) = read(
            "<p>One <a href=x>two</a>\nthree<p>four<br>five<ul><li>six<li> <li><a href=y>se</a>ven</ul>",
        );
        let lines: Vec<_> = blocks.text.lines().map(str::trim).collect();
        assert_eq!(lines, ["One two three", "four", "five", "six", "seven"]);
        assert_eq!(words(&blocks.linked), ["two", "se"]);
    }

    #[test]
    fn listings_are_pages_of_links() {
        let list = "<li><a href=a>rye loaf</a><li><a href=b>wheat</a><li><a href=c>barley</a> new";
        check_listing(list, true);
        check_listing(&format!("{list} with more words"), true);
        check_listing(&format!("{list} with three more words"), false);
        check_listing("<a href=a>rye loaf</a> <a href=b>wheat</a>", false);
        // A table of its own contents lists no pages, and menus are no text.
        check_listing(&list.replace("href=", "href=#"), false);
        check_listing(&format!("<nav>{list}</nav><p>Some text"), false);
        check_listing(&format!("{list}<main><p>Some text</main>"), false);
    }

    #[test]
    fn marks_of_the_text_itself_are_none() {
        let (page, blocks) = read("<p>a\u{1}b\u{2}c");
        assert_eq!((page.text.trim(), blocks.text.trim()), ("a b c", "a b c"));
    }

    proptest! {
        #[test]
        fn the_page_is_the_one_that_the_core_reads(tags in prop::collection::vec(
            prop::sample::select(vec![
                "<main>", "</main>", "<p>", "</p>", "<b>", "<table>", "<tr>", "<td>", "</table>", "<a href=x>", "</a>",
                "<nav>", "</nav>", "<h1>", "</h1>", "<h4>word</h4>", "<ul>", "<li>", "</ul>", "<br>", "<title>", "</title>",
                "text ", "Hash", "Map", "\n", "<a>", "<article>", "</article>", "<wbr>", "<h2>", "</h2>", "<pre>", "a_b",
            ]), 0..60)) {
            let html = tags.concat();
            let (page, blocks) = read(&html);
            let expected = read_html(html.as_bytes()).page;
            prop_assert_eq!(words(&blocks.text), words(&expected.text));
            prop_assert_eq!(Page { text: String::new(), ..page }, Page { text: String::new(), ..expected });
        }
    }
}
