//! Divides the text of a parsed page into blocks and finds the links in it.
//!
//! The core's [`PageReader`] alone decides which content of a page counts. It is therefore given
//! *marks* in the text where links begin and end: private-use characters (planes 15 and 16 of
//! Unicode). The marks of a link are in its output if the link is, and are then removed. If the
//! text itself contains such characters, spaces replace them.
//!
//! Text in elements with weights also has marks, of `crate::site::weights`.
//!
//! A *block* is the text between two boundaries of elements that are not inline: a paragraph, a
//! cell, an item, a line before a hard break. It is one line of [`BlockText::text`], so line breaks
//! written within a block become spaces.
//!
//! # Repeated text
//!
//! Blocks that occur on many pages of the site are removed from each of them:
//!
//! 1. A *run* consists of consecutive repeated blocks, whatever their texts. It is removed if it
//!    contains at least three words. This removes a menu of short items, and keeps a one-word
//!    heading that many pages share.
//! 2. Headings in removed blocks do not count as headings of the page.
//! 3. A page that would lose all its words keeps all of them.
//!
//! # Quirks
//!
//! 1. Links in headings are ordinary text, because their marks would become text of the headings.
//! 2. In a page with more than 65,520 links, those after that number are ordinary text.

use std::borrow::Cow;
use std::ops::Range;

use pagekin_core::hash;
use pagekin_core::page::{PageReader, PageText, Visit, marks_body};
use pagekin_core::terms::{Language, for_each_word};
use rustc_hash::FxHashSet;

use crate::site::dom::{Listener, Mention};
use crate::site::markup::ONE;
use crate::site::own_scripts::PageScripts;
use crate::site::weights::{OpenWeights, weight_of};

/// The first mark. Marks of links, numbered from 0, start here.
pub const FIRST_LINK: char = '\u{f0000}';
/// Maximum number of marked links in a page.
pub const MAX_LINKS: usize = 0xfff0;
pub const LINK_END: char = '\u{100000}';
/// Maximum number of translations that are read from a page.
const MAX_ALTERNATES: usize = 256;

/// Minimum number of links in the text of a listing. They also contain at least half of its words.
const MIN_LISTING_LINKS: usize = 3;

/// Maximum number of bytes of a teaser and its link: about 120 words.
const MAX_TEASER: usize = 800;
/// Text of a definition term up to this number of bytes is kept, of all together up to the other.
const MAX_DEFINITION_BYTES: usize = 100;
const MAX_DEFINITIONS_BYTES: usize = 1 << 17;
/// Maximum number of bytes of a heading that is a link.
const MAX_TEASED_BYTES: usize = 512;

/// Minimum number of `span` elements in a file of source code, maximum number of bytes for each,
/// and minimum number of bytes that are preformatted, in tenths.
const MIN_SPANS: usize = 8;
const MAX_BYTES_OF_SPAN: usize = 40;
const MIN_PREFORMATTED: usize = 9;

/// Minimum number of words in the first paragraph of a page.
const MIN_PARAGRAPH_WORDS: usize = 8;

/// Minimum number of words in a run of repeated blocks that is removed.
const MIN_RUN_WORDS: usize = 3;

/// The hashes of blocks that occur on many pages of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repeated(FxHashSet<u64>);

impl Repeated {
    /// Collects the hashes of blocks.
    pub fn new(blocks: impl Iterator<Item = u64>) -> Self {
        Self(blocks.collect())
    }

    /// Whether there are no repeated blocks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the blocks of another site.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    fn has(&self, block: &str) -> bool {
        self.0.contains(&hash_of(block))
    }
}

/// Hashes a block that has no white space at its ends.
pub fn hash_of(block: &str) -> u64 {
    hash::of_bytes(block.trim().as_bytes())
}

/// Receives a walk over a document, like a [`PageReader`].
#[derive(Debug, Default)]
pub struct BlockReader {
    page: PageReader,
    /// The open elements, outermost first.
    stack: Vec<Open>,
    /// The number of open headings.
    headings: usize,
    /// Whether the open heading contains a link to another place.
    is_linked: bool,
    /// The number of open definition terms.
    definitions: usize,
    /// The number of open menus.
    menus: usize,
    /// The number of open `pre` elements.
    preformatted: usize,
    weights: OpenWeights,
    surroundings: PageSurroundings,
}

