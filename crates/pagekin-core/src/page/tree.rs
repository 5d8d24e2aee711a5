//! The block elements of a page, and the amount of text in each.
//!
//! An element takes 40 bytes; one without text takes none after it ends. Beyond [`MAX_NODES`],
//! elements count as part of those around them.

use std::borrow::Cow;
use std::ops::Range;

use super::hints::{self, Hints};

/// The reason why a text on a page is in none of its extracted texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It is in an element with `data-pagekin-ignore` or `data-pagefind-ignore`.
    Ignored,
    /// Visitors cannot see it.
    Unseen,
    /// It is in a menu or a list of tabs.
    Navigation,
    /// It is in the header or footer of the site, or in a dialog.
    Frame,
    /// It is outside of the marked body of the page.
    Outside,
}

impl Reason {
    /// All reasons, in order.
    pub const ALL: [Self; 5] =
        [Self::Ignored, Self::Unseen, Self::Navigation, Self::Frame, Self::Outside];
}

/// `data-pagekin-body` and `data-pagefind-body`.
pub(super) const OWN: u32 = 1;
pub(super) const PAGEFIND: u32 = 1 << 1;
pub(super) const MAIN: u32 = 1 << 2;
pub(super) const ARTICLE: u32 = 1 << 3;
/// The text of an article, by its `itemprop`.
pub(super) const ARTICLE_BODY: u32 = 1 << 4;
pub(super) const NAV: u32 = 1 << 5;
pub(super) const HEADER: u32 = 1 << 6;
pub(super) const FOOTER: u32 = 1 << 7;
pub(super) const ASIDE: u32 = 1 << 8;
/// Hidden from screen readers.
pub(super) const UNSEEN: u32 = 1 << 9;
pub(super) const DIALOG: u32 = 1 << 10;
pub(super) const HEADING: u32 = 1 << 11;
/// The heading of the page, which also has [`HEADING`].
pub(super) const TITLE: u32 = 1 << 12;
/// The alternative text of an image.
pub(super) const IMAGE: u32 = 1 << 13;
pub(super) const CAPTION: u32 = 1 << 14;
/// The element is hidden, and its text is stored separately.
pub(super) const HIDDEN: u32 = 1 << 18;
/// One of its own lines contains a link to another page, rather than to a place in a page.
pub(super) const AWAY: u32 = 1 << 15;
/// One of its own lines is entirely such a link.
pub(super) const LEAD: u32 = 1 << 16;
/// One of its own lines ends in an ellipsis, possibly followed by links.
pub(super) const CUT: u32 = 1 << 17;

/// The properties of an element that are known when it starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Traits {
    pub(super) is: u32,
    /// Hints from its `class` and from its `id`.
    pub(super) hints: Hints,
    pub(super) ids: Hints,
}

impl Traits {
    /// Reads the name and the attributes of an element.
    pub(super) fn new<'a>(name: &str, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> Self {
        let is_true = |name| attribute(name).is_some_and(|value| value.trim() == "true");
        let mut is = from_name(name) | attribute("role").map_or(0, |role| from_role(role.trim()));
        let is_body =
            |prop: Cow<'_, str>| prop.split_ascii_whitespace().any(|prop| prop == "articleBody");
        for (bit, holds) in [
            (OWN, attribute("data-pagekin-body").is_some()),
            (PAGEFIND, attribute("data-pagefind-body").is_some()),
            (ARTICLE_BODY, attribute("itemprop").is_some_and(is_body)),
            (UNSEEN, is_true("aria-hidden")),
            (DIALOG, is_true("aria-modal")),
        ] {
            is |= if holds { bit } else { 0 };
        }
        let (mut hints, mut ids) = (0, 0);
        if !matches!(name, "html" | "body") {
            hints = attribute("class").map_or(0, |class| hints::from_class(&class));
            // The ids of other elements are derived from their content.
            let is_box = matches!(
                name,
                "article" | "aside" | "div" | "footer" | "form" | "ol" | "table" | "td" | "ul"
            );
            if is_box && hints & hints::SECTION == 0 {
                ids = attribute("id").map_or(0, |id| hints::from_id(&id));
            }
        }
        let holds_text = match name {
            "article" | "div" | "section" | "td" => hints::BODY | hints::CONTENT,
            "main" => hints::CONTENT,
            _ => 0,
        };
        let other = !(hints::BODY | hints::CONTENT) | holds_text;
        Self { is, hints: hints & other, ids: ids & other }
    }

    pub(super) fn has(self, what: u32) -> bool {
        self.is & what != 0
    }

    pub(super) fn is_named(self, what: Hints) -> bool {
        self.hints & what != 0
    }
}

