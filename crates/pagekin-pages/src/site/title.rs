//! Titles that a page gives itself outside its `title` element.
//!
//! # Rules
//!
//! The title of a page is the first of these that is not empty:
//!
//! 1. `data-pagekin-title="…"` of the first element that has it.
//! 2. Pagefind's `data-pagefind-meta`, of the first element whose list contains the key `title`:
//!    `title:…`, inline and last in its list; `title[…]`, the value of another attribute of the
//!    element; `title`, the text of the element.
//! 3. The title from its `title` element and its headings: see [`PageText::title`].
//!
//! Rules 1 and 2 apply to the `head` and to all elements whose text a page may show, even if they
//! are hidden or ignored.
//!
//! [`PageText::title`]: pagekin_core::page::PageText::title

use std::borrow::Cow;

use pagekin_core::page::{Visit, is_unseen};

use crate::site::dom::{Dom, Listener, OWN_TITLE, PAGEFIND_TITLE, TITLE_VALUE};

/// Maximum number of bytes of a title, as in a `PageReader`.
const MAX_TITLE_BYTES: usize = 4_096;

/// Returns the title of a page by rules 1 and 2. Cheap for pages without these attributes.
pub(crate) fn named(dom: &Dom) -> Option<String> {
    if !dom.names_title() {
        return None;
    }
    let mut reader = TitleReader::default();
    dom.read(&mut reader);
    let titles = [reader.own, reader.meta];
    titles.into_iter().flatten().map(|title| one_line(&title)).find(|title| !title.is_empty())
}

#[derive(Debug, Default)]
struct TitleReader {
    /// For each open element, outermost first, whether it is the title.
    stack: Vec<bool>,
    /// The number of open elements that are the title.
    titles_open: usize,
    own: Option<String>,
    meta: Option<String>,
}

impl TitleReader {
    fn add(&mut self, text: &str) {
        if self.titles_open > 0 {
            let title = self.meta.get_or_insert_default();
            let room = MAX_TITLE_BYTES.saturating_sub(title.len());
            title.push_str(&text[..text.floor_char_boundary(room)]);
        }
    }
}

impl Listener for TitleReader {
    fn open<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> Visit {
        if is_unseen(name, &attribute) {
            return Visit::Skip;
        }
        if self.own.is_none() {
            self.own = attribute(OWN_TITLE).map(Cow::into_owned).filter(|own| !is_blank(own));
        }
        let mut is_title = false;
        if self.meta.is_none()
            && let Some(list) = attribute(PAGEFIND_TITLE)
        {
            match meta_title(&list) {
                Some(Meta::Inline(title)) => self.meta = Some(title.to_owned()),
                Some(Meta::Attribute) => {
                    self.meta = attribute(TITLE_VALUE).map(Cow::into_owned);
                }
                Some(Meta::Text) => is_title = true,
                None => {}
            }
        }
        self.add(" ");
        self.titles_open += usize::from(is_title);
        self.stack.push(is_title);
        Visit::Inside
    }

    fn text(&mut self, text: &str) {
        self.add(text);
    }

    fn close(&mut self) {
        if self.stack.pop() == Some(true) {
            self.titles_open -= 1;
        }
        self.add(" ");
    }
}

/// The source of a title.
#[derive(Debug, PartialEq, Eq)]
enum Meta<'a> {
    Inline(&'a str),
    /// The value of another attribute.
    Attribute,
    Text,
}

/// Finds the title in a `data-pagefind-meta` list of `key`, `key[attribute]` or `key:value`,
/// separated by commas. A value extends to the end of the list.
fn meta_title(list: &str) -> Option<Meta<'_>> {
    let mut rest = list;
    loop {
        let (entry, after) = rest.split_once(',').unwrap_or((rest, ""));
        if let Some((key, _)) = entry.split_once(':') {
            let (_, value) = rest.split_once(':')?;
            return (key.trim() == "title").then(|| Meta::Inline(value.trim()));
        }
        if let Some((key, _)) = entry.trim().strip_suffix(']').and_then(|e| e.split_once('[')) {
            if key.trim() == "title" {
                return Some(Meta::Attribute);
            }
        } else if entry.trim() == "title" {
            return Some(Meta::Text);
        }
        if after.is_empty() {
            return None;
        }
        rest = after;
    }
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// Trims a text and replaces each run of white space by one space.
fn one_line(text: &str) -> String {
    let words = text.split(is_space);
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::html::{read_html, read_html_with_links};

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(read_html(html.as_bytes()).page.title, expected);
        assert_eq!(read_html_with_links(html.as_bytes(), None).0.page.title, expected);
    }

    #[test]
    fn an_attribute_takes_precedence_over_the_title() {
        check("<title>A</title><h1>B</h1><p data-pagekin-title=' C\n D '>E", "C D");
        check("<title>A</title><nav><i data-pagekin-title=C></i></nav>", "C");
        check("<title>A</title><i data-pagekin-title=' '></i><i data-pagekin-title=C></i>", "C");
        check("<title>A</title><template><i data-pagekin-title=C></i></template>", "A");
        check("<title>A</title><h1 data-pagefind-meta=title>C</h1><p data-pagekin-title=D>", "D");
        check("<html data-pagekin-title=C><title>A</title>", "C");
    }

    #[test]
    fn pagefinds_attribute_takes_precedence_over_the_title() {
        check(
            "<title>A</title><header><h1 data-pagefind-meta=title>C <b>D</b></h1></header>",
            "C D",
        );
        check("<title>A</title><p data-pagefind-meta='date:2026, title'>C", "A");
        check("<title>A</title><p data-pagefind-meta='tag, title:C, D: E'>F", "C, D: E");
        check("<title>A</title><meta data-pagefind-meta='title[content]' content='C D'>", "C D");
        check(
            "<title>A</title><i data-pagefind-meta='tag[id], title[data-x]' id=b data-x=C></i>",
            "C",
        );
        check("<title>A</title><h1 data-pagefind-meta='subtitle'>B</h1>", "A");
        check("<title>A</title><h1 data-pagefind-meta='title'></h1>", "A");
        check("<title>A</title><div data-pagefind-ignore><p data-pagefind-meta=title>C</div>", "C");
    }

    #[test]
    fn without_a_title_the_first_h1_is_the_title() {
        check("<h2>C</h2><h1>D <b>E</b></h1><h1>F</h1>", "D E");
        check("<header><h1>Site</h1></header><h1> </h1><h1>D</h1><p>And more.", "D");
        check("<h1 hidden>B</h1><h1 data-pagekin-ignore>C</h1><h1>D</h1>", "D");
        check("<article><header><h1>C</h1></header></article><h1>D</h1>", "C");
        check("<h2>C</h2><p>text", "C");
        check("<title> </title><h2>C</h2>", "C");
        check("<svg><title>Icon</title></svg><h1>D</h1>", "D");
        check("<h2>C</h2><h1 role=tabpanel hidden>D</h1>", "D");
        check(
            "<button data-pagekin-title=B></button><h1 style='display:none'>C</h1><h1>D</h1>",
            "D",
        );
    }

    #[test]
    fn a_long_heading_is_truncated() {
        let html = format!("<h1>{}</h1>", "é".repeat(10_000));
        assert_eq!(read_html(html.as_bytes()).page.title.len(), MAX_TITLE_BYTES);
    }
}