/// The data of a document besides its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageSurroundings {
    /// Whether an element marks the body.
    pub(crate) marks_body: bool,
    /// The URLs of links as written, by link number.
    hrefs: Vec<String>,
    /// The URLs of links in headings, each with the text of its heading so far.
    of_headings: Vec<(String, String)>,
    /// The beginnings of definition terms (`dt`), one per line.
    pub(crate) definitions: String,
    /// The URL of the first `base`.
    pub base: Option<String>,
    /// The content of the first `meta` that lists related pages.
    pub(crate) related: Option<String>,
    /// The URLs of the page in other languages, as written.
    pub(crate) alternates: Vec<String>,
    /// The elements that need a script.
    pub(crate) scripts: PageScripts,
    preformatted: Preformatted,
}

/// The preformatted text of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Preformatted {
    /// Number of bytes other than white space.
    bytes: usize,
    /// Number of `span` elements.
    spans: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Link,
    Heading,
    Definition,
    Menu,
    Preformatted,
    Other,
}

impl BlockReader {
    fn mark(&mut self, mark: char) {
        self.page.text(mark.encode_utf8(&mut [0; 4]));
    }

    /// Starts an `a` element.
    fn link(&mut self, href: Option<&str>) -> Open {
        let hrefs = &mut self.surroundings.hrefs;
        match href.filter(|href| leads(href)) {
            Some(href) if hrefs.len() < MAX_LINKS => {
                let mark = char::from_u32(FIRST_LINK as u32 + hrefs.len() as u32);
                hrefs.push(href.trim().to_owned());
                self.mark(mark.unwrap_or(FIRST_LINK));
                Open::Link
            }
            _ => Open::Other,
        }
    }

    /// Starts an `a` element in a heading. The first link counts.
    fn link_in_heading(&mut self, href: Option<&str>) -> Open {
        let of_headings = &mut self.surroundings.of_headings;
        if let Some(href) = href.filter(|href| leads(href))
            && !self.is_linked
            && of_headings.len() < MAX_LINKS
        {
            of_headings.push((href.trim().to_owned(), String::new()));
            self.is_linked = true;
        }
        Open::Other
    }

    /// Returns the page as a [`PageReader`] alone would read it, except that its text contains
    /// marks, which [`BlockText::new`] removes. Also returns the other data of the document.
    pub fn finish(self) -> (PageText, PageSurroundings) {
        let mut page = self.page.finish();
        if self.weights.are_used() {
            page.title.retain(|c| !is_mark(c));
            page.headings.retain(|c| !is_mark(c));
            page.sections.iter_mut().for_each(|section| section.heading.retain(|c| !is_mark(c)));
        }
        (page, self.surroundings)
    }
}

impl Listener for BlockReader {
    fn mention(&mut self, what: Mention<'_>) {
        self.surroundings.scripts.add(what);
    }

    fn open<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> Visit {
        if name == "base" && self.surroundings.base.is_none() {
            self.surroundings.base = attribute("href").map(|href| href.trim().to_owned());
        }
        if name == "meta" && self.surroundings.related.is_none() && names_related(&attribute) {
            self.surroundings.related = attribute("content").map(Cow::into_owned);
        }
        if name == "link" && self.surroundings.alternates.len() < MAX_ALTERNATES {
            self.surroundings.alternates.extend(translation(&attribute));
        }
        if let Some(mark) = self.weights.open(&attribute) {
            self.mark(mark);
        }
        if self.page.open(name, &attribute) == Visit::Skip {
            self.weights.close();
            return Visit::Skip;
        }
        let marks_body = self.menus == 0 && marks_body(name, &attribute);
        self.surroundings.marks_body |= marks_body;
        let open = match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Open::Heading,
            "dt" => Open::Definition,
            "nav" => Open::Menu,
            "pre" => Open::Preformatted,
            "a" if self.headings == 0 => self.link(attribute("href").as_deref()),
            "a" => self.link_in_heading(attribute("href").as_deref()),
            _ => Open::Other,
        };
        if open == Open::Heading {
            self.is_linked &= self.headings > 0;
            self.headings += 1;
        }
        if open == Open::Definition {
            self.surroundings.definitions.push('\n');
            self.definitions += 1;
        }
        self.menus += usize::from(open == Open::Menu);
        self.preformatted += usize::from(open == Open::Preformatted);
        self.surroundings.preformatted.spans +=
            usize::from(self.preformatted > 0 && name == "span");
        self.stack.push(open);
        Visit::Inside
    }

    fn text(&mut self, text: &str) {
        if let Some(mark) = self.weights.mark() {
            self.mark(mark);
        }
        if self.is_linked
            && self.headings > 0
            && let Some((_, heading)) = self.surroundings.of_headings.last_mut()
            && heading.len() < MAX_TEASED_BYTES
        {
            heading.push_str(text);
        }
        if self.definitions > 0 {
            self.surroundings.add_to_definition(text);
        }
        if self.preformatted > 0 {
            self.surroundings.preformatted.bytes += bytes_of_words(text);
        }
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
            Some(Open::Definition) => self.definitions -= 1,
            Some(Open::Menu) => self.menus -= 1,
            Some(Open::Preformatted) => self.preformatted -= 1,
            Some(Open::Other) | None => {}
        }
        self.weights.close();
        self.page.close();
    }
}

