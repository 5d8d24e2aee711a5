//! The links of a parsed document, with the text around them.
//!
//! [`LinkReader`] follows the same walk as a [`PageReader`] and returns the same [`PageText`], but
//! it also visits parts of the document that do not belong to the text of the page: menus, headers
//! and footers reveal little about the page itself, but much about the pages that they link to.
//!
//! # Rules
//!
//! 1. A link is an `a` or `area` element with an `href` that is visible to a reader: not inside
//!    `script`, `template` and similar elements, pagekin's own elements, or anything `hidden` (rule
//!    1 of [`page`](crate::page)).
//! 2. The text is that of the whole document as a reader sees it, without the title. It includes
//!    site chrome and ignored elements. Elements end words as in a page (rule 4 of
//!    [`page`](crate::page)).
//! 3. The text of an `area` is its `alt`.
//!
//! # Quirks
//!
//! 1. The parser determines where an unclosed `a` ends, as in a browser. If parsers nest links (in
//!    cells of a table), the text of the inner link belongs to both.

use std::borrow::Cow;
use std::ops::Range;

use crate::page::{
    PageReader, PageText, Visit, has_robots_directive, is_hidden, is_inline, is_related, is_unseen,
    is_void,
};

/// The links of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageLinks {
    /// The text of the whole document (rule 2).
    pub text: String,
    /// The links, in the order of their starts.
    pub links: Vec<Link>,
    /// The `href` of the first `base` that has one, as written. Relative URLs are relative to it.
    pub base: Option<String>,
    /// Whether the page forbids following its links (`meta name=robots` with `nofollow` or `none`).
    pub nofollow: bool,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The URL as written, without white space at its ends.
    pub href: String,
    /// Whether its `rel` contains `nofollow`.
    pub nofollow: bool,
    /// The byte range of its text in [`PageLinks::text`], on character boundaries; empty for a link
    /// without text.
    pub text: Range<usize>,
}

/// Collects a [`PageText`] and its [`PageLinks`] from a walk over a parsed document.
///
/// Its methods are those of [`PageReader`]. The cost is linear in the text.
#[derive(Debug, Default)]
pub struct LinkReader {
    page: PageReader,
    links: PageLinks,
    /// The open elements, outermost first.
    stack: Vec<Open>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    is_inline_element: bool,
    /// Whether the `PageReader` has seen the element.
    of_page: bool,
    /// Whether the content of the element is visible.
    seen: bool,
    /// Index in the links.
    link: Option<usize>,
}

impl LinkReader {
    /// Creates a reader.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts an element. See [`PageReader::open`].
    pub fn open<'a>(
        &mut self,
        name: &str,
        attribute: impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> Visit {
        let of_page = self.is_of_page() && self.page.open(name, &attribute) == Visit::Inside;
        let is_unseen = is_unseen(name, &attribute);
        if is_unseen && !of_page {
            self.push("\n");
            return Visit::Skip;
        }
        match name {
            "meta" => self.links.nofollow |= has_robots_directive("nofollow", &attribute),
            "base" if self.links.base.is_none() => {
                self.links.base = attribute("href").map(|href| href.trim().to_owned());
            }
            _ => {}
        }
        let seen = self.is_seen() && !is_unseen && !is_hidden(&attribute);
        let link = (seen && matches!(name, "a" | "area")).then(|| self.link(&attribute)).flatten();
        if is_void(name) {
            if name != "wbr" {
                self.push("\n");
            }
            if matches!(name, "img" | "area" | "input")
                && seen
                && let Some(alt) = attribute("alt")
            {
                self.begin(link);
                self.push(&alt);
                self.end(link);
                self.push("\n");
            }
            return Visit::Skip;
        }
        let is_inline_element = is_inline(name);
        if !is_inline_element {
            self.push("\n");
        }
        self.begin(link);
        let seen = seen && name != "title";
        self.stack.push(Open { is_inline_element, of_page, seen, link });
        Visit::Inside
    }

    /// Adds text.
    pub fn text(&mut self, text: &str) {
        if self.is_of_page() {
            self.page.text(text);
        }
        self.push(text);
    }

    /// Ends the innermost open element.
    pub fn close(&mut self) {
        let Some(open) = self.stack.pop() else {
            debug_assert!(false, "an element was closed that was never opened");
            return;
        };
        if open.of_page {
            self.page.close();
        }
        self.end(open.link);
        if !open.is_inline_element {
            self.push("\n");
        }
    }

    /// Returns the page and its links.
    #[must_use]
    pub fn finish(mut self) -> (PageText, PageLinks) {
        while !self.stack.is_empty() {
            self.close();
        }
        (self.page.finish(), self.links)
    }

    fn is_of_page(&self) -> bool {
        self.stack.last().is_none_or(|open| open.of_page)
    }

    fn is_seen(&self) -> bool {
        self.stack.last().is_none_or(|open| open.seen)
    }

    fn push(&mut self, text: &str) {
        if self.is_seen() {
            self.links.text.push_str(text);
        }
    }

    /// Starts the text of a link.
    fn begin(&mut self, link: Option<usize>) {
        if let Some(link) = link {
            let at = self.links.text.len();
            self.links.links[link].text = at..at;
        }
    }

    fn end(&mut self, link: Option<usize>) {
        if let Some(link) = link {
            self.links.links[link].text.end = self.links.text.len();
        }
    }

