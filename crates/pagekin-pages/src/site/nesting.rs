//! Builds the tree of a page whose elements are nested as written.
//!
//! Nearly all pages of generators are. Their trees follow from few rules, several times as fast as
//! by html5ever, which takes most of the time of reading a page. Where the HTML standard repairs a
//! page, or an element is rare, building ends with [`Unusual`], and html5ever reads the page from
//! the start. So there is no page for which the two differ.
//!
//! # Rules
//!
//! 1. An end tag ends the current element, or one around it if only elements with optional end tags
//!    are between the two.
//! 2. Start tags add `html`, `head`, `body`, `colgroup`, `tbody` and `tr` where these are missing,
//!    and end `p`, `li`, `dt`, `dd`, `option` and parts of tables as the standard says.
//! 3. A formatting element such as `b` ends with its own end tag only. So none is ever reopened.
//! 4. In a table there is only white space between its parts.
//! 5. An `svg` contains elements of shapes and texts, without HTML.

use std::ops::Range;

use html5ever::interface::{NodeOrText, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, local_name, ns};
use rustc_hash::FxHashMap;

use crate::site::doctype::Quirks;
use crate::site::dom::Dom;
use crate::site::kinds::Kind;
use crate::site::markup;
use crate::site::nodes::{DOCUMENT, NodeId};
use crate::site::selectors::Selectors;
use crate::site::tags::{Tags, Token, Unusual, decode};

/// Maximum depth of nested elements. The time of some tags is linear in it.
const MAX_DEPTH: usize = 200;
/// Maximum number of different names. Interning many custom ones takes quadratic time.
const MAX_NAMES: usize = 1_024;
/// Number of attributes with which a formatting element [counts](Dom) as several.
const MANY_ATTRIBUTES: usize = 16;

/// Elements of `svg` that contain nothing that is HTML.
const SHAPES: [&str; 17] = [
    "a", "circle", "defs", "ellipse", "g", "line", "mask", "path", "polygon", "polyline", "rect",
    "stop", "symbol", "text", "title", "tspan", "use",
];

/// The insertion modes of the standard. `Body` includes those in a cell and a caption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    Head,
    HeadNoscript,
    AfterHead,
    Body,
    Table,
    ColumnGroup,
    TableBody,
    Row,
    AfterBody,
    AfterHtml,
}

/// An open element.
struct Open {
    /// The parent of its content.
    node: NodeId,
    name: LocalName,
    kind: Kind,
}

struct Nesting<'a> {
    dom: Dom,
    page: &'a StrTendril,
    tags: Tags<'a>,
    names: FxHashMap<&'a str, (LocalName, Kind)>,
    /// The names of attributes that are kept. Others have none.
    attribute_names: FxHashMap<&'a str, Option<LocalName>>,
    /// Whether selectors may need any attribute.
    has_selectors: bool,
    /// The attributes of the next element.
    kept: Vec<Attribute>,
    open: Vec<Open>,
    mode: Mode,
    quirks: Quirks,
    has_form: bool,
    /// Whether a line break that follows at once is not text.
    ignores_line_break: bool,
}