impl PageSurroundings {
    /// Adds text to the last definition term.
    fn add_to_definition(&mut self, text: &str) {
        let all = &mut self.definitions;
        let length = all.len() - all.rfind('\n').map_or(0, |at| at + 1);
        if length < MAX_DEFINITION_BYTES && all.len() < MAX_DEFINITIONS_BYTES {
            all.extend(text.chars().map(|c| if is_border(c) { ' ' } else { c }));
        }
    }

    /// Whether a page with this main text is a file of source code: nearly all of it is
    /// preformatted, and has as many `span` elements as highlighters and line numbers give it.
    /// Documents that are merely written in fixed width do not.
    pub(crate) fn is_source_file(&self, text: &str) -> bool {
        let Preformatted { bytes, spans } = self.preformatted;
        spans >= MIN_SPANS
            && spans * MAX_BYTES_OF_SPAN >= bytes
            && 10 * bytes >= MIN_PREFORMATTED * bytes_of_words(text)
    }
}

/// Returns the number of bytes other than white space.
fn bytes_of_words(text: &str) -> usize {
    text.split_whitespace().map(str::len).sum()
}

/// Whether a `meta` lists related pages.
fn names_related<'a>(attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    attribute("name").is_some_and(|name| name.trim().eq_ignore_ascii_case("pagekin:related"))
}

/// Returns the URL, as written, of a translation that an element links to. `x-default` is not a
/// language.
fn translation<'a>(attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> Option<String> {
    let is_alternate = attribute("rel")?
        .split_ascii_whitespace()
        .any(|relation| relation.eq_ignore_ascii_case("alternate"));
    let language = is_alternate.then(|| attribute("hreflang")).flatten()?;
    Language::from_tag(&language)?;
    attribute("href").map(Cow::into_owned)
}

pub fn is_mark(c: char) -> bool {
    c >= FIRST_LINK
}

/// Whether a character would divide blocks in a text, or is a mark.
pub fn is_border(c: char) -> bool {
    matches!(c, '\n' | '\r') || is_mark(c)
}

/// Whether a link leads to another place than its own page.
fn leads(href: &str) -> bool {
    let href = href.trim_start();
    !href.is_empty() && !href.starts_with('#')
}

/// The text of a page in blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockText {
    /// The main text, one block per line.
    pub text: String,
    /// [`PageText::other`] without marks, one block per line.
    pub other: String,
    /// The headings, one per line.
    pub headings: String,
    /// The number of removed blocks.
    pub(crate) left_out: u64,
    /// The repeated blocks that were removed from the main text, one per line.
    pub(crate) repeated: String,
    /// The ranges of removed blocks, counted among the blocks with text.
    pub left_out_runs: Vec<Range<usize>>,
    /// The links in the text, each with its number and the offset of its text in `linked`, in
    /// document order.
    links: Vec<(u32, usize)>,
    /// The texts of the links, one per line.
    linked: String,
    /// The offsets in the text where its weight changes, with the weight in hundredths, in order.
    /// Text before the first has weight 1.
    weights: Vec<(usize, u16)>,
    /// The blocks that are a link and nothing else: the offset of each in `text`, and its link.
    entries: Vec<(usize, u32)>,
}

