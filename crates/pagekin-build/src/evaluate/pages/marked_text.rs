//! A parsed document into the page that a build reads, and where in its text links, blocks, lists and headings are.
//!
//! What of a page counts is decided by the core's [`PageReader`] alone. So it is given, with the text, *marks*: characters
//! of private use (planes 15 and 16 of Unicode), which come through to its text if what they mark does, and are then
//! taken out. A text that has such characters itself loses them.

use std::borrow::Cow;

use pagekin_core::page::{Page, PageReader, Visit};

use crate::site::dom::Listener;

/// The characters from here on are marks: first those of links, by their numbers.
const FIRST: char = '\u{f0000}';
/// The most links of a page that are told apart.
const MOST_LINKS: usize = 0xfff0;
const LINK_END: char = '\u{100000}';
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
    /// By their places in the text of the page, in bytes, ascending.
    pub(crate) marks: Vec<(usize, Mark)>,
    /// The addresses of links, as written.
    pub(crate) hrefs: Vec<String>,
    /// That of the first `base`.
    pub(crate) base: Option<String>,
}

/// Hears a walk over a document as a [`PageReader`] does.
///
/// There are two of these: marks in a heading would be text of the heading, so title and headings are those of one that
/// hears of none.
#[derive(Debug, Default)]
pub(crate) struct MarkingReader {
    page: PageReader,
    marked: PageReader,
    hrefs: Vec<String>,
    base: Option<String>,
    /// What is to be told when an open element ends, outermost first.
    ends: Vec<&'static [char]>,
}

impl MarkingReader {
    fn mark(&mut self, mark: char) {
        self.marked.text(mark.encode_utf8(&mut [0; 4]));
    }

    /// The page as a [`PageReader`] alone would have read it, and what is marked in it.
    pub(crate) fn finish(self) -> (Page, MarkedText) {
        let page = self.page.finish();
        let (text, marks) = taken_out(&self.marked.finish().text);
        let page = Page { text, ..page };
        (page, MarkedText { marks, hrefs: self.hrefs, base: self.base })
    }
}

impl Listener for MarkingReader {
    fn open<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> Visit {
        if name == "base" && self.base.is_none() {
            self.base = attribute("href").map(|href| href.trim().to_owned());
        }
        self.page.open(name, &attribute);
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
                Some(href) if self.hrefs.len() < MOST_LINKS => {
                    let number = self.hrefs.len() as u32;
                    self.hrefs.push(href.trim().to_owned());
                    self.mark(char::from_u32(FIRST as u32 + number).unwrap_or(BLOCK));
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
        self.page.text(text);
        if text.contains(is_mark) {
            self.marked.text(&text.replace(is_mark, "\u{fffd}"));
        } else {
            self.marked.text(text);
        }
    }

    fn close(&mut self) {
        for &mark in self.ends.pop().unwrap_or_default() {
            self.mark(mark);
        }
        self.marked.close();
        self.page.close();
    }
}

fn is_mark(c: char) -> bool {
    c >= FIRST
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
            // An `alt` is not looked at before the page's reader takes it: it may have what is no mark of ours.
            link if link < LINK_END => Mark::Link((link as u32 - FIRST as u32) as u16),
            _ => continue,
        };
        marks.push((plain.len(), mark));
    }
    (plain, marks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::html::{read_html, read_html_by};
    use proptest::prelude::*;

    fn read(html: &str) -> (Page, MarkedText) {
        let (read, marked) =
            read_html_by(html.as_bytes(), MarkingReader::default(), MarkingReader::finish);
        (read.page, marked)
    }

    #[test]
    fn links_of_the_main_text_are_marked_where_they_stand() {
        let (page, marked) = read(
            "<nav><a href=no>x</a></nav><main>One <a href=a>two</a>three<ul><li><a href=b>four</a></ul></main><a href=no>y</a>",
        );
        let mut open = Vec::new();
        let mut found = Vec::new();
        for &(at, mark) in &marked.marks {
            match mark {
                Mark::Link(number) => open.push((number, at)),
                Mark::LinkEnd => {
                    let (number, start) = open.pop().unwrap();
                    found.push((&*marked.hrefs[usize::from(number)], &page.text[start..at]));
                }
                _ => {}
            }
        }
        assert_eq!(found, [("a", "two"), ("b", "four")]);
    }

    #[test]
    fn marks_of_the_text_itself_are_none() {
        let (page, marked) =
            read("<main>a\u{f0001}b\u{100001}<img alt='c\u{10fffd}d'><a href=e>f</a></main>");
        assert_eq!(
            page.text.split_whitespace().collect::<Vec<_>>(),
            ["a\u{fffd}b\u{fffd}", "cd", "f"]
        );
        let links = marked.marks.iter().filter(|(_, mark)| matches!(mark, Mark::Link(_)));
        assert_eq!(links.count(), 1);
    }

    proptest! {
        #[test]
        fn the_page_is_the_one_a_build_reads(tags in prop::collection::vec(
            prop::sample::select(vec![
                "<main>", "</main>", "<p>", "</p>", "<b>", "<table>", "<tr>", "<td>", "</table>", "<a href=x>", "</a>",
                "<nav>", "</nav>", "<h1>", "</h1>", "<h4>word</h4>", "<ul>", "<li>", "</ul>", "<br>", "<title>", "</title>",
                "text ", "Hash", "Map", "<base href=y>", "<article>", "</article>", "<wbr>", "<h2>", "</h2>",
            ]), 0..60)) {
            let html = tags.concat();
            let (page, marked) = read(&html);
            prop_assert_eq!(&page, &read_html(html.as_bytes()).page);
            prop_assert!(marked.marks.iter().all(|&(at, _)| page.text.is_char_boundary(at)));
        }
    }
}
