//! The elements of a page that are no words of a line, and how much text each has.
//!
//! An element takes 40 bytes; one without text takes none once it ends. Beyond [`MAX_NODES`],
//! elements count as part of those around them.

use std::borrow::Cow;
use std::ops::Range;

use super::hints::{self, Hints};

/// Why a text that is on a page is in none of its texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It is in an element with `data-pagekin-ignore` or `data-pagefind-ignore`.
    Ignored,
    /// Visitors do not see it.
    Unseen,
    /// It is a menu, or a list of tabs.
    Navigation,
    /// It is the header or footer of the site, or a dialog.
    Frame,
    /// The page marks its body, and it is outside of that.
    Outside,
}

impl Reason {
    /// All, in their order.
    pub const ALL: [Self; 5] =
        [Self::Ignored, Self::Unseen, Self::Navigation, Self::Frame, Self::Outside];
}

/// `data-pagekin-body`, and `data-pagefind-body`.
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
/// Hidden from readers of screens.
pub(super) const UNSEEN: u32 = 1 << 9;
pub(super) const DIALOG: u32 = 1 << 10;
pub(super) const HEADING: u32 = 1 << 11;
/// The heading of the page: a heading too.
pub(super) const TITLE: u32 = 1 << 12;
/// The text that stands for an image.
pub(super) const IMAGE: u32 = 1 << 13;
pub(super) const CAPTION: u32 = 1 << 14;
/// It is hidden: its text is elsewhere.
pub(super) const HIDDEN: u32 = 1 << 18;
/// A line of its own has a link to another page, rather than to a place in one.
pub(super) const AWAY: u32 = 1 << 15;
/// A line of its own is nothing but such a link.
pub(super) const LEAD: u32 = 1 << 16;
/// A line of its own ends in an ellipsis, but for links behind it.
pub(super) const CUT: u32 = 1 << 17;

/// What is known of an element when it begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Traits {
    pub(super) is: u32,
    /// By its `class`, and by its `id`.
    pub(super) hints: Hints,
    pub(super) ids: Hints,
}

impl Traits {
    /// Of an element.
    pub(super) fn new<'a>(name: &str, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> Self {
        let is_true = |name| attribute(name).is_some_and(|value| value.trim() == "true");
        let mut is = of_name(name) | attribute("role").map_or(0, |role| of_role(role.trim()));
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
            hints = attribute("class").map_or(0, |class| hints::of_names(&class));
            // Of other elements the id is made of what they hold.
            let is_box = matches!(
                name,
                "article" | "aside" | "div" | "footer" | "form" | "ol" | "table" | "td" | "ul"
            );
            if is_box && hints & hints::SECTION == 0 {
                ids = attribute("id").map_or(0, |id| hints::of_id(&id));
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

    pub(super) fn is_called(self, what: Hints) -> bool {
        self.hints & what != 0
    }
}

fn of_name(name: &str) -> u32 {
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

fn of_role(role: &str) -> u32 {
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

/// How much a text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) weight: u32,
    /// Of that what is in links to other pages.
    pub(super) linked: u32,
    /// And what is in paragraphs, outside of links.
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

    /// Whether at least `numerator / denominator` of it are links.
    pub(super) fn is_linked(self, numerator: u32, denominator: u32) -> bool {
        self.links > 0
            && u64::from(denominator) * u64::from(self.linked)
                >= u64::from(numerator) * u64::from(self.weight)
    }
}

/// An element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Where its text is.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The place of the element around it, which is before its own. The first is its own.
    pub(super) parent: u32,
    /// Of its own lines, without those of elements in it.
    pub(super) own: Amount,
    pub(super) traits: Traits,
}

/// The most elements that are told apart: the HTML standard on one page has as many.
const MAX_NODES: usize = 1 << 17;
/// The least [weight](weight) outside of links of a paragraph.
const MIN_PROSE: u32 = 80;
/// Paragraphs of a lower weight are no text by which a page is judged.
pub(super) const MIN_TEXT: u32 = 200;

/// How much a text says: its characters that are no white space, those of Chinese, Japanese and
/// Korean for three. Characters for private use, which readers put in as marks, say nothing.
pub(super) fn weight(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let starts = |&&byte: &&u8| byte > b' ' && byte < 0xf3 && byte & 0xc0 != 0x80;
    let wide = bytes.iter().filter(|byte| (0xe3..=0xed).contains(*byte)).count();
    (bytes.iter().filter(starts).count() + 2 * wide) as u32
}

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leads {
    /// To another page.
    ToPage,
    /// To a place in a page, which may be the same one.
    ToPlace,
}

impl Leads {
    /// Where the `href` of a link leads, if not to a place that it names in the same page.
    pub(super) fn of(href: &str) -> Option<Self> {
        match href.find('#') {
            Some(0) => None,
            Some(_) => Some(Self::ToPlace),
            None => Some(Self::ToPage),
        }
    }
}

/// Whether a text ends in an ellipsis, which brackets may hold.
fn ends_cut(text: &str) -> bool {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ']' | ')'));
    text.ends_with('…') || text.ends_with("...")
}

/// Collects the elements of a page.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    open: Vec<u32>,
    /// Of the line that has begun.
    line: Amount,
    /// [`AWAY`] and [`CUT`] of that line.
    line_is: u32,
    /// Of all text.
    weight: u32,
    /// The page says how links to it are to be shown, as pages that are shared do.
    pub(super) has_card: bool,
    /// It has a `main`, which is not among the elements if it is empty.
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
    /// An element begins at a place of the text.
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

    /// A text; whether it says anything.
    pub(super) fn text(&mut self, text: &str, link: Option<Leads>) -> bool {
        let weight = weight(text);
        self.line.weight += weight;
        self.weight += weight;
        if weight > 0 {
            if link.is_none() {
                self.line_is &= !CUT;
            }
            self.line_is |= if ends_cut(text) { CUT } else { 0 };
        }
        if let Some(leads) = link {
            self.line.linked += weight;
            self.line_is |= if weight > 0 && leads == Leads::ToPage { AWAY } else { 0 };
        }
        weight > 0
    }

    /// How much the text up to here is.
    pub(super) fn weight(&self) -> u32 {
        self.weight
    }

    /// A link begins.
    pub(super) fn link(&mut self) {
        self.line.links += 1;
    }

    /// A text that stands for an image, and where it is.
    pub(super) fn image(&mut self, text: &str, at: Range<usize>) {
        if weight(text) > 0 {
            self.push(Traits { is: IMAGE, ..Traits::default() }, at);
        }
    }

    /// A hidden element, whose text is elsewhere; whether it is in the tree.
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

    /// The innermost element ends.
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

    /// With all elements of a text of so many bytes closed.
    pub(super) fn finished(mut self, bytes: usize) -> Self {
        while self.open.len() > 1 {
            self.close(bytes);
        }
        self.end_line();
        self.nodes[0].end = bytes as u32;
        self
    }
}