/// The start of a run of repeated blocks: the lengths of the text before it.
struct Run {
    text: usize,
    linked: usize,
    links: usize,
    weights: usize,
    /// The number of blocks with text.
    number: usize,
    blocks: u64,
}

impl BlockText {
    /// Builds the text of a page that a [`BlockReader`] returned, without `repeated` blocks.
    pub fn new(page: &PageText, repeated: &Repeated) -> Self {
        let mut text = Self::without(&page.text, page, repeated);
        let mut words = 0;
        if text.left_out > 0 {
            for_each_word(&text.text, |_| words += 1);
            if words == 0 {
                text = Self::without(&page.text, page, &Repeated::default());
            }
        }
        if !page.other.is_empty() {
            let other = Self::without(&page.other, page, repeated);
            text.other = other.text;
            text.left_out += other.left_out;
        }
        text
    }

    /// Divides `marked`, which is one of the texts of `page`, into blocks.
    fn without(marked: &str, page: &PageText, repeated: &Repeated) -> Self {
        let mut blocks = Self { text: String::with_capacity(marked.len()), ..Self::default() };
        // The number of open links. Parsers may nest links, whose words must count once.
        let mut open = 0;
        let mut run: Option<Run> = None;
        let mut number = 0;
        let mut headings = FxHashSet::default();
        for block in marked.split('\n').filter(|block| !block.trim().is_empty()) {
            let start = blocks.here(number);
            blocks.push(block, &mut open);
            number += usize::from(!blocks.text[start.text..].trim().is_empty());
            if !repeated.0.is_empty() && repeated.has(&blocks.text[start.text..]) {
                run.get_or_insert(start).blocks += 1;
            } else if let Some(run) = run.take() {
                blocks.leave_out(&run, &start, &mut headings);
            }
        }
        if let Some(run) = run {
            blocks.leave_out(&run, &blocks.here(number), &mut headings);
        }
        blocks.headings = if headings.is_empty() {
            page.headings.clone()
        } else {
            let own = page.headings.lines().filter(|heading| !headings.contains(*heading));
            own.collect::<Vec<_>>().join("\n")
        };
        blocks
    }

    /// The position after this number of blocks with text.
    fn here(&self, number: usize) -> Run {
        let (text, linked) = (self.text.len(), self.linked.len());
        let (links, weights) = (self.links.len(), self.weights.len());
        Run { text, linked, links, weights, number, blocks: 0 }
    }

    /// Removes a run that ends at `end`, with its `headings`, if it contains enough words.
    fn leave_out(&mut self, run: &Run, end: &Run, headings: &mut FxHashSet<String>) {
        let text = &self.text[run.text..end.text];
        let mut words = 0;
        for_each_word(text, |_| words += 1);
        if words < MIN_RUN_WORDS {
            return;
        }
        let line = |block: &str| block.split_whitespace().collect::<Vec<_>>().join(" ");
        headings.extend(text.lines().map(line));
        self.repeated.push_str(text);
        self.text.drain(run.text..end.text);
        self.linked.drain(run.linked..end.linked);
        self.links.drain(run.links..end.links);
        let removed = run.text..end.text;
        self.entries.retain(|(at, _)| !removed.contains(at));
        for (at, _) in self.entries.iter_mut().filter(|(at, _)| *at >= removed.end) {
            *at -= removed.len();
        }
        for (_, at) in &mut self.links[run.links..] {
            *at -= end.linked - run.linked;
        }
        // The last weight of the run applies to the text after it.
        for (at, _) in &mut self.weights[run.weights..] {
            *at = (*at).max(end.text) - (end.text - run.text);
        }
        self.left_out += run.blocks;
        self.left_out_runs.push(run.number..end.number);
    }

