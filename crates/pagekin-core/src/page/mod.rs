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
//!    `hidden` or styled so, and inline elements with `aria-hidden`. What visitors open is read:
//!    panels of tabs and accordions, `details`, `hidden=until-found`, a button that opens what its
//!    heading is of; and declarative shadow roots. A hidden element that a control of the page
//!    names by its id is other text, but for menus and dialogs (see `controls.rs`). What pagekin's
//!    own elements hold (`pagekin-related`) is dropped: a list of related pages would make pages
//!    related.
//! 2. Whatever carries `data-pagekin-ignore` or `data-pagefind-ignore` is skipped.
//! 3. Of the rest some is the *main* text, some *other* text, and some the frame of the site, which
//!    is dropped: the marks of the owner, `main`, `article`, and else where the paragraphs and the
//!    links are tell these apart (see `main_text.rs`).
//! 4. Inline elements (`b`, `code`, `span`, `wbr`, …) do not end a word; every other element does.
//! 5. The numbers of the lines of listings are no text: numbers in an element of a class by which
//!    highlighters name them, such as `linenos`, or with `data-line-number`.
//! 6. A page with next to no text and a script that leads elsewhere is a redirect.
//!
//! # Quirks
//!
//! 1. A timed reload of the same page (`meta refresh` without an address) is no redirect.

mod controls;
mod extras;
mod hints;
mod main_text;
mod rules;
mod tree;

use std::borrow::Cow;
use std::ops::Range;

use controls::Controls;
use main_text::{Class, Classes};
pub(crate) use rules::{collapse, is_hidden, is_inline, is_related, is_void, robots_say};
use rules::{is_gutter, is_line_number, is_owners, left_out, refresh_target, script_target};
pub use rules::{is_unseen, marks_body};
pub use tree::Reason;
use tree::{Leads, OWN, PAGEFIND, Traits, Tree, weight};

/// What is read from a page: its text and metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageText {
    /// The `title`, or else the first `h1` of the main text, or else its first heading, or else the
    /// first of the other text; white space collapsed. Empty if there is none.
    pub title: String,
    /// Whether the `title` has more than the 4,096 bytes that are read of it.
    pub title_is_cut: bool,
    /// The `lang` attribute of the root element as written (`en-GB`), or empty.
    pub lang: String,
    /// The main text. Words of different blocks are separated by white space.
    pub text: String,
    /// What else a visitor can read on the page that is not the frame of the site: no byte of it is
    /// in `text`. Its words are separated as those of `text`.
    pub other: String,
    /// The headings of its main text, each in a line of its own.
    pub headings: String,
    /// The sections of its main text that can be linked to, in their order.
    pub sections: Vec<Section>,
    /// The address a `meta refresh` sends the reader to: the page is a redirect stub.
    pub redirect: Option<String>,
    /// The page asks not to be indexed (`meta name=robots` with `noindex` or `none`).
    pub noindex: bool,
    /// The address in `link rel=canonical`, as written.
    pub canonical: Option<String>,
    /// Some element carries `data-pagekin-body` or `data-pagefind-body`.
    pub marked: bool,
    /// How many characters that are no white space are in none of the texts, by the reason, in the
    /// order of [`Reason`].
    pub left_out: Vec<(Reason, usize)>,
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
pub const ATTRIBUTES: [&str; 28] = [
    "alt",
    "aria-controls",
    "aria-expanded",
    "aria-hidden",
    "aria-modal",
    "class",
    "content",
    "data-bs-target",
    "data-line-number",
    "data-pagefind-body",
    "data-pagefind-ignore",
    "data-pagekin-body",
    "data-pagekin-ignore",
    "data-target",
    "hidden",
    "href",
    "hreflang",
    "http-equiv",
    "id",
    "itemprop",
    "lang",
    "name",
    "onclick",
    "property",
    "rel",
    "role",
    "shadowrootmode",
    "style",
];

/// The most bytes of a title, and of the heading of a section. The rest is left out.
const TITLE_BYTES: usize = 4_096;
/// The most headings that are known as such; those behind them are text like any other.
const MAX_HEADINGS: usize = 4_096;

/// The most bytes of all headings together that are kept as such.
const MAX_HEADING_BYTES: usize = 256 << 10;

