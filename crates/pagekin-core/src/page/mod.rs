//! Extracts the title, language and text of a parsed page.
//!
//! A parser (html5ever natively, the browser's own parser in the client) walks its tree and reports
//! elements and text to a [`PageReader`] in document order. All rules about which content counts
//! are in this module, so a page read at build time and the same page pasted by a visitor give the
//! same text.
//!
//! # Rules
//!
//! 1. Comments, scripts and styles are dropped and tags are removed. The `alt` text of images is
//!    kept (Haveliwala, Gionis and Indyk 2000, section 2.1). Invisible elements and controls are
//!    dropped too: `template`, `noscript`, `svg`, `iframe`, `button`, `select`, elements hidden by
//!    the `hidden` attribute or an inline style, and inline elements with `aria-hidden`. Content
//!    that visitors can open is read: panels of tabs and accordions, `details`,
//!    `hidden=until-found`, a button in a heading that expands its section, and declarative shadow
//!    roots. A hidden element that a control of the page references by id is other text, except
//!    menus and dialogs (see `controls.rs`). The content of pagekin's own elements
//!    (`pagekin-related`) is dropped, because a list of related pages would otherwise make pages
//!    related.
//! 2. Elements with `data-pagekin-ignore` or `data-pagefind-ignore` are skipped. The values of the
//!    attributes that an element lists in `data-pagekin-index-attrs` or `data-pagefind-index-attrs`
//!    are part of its text.
//! 3. The rest is divided into *main* text, *other* text, and the frame of the site, which is
//!    dropped. The owner's marks, `main` and `article` decide this, and otherwise the positions of
//!    paragraphs and links (see `main_text.rs`).
//! 4. Inline elements (`b`, `code`, `span`, `wbr`, …) do not end a word; every other element does.
//! 5. Line numbers of listings are not text. They are numbers in an element with `data-line-number`
//!    or with a class that highlighters use for them, such as `linenos`.
//! 6. A page with next to no text and a script that navigates to another page is a redirect.
//!
//! # Quirks
//!
//! 1. A timed reload of the same page (`meta refresh` without a URL) is not a redirect.

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
pub(crate) use rules::{collapse, has_robots_directive, is_hidden, is_inline, is_related, is_void};
use rules::{
    exclusion_reason, is_gutter, is_line_number, is_owners, list_of_attributes, refresh_target,
    script_target,
};
pub use rules::{is_unseen, listed_attributes, marks_body};
pub use tree::Reason;
use tree::{LinkTarget, OWN, PAGEFIND, Traits, Tree, weight};

/// The text and metadata of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageText {
    /// The `title`, or else the first `h1` of the main text, or else one outside of the marked
    /// body, or else the first heading of the main text, or else that of the other text. White
    /// space is collapsed. Empty if the page has no title or heading.
    pub title: String,
    /// Whether the `title` was cut at the maximum of 4,096 bytes.
    pub title_is_cut: bool,
    /// The `lang` attribute of the root element as written (`en-GB`), or empty.
    pub lang: String,
    /// The main text. White space separates words of different blocks.
    pub text: String,
    /// The text that a visitor can read on the page but that is neither main text nor the frame of
    /// the site. It shares no byte with `text`. White space separates words of different blocks.
    pub other: String,
    /// The headings of the main text, one per line. If it is marked and has no `h1`, the first `h1`
    /// outside comes first, unless it has a link, as the name of a site has.
    pub headings: String,
    /// The sections of the main text that URLs can link to, in document order.
    pub sections: Vec<Section>,
    /// The target URL of a redirect by `meta refresh` or by script.
    pub redirect: Option<String>,
    /// Whether the page asks robots not to index it (`meta name=robots` with `noindex` or `none`).
    pub noindex: bool,
    /// The URL in `link rel=canonical`, as written.
    pub canonical: Option<String>,
    /// Whether an element carries `data-pagekin-body` or `data-pagefind-body`.
    pub marked: bool,
    /// The number of characters other than white space that are in neither `text` nor `other`, by
    /// reason, in the order of [`Reason`].
    pub left_out: Vec<(Reason, usize)>,
}

/// A heading that a URL can link to, with the text that follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The byte offset of the heading in the text.
    pub at: usize,
    /// The fragment of the URL, without `#` and unescaped.
    pub id: String,
    /// The heading with white space collapsed, without its link to itself.
    pub heading: String,
}