    fn push(&mut self, block: &str, open: &mut usize) {
        let (text, linked, links) = (self.text.len(), self.linked.len(), self.links.len());
        for piece in block.split_inclusive(is_mark) {
            let mark = piece.chars().next_back().filter(|&c| is_mark(c));
            let plain = &piece[..piece.len() - mark.map_or(0, char::len_utf8)];
            self.text.push_str(plain);
            if *open > 0 {
                self.linked.push_str(plain);
            }
            match mark {
                Some(LINK_END) => {
                    *open = open.saturating_sub(1);
                    self.linked.push('\n');
                }
                Some(mark) => match weight_of(mark) {
                    Some(weight) => self.weights.push((self.text.len(), weight)),
                    None => {
                        self.links.push((mark as u32 - FIRST_LINK as u32, self.linked.len()));
                        *open += 1;
                    }
                },
                None => {}
            }
        }
        if let [(link, _)] = self.links[links..]
            && self.text[text..].trim() == self.linked[linked..].trim()
        {
            self.entries.push((text, link));
        }
        self.text.push('\n');
        self.linked.push('\n');
    }

    /// Returns the URLs of the links, as written on the page that a [`BlockReader`] read, with
    /// their texts.
    pub(crate) fn links<'a>(
        &'a self,
        surroundings: &'a PageSurroundings,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.links.iter().filter_map(|&(link, at)| {
            let text = self.linked[at..].lines().next().unwrap_or_default();
            surroundings.hrefs.get(link as usize).map(|href| (href.as_str(), text))
        })
    }

    /// Returns the parts of the text with weights other than 1, with the weights in hundredths.
    pub(crate) fn weighted(&self) -> impl Iterator<Item = (&str, u16)> {
        let ends = self.weights.iter().skip(1).map(|&(at, _)| at).chain([self.text.len()]);
        let parts = self.weights.iter().zip(ends).filter(|((_, weight), _)| *weight != ONE);
        parts.map(|(&(at, weight), end)| (&self.text[at..end], weight))
    }

    /// Returns the first block that has enough words and is not a heading.
    pub(crate) fn first_paragraph(&self) -> &str {
        let is_paragraph = |block: &&str| {
            let mut words = 0;
            for_each_word(block, |_| words += 1);
            words >= MIN_PARAGRAPH_WORDS
        };
        self.text.lines().find(is_paragraph).unwrap_or_default()
    }

    /// Returns the URLs of the pages, as written, that the page may be a list of teasers of. Each
    /// is the link of a heading, or of a block that is nothing else, and little text follows up to
    /// the next. Returns none if these parts are less than half of the text, or one of them is half
    /// of all.
    pub(crate) fn teasers<'a>(
        &'a self,
        surroundings: &'a PageSurroundings,
    ) -> impl Iterator<Item = &'a str> {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let mut headings = surroundings.of_headings.iter();
        let mut next = headings.next().map(|(href, heading)| (href, words(heading)));
        let mut starts: Vec<(usize, &str)> = Vec::new();
        let mut entries = self.entries.iter().peekable();
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            if let Some((href, heading)) = &next
                && !heading.is_empty()
                && line.split_whitespace().eq(heading.iter().map(String::as_str))
            {
                starts.push((at, href));
                next = headings.next().map(|(href, heading)| (href, words(heading)));
            }
            if let Some(&(_, link)) = entries.next_if(|&&(start, _)| start == at)
                && let Some(href) = surroundings.hrefs.get(link as usize)
            {
                starts.push((at, href));
            }
            at += line.len();
        }
        let ends = starts.iter().skip(1).map(|&(at, _)| at).chain([self.text.len()]);
        let teasers = starts.iter().zip(ends).filter(|&(&(at, _), end)| end - at <= MAX_TEASER);
        let teasers: Vec<(usize, &str)> =
            teasers.map(|(&(at, href), end)| (end - at, href)).collect();
        let lengths = || teasers.iter().map(|&(length, _)| length);
        let (length, longest) = (lengths().sum::<usize>(), lengths().max().unwrap_or_default());
        // The text of a short page follows its links to neighbors, all of it after the last.
        let is_balanced = 2 * longest <= length;
        let is_list =
            teasers.len() >= MIN_LISTING_LINKS && is_balanced && 2 * length >= self.text.len();
        teasers.into_iter().filter(move |_| is_list).map(|(_, href)| href)
    }

    /// Whether the page is a listing: contents, an index, an overview of pages. Its text contains
    /// at least three links to other places, and at least half of its `words` words are in links.
    pub fn is_listing(&self, words: usize) -> bool {
        if self.links.len() < MIN_LISTING_LINKS {
            return false;
        }
        let mut linked = 0;
        for_each_word(&self.linked, |_| linked += 1);
        2 * linked >= words
    }
}

#[cfg(test)]
mod tests;