/// The most bytes of the scripts that may redirect.
const MAX_SCRIPT: usize = 4_096;
/// A page with less text that has a script which redirects is nothing but that. It may say so.
const MAX_STUB: u32 = 100;

/// What generators put behind a heading as a link to itself.
const LINK_MARKS: [char; 7] = ['¶', '§', '🔗', '\u{f0c1}', ' ', '\n', '\u{200b}'];

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Ends the last block of a text.
fn end_block(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
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

/// Collects a [`PageText`] from a walk over a parsed document.
///
/// Calls must nest: [`open`](Self::open) that answered [`Visit::Inside`] is followed by the
/// children and one [`close`](Self::close). Cost is linear in the text.
#[derive(Debug, Default)]
pub struct PageReader {
    page: PageText,
    text: String,
    /// The open elements, outermost first.
    stack: Vec<Open>,
    /// The id of the last element that had one, if no text has followed.
    near: Option<String>,
    /// The headings, in their order.
    sections: Vec<Heading>,
    /// The texts of hidden elements that have an id, one behind the other, and where each is.
    hidden: String,
    hidden_at: Vec<(u64, Range<usize>)>,
    controls: Controls,
    tree: Tree,
    /// The beginning of the scripts of a page that may be nothing but a redirect.
    script: String,
    /// Characters by the reason that they are left out for.
    left_out: [usize; Reason::ALL.len()],
}

/// A heading.
#[derive(Debug)]
struct Heading {
    /// May be empty.
    id: String,
    /// Where it is in the text.
    at: Range<usize>,
    is_first_level: bool,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    joins: bool,
    is_link: bool,
    /// Where the link to elsewhere leads that it is or is in.
    in_link: Option<Leads>,
    /// It, or an element around it, holds the numbers of lines.
    is_gutter: bool,
    /// Numbers in it are those of lines.
    is_line: bool,
    /// It is in the tree.
    is_node: bool,
    sink: Sink,
    /// The place in `sections` of the heading that this is or is in.
    section: Option<usize>,
}

/// Where text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sink {
    Body,
    Title,
    Nowhere,
    Script,
    LeftOut(Reason),
    /// Into the text of the last hidden element.
    Hidden,
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
            "img" | "area" | "input" => self.alternative(&attribute),
            _ => {}
        }
        self.controls.hear(&attribute);
        if is_void(name) {
            if name != "wbr" {
                self.push("\n");
            }
            return Visit::Skip;
        }
        if is_unseen(name, &attribute) && !self.hears(name, &attribute) {
            self.push("\n");
            return Visit::Skip;
        }
        let joins = is_inline(name);
        if !joins {
            self.push("\n");
        }
        let outer = self.sink();
        let sink = self.sink_within(outer, name, joins, &attribute);
        let is_node = sink == Sink::Body && (!joins || is_owners(&attribute));
        if is_node {
            let traits = Traits::new(name, &attribute);
            self.page.marked |= traits.is & (OWN | PAGEFIND) != 0;
            self.tree.open(traits, self.text.len());
        }
        let section = self.section(name, sink, &attribute);
        let is_gutter =
            self.stack.last().is_some_and(|open| open.is_gutter) || is_gutter(&attribute);
        let is_line = is_gutter || attribute("data-line-number").is_some();
        let is_link = name == "a";
        let in_link = if is_link { self.link_to(&attribute) } else { None };
        let in_link = in_link.or_else(|| self.stack.last().and_then(|open| open.in_link));
        self.stack.push(Open {
            joins,
            is_link,
            in_link,
            is_gutter,
            is_line,
            is_node,
            sink,
            section,
        });
        Visit::Inside
    }

    /// Whether a control may open a hidden element, which begins: it has an id, by which that is
    /// known at the end.
    fn hide<'a>(&mut self, name: &str, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
        let id = attribute("id").filter(|id| !id.is_empty() && is_hidden(attribute));
        let Some(id) = id else { return false };
        let is_kept = self.tree.hidden(Traits::new(name, attribute), self.text.len());
        if is_kept {
            let at = self.hidden.len();
            self.hidden_at.push((controls::hash_of(&id), at..at));
        }
        is_kept
    }

    /// Whether an element is heard of that is not seen, or a control: a script that may redirect,
    /// and the button that a heading is.
    fn hears<'a>(&self, name: &str, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
        let in_heading = self.stack.last().is_some_and(|open| open.section.is_some());
        name == "script" && self.is_stub()
            || name == "button" && in_heading && attribute("aria-expanded").is_some()
    }

    /// Where a link leads that begins, if elsewhere.
    fn link_to<'a>(&mut self, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> Option<Leads> {
        let leads = Leads::of(&attribute("href")?)?;
        self.tree.link();
        Some(leads)
    }

    /// The text that stands for an image.
    fn alternative<'a>(&mut self, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) {
        if let Some(alt) = attribute("alt")
            && left_out(true, attribute).is_none()
        {
            self.push("\n");
            let start = self.text.len();
            match self.sink() {
                Sink::Body => {
                    self.text.push_str(&alt);
                    self.tree.image(&alt, start..self.text.len());
                }
                Sink::Hidden => self.push(&alt),
                _ => {}
            }
            self.push("\n");
        }
    }

    /// The section that a heading begins, by its own id, one right before it, or the first in it.
    fn section<'a>(
        &mut self,
        name: &str,
        sink: Sink,
        attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> Option<usize> {
        if sink != Sink::Body {
            return None;
        }
        let id = attribute("id").or_else(|| attribute("name").filter(|_| name == "a"));
        let id = id.filter(|id| !id.is_empty()).map(Cow::into_owned);
        if let Some(section) = self.stack.last().and_then(|open| open.section) {
            let of_heading = &mut self.sections[section].id;
            if of_heading.is_empty() {
                *of_heading = id.unwrap_or_default();
            }
            return Some(section);
        }
        self.near = id.or_else(|| self.near.take());
        if !is_heading(name) {
            return None;
        }
        // One without words makes room.
        if let Some(last) = self.sections.last()
            && self.text[last.at.clone()].trim().is_empty()
        {
            self.sections.pop();
        }
        if self.sections.len() == MAX_HEADINGS {
            return None;
        }
        let id = self.near.take().unwrap_or_default();
        let at = self.text.len()..self.text.len();
        self.sections.push(Heading { id, at, is_first_level: name == "h1" });
        Some(self.sections.len() - 1)
    }

    /// Where the text of an element goes that is opened where text goes to `outer`.
    fn sink_within<'a>(
        &mut self,
        outer: Sink,
        name: &str,
        joins: bool,
        attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> Sink {
        match name {
            // Only the document's own title, not one in a later fragment.
            "title" if self.page.title.is_empty() => Sink::Title,
            "title" => Sink::Nowhere,
            "head" | "html" => Sink::Nowhere,
            "body" => Sink::Body,
            "script" => Sink::Script,
            _ if matches!(outer, Sink::Body | Sink::Hidden) => match left_out(joins, attribute) {
                Some(Reason::Unseen) if outer == Sink::Body && self.hide(name, attribute) => {
                    Sink::Hidden
                }
                Some(reason) => Sink::LeftOut(reason),
                None => outer,
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
        self.push(text);
    }

    fn push(&mut self, text: &str) {
        match self.sink() {
            Sink::Body => {
                let in_link = self.stack.last().and_then(|open| open.in_link);
                if self.tree.text(text, in_link) {
                    self.near = None;
                }
                self.text.push_str(text);
            }
            Sink::Title => {
                let room = TITLE_BYTES.saturating_sub(self.page.title.len());
                let end = text.floor_char_boundary(room);
                self.page.title.push_str(&text[..end]);
                self.page.title_is_cut |= !text[end..].trim().is_empty();
            }
            Sink::Script => {
                let room = MAX_SCRIPT.saturating_sub(self.script.len());
                self.script.push_str(&text[..text.floor_char_boundary(room)]);
            }
            Sink::LeftOut(reason) => self.left_out[reason as usize] += weight(text) as usize,
            Sink::Hidden => {
                self.hidden.push_str(text);
                if let Some((_, range)) = self.hidden_at.last_mut() {
                    range.end = self.hidden.len();
                }
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
            self.sections[at].at.end = self.text.len();
        }
        if open.is_node {
            self.tree.close(self.text.len());
        }
        if !open.joins {
            self.push("\n");
        }
        self.stack.pop();
    }

    /// The page that was read.
    #[must_use]
    pub fn finish(mut self) -> PageText {
        while !self.stack.is_empty() {
            self.close();
        }
        self.hear_scripts();
        self.page.title = collapse(&self.page.title);
        let tree = std::mem::take(&mut self.tree).finished(self.text.len());
        let classes = Classes::new(tree);
        let title = self.heading_of(&classes);
        if self.page.title.is_empty() {
            self.page.title = title;
        }
        for (class, range) in &classes.stretches {
            match *class {
                Class::Main => self.main_text(range),
                Class::Other => {
                    end_block(&mut self.page.other);
                    self.page.other.push_str(&self.text[range.clone()]);
                }
                Class::Out(reason) => {
                    self.left_out[reason as usize] += weight(&self.text[range.clone()]) as usize;
                }
            }
        }
        self.controls.finish();
        for ((id, range), class) in self.hidden_at.iter().zip(classes.hidden) {
            let text = &self.hidden[range.clone()];
            match class {
                Class::Main | Class::Other if self.controls.names(*id) => {
                    end_block(&mut self.page.other);
                    self.page.other.push_str(text);
                }
                _ => self.left_out[Reason::Unseen as usize] += weight(text) as usize,
            }
        }
        let left_out = Reason::ALL.into_iter().zip(self.left_out);
        self.page.left_out = left_out.filter(|&(_, characters)| characters > 0).collect();
        self.page
    }

    /// The headings that begin in a stretch of the text.
    fn begun_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Heading> {
        let first = self.sections.partition_point(|heading| heading.at.start < range.start);
        let end = range.end;
        self.sections[first..].iter().take_while(move |heading| heading.at.start < end)
    }

    /// What a page without a `title` is called.
    fn heading_of(&self, classes: &Classes) -> String {
        let first = |wanted: Class, is: fn(&Heading) -> bool| {
            let stretches = classes.stretches.iter().filter(|(class, _)| *class == wanted);
            let headings = stretches.flat_map(|(_, range)| self.begun_in(range));
            let mut lines =
                headings.filter(|heading| is(heading)).map(|heading| self.line_of(heading));
            lines.find(|line| !line.is_empty())
        };
        let title = first(Class::Main, |heading| heading.is_first_level)
            .or_else(|| first(Class::Main, |_| true))
            .or_else(|| first(Class::Other, |_| true));
        let mut title = title.unwrap_or_default();
        let end = title[..title.floor_char_boundary(TITLE_BYTES)].trim_end().len();
        title.truncate(end);
        title
    }

    /// A heading as a line.
    fn line_of(&self, heading: &Heading) -> String {
        collapse(&self.text[heading.at.clone()])
    }

    /// A stretch of the text is main text.
    fn main_text(&mut self, range: &Range<usize>) {
        end_block(&mut self.page.text);
        let shifted = self.page.text.len();
        // Sections are in order, and so are the stretches: each is met once.
        let first = self.sections.partition_point(|heading| heading.at.start < range.start);
        let begun = self.sections[first..].iter();
        for Heading { id, at, .. } in begun.take_while(|heading| heading.at.start < range.end) {
            let heading = &self.text[at.clone()];
            let room = MAX_HEADING_BYTES.saturating_sub(self.page.headings.len());
            let line = collapse(&heading[..heading.floor_char_boundary(room)]);
            if !line.is_empty() {
                if !self.page.headings.is_empty() {
                    self.page.headings.push('\n');
                }
                self.page.headings.push_str(&line);
            }
            let heading = &heading[..heading.floor_char_boundary(TITLE_BYTES)];
            let heading = collapse(heading.trim_end_matches(LINK_MARKS));
            if !id.is_empty() && !heading.is_empty() {
                let at = shifted + at.start - range.start;
                self.page.sections.push(Section { at, id: id.clone(), heading });
            }
        }
        self.page.text.push_str(&self.text[range.clone()]);
    }

    /// A page that has little but a script may redirect by it.
    fn hear_scripts(&mut self) {
        if self.page.redirect.is_none() && self.tree.weight() < MAX_STUB {
            self.page.redirect = script_target(&self.script);
        }
    }

    /// Whether the page may still be one that only redirects.
    fn is_stub(&self) -> bool {
        self.tree.weight() < MAX_STUB && self.script.len() < MAX_SCRIPT
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
        let is_card = |v: &str| v.starts_with("og:") || v.starts_with("twitter:");
        if ["property", "name"].into_iter().any(|by| attribute(by).is_some_and(|v| is_card(&v))) {
            self.tree.has_card = true;
        }
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
mod tests;
