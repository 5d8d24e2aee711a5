//! Page bytes, already parsed, into what counts of a page: its title, language and text.
//!
//! A parser (html5ever natively, the browser's own in a visitor's browser) walks its tree and
//! reports elements and text to a [`PageReader`] in document order. The rules of what counts live
//! here alone, so a page read at build time and the same page pasted by a visitor give the same
//! text.
//!
//! # Rules
//!
//! 1. Comments, scripts and styles are dropped, tags removed, the `alt` text of images kept
//!    (Haveliwala, Gionis and Indyk 2000, section 2.1). Elements a reader does not see or that are
//!    controls go too: `template`, `noscript`, `svg`, `iframe`, `button`, `select`, anything
//!    `hidden`. And what pagekin's own elements hold (`pagekin-related`): a list of related pages
//!    would make pages related.
//! 2. Site chrome is skipped: `nav`, `header`, `footer`, `aside` and their ARIA roles, and whatever
//!    carries `data-pagekin-ignore` or `data-pagefind-ignore`.
//! 3. Of the rest only the body counts: the elements with `data-pagekin-body`; where there is none
//!    those with `data-pagefind-body`; then `main` and `role=main`; then `article`; then
//!    everything.
//! 4. Inline elements (`b`, `code`, `span`, `wbr`, …) do not end a word; every other element does.
//!
//! 5. The numbers of the lines of listings are no text: numbers in an element of a class by which
//!    highlighters name them, such as `linenos`, or with `data-line-number`.
//!
//! # Quirks
//!
//! 1. A page's `h1` that stands inside a `header` is chrome by rule 2. The title still names the
//!    page.
//! 2. A timed reload of the same page (`meta refresh` without an address) is no redirect.

mod rules;

use std::borrow::Cow;
use std::ops::Range;

pub use rules::marks_body;
pub(crate) use rules::{collapse, is_inline, is_related, is_unseen, is_void, robots_say};
use rules::{is_chrome, is_gutter, is_ignored, is_line_number, refresh_target, root_of};

/// What is read from a page: its text and metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageText {
    /// The `title`, or else the first heading; white space collapsed. Empty if there is neither.
    pub title: String,
    /// Whether the `title` has more than the 4,096 bytes that are read of it.
    pub title_is_cut: bool,
    /// The `lang` attribute of the root element as written (`en-GB`), or empty.
    pub lang: String,
    /// The indexed text. Words of different blocks are separated by white space.
    pub text: String,
    /// What else a visitor can read on the page that is not the frame of the site: no byte of it is
    /// in `text`. Its words are separated as those of `text`.
    pub other: String,
    /// Its headings of the first three levels, each in a line of its own, as far as they are no
    /// chrome.
    pub headings: String,
    /// Its sections that can be linked to, in their order.
    pub sections: Vec<Section>,
    /// The address a `meta refresh` sends the reader to: the page is a redirect stub.
    pub redirect: Option<String>,
    /// The page asks not to be indexed (`meta name=robots` with `noindex` or `none`).
    pub noindex: bool,
    /// The address in `link rel=canonical`, as written.
    pub canonical: Option<String>,
    /// Some element carries `data-pagekin-body` or `data-pagefind-body`.
    pub marked: bool,
}

/// A heading that an address can lead to, and what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Where its heading begins in the text, in bytes.
    pub at: usize,
    /// What stands behind the `#` of its address, not escaped.
    pub id: String,
    /// Its heading, white space collapsed, without the mark of a link to itself.
    pub heading: String,
}

/// The attributes that a [`PageReader`] and a [`LinkReader`](crate::links::LinkReader) ask for.
/// Others need not be kept; without `id`, which only who links to [sections](Section) needs, there
/// are no sections.
pub const ATTRIBUTES: [&str; 16] = [
    "alt",
    "class",
    "content",
    "data-line-number",
    "data-pagefind-body",
    "data-pagefind-ignore",
    "data-pagekin-body",
    "data-pagekin-ignore",
    "hidden",
    "href",
    "hreflang",
    "http-equiv",
    "lang",
    "name",
    "rel",
    "role",
];