    /// Adds a link if it has an `href`.
    fn link<'a>(&mut self, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> Option<usize> {
        let href = attribute("href")?.trim().to_owned();
        let nofollow = is_related("nofollow", attribute);
        let at = self.links.text.len();
        self.links.links.push(Link { href, nofollow, text: at..at });
        Some(self.links.links.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An element, its attributes as `name=value` and its children; or text.
    enum Node {
        Element(&'static str, Vec<(&'static str, &'static str)>, Vec<Node>),
        Text(&'static str),
    }
    use Node::Text;

    fn element(tag: &'static str, children: Vec<Node>) -> Node {
        let mut parts = tag.split(' ');
        let name = parts.next().unwrap_or_default();
        let attributes = parts.map(|part| part.split_once('=').unwrap_or((part, ""))).collect();
        Node::Element(name, attributes, children)
    }

    fn walk(node: &Node, reader: &mut LinkReader, page: &mut Option<PageReader>) {
        match node {
            Text(text) => {
                reader.text(text);
                if let Some(page) = page {
                    page.text(text);
                }
            }
            Node::Element(name, attributes, children) => {
                let attribute = |wanted: &str| {
                    attributes.iter().find(|(name, _)| *name == wanted).map(|(_, v)| (*v).into())
                };
                let mut page_inside = page.take();
                let mut page_outside = None;
                if let Some(mut page) = page_inside.take() {
                    match page.open(name, attribute) {
                        Visit::Inside => page_inside = Some(page),
                        Visit::Skip => page_outside = Some(page),
                    }
                }
                if reader.open(name, attribute) == Visit::Inside {
                    for child in children {
                        walk(child, reader, &mut page_inside);
                    }
                    reader.close();
                }
                if let Some(page) = &mut page_inside {
                    page.close();
                }
                *page = page_inside.or(page_outside);
            }
        }
    }

    /// Returns the links with their texts, and checks the page against that of a `PageReader`.
    fn read(nodes: &[Node]) -> (Vec<(String, String)>, PageLinks) {
        let (mut reader, mut page) = (LinkReader::new(), Some(PageReader::new()));
        for node in nodes {
            walk(node, &mut reader, &mut page);
        }
        let (read, links) = reader.finish();
        assert_eq!(read, page.expect("the walk restores it after every element").finish());
        let of = |link: &Link| (link.href.clone(), links.text[link.text.clone()].to_owned());
        (links.links.iter().map(of).collect(), links)
    }

    fn words(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    #[test]
    fn links_of_site_chrome_are_in_the_whole_text() {
        let document = element(
            "body",
            vec![
                element("nav", vec![element("a href=/up", vec![Text("Up")])]),
                element("main", vec![Text("One "), element("a href=two", vec![Text("two")])]),
                element("footer hidden", vec![element("a href=no", vec![Text("No")])]),
                element("script", vec![Text("no")]),
            ],
        );
        let title = element("head", vec![element("title", vec![Text("Title")])]);
        let (found, links) = read(&[element("html", vec![title, document])]);
        let expected = [("/up", "Up"), ("two", "two")];
        assert_eq!(found, expected.map(|(href, text)| (href.to_owned(), text.to_owned())));
        assert_eq!(words(&links.text), ["Up", "One", "two"]);
    }

    #[test]
    fn images_and_areas_have_their_alt_text_and_names_are_not_links() {
        let document = element(
            "body",
            vec![
                element("a href=x", vec![element("img alt=picture", vec![])]),
                element("area href=y alt=region", vec![]),
                element("area href=z", vec![]),
                element("a name=here", vec![Text("here")]),
            ],
        );
        let (found, links) = read(&[document]);
        let found: Vec<_> = found.iter().map(|(href, text)| (&**href, text.trim())).collect();
        assert_eq!(found, [("x", "picture"), ("y", "region"), ("z", "")]);
        assert_eq!(words(&links.text), ["picture", "region", "here"]);
    }

    #[test]
    fn links_in_links_have_their_own_text() {
        let inner = element("td", vec![element("a href=in", vec![Text("in")])]);
        let (found, _) = read(&[element("a href=out", vec![Text("a"), inner, Text("b")])]);
        assert_eq!((&*found[0].0, words(&found[0].1)), ("out", vec!["a", "in", "b"]));
        assert_eq!((&*found[1].0, words(&found[1].1)), ("in", vec!["in"]));
    }

    #[test]
    fn base_and_nofollow_are_read() {
        let head = element(
            "head",
            vec![element("base href=/b/", vec![]), element("base href=/c/", vec![])],
        );
        let body = element(
            "body",
            vec![element("a rel=NoFollow href=x", vec![]), element("a href=y", vec![])],
        );
        let (_, links) = read(&[head, body]);
        assert_eq!(links.base.as_deref(), Some("/b/"));
        assert_eq!(links.links.iter().map(|link| link.nofollow).collect::<Vec<_>>(), [true, false]);
        assert!(!links.nofollow);
        for (content, nofollow) in [("NoFollow,noindex", true), ("none", true), ("noindex", false)]
        {
            let mut reader = LinkReader::new();
            reader.open("meta", |name| match name {
                "name" => Some("robots".into()),
                "content" => Some(content.into()),
                _ => None,
            });
            assert_eq!(reader.finish().1.nofollow, nofollow, "{content}");
        }
    }
}