/// The attributes that a [`PageReader`] and a [`LinkReader`](crate::links::LinkReader) request, in
/// addition to [those that an element lists](listed_attributes). A caller may drop all others.
/// Without `id`, which only links to [sections](Section) need, a page
/// has no sections.
pub const ATTRIBUTES: [&str; 30] = [
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
    "data-pagefind-index-attrs",
    "data-pagekin-body",
    "data-pagekin-ignore",
    "data-pagekin-index-attrs",
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

/// Maximum number of bytes of a title, and of the heading of a section. The rest is dropped.
const MAX_TITLE_BYTES: usize = 4_096;
/// Maximum number of recognized headings in a page. Later ones are ordinary text.
const MAX_HEADINGS: usize = 4_096;

/// Maximum total number of bytes of [`PageText::headings`].
const MAX_HEADING_BYTES: usize = 256 << 10;

/// Maximum number of bytes of script that are searched for a redirect.
const MAX_SCRIPT: usize = 4_096;
/// A page with a redirecting script is a redirect if its text weighs less than this. Such pages may
/// contain a short notice of the redirect.
const MAX_STUB: u32 = 100;

/// Characters that generators append to a heading as a link to itself.
const LINK_MARKS: [char; 7] = ['¶', '§', '🔗', '\u{f0c1}', ' ', '\n', '\u{200b}'];

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

fn end_block(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// Whether the text of a link is only a generated mark that links to a section.
fn is_link_mark(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && (text == "#" || text.chars().all(|c| LINK_MARKS.contains(&c)))
}

/// Whether a [`PageReader`] needs the children and the end of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// Report the children, then call [`PageReader::close`].
    Inside,
    /// Skip the element: continue after it, and do not close it.
    Skip,
}

/// Collects a [`PageText`] from a walk over a parsed document.
///
/// Calls must nest: if [`open`](Self::open) returns [`Visit::Inside`], report the children and then
/// call [`close`](Self::close) once. Time is linear in the size of the text.
#[derive(Debug, Default)]
pub struct PageReader {
    page: PageText,
    text: String,
    /// The open elements, outermost first.
    stack: Vec<Open>,
    /// The id of the last element that had one, if no text has followed it.
    recent_id: Option<String>,
    /// The headings, in document order.
    sections: Vec<Heading>,
    /// The concatenated texts of hidden elements that have an id, and the range of each.
    hidden: String,
    hidden_at: Vec<(u64, Range<usize>)>,
    controls: Controls,
    tree: Tree,
    /// The beginning of the scripts of a page that may be only a redirect.
    script: String,
    /// The number of excluded characters by reason.
    left_out: [usize; Reason::ALL.len()],
}

#[derive(Debug)]
struct Heading {
    /// May be empty.
    id: String,
    /// Its range in the text.
    at: Range<usize>,
    is_first_level: bool,
    /// Whether it contains, or is in, a link to another place.
    has_link: bool,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    joins: bool,
    is_link: bool,
    /// The target of the link to another place that this element is or is in.
    in_link: Option<LinkTarget>,
    /// Whether this element or one around it contains line numbers.
    is_gutter: bool,
    /// Whether numbers in this element are line numbers.
    is_line: bool,
    /// Whether this element is in the tree.
    is_node: bool,
    sink: Sink,
    /// The index in `sections` of the heading that this element is or is in.
    section: Option<usize>,
}

/// The destination of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sink {
    Body,
    Title,
    Nowhere,
    Script,
    LeftOut(Reason),
    /// The text of the last hidden element.
    Hidden,
}