/// The most bytes of a title, and of the heading of a section. The rest is left out.
const TITLE_BYTES: usize = 4_096;
/// The most headings that are known as such; those behind them are text like any other.
const MOST_HEADINGS: usize = 4_096;

/// The most bytes of all headings together that are kept as such.
const MAX_HEADING_BYTES: usize = 256 << 10;

/// What generators put behind a heading as a link to itself.
const LINK_MARKS: [char; 7] = ['¶', '§', '🔗', '\u{f0c1}', ' ', '\n', '\u{200b}'];

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Whether a text in a link is nothing but what generators put there for a link to a section.
fn is_link_mark(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && (text == "#" || text.chars().all(|c| LINK_MARKS.contains(&c)))
}

/// Whether a [`PageReader`] wants to hear of an element's children and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// Report the children, then call [`PageReader::close`].
    Inside,
    /// The element is ignored: continue after it and do not close it.
    Skip,
}

/// The places that can be the body of a page, best first (rule 3).
const ROOTS: usize = 5;
const EVERYTHING: usize = ROOTS - 1;

/// Collects a [`PageText`] from a walk over a parsed document.
///
/// Calls must nest: [`open`](Self::open) that answered [`Visit::Inside`] is followed by the
/// children and one [`close`](Self::close). Cost is linear in the text.
#[derive(Debug, Default)]
pub struct PageReader {
    page: PageText,
    headings: Vec<String>,
    heading_bytes: usize,
    text: String,
    /// The open elements, outermost first.
    stack: Vec<Open>,
    /// The id of the last element that had one, if no text has followed.
    near: Option<String>,
    /// The headings and their ids, which may be empty, and where they are in `text`.
    sections: Vec<(String, Range<usize>)>,
    roots: [Root; ROOTS],
}

#[derive(Debug, Clone, Copy)]
struct Open {
    joins: bool,
    is_link: bool,
    /// It, or an element around it, holds the numbers of lines.
    is_gutter: bool,
    /// Numbers in it are those of lines.
    is_line: bool,
    root: Option<usize>,
    sink: Sink,
    /// The place in `sections` of the heading that this is or is in.
    section: Option<usize>,
}

/// Where text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sink {
    Body,
    Heading,
    Title,
    Nowhere,
}

/// The stretches of the text that lie within one kind of root.
#[derive(Debug, Default)]
struct Root {
    depth: usize,
    stretches: Vec<(usize, usize)>,
}

impl PageReader {
    /// A reader that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An element begins. `name` is its local name in lower case; `attribute` gives the value of an
    /// attribute by its lower-case name.
    pub fn open<'a>(
        &mut self,
        name: &str,
        attribute: impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> Visit {
        match name {
            "meta" => self.meta(&attribute),
            "link" => self.link(&attribute),
            "html" if self.page.lang.is_empty() => {
                self.page.lang = attribute("lang").unwrap_or_default().trim().to_owned();
            }
            "img" | "area" | "input" => self.alternative(name, &attribute),
            _ => {}
        }
        if is_void(name) {
            if name != "wbr" {
                self.text("\n");
            }
            return Visit::Skip;
        }
        if is_unseen(name) || is_chrome(name, &attribute) || is_ignored(&attribute) {
            self.text("\n");
            return Visit::Skip;
        }
        let joins = is_inline(name);
        if !joins {
            self.text("\n");
        }
        let outer = self.sink();
        let sink = self.sink_within(outer, name);
        if sink == Sink::Heading && outer != Sink::Heading {
            // One without words makes room.
            match self.headings.last_mut() {
                Some(last) if last.trim().is_empty() => {
                    self.heading_bytes -= last.len();
                    last.clear();
                }
                _ => self.headings.push(String::new()),
            }
        }
        let section = self.section(name, outer, &attribute);
        let root = root_of(name, &attribute);
        if let Some(kind) = root {
            self.page.marked |= kind < 2;
            let root = &mut self.roots[kind];
            if root.depth == 0 {
                root.stretches.push((self.text.len(), self.text.len()));
            }
            root.depth += 1;
        }
        let is_gutter =
            self.stack.last().is_some_and(|open| open.is_gutter) || is_gutter(&attribute);
        let is_line = is_gutter || attribute("data-line-number").is_some();
        let is_link = name == "a";
        self.stack.push(Open { joins, is_link, is_gutter, is_line, root, sink, section });
        Visit::Inside
    }