fn from_name(name: &str) -> u32 {
    match name {
        "main" => MAIN,
        "article" => ARTICLE,
        "nav" | "menu" => NAV,
        "header" => HEADER,
        "footer" => FOOTER,
        "aside" => ASIDE,
        "dialog" => DIALOG,
        "h1" => HEADING | TITLE,
        "h2" | "h3" | "h4" | "h5" | "h6" => HEADING,
        "figcaption" => CAPTION,
        _ => 0,
    }
}

fn from_role(role: &str) -> u32 {
    match role {
        "main" => MAIN,
        "article" => ARTICLE,
        "navigation" | "menu" | "menubar" | "tablist" => NAV,
        "banner" => HEADER,
        "contentinfo" => FOOTER,
        "complementary" => ASIDE,
        "dialog" | "alertdialog" | "search" => DIALOG,
        _ => 0,
    }
}

/// An amount of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) weight: u32,
    /// The part of the weight that is in links to other pages.
    pub(super) linked: u32,
    /// The part of the weight that is in paragraphs, outside of links.
    pub(super) prose: u32,
    pub(super) links: u32,
}

impl Amount {
    pub(super) fn add(&mut self, other: Self) {
        self.weight += other.weight;
        self.linked += other.linked;
        self.prose += other.prose;
        self.links += other.links;
    }

    /// Whether at least `numerator / denominator` of the weight is in links.
    pub(super) fn is_linked(self, numerator: u32, denominator: u32) -> bool {
        self.links > 0
            && u64::from(denominator) * u64::from(self.linked)
                >= u64::from(numerator) * u64::from(self.weight)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// The range of its text.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The index of the parent, which is smaller than its own. The root is its own parent.
    pub(super) parent: u32,
    /// The amount of its own lines, without those of its descendants.
    pub(super) own: Amount,
    pub(super) traits: Traits,
}

/// Maximum number of elements that are distinguished. The single-page HTML standard has about that
/// many.
const MAX_NODES: usize = 1 << 17;
/// Minimum [weight](weight) outside of links of a paragraph.
const MIN_PROSE: u32 = 80;
/// Minimum weight of paragraphs that is enough to judge a page.
pub(super) const MIN_TEXT: u32 = 200;

/// Weighs a text: a character other than white space counts 1, or 3 if it is Chinese, Japanese or
/// Korean. Private-use characters, which highlighters of search terms insert, count 0.
pub(super) fn weight(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let starts = |&&byte: &&u8| byte > b' ' && byte < 0xf3 && byte & 0xc0 != 0x80;
    let wide = bytes.iter().filter(|byte| (0xe3..=0xed).contains(*byte)).count();
    (bytes.iter().filter(starts).count() + 2 * wide) as u32
}

/// The kind of target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// To another page.
    ToPage,
    /// To a place in a page, which may be the current one.
    ToPlace,
}

impl LinkTarget {
    /// Returns the kind of target of an `href`, or `None` for a place in the same page.
    pub(super) fn from_href(href: &str) -> Option<Self> {
        match href.find('#') {
            Some(0) => None,
            Some(_) => Some(Self::ToPlace),
            None => Some(Self::ToPage),
        }
    }
}

/// Whether a text ends in an ellipsis, possibly in brackets.
fn ends_cut(text: &str) -> bool {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ']' | ')'));
    text.ends_with('…') || text.ends_with("...")
}