impl PageReader {
    /// Returns a reader of an empty page.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts an element. `name` is its local name in lower case; `attribute` returns the value of
    /// an attribute by its lower-case name.
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
            "img" | "area" | "input" => self.add_alternative_text(&attribute),
            _ => {}
        }
        self.controls.collect(&attribute);
        if is_void(name) {
            if exclusion_reason(true, &attribute).is_none() {
                self.add_listed_attributes(name, &attribute);
            }
            if name != "wbr" {
                self.push("\n");
            }
            return Visit::Skip;
        }
        if is_unseen(name, &attribute) && !self.is_read_anyway(name, &attribute) {
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
        let in_link = if name == "a" { self.link_to(&attribute) } else { None };
        let in_link = in_link.or_else(|| self.stack.last().and_then(|open| open.in_link));
        self.mark_link(section, in_link);
        self.stack.push(Open {
            joins,
            is_link: name == "a",
            in_link,
            is_gutter,
            is_line,
            is_node,
            sink,
            section,
        });
        self.add_listed_attributes(name, &attribute);
        Visit::Inside
    }

    /// Records that a heading contains, or is in, a link.
    fn mark_link(&mut self, section: Option<usize>, link: Option<LinkTarget>) {
        if let Some(section) = section {
            self.sections[section].has_link |= link.is_some();
        }
    }

    /// Adds the values of the attributes that an element lists as text, each as a line. Images have
    /// their alternative text already.
    fn add_listed_attributes<'a>(
        &mut self,
        element: &str,
        attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
    ) {
        let Some(list) = list_of_attributes(attribute) else { return };
        let has_alt = matches!(element, "img" | "area" | "input");
        for name in listed_attributes(&list).filter(|name| !(has_alt && name == "alt")) {
            if let Some(value) = attribute(&name) {
                self.push("\n");
                self.push(&value);
                self.push("\n");
            }
        }
    }

    /// Records a hidden element that starts, if it has an id and so a control may open it. Whether
    /// one does is known at the end of the page. Returns whether it was recorded.
    fn record_hidden<'a>(
        &mut self,
        name: &str,
        attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> bool {
        let id = attribute("id").filter(|id| !id.is_empty() && is_hidden(attribute));
        let Some(id) = id else { return false };
        let is_kept = self.tree.hidden(Traits::new(name, attribute), self.text.len());
        if is_kept {
            let at = self.hidden.len();
            self.hidden_at.push((controls::hash_of(&id), at..at));
        }
        is_kept
    }

    /// Whether an invisible element or control is read nevertheless: a script that may redirect, or
    /// a button in a heading that expands its section.
    fn is_read_anyway<'a>(
        &self,
        name: &str,
        attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> bool {
        let in_heading = self.stack.last().is_some_and(|open| open.section.is_some());
        name == "script" && self.is_stub()
            || name == "button" && in_heading && attribute("aria-expanded").is_some()
    }

    /// Returns the target of a link that starts, if it leads to another place.
    fn link_to<'a>(
        &mut self,
        attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> Option<LinkTarget> {
        let target = LinkTarget::from_href(&attribute("href")?)?;
        self.tree.link();
        Some(target)
    }

    /// Adds the alternative text of an image.
    fn add_alternative_text<'a>(&mut self, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) {
        if let Some(alt) = attribute("alt")
            && exclusion_reason(true, attribute).is_none()
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

    /// Returns the section of a heading that starts. Its id is its own, one right before it, or the
    /// first one in it.
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
        self.recent_id = id.or_else(|| self.recent_id.take());
        if !is_heading(name) {
            return None;
        }
        // Reuse the slot of a heading without words.
        if let Some(last) = self.sections.last()
            && self.text[last.at.clone()].trim().is_empty()
        {
            self.sections.pop();
        }
        if self.sections.len() == MAX_HEADINGS {
            return None;
        }
        let id = self.recent_id.take().unwrap_or_default();
        let at = self.text.len()..self.text.len();
        self.sections.push(Heading { id, at, is_first_level: name == "h1", has_link: false });
        Some(self.sections.len() - 1)
    }

    /// The destination of the text of an element, given that of the element around it.
    fn sink_within<'a>(
        &mut self,
        outer: Sink,
        name: &str,
        joins: bool,
        attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> Sink {
        match name {
            // Only the document's own title counts, not one in a later fragment.
            "title" if self.page.title.is_empty() => Sink::Title,
            "title" => Sink::Nowhere,
            "head" | "html" => Sink::Nowhere,
            "body" => Sink::Body,
            "script" => Sink::Script,
            _ if matches!(outer, Sink::Body | Sink::Hidden) => {
                match exclusion_reason(joins, attribute) {
                    Some(Reason::Unseen)
                        if outer == Sink::Body && self.record_hidden(name, attribute) =>
                    {
                        Sink::Hidden
                    }
                    Some(reason) => Sink::LeftOut(reason),
                    None => outer,
                }
            }
            _ => outer,
        }
    }

    /// Adds text. Text before the first element belongs to the body. Generated links to sections
    /// and line numbers of listings are skipped.
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
                    self.recent_id = None;
                }
                self.text.push_str(text);
            }
            Sink::Title => {
                let room = MAX_TITLE_BYTES.saturating_sub(self.page.title.len());
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

    /// Ends the innermost open element.
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

    /// Returns the page.
    #[must_use]
    pub fn finish(mut self) -> PageText {
        while !self.stack.is_empty() {
            self.close();
        }
        self.apply_script_redirect();
        self.page.title = collapse(&self.page.title);
        let tree = std::mem::take(&mut self.tree).finish(self.text.len());
        let classes = Classes::new(tree);
        let outside = self.heading_outside(&classes);
        if self.page.title.is_empty() {
            self.page.title = self.heading_of(&classes, &outside);
        }
        self.page.headings = outside;
        for (class, range) in &classes.stretches {
            match *class {
                Class::Main => self.add_main_text(range),
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

    /// The headings that start in a range of the text.
    fn headings_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Heading> {
        let first = self.sections.partition_point(|heading| heading.at.start < range.start);
        let end = range.end;
        self.sections[first..].iter().take_while(move |heading| heading.at.start < end)
    }

    /// The first heading of a class that `is` accepts and that is not empty, as a title.
    fn first_heading(
        &self,
        classes: &Classes,
        wanted: Class,
        is: fn(&Heading) -> bool,
    ) -> Option<String> {
        let stretches = classes.stretches.iter().filter(|(class, _)| *class == wanted);
        let headings = stretches.flat_map(|(_, range)| self.headings_in(range));
        let mut lines = headings.filter(|heading| is(heading)).map(|heading| self.line_of(heading));
        let mut title = lines.find(|line| !line.is_empty())?;
        let end = title[..title.floor_char_boundary(MAX_TITLE_BYTES)].trim_end().len();
        title.truncate(end);
        Some(title)
    }

    /// The `h1` of a page outside of its marked body, or empty. Themes mark the text alone.
    fn heading_outside(&self, classes: &Classes) -> String {
        let is_first = |heading: &Heading| heading.is_first_level;
        if !self.page.marked || self.first_heading(classes, Class::Main, is_first).is_some() {
            return String::new();
        }
        let is_own = |heading: &Heading| heading.is_first_level && !heading.has_link;
        self.first_heading(classes, Class::Out(Reason::Outside), is_own).unwrap_or_default()
    }

    /// The title of a page without a `title` element. `outside` is its heading outside of its
    /// marked body.
    fn heading_of(&self, classes: &Classes, outside: &str) -> String {
        let first = |class, is: fn(&Heading) -> bool| self.first_heading(classes, class, is);
        let outside = || Some(outside.to_owned()).filter(|heading| !heading.is_empty());
        first(Class::Main, |heading| heading.is_first_level)
            .or_else(outside)
            .or_else(|| first(Class::Main, |_| true))
            .or_else(|| first(Class::Other, |_| true))
            .unwrap_or_default()
    }

    fn line_of(&self, heading: &Heading) -> String {
        collapse(&self.text[heading.at.clone()])
    }

    /// Adds a range of the text to the main text, with its headings and sections.
    fn add_main_text(&mut self, range: &Range<usize>) {
        end_block(&mut self.page.text);
        let shifted = self.page.text.len();
        // Sections and stretches are in document order, so each section is visited once.
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
            let heading = &heading[..heading.floor_char_boundary(MAX_TITLE_BYTES)];
            let heading = collapse(heading.trim_end_matches(LINK_MARKS));
            if !id.is_empty() && !heading.is_empty() {
                let at = shifted + at.start - range.start;
                self.page.sections.push(Section { at, id: id.clone(), heading });
            }
        }
        self.page.text.push_str(&self.text[range.clone()]);
    }

    /// Applies the redirect of a script if the page has little text.
    fn apply_script_redirect(&mut self) {
        if self.page.redirect.is_none() && self.tree.weight() < MAX_STUB {
            self.page.redirect = script_target(&self.script);
        }
    }

    /// Whether the page may still turn out to be only a redirect.
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
        self.page.noindex |= has_robots_directive("noindex", attribute);
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