    /// The text that stands for an image.
    fn alternative<'a>(&mut self, name: &str, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) {
        if let Some(alt) = attribute("alt")
            && !is_chrome(name, attribute)
            && !is_ignored(attribute)
        {
            self.text("\n");
            self.text(&alt);
            self.text("\n");
        }
    }

    /// The section that a heading begins, by its own id, one right before it, or the first in it.
    fn section<'a>(
        &mut self,
        name: &str,
        outer: Sink,
        attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> Option<usize> {
        if matches!(outer, Sink::Title | Sink::Nowhere) {
            return None;
        }
        let id = attribute("id").or_else(|| attribute("name").filter(|_| name == "a"));
        let id = id.filter(|id| !id.is_empty()).map(Cow::into_owned);
        if let Some(section) = self.stack.last().and_then(|open| open.section) {
            let of_heading = &mut self.sections[section].0;
            if of_heading.is_empty() {
                *of_heading = id.unwrap_or_default();
            }
            return Some(section);
        }
        self.near = id.or_else(|| self.near.take());
        if !is_heading(name) || self.sections.len() == MOST_HEADINGS {
            return None;
        }
        let id = self.near.take().unwrap_or_default();
        self.sections.push((id, self.text.len()..self.text.len()));
        Some(self.sections.len() - 1)
    }

    /// Where the text of an element goes that is opened where text goes to `outer`.
    fn sink_within(&self, outer: Sink, name: &str) -> Sink {
        match name {
            // Only the document's own title, not one in a later fragment.
            "title" if self.page.title.is_empty() => Sink::Title,
            "title" => Sink::Nowhere,
            "head" | "html" => Sink::Nowhere,
            "body" => Sink::Body,
            _ if is_heading(name) && outer == Sink::Body => match self.headings.len() {
                ..MOST_HEADINGS => Sink::Heading,
                _ => outer,
            },
            _ => outer,
        }
    }

    /// A stretch of text. Text in front of any element belongs to the body. Marks of links to
    /// sections are left out, and the numbers of the lines of listings.
    pub fn text(&mut self, text: &str) {
        let is_mark = |open: &Open| {
            (open.is_link && is_link_mark(text)) || (open.is_line && is_line_number(text))
        };
        if self.stack.last().is_some_and(is_mark) {
            return;
        }
        match self.sink() {
            Sink::Body => {
                if self.near.is_some() && !text.trim().is_empty() {
                    self.near = None;
                }
                self.text.push_str(text);
            }
            Sink::Heading => {
                self.text.push_str(text);
                let room = MAX_HEADING_BYTES - self.heading_bytes;
                let kept = &text[..text.floor_char_boundary(room)];
                if let Some(heading) = self.headings.last_mut() {
                    heading.push_str(kept);
                    self.heading_bytes += kept.len();
                }
            }
            Sink::Title => {
                let room = TITLE_BYTES.saturating_sub(self.page.title.len());
                let end = text.floor_char_boundary(room);
                self.page.title.push_str(&text[..end]);
                self.page.title_is_cut |= !text[end..].trim().is_empty();
            }
            Sink::Nowhere => {}
        }
    }

    /// The innermost element that is open ends.
    pub fn close(&mut self) {
        let Some(open) = self.stack.last().copied() else {
            debug_assert!(false, "an element was closed that was never opened");
            return;
        };
        if let Some(at) = open.section {
            self.sections[at].1.end = self.text.len();
        }
        if !open.joins {
            self.text("\n");
        }
        self.stack.pop();
        if let Some(kind) = open.root {
            let root = &mut self.roots[kind];
            root.depth -= 1;
            if root.depth == 0
                && let Some(last) = root.stretches.last_mut()
            {
                last.1 = self.text.len();
            }
        }
    }

    /// The page that was read.
    #[must_use]
    pub fn finish(mut self) -> PageText {
        while !self.stack.is_empty() {
            self.close();
        }
        self.page.title = collapse(&self.page.title);
        let headings: Vec<String> = self.headings.iter().map(|heading| collapse(heading)).collect();
        if self.page.title.is_empty() {
            let first = headings.iter().find(|heading| !heading.is_empty());
            self.page.title = first.cloned().unwrap_or_default();
            let end = self.page.title.floor_char_boundary(TITLE_BYTES);
            let end = self.page.title[..end].trim_end().len();
            self.page.title.truncate(end);
        }
        self.page.headings = headings.join("\n");
        let all = [(0, self.text.len())];
        let root = self.roots[..EVERYTHING].iter().find(|root| !root.stretches.is_empty());
        for &(start, end) in root.map_or(&all[..], |root| &root.stretches) {
            // Sections are in order, and so are the stretches: each is met once.
            let first = self.sections.partition_point(|(_, place)| place.start < start);
            let begun = self.sections[first..].iter().take_while(|(_, place)| place.start <= end);
            let inside = begun.filter(|(id, place)| !id.is_empty() && place.end <= end);
            let shifted = self.page.text.len();
            let sections = inside.map(|(id, place)| {
                let heading = &self.text[place.clone()];
                let heading = &heading[..heading.floor_char_boundary(TITLE_BYTES)];
                Section {
                    at: shifted + place.start - start,
                    id: id.clone(),
                    heading: collapse(heading.trim_end_matches(LINK_MARKS)),
                }
            });
            self.page.sections.extend(sections.filter(|section| !section.heading.is_empty()));
            self.page.text.push_str(&self.text[start..end]);
            if root.is_some() {
                self.page.text.push('\n');
            }
        }
        self.page
    }

    fn sink(&self) -> Sink {
        self.stack.last().map_or(Sink::Body, |open| open.sink)
    }

    fn meta<'a>(&mut self, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) {
        let content = attribute("content").unwrap_or_default();
        if attribute("http-equiv").is_some_and(|v| v.eq_ignore_ascii_case("refresh")) {
            self.page.redirect = self.page.redirect.take().or_else(|| refresh_target(&content));
        }
        self.page.noindex |= robots_say("noindex", attribute);
    }

    fn link<'a>(&mut self, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) {
        if is_related("canonical", attribute) && self.page.canonical.is_none() {
            self.page.canonical = attribute("href")
                .map(|href| href.trim().to_owned())
                .filter(|href| !href.is_empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds a document written as nested brackets, so that these tests need no HTML parser:
    /// `[name attr=value attr|…]` where children follow the bar.
    fn read(source: &str) -> PageText {
        let mut reader = PageReader::new();
        let mut rest = source;
        while let Some(at) = rest.find(['[', ']']) {
            reader.text(&rest[..at]);
            if rest.as_bytes()[at] == b']' {
                reader.close();
                rest = &rest[at + 1..];
                continue;
            }
            let bar = at + rest[at..].find('|').expect("a bar ends the attributes");
            let mut parts = rest[at + 1..bar].split(' ');
            let name = parts.next().expect("an element has a name");
            let attributes: Vec<(&str, &str)> =
                parts.map(|part| part.split_once('=').unwrap_or((part, ""))).collect();
            let visit = reader.open(name, |wanted| {
                attributes.iter().find(|(name, _)| *name == wanted).map(|(_, v)| Cow::Borrowed(*v))
            });
            rest = &rest[bar + 1..];
            if visit == Visit::Skip {
                let mut depth = 1;
                while depth > 0 {
                    let at = rest.find(['[', ']']).expect("brackets nest");
                    depth += if rest.as_bytes()[at] == b'[' { 1 } else { -1 };
                    rest = &rest[at + 1..];
                }
            }
        }
        reader.text(rest);
        reader.finish()
    }

    #[track_caller]
    fn check_text(source: &str, expected: &str) {
        assert_eq!(collapse(&read(source).text), expected);
    }

    #[test]
    fn main_counts_and_chrome_does_not() {
        check_text("[html|[body|[nav|menu][main|one[aside|ad][p|two]]three]]", "one two");
        check_text("[html|[body|one[footer|f][div role=navigation|n][p|two]]]", "one two");
        check_text("[html|[body|x[article|one]y[article|two]]]", "one two");
    }

    #[test]
    fn a_marked_body_goes_before_main() {
        let source = "[html|[body|[main|m[div data-pagefind-body|p]][div data-pagekin-body|k[p data-pagekin-ignore|i]]]]";
        check_text(source, "k");
        assert!(read(source).marked);
        check_text(
            "[html|[body|[main|m[div data-pagefind-body|p[i data-pagefind-ignore=all|x]]]]]",
            "p",
        );
    }

    #[test]
    fn nested_roots_count_once() {
        check_text("[html|[body|[main|a[div role=main|b]c]d]]", "a b c");
    }

    #[test]
    fn inline_elements_do_not_end_words_and_blocks_do() {
        check_text(
            "[body|Hash[wbr|]Map in[b|line] [p|a][p|b][br|]c[li|d]]",
            "HashMap inline a b c d",
        );
    }

    #[test]
    fn unseen_elements_go_and_alt_text_stays() {
        check_text(
            "[body|a[script|x][style|y][img alt=picture src=z|]b[p hidden|no]]",
            "a picture b",
        );
        check_text("[body|a[img alt=no hidden|][img alt=no data-pagekin-ignore|]b]", "a b");
    }

    #[test]
    fn marks_of_links_to_sections_are_no_text() {
        let source =
            "[h2 id=c|C#[a href=#c|¶]][p|A[a href=#a|#] b[a href=#b| 🔗 ] § 5 [a href=/s|§ 5]]";
        check_text(source, "C# A b § 5 § 5");
    }

    #[test]
    fn the_numbers_of_lines_are_no_text() {
        check_text("[pre|[i class=lineno|1]sum [b class=lineno| 12 ][b|42]]", "sum 42");
        check_text("[table|[td class=linenos|[pre|1 2[b|3]]][td|7 rows]]", "7 rows");
        check_text("[p data-line-number=3|4 [i|5]]", "5");
        // What stands there and is no number is text, and so is nothing.
        check_text("[i class=lineno|one][i class=lineno|2 of 3][i class=lineno| ]", "one2 of 3");
        check_text("[i class=number|1]", "1");
    }

    #[test]
    fn what_the_components_hold_is_no_text_of_the_page() {
        check_text("[body|a[pagekin-related|[nav|[h2|Related][a href=/b|B]]]b]", "a b");
        assert_eq!(read("[body|[pagekin-box|[h1|Find]][h1|A]]").title, "A");
    }

    #[test]
    fn empty_headings_are_not_looked_through_again_and_again() {
        let page = read(&("[h4|][h5| ][h6|]".repeat(100_000) + "[h6|Rye][h5|bread]"));
        assert_eq!((&*page.title, page.headings.trim()), ("Rye", "Rye\nbread"));
    }

    #[test]
    fn sections_have_the_id_of_their_heading_or_one_right_before_it() {
        let cases = [
            ("[h2 id=rye|Rye]", Some("rye")),
            ("[section id=rye|[h2|Rye[a href=#rye|¶]]]", Some("rye")),
            ("[div id=rye|[div|[h2 class=title|Rye]]]", Some("rye")),
            ("[a name=rye|][h4|Rye]", Some("rye")),
            ("[section id=bread|[h2 id=rye|Rye]]", Some("rye")),
            ("[p id=rye|Flour.][h2|Rye]", None),
            ("[h4|[a id=rye|]Rye]", Some("rye")),
            ("[h4|[i|[a name=rye|Rye]] [a id=bread|]]", Some("rye")),
            ("[h2|[b|Rye][span id=rye|]]", Some("rye")),
            ("[h2 id=rye|Rye [b id=bread|]][h3|Bread]", Some("rye")),
            ("[p|[a id=oven|]Oven.][h2|Rye]", None),
            ("[h2|Rye]", None),
            ("[h2 id=rye| ¶]", None),
            ("[nav|[h2 id=rye|Rye]]", None),
            ("[h2 id=bread|Bread][main|Oven.[h2 id=rye|Rye]]", Some("rye")),
        ];
        for (source, id) in cases {
            let page = read(source);
            let found = page.sections.iter().map(|section| &*section.id);
            assert_eq!(found.collect::<Vec<_>>(), Vec::from_iter(id), "{source}");
            for Section { at, heading, .. } in &page.sections {
                assert_eq!((heading.as_str(), &page.text[*at..][..3]), ("Rye", "Rye"), "{source}");
            }
        }
    }

    #[test]
    fn the_title_is_the_title_element_or_the_first_heading() {
        assert_eq!(read("[html|[head|[title| A\n B ]][body|[h1|C]]]").title, "A B");
        assert_eq!(read("[html|[body|[p|x][h2|C [b|D]][h1|E]]]").title, "C D");
        assert_eq!(collapse(&read("[html|[head|[title|A]][body|[h1|C]]]").text), "C");
    }

    #[test]
    fn what_a_page_says_of_itself_is_heard() {
        let page = read(
            "[html lang=de-AT|[head|[meta http-equiv=Refresh content=0;URL='../x.html'|][meta name=robots content=nofollow,NoIndex|][link rel=canonical href=/y|]]]",
        );
        assert_eq!(page.lang, "de-AT");
        assert_eq!(page.redirect.as_deref(), Some("../x.html"));
        assert!(page.noindex);
        assert_eq!(page.canonical.as_deref(), Some("/y"));
        assert_eq!(read("[html|[head|[meta http-equiv=refresh content=300|]]]").redirect, None);
        for late in ["11;url=x", "1800; url=/", "00000000000000000011;url=x"] {
            assert_eq!(refresh_target(late), None, "{late}");
        }
        assert_eq!(refresh_target("0010; url=x").as_deref(), Some("x"));
    }

    #[test]
    fn refreshes_are_read_as_the_html_standard_says() {
        for (content, expected) in [
            ("0;url=/p", "/p"),
            (" \n5.75.3 ; URL = '/p' x", "/p"),
            (".5,/p", "/p"),
            ("0 url=\"/p q\"", "/p q"),
            ("0;'/p\"", "/p\""),
            ("0; 'a'b", "a"),
            ("0;u=/p", "u=/p"),
            ("0;url/p", "url/p"),
            ("0;ur'l'", "ur'l'"),
            ("0;/a;url=/b", "/a;url=/b"),
            ("00;url=javascripts:x", "javascripts:x"),
        ] {
            assert_eq!(refresh_target(content).as_deref(), Some(expected), "{content:?}");
        }
        for none in [
            "",
            "300",
            "300;",
            "0;url=",
            "0;url=''",
            ";url=/p",
            "-1;url=/p",
            "+1;url=/p",
            "x;url=/p",
            "/p",
            "0x;url=/p",
            "0:/p",
            "0;url=javascript:x()",
            "0;url=' JaVa\tscript:x()'",
            "0;\u{1}javascript:",
        ] {
            assert_eq!(refresh_target(none), None, "{none:?}");
        }
    }

    #[test]
    fn of_two_refreshes_the_first_that_leads_somewhere_counts() {
        let page = read(
            "[html|[head|[meta http-equiv=refresh content=9|][meta http-equiv=refresh content=0;url=javascript:x|][meta http-equiv=refresh content=0;url=/b|][meta http-equiv=refresh content=0;url=/c|]]]",
        );
        assert_eq!(page.redirect.as_deref(), Some("/b"));
    }

    #[test]
    fn of_a_very_long_title_the_beginning_stays() {
        let page = read(&format!("[html|[head|[title|{}]]]", "é ".repeat(10_000)));
        assert_eq!(page.title.len(), 4_094);
        assert!(page.title_is_cut);
        let just = read(&format!("[html|[head|[title|{}]]]", "a".repeat(4_096)));
        assert_eq!((just.title.len(), just.title_is_cut), (4_096, false));
        let page = read(&format!("[html|[body|[h1|{}]]]", "é ".repeat(10_000)));
        assert_eq!(page.title.len(), 4_094);
        assert!(page.title.ends_with('é'));
    }
}