/// Returns the tree of a page, unless it is unusual.
pub(crate) fn read(page: &str, selectors: &Selectors) -> Result<Dom, Unusual> {
    let page = &if page.contains('\r') {
        StrTendril::from(page.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        StrTendril::from(page)
    };
    let mut nesting = Nesting {
        dom: Dom::new(page.len(), selectors),
        page,
        tags: Tags::new(page)?,
        names: FxHashMap::default(),
        attribute_names: FxHashMap::default(),
        has_selectors: selectors.are_used(),
        kept: Vec::new(),
        open: Vec::new(),
        mode: Mode::Initial,
        quirks: Quirks::Yes,
        has_form: false,
        ignores_line_break: false,
    };
    nesting.read()?;
    let Nesting { dom, .. } = nesting;
    if dom.overfull().is_some() { Err(Unusual) } else { Ok(dom) }
}

impl<'a> Nesting<'a> {
    fn read(&mut self) -> Result<(), Unusual> {
        while let Some(token) = self.tags.next()? {
            let after_line_break = std::mem::take(&mut self.ignores_line_break);
            match token {
                Token::Text(mut range) => {
                    let starts = after_line_break && self.page.as_bytes()[range.start] == b'\n';
                    range.start += usize::from(starts);
                    self.text(self.page.subtendril(range.start as u32, range.len() as u32))?;
                }
                Token::Reference('\n', None) if after_line_break => {}
                Token::Reference(first, second) => self.text(characters(first, second))?,
                Token::Start(name, closes_itself) => {
                    let (name, kind) = self.name(name)?;
                    match self.current() {
                        Kind::Svg => self.start_in_svg(name, closes_itself)?,
                        Kind::SvgTitle => return Err(Unusual),
                        _ if kind == Kind::Svg && closes_itself => self.start_empty_svg()?,
                        _ => self.start(name, kind)?,
                    }
                }
                Token::End(name) => {
                    let (name, kind) = self.name(name)?;
                    match self.current() {
                        Kind::Svg | Kind::SvgTitle => self.end_current(&name)?,
                        _ => self.end(&name, kind)?,
                    }
                }
                Token::Comment => self.comment(),
                Token::Doctype(doctype) if self.mode == Mode::Initial => {
                    self.quirks = Quirks::of(doctype);
                    self.mode = Mode::BeforeHtml;
                }
                Token::Doctype(_) => return Err(Unusual),
            }
            if self.open.len() > MAX_DEPTH {
                return Err(Unusual);
            }
        }
        if self.in_template() { Err(Unusual) } else { self.reach_body() }
    }

    fn in_template(&self) -> bool {
        self.open.iter().any(|open| open.kind == Kind::Template)
    }

    /// Returns the name of an element in lower case, and its kind.
    fn name(&mut self, written: &'a str) -> Result<(LocalName, Kind), Unusual> {
        if let Some(known) = self.names.get(written) {
            return Ok(known.clone());
        }
        if self.names.len() == MAX_NAMES {
            return Err(Unusual);
        }
        let name = written.to_ascii_lowercase();
        let new = (LocalName::from(&*name), Kind::new(&name));
        self.names.insert(written, new.clone());
        Ok(new)
    }

    fn current(&self) -> Kind {
        self.open.last().map_or(Kind::Html, |open| open.kind)
    }

    fn parent(&self) -> NodeId {
        self.open.last().map_or(DOCUMENT, |open| open.node)
    }

    /// Adds a comment. It divides the text around it.
    fn comment(&mut self) {
        let parent = match self.mode {
            Mode::AfterBody => self.open[0].node,
            Mode::Initial | Mode::BeforeHtml | Mode::AfterHtml => DOCUMENT,
            _ => self.parent(),
        };
        let comment = self.dom.create_comment(StrTendril::new());
        self.dom.append(&parent, NodeOrText::AppendNode(comment));
    }

    /// Adds a text, or a part of one.
    fn text(&mut self, mut text: StrTendril) -> Result<(), Unusual> {
        if self.mode != Mode::Body {
            let rest = text.trim_ascii_start().len();
            let space = text.subtendril(0, (text.len() - rest) as u32);
            text = text.subtendril(space.len() as u32, rest as u32);
            match self.mode {
                Mode::Initial | Mode::BeforeHtml | Mode::BeforeHead => {}
                _ => self.append(space),
            }
            match self.mode {
                _ if text.is_empty() => {}
                Mode::Initial
                | Mode::BeforeHtml
                | Mode::BeforeHead
                | Mode::Head
                | Mode::AfterHead => self.reach_body()?,
                _ => return Err(Unusual),
            }
        }
        self.append(text);
        Ok(())
    }

    fn append(&self, text: StrTendril) {
        if !text.is_empty() {
            self.dom.append(&self.parent(), NodeOrText::AppendText(text));
        }
    }

    /// Adds the missing elements up to the body.
    fn reach_body(&mut self) -> Result<(), Unusual> {
        loop {
            match self.mode {
                Mode::HeadNoscript => return Err(Unusual),
                Mode::Initial
                | Mode::BeforeHtml
                | Mode::BeforeHead
                | Mode::Head
                | Mode::AfterHead => self.add_missing(),
                _ => return Ok(()),
            }
        }
    }

    /// Goes from one mode before the body to the next, without a tag.
    fn add_missing(&mut self) {
        match self.mode {
            Mode::Initial | Mode::BeforeHtml => {
                self.push_missing(local_name!("html"), Kind::Html, Mode::BeforeHead);
            }
            Mode::BeforeHead => self.push_missing(local_name!("head"), Kind::Head, Mode::Head),
            Mode::Head => self.pop(Mode::AfterHead),
            _ => self.push_missing(local_name!("body"), Kind::Body, Mode::Body),
        }
    }

    fn push_missing(&mut self, name: LocalName, kind: Kind, mode: Mode) {
        self.mode = mode;
        self.push(name, kind);
    }

    /// Starts an element with the attributes of the last tag.
    fn open(&mut self, name: LocalName, kind: Kind, mode: Mode) -> Result<(), Unusual> {
        self.take_attributes(kind)?;
        self.mode = mode;
        self.push(name, kind);
        Ok(())
    }

    /// Adds an element without content, with the attributes of the last tag.
    fn add_empty(&mut self, name: LocalName, kind: Kind) -> Result<(), Unusual> {
        self.take_attributes(kind)?;
        self.add(name, kind);
        Ok(())
    }

    fn push(&mut self, name: LocalName, kind: Kind) {
        let mut node = self.add(name.clone(), kind);
        if kind == Kind::Template {
            node = self.dom.get_template_contents(&node);
        }
        self.open.push(Open { node, name, kind });
    }

    fn add(&mut self, name: LocalName, kind: Kind) -> NodeId {
        let is_svg = matches!(kind, Kind::Svg | Kind::SvgTitle);
        let namespace = if is_svg { ns!(svg) } else { ns!(html) };
        let name = QualName::new(None, namespace, name);
        let node = self.dom.create_from(name, &mut self.kept, kind == Kind::Template);
        self.dom.append(&self.parent(), NodeOrText::AppendNode(node));
        node
    }

    /// Ends the current element.
    fn pop(&mut self, mode: Mode) {
        self.open.pop();
        self.mode = mode;
    }

    /// Ends the current element, which must have this name.
    fn end_current(&mut self, name: &LocalName) -> Result<(), Unusual> {
        let ended = self.open.pop().filter(|open| open.name == *name);
        ended.map(|_| ()).ok_or(Unusual)
    }

    /// Ends the innermost element of a name, and those in it whose end tags are optional.
    fn end_element(&mut self, name: &LocalName) -> Result<(), Unusual> {
        while let Some(open) = self.open.pop() {
            if open.name == *name {
                return Ok(());
            }
            if !open.kind.has_optional_end() {
                break;
            }
        }
        Err(Unusual)
    }

    /// Ends elements whose end tags are optional, except those of one name.
    fn end_optional(&mut self, except: &LocalName) {
        let ends = |open: &Open| open.kind.has_optional_end() && open.name != *except;
        while self.open.last().is_some_and(ends) {
            self.open.pop();
        }
    }

    fn start(&mut self, name: LocalName, kind: Kind) -> Result<(), Unusual> {
        use Mode::*;
        match (self.mode, kind) {
            (Initial | BeforeHtml, Kind::Html) => self.open(name, kind, BeforeHead),
            (BeforeHead, Kind::Head) => self.open(name, kind, Head),
            (AfterHead, Kind::Body) => self.open(name, kind, Body),
            (Head, Kind::Noscript) => self.open(name, kind, HeadNoscript),
            (HeadNoscript, Kind::Meta | Kind::Style) => self.start_in_head(name, kind),
            (HeadNoscript, _) => Err(Unusual),
            (Head, _) if kind.is_of_head() => self.start_in_head(name, kind),
            (BeforeHead | Head | AfterHead, Kind::Html) | (Head | AfterHead, Kind::Head) => {
                Err(Unusual)
            }
            (BeforeHead | Head | AfterHead, Kind::Template) => Err(Unusual),
            (AfterHead, _) if kind.is_of_head() => Err(Unusual),
            (_, Kind::Rare) | (AfterBody | AfterHtml, _) => Err(Unusual),
            (Initial | BeforeHtml | BeforeHead | Head | AfterHead, _) => {
                self.add_missing();
                self.start(name, kind)
            }
            (Body, _) if kind.is_part_of_table() => {
                self.end_cell()?;
                self.start(name, kind)
            }
            (Body, _) => self.start_in_body(name, kind),
            (Table | ColumnGroup | TableBody | Row, _) => self.start_in_table(name, kind),
        }
    }

    fn start_in_head(&mut self, name: LocalName, kind: Kind) -> Result<(), Unusual> {
        match kind {
            Kind::Base | Kind::Meta => self.add_empty(name, kind),
            _ => self.read_raw(&name, kind),
        }
    }

    /// Adds an element whose content is text, up to its end tag.
    fn read_raw(&mut self, name: &LocalName, kind: Kind) -> Result<(), Unusual> {
        self.open(name.clone(), kind, self.mode)?;
        let mut range = self.tags.raw_text(name)?;
        let page = self.page;
        if kind == Kind::Script && hides_end_tag(&page[range.clone()]) {
            return Err(Unusual);
        }
        if kind == Kind::Textarea {
            if page[range.start..].starts_with('&') {
                return Err(Unusual);
            }
            range.start += usize::from(page[range.start..].starts_with('\n'));
        }
        if matches!(kind, Kind::Title | Kind::Textarea) {
            decode(page, range, false, |token| self.append(text_of(page, token)))?;
        } else {
            self.append(page.subtendril(range.start as u32, range.len() as u32));
        }
        self.open.pop();
        Ok(())
    }

    fn start_in_table(&mut self, name: LocalName, kind: Kind) -> Result<(), Unusual> {
        use Mode::*;
        match (self.mode, kind) {
            (Table, Kind::Caption) => return self.open(name, kind, Body),
            (Table, Kind::Columns) => return self.open(name, kind, ColumnGroup),
            (Table, Kind::Rows) => return self.open(name, kind, TableBody),
            (TableBody, Kind::Row) => return self.open(name, kind, Row),
            (Row, Kind::Cell) => return self.open(name, kind, Body),
            (ColumnGroup, Kind::Column) => return self.add_empty(name, kind),
            (Table | TableBody | Row, Kind::Style | Kind::Script)
                if name != local_name!("noframes") =>
            {
                return self.read_raw(&name, kind);
            }
            (Table, Kind::Column) => {
                self.push_missing(local_name!("colgroup"), Kind::Columns, ColumnGroup);
            }
            (Table, Kind::Row | Kind::Cell) => {
                self.push_missing(local_name!("tbody"), Kind::Rows, TableBody);
            }
            (TableBody, Kind::Cell) => self.push_missing(local_name!("tr"), Kind::Row, Row),
            (ColumnGroup, _) => self.pop(Table),
            (TableBody, _) if kind.is_part_of_table() => self.pop(Table),
            (Row, _) if kind.is_part_of_table() => self.pop(TableBody),
            _ => return Err(Unusual),
        }
        self.start(name, kind)
    }

    /// Ends the cell of a table before another part of it.
    fn end_cell(&mut self) -> Result<(), Unusual> {
        self.end_optional(&local_name!(""));
        if self.current() != Kind::Cell {
            return Err(Unusual);
        }
        self.pop(Mode::Row);
        Ok(())
    }

    fn start_in_body(&mut self, name: LocalName, kind: Kind) -> Result<(), Unusual> {
        match kind {
            _ if kind.is_of_head() => return self.start_in_head(name, kind),
            Kind::Frame | Kind::Textarea => return self.read_raw(&name, kind),
            Kind::Void => return self.add_empty(name, kind),
            Kind::Input if !self.is_in(Kind::Select) => return self.add_empty(name, kind),
            Kind::Rule if !self.is_in(Kind::Select) => {
                self.end_paragraph()?;
                return self.add_empty(name, kind);
            }
            Kind::Block | Kind::Box | Kind::Paragraph => self.end_paragraph()?,
            Kind::Heading => {
                self.end_paragraph()?;
                if self.current() == Kind::Heading {
                    return Err(Unusual);
                }
            }
            Kind::Pre => {
                self.end_paragraph()?;
                self.ignores_line_break = true;
            }
            Kind::Form if !self.has_form && !self.in_template() => {
                self.end_paragraph()?;
                self.has_form = true;
            }
            Kind::Item | Kind::Definition => self.end_item(kind)?,
            Kind::Option => self.end_option(&name),
            Kind::Table => {
                if self.quirks == Quirks::Unknown && self.is_in_paragraph() {
                    return Err(Unusual);
                }
                if self.quirks == Quirks::No {
                    self.end_paragraph()?;
                }
                return self.open(name, kind, Mode::Table);
            }
            Kind::Button | Kind::Select if !self.is_in(kind) => {}
            Kind::Link if !self.is_in_link() => {}
            Kind::Formatting if self.tags.attributes.len() < MANY_ATTRIBUTES => {}
            Kind::Template if !self.has_attribute("shadowrootmode") => {}
            Kind::Svg | Kind::Noscript | Kind::Other => {}
            _ => return Err(Unusual),
        }
        self.open(name, kind, Mode::Body)
    }

    /// Whether the last tag has an attribute.
    fn has_attribute(&self, name: &str) -> bool {
        self.tags.attributes.iter().any(|attribute| attribute.name.eq_ignore_ascii_case(name))
    }

    /// Whether an element of a kind is open in the same scope.
    fn is_in(&self, kind: Kind) -> bool {
        let found = self.open.iter().rev().find(|open| open.kind == kind || open.kind.is_scope());
        found.is_some_and(|open| open.kind == kind)
    }

    /// Whether a link is open that another would end.
    fn is_in_link(&self) -> bool {
        let mut open = self.open.iter().rev().map(|open| open.kind);
        let is_end =
            |kind: &Kind| matches!(kind, Kind::Link | Kind::Cell | Kind::Caption | Kind::Template);
        let found = open.find(is_end);
        found == Some(Kind::Link)
    }

    /// Whether a paragraph is open that a block would end.
    fn is_in_paragraph(&self) -> bool {
        let ends = |kind: &Kind| matches!(kind, Kind::Paragraph | Kind::Button) || kind.is_scope();
        let found = self.open.iter().rev().map(|open| open.kind).find(ends);
        found == Some(Kind::Paragraph)
    }

    fn end_paragraph(&mut self) -> Result<(), Unusual> {
        if self.is_in_paragraph() { self.end_element(&local_name!("p")) } else { Ok(()) }
    }

    /// Ends an item before the next one.
    fn end_item(&mut self, kind: Kind) -> Result<(), Unusual> {
        let found =
            self.open.iter().rev().find(|open| open.kind == kind || open.kind.holds_items());
        if let Some(found) = found.filter(|open| open.kind == kind) {
            let name = found.name.clone();
            self.end_element(&name)?;
        }
        self.end_paragraph()
    }

    /// Ends an option before another one, or a group.
    fn end_option(&mut self, name: &LocalName) {
        let is_option = self.open.last().is_some_and(|open| open.name == local_name!("option"));
        if self.is_in(Kind::Select) {
            let is_group = *name == local_name!("optgroup");
            self.end_optional(&if is_group { local_name!("") } else { local_name!("optgroup") });
        } else if is_option {
            self.open.pop();
        }
    }

    fn start_empty_svg(&mut self) -> Result<(), Unusual> {
        self.reach_body()?;
        if self.mode != Mode::Body {
            return Err(Unusual);
        }
        self.add_empty(local_name!("svg"), Kind::Svg)
    }

    fn start_in_svg(&mut self, name: LocalName, closes_itself: bool) -> Result<(), Unusual> {
        if !SHAPES.contains(&&*name) {
            return Err(Unusual);
        }
        let kind = if name == local_name!("title") { Kind::SvgTitle } else { Kind::Svg };
        if closes_itself { self.add_empty(name, kind) } else { self.open(name, kind, self.mode) }
    }

    fn end(&mut self, name: &LocalName, kind: Kind) -> Result<(), Unusual> {
        use Mode::*;
        match (self.mode, kind) {
            (Head, Kind::Head) => self.pop(AfterHead),
            (HeadNoscript, Kind::Noscript) => self.pop(Head),
            (Body, Kind::Body | Kind::Html) => {
                let in_scope = self.open[1..].iter().all(|open| !open.kind.is_scope());
                self.mode = if kind == Kind::Body { AfterBody } else { AfterHtml };
                return if in_scope { Ok(()) } else { Err(Unusual) };
            }
            (AfterBody, Kind::Html) => self.mode = AfterHtml,
            // There is nothing to end.
            (Head | Body, _) if kind.is_empty() && *name != local_name!("br") => {}
            (Body, Kind::Paragraph) if !self.is_in_paragraph() && !self.in_template() => {
                self.add(local_name!("p"), kind);
            }
            (Body, _) => return self.end_in_body(name, kind),
            (Table, Kind::Table) => self.pop(Body),
            (ColumnGroup, Kind::Columns) => self.pop(Table),
            (TableBody, Kind::Rows) => {
                self.mode = Table;
                return self.end_current(name);
            }
            (Row, Kind::Row) => self.pop(TableBody),
            (ColumnGroup | TableBody, Kind::Table) => {
                self.pop(Table);
                return self.end(name, kind);
            }
            (Row, Kind::Table | Kind::Rows) => {
                self.pop(TableBody);
                return self.end(name, kind);
            }
            _ => return Err(Unusual),
        }
        Ok(())
    }

    fn end_in_body(&mut self, name: &LocalName, kind: Kind) -> Result<(), Unusual> {
        match kind {
            Kind::Form if !self.has_form || self.in_template() => return Err(Unusual),
            Kind::Form => self.has_form = false,
            Kind::Cell => self.mode = Mode::Row,
            Kind::Caption => self.mode = Mode::Table,
            Kind::Table | Kind::Rows | Kind::Row => {
                self.end_cell()?;
                return self.end(name, kind);
            }
            Kind::Link | Kind::Formatting | Kind::Option | Kind::Noscript | Kind::Other => {
                return self.end_current(name);
            }
            Kind::Block
            | Kind::Box
            | Kind::Paragraph
            | Kind::Heading
            | Kind::Pre
            | Kind::Item
            | Kind::Definition
            | Kind::Button
            | Kind::Select
            | Kind::Template => {}
            _ => return Err(Unusual),
        }
        self.end_element(name)
    }

    /// Keeps the attributes of the last tag that readers may need, for the next element.
    fn take_attributes(&mut self, kind: Kind) -> Result<(), Unusual> {
        let is_for_search = |name: &str| {
            name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data-"))
                && markup::is_for_search(&name.to_ascii_lowercase())
        };
        let is_svg = matches!(kind, Kind::Svg | Kind::SvgTitle);
        let raw = std::mem::take(&mut self.tags.attributes);
        // An attribute for search tools may name any other.
        let all = self.has_selectors || raw.iter().any(|raw| is_for_search(raw.name));
        if all && is_svg {
            return Err(Unusual);
        }
        for raw in &raw {
            let name = if is_svg { local_of_foreign(raw.name) } else { raw.name };
            let name = if all {
                Some(LocalName::from(name.to_ascii_lowercase()))
            } else {
                self.attribute_name(name)?
            };
            let Some(name) = name else { continue };
            let is_known = self.kept.iter().any(|kept| kept.name.local == name);
            if is_known && is_svg {
                return Err(Unusual);
            }
            if !is_known {
                let value = self.value(raw.value.clone())?;
                self.kept.push(Attribute { name: QualName::new(None, ns!(), name), value });
            }
        }
        self.tags.attributes = raw;
        Ok(())
    }

    /// Returns the name of an attribute in lower case, if readers may need it.
    fn attribute_name(&mut self, written: &'a str) -> Result<Option<LocalName>, Unusual> {
        if let Some(known) = self.attribute_names.get(written) {
            return Ok(known.clone());
        }
        if self.attribute_names.len() == MAX_NAMES {
            return Err(Unusual);
        }
        let name = written.to_ascii_lowercase();
        let name = Dom::may_need(&name).then(|| LocalName::from(name));
        self.attribute_names.insert(written, name.clone());
        Ok(name)
    }

    fn value(&self, range: Range<usize>) -> Result<StrTendril, Unusual> {
        let page = self.page;
        if !page.as_bytes()[range.clone()].contains(&b'&') {
            return Ok(page.subtendril(range.start as u32, range.len() as u32));
        }
        let mut value = StrTendril::new();
        decode(page, range, true, |token| value.push_tendril(&text_of(page, token)))?;
        Ok(value)
    }
}

/// Whether a script may contain an end tag that does not end it: after `<!--` and a start tag.
fn hides_end_tag(script: &str) -> bool {
    let is_start = |tag: &[u8]| tag.eq_ignore_ascii_case(b"<script");
    script.contains("<!--") && script.as_bytes().windows(7).any(is_start)
}

/// Returns a text, or the characters of a reference.
fn text_of(page: &StrTendril, token: Token<'_>) -> StrTendril {
    match token {
        Token::Text(range) => page.subtendril(range.start as u32, range.len() as u32),
        Token::Reference(first, second) => characters(first, second),
        _ => StrTendril::new(),
    }
}

fn characters(first: char, second: Option<char>) -> StrTendril {
    let mut characters = StrTendril::from_char(first);
    if let Some(second) = second {
        characters.push_char(second);
    }
    characters
}

/// Returns the local name of an attribute in an `svg`.
fn local_of_foreign(name: &str) -> &str {
    let of = |prefix: &str, names: &[&str]| {
        let start = name.get(..prefix.len()).filter(|start| start.eq_ignore_ascii_case(prefix))?;
        let local = &name[start.len()..];
        names.iter().any(|known| local.eq_ignore_ascii_case(known)).then_some(local)
    };
    let links = ["actuate", "arcrole", "href", "role", "show", "title", "type"];
    of("xlink:", &links).or_else(|| of("xml:", &["lang", "space"])).unwrap_or(name)
}

#[cfg(test)]
mod tests;