/// Collects the elements of a page.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    open: Vec<u32>,
    /// The amount of the current line.
    line: Amount,
    /// [`AWAY`] and [`CUT`] of that line.
    line_is: u32,
    /// The weight of all text.
    weight: u32,
    /// Whether the page specifies how links to it are previewed, as pages that are meant to be
    /// shared do.
    pub(super) has_card: bool,
    /// Whether the page has a `main`, which is not among the elements if it is empty.
    pub(super) has_main: bool,
}

impl Default for Tree {
    fn default() -> Self {
        let line = Amount::default();
        let root = Node { start: 0, end: 0, parent: 0, own: line, traits: Traits::default() };
        Self {
            nodes: vec![root],
            open: vec![0],
            line,
            line_is: 0,
            weight: 0,
            has_card: false,
            has_main: false,
        }
    }
}

impl Tree {
    /// Starts an element at an offset of the text.
    pub(super) fn open(&mut self, traits: Traits, at: usize) {
        self.end_line();
        self.has_main |= traits.has(MAIN);
        let node = self.push(traits, at..at);
        let around = self.around();
        self.open.push(node.unwrap_or(around));
    }

    fn around(&self) -> u32 {
        self.open.last().copied().unwrap_or(0)
    }

    fn push(&mut self, traits: Traits, at: Range<usize>) -> Option<u32> {
        let place = self.nodes.len();
        let (start, end, parent) = (at.start as u32, at.end as u32, self.around());
        (place < MAX_NODES).then(|| {
            self.nodes.push(Node { start, end, parent, own: Amount::default(), traits });
            place as u32
        })
    }

    /// Adds text. Returns whether it has any weight.
    pub(super) fn text(&mut self, text: &str, link: Option<LinkTarget>) -> bool {
        let weight = weight(text);
        self.line.weight += weight;
        self.weight += weight;
        if weight > 0 {
            if link.is_none() {
                self.line_is &= !CUT;
            }
            self.line_is |= if ends_cut(text) { CUT } else { 0 };
        }
        if let Some(target) = link {
            self.line.linked += weight;
            self.line_is |= if weight > 0 && target == LinkTarget::ToPage { AWAY } else { 0 };
        }
        weight > 0
    }

    /// The weight of the text so far.
    pub(super) fn weight(&self) -> u32 {
        self.weight
    }

    /// Starts a link.
    pub(super) fn link(&mut self) {
        self.line.links += 1;
    }

    /// Adds the alternative text of an image at its range.
    pub(super) fn image(&mut self, text: &str, at: Range<usize>) {
        if weight(text) > 0 {
            self.push(Traits { is: IMAGE, ..Traits::default() }, at);
        }
    }

    /// Adds a hidden element, whose text is stored separately. Returns whether it is in the tree.
    pub(super) fn hidden(&mut self, traits: Traits, at: usize) -> bool {
        let is = traits.is & !(OWN | PAGEFIND | TITLE | MAIN | UNSEEN) | HIDDEN;
        let traits = Traits { is, ..traits };
        self.push(traits, at..at).is_some()
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        let plain = line.weight - line.linked;
        if plain >= MIN_PROSE && line.linked <= plain {
            line.prose = plain;
        }
        let mut line_is = std::mem::take(&mut self.line_is);
        if line_is & AWAY != 0 && plain == 0 {
            line_is |= LEAD;
        }
        let around = self.around() as usize;
        self.nodes[around].own.add(line);
        self.nodes[around].traits.is |= line_is;
    }

    /// Ends the innermost element.
    pub(super) fn close(&mut self, at: usize) {
        self.end_line();
        let Some(node) = self.open.pop().map(|node| node as usize).filter(|&node| node > 0) else {
            return;
        };
        self.nodes[node].end = at as u32;
        if node + 1 == self.nodes.len() && self.nodes[node].own.weight == 0 {
            self.nodes.pop();
        }
    }

    /// Closes all elements of a text of this many bytes.
    pub(super) fn finish(mut self, bytes: usize) -> Self {
        while self.open.len() > 1 {
            self.close(bytes);
        }
        self.end_line();
        self.nodes[0].end = bytes as u32;
        self
    }
}
