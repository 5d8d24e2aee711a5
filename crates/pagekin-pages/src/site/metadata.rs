//! What a page says about itself in attributes: its title, its URL, words to find it by, what
//! results show of it, and what to filter and sort it by.
//!
//! # Rules
//!
//! The title of a page is the first of these that is not empty:
//!
//! 1. `data-pagekin-title="…"` of the first element that has it.
//! 2. The key `title` of `data-pagekin-meta` or `data-pagefind-meta`. A list of metadata has the
//!    entries `title:…`, inline and last in its list; `title[…]`, the value of another attribute of
//!    the element; and `title`, the text of the element.
//! 3. The title from its `title` element and its headings: see [`PageText::title`].
//! 4. The key `title` of `data-pagekin-default-meta` or `data-pagefind-default-meta`.
//!
//! The key `url` is the URL of the page, and `image` that of a picture. The words of all other
//! values find the page. Defaults apply to keys that the page has no value for.
//!
//! Results show the first value of each other key, in the order of the page, with defaults last.
//! Keys and values may have [`MAX_SHOWN_BYTES`] together: a value beyond that is left out as a
//! whole, because a part of a URL leads nowhere. Shorter ones after it may still fit.
//!
//! `data-pagekin-filter` and `data-pagefind-filter` are lists of the same form. A page may have
//! several values of a filter. `data-pagekin-sort` and `data-pagefind-sort` are, too. The first
//! value of a key counts.
//!
//! These rules apply to the `head` and to all elements whose text a page may show, even if they are
//! hidden or ignored, except in elements that are ignored with the value `all`.
//!
//! [`PageText::title`]: pagekin_core::page::PageText::title

use std::borrow::Cow;
use std::collections::BTreeSet;

use pagekin_core::page::{Visit, is_unseen};
use pagekin_core::shard::PageMetadata;

use crate::site::dom::{Dom, Listener};
use crate::site::markup::{DEFAULT_META, FILTER, IGNORE, META, OWN_TITLE, SORT, Source, entries};

/// Maximum number of bytes of a value, as of a title in a `PageReader`, and of all values.
const MAX_VALUE_BYTES: usize = 4_096;
const MAX_BYTES: usize = 64 << 10;
/// Maximum number of bytes of the metadata of a page that results show. A lookup reads that of all
/// pages of a block, and a page takes 1 to 2 kB there.
pub const MAX_SHOWN_BYTES: usize = 512;
/// Maximum number of bytes of the name or value of a filter or a sort key; the rest is cut.
const MAX_FILTER_BYTES: usize = 256;

/// What results show of a page, and what it is filtered and sorted by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageValues {
    /// What results show of it besides its title.
    pub metadata: PageMetadata,
    /// The names and values of its filters, ascending and distinct.
    pub filters: Vec<(String, String)>,
    /// Its sort keys with their values, ascending by distinct keys.
    pub sorts: Vec<(String, String)>,
}

/// The metadata of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Metadata {
    /// Its title by rules 1 and 2.
    pub(crate) title: Option<String>,
    /// Its title by rule 4.
    pub(crate) default_title: Option<String>,
    /// Its URL, as written.
    pub(crate) url: Option<String>,
    /// The values of all other keys, one per line.
    pub(crate) words: String,
    pub(crate) values: PageValues,
    /// The keys whose values results do not show, because they are too long.
    pub(crate) too_long: Vec<String>,
}

impl Metadata {
    /// Reads the metadata of a page. Cheap for pages without any.
    pub(crate) fn new(dom: &Dom) -> Self {
        if !dom.has_metadata() {
            return Self::default();
        }
        let mut reader = MetadataReader::default();
        dom.read(&mut reader);
        reader.finish()
    }
}

/// A key and its value.
type Pair = (String, String);

#[derive(Debug, Default)]
struct MetadataReader {
    /// For each open element, outermost first, the number of values that its text is.
    stack: Vec<usize>,
    /// The values that are texts of open elements, outermost first.
    open: Vec<Value>,
    own_title: Option<String>,
    /// The values of each [`Purpose`].
    values: [Vec<Pair>; 4],
    /// The number of bytes of all values.
    bytes: usize,
}

#[derive(Debug)]
struct Value {
    key: String,
    text: String,
    purpose: Purpose,
}

/// What a list of an element is for.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    Meta,
    Default,
    Filter,
    Sort,
}

/// The attributes with lists.
const LISTS: [([&str; 2], Purpose); 4] = [
    (META, Purpose::Meta),
    (DEFAULT_META, Purpose::Default),
    (FILTER, Purpose::Filter),
    (SORT, Purpose::Sort),
];

impl MetadataReader {
    /// Adds text to the values of open elements.
    fn add(&mut self, text: &str) {
        for value in &mut self.open {
            let room = MAX_VALUE_BYTES.saturating_sub(value.text.len());
            value.text.push_str(&text[..text.floor_char_boundary(room)]);
        }
    }

    fn push(&mut self, Value { key, text, purpose }: Value) {
        let text = &text[..text.floor_char_boundary(MAX_VALUE_BYTES)];
        let text = one_line(text);
        self.bytes += key.len() + text.len();
        if !text.is_empty() && self.bytes <= MAX_BYTES {
            self.values[purpose as usize].push((key, text));
        }
    }

    /// Reads the lists of an element. Returns the number of values that its text is.
    fn read_lists<'a>(&mut self, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> usize {
        let open = self.open.len();
        let lists = LISTS.into_iter();
        let lists = lists.flat_map(|(names, purpose)| names.map(|name| (name, purpose)));
        for (name, purpose) in lists {
            let Some(list) = attribute(name) else { continue };
            for entry in entries(&list) {
                let key = entry.key.to_owned();
                let text = match entry.source {
                    Source::Inline(text) => Some(text.to_owned()),
                    Source::Attribute(name) => {
                        attribute(&name.to_ascii_lowercase()).map(Cow::into_owned)
                    }
                    Source::Text => {
                        self.open.push(Value { key, text: String::new(), purpose });
                        continue;
                    }
                };
                self.push(Value { key, text: text.unwrap_or_default(), purpose });
            }
        }
        self.open.len() - open
    }

    fn finish(self) -> Metadata {
        let Self { own_title, values: [values, defaults, filters, sorts], .. } = self;
        let first = |pairs: &[Pair], wanted: &str| {
            pairs.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.clone())
        };
        let unset = defaults.iter().filter(|(key, _)| !values.iter().any(|value| value.0 == *key));
        let others = values.iter().chain(unset);
        let others: Vec<_> =
            others.filter(|(key, _)| !matches!(key.as_str(), "title" | "url")).collect();
        let texts = others.iter().filter(|(key, _)| key != "image");
        let words = texts.flat_map(|(_, value)| [value, "\n"]).collect();
        let (metadata, too_long) = shown(&others);
        Metadata {
            title: own_title.or_else(|| first(&values, "title")),
            default_title: first(&defaults, "title"),
            url: first(&values, "url").or_else(|| first(&defaults, "url")),
            words,
            values: PageValues::new(metadata, filters, sorts),
            too_long,
        }
    }
}

impl PageValues {
    fn new(metadata: PageMetadata, filters: Vec<Pair>, sorts: Vec<Pair>) -> Self {
        let short = |text: &str| text[..text.floor_char_boundary(MAX_FILTER_BYTES)].to_owned();
        let shortened = |pairs: Vec<Pair>| -> Vec<Pair> {
            pairs.iter().map(|(key, value)| (short(key), short(value))).collect()
        };
        let (mut filters, mut sorts) = (shortened(filters), shortened(sorts));
        filters.sort_unstable();
        filters.dedup();
        // Stable: of equal keys, the first stays.
        sorts.sort_by(|one, other| one.0.cmp(&other.0));
        sorts.dedup_by(|next, first| next.0 == first.0);
        Self { metadata, filters, sorts }
    }
}

impl Listener for MetadataReader {
    fn open<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> Visit {
        let is_all = |value: Cow<'_, str>| value.trim() == "all";
        if is_unseen(name, &attribute)
            || IGNORE.iter().any(|name| attribute(name).is_some_and(is_all))
        {
            return Visit::Skip;
        }
        if self.own_title.is_none() {
            let own = attribute(OWN_TITLE);
            self.own_title = own.map(|own| one_line(&own)).filter(|own| !own.is_empty());
        }
        self.add(" ");
        let texts = self.read_lists(attribute);
        self.stack.push(texts);
        Visit::Inside
    }

    fn text(&mut self, text: &str) {
        self.add(text);
    }

    fn close(&mut self) {
        let texts = self.stack.pop().unwrap_or_default();
        for value in self.open.split_off(self.open.len().saturating_sub(texts)) {
            self.push(value);
        }
        self.add(" ");
    }
}

/// Returns what results show, and the keys of values that are too long for that.
fn shown(pairs: &[&Pair]) -> (PageMetadata, Vec<String>) {
    let (mut seen, mut kept, mut too_long) = (BTreeSet::new(), Vec::new(), Vec::new());
    let mut bytes = 0;
    for (key, value) in pairs {
        if !seen.insert(key) {
            continue;
        }
        let of_pair = key.len() + value.len() + 2;
        if bytes + of_pair > MAX_SHOWN_BYTES {
            too_long.push(key.clone());
        } else {
            bytes += of_pair;
            kept.push((&**key, &**value));
        }
    }
    (PageMetadata::new(kept), too_long)
}

/// Trims a text and replaces each run of white space by one space.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
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
        check("<title>A</title><p data-pagekin-meta='title[ID]' id=B></p>", "B");
        check(
            "<title>A</title><p data-pagefind-meta='title'></p><p data-pagefind-meta='title:B'>",
            "B",
        );
        check("<title>A</title><div data-pagefind-ignore><p data-pagefind-meta=title>C</div>", "C");
    }

    #[test]
    fn metadata_in_an_element_that_is_ignored_with_all_does_not_count() {
        for prefix in ["pagefind", "pagekin"] {
            let title = "<h1 data-pagefind-meta=title>B</h1><i data-pagekin-title=C></i>";
            check(&format!("<title>A</title><div data-{prefix}-ignore=all>{title}</div>"), "A");
            check(&format!("<title>A</title><div data-{prefix}-ignore=index>{title}</div>"), "C");
        }
    }

    #[test]
    fn a_default_is_for_pages_without_a_value() {
        check("<meta data-pagefind-default-meta='title[content]' content=D><p>x", "D");
        check("<meta data-pagekin-default-meta='title:D'><h1>A</h1>", "A");
        check("<meta data-pagekin-default-meta='title:D'><p data-pagefind-meta=title>A", "A");
    }

    #[test]
    fn other_metadata_is_words() {
        let metadata = |html: &str| read_html(html.as_bytes()).metadata;
        let page = "<meta data-pagefind-default-meta='image:/d.png'>\
             <meta data-pagefind-default-meta='author:Nobody'>\
             <p data-pagefind-meta='author'>Ann <b>Bee</b></p>\
             <img data-pagekin-meta='cover[alt], image[data-src]' alt=Red data-src=/a.png>\
             <a data-pagefind-meta='url[href]' href=/b/>x</a>\
             <p data-pagefind-meta=url:/c/>";
        let found = metadata(page);
        assert_eq!(found.words, "Ann Bee\nRed\n");
        assert_eq!(found.url.as_deref(), Some("/b/"));
        let nested = metadata("<p data-pagefind-meta=a>A <i data-pagefind-meta='b, c'>B</i> C</p>");
        assert_eq!(nested.words, "B\nB\nA B C\n");
        assert_eq!(metadata("<p>no"), Metadata::default());
    }

    #[test]
    fn results_show_the_first_value_of_each_key() {
        let page = "<meta data-pagefind-default-meta='image:/d.png'>\
             <meta data-pagekin-default-meta='author[content]' content=Nobody>\
             <h1 data-pagefind-meta=title>A</h1><i data-pagefind-meta='author'>Ann <b>Bee</b></i>\
             <i data-pagekin-meta='author'>Cy</i><i data-pagefind-meta='date:2026'></i>\
             <div data-pagefind-ignore=all><i data-pagekin-meta='x'>1</i></div>";
        let found = read_html(page.as_bytes());
        let pairs: Vec<_> = found.metadata.values.metadata.pairs().collect();
        assert_eq!(pairs, [("author", "Ann Bee"), ("date", "2026"), ("image", "/d.png")]);
        assert_eq!(found.remarks.iter().count(), 0);
    }

    #[test]
    fn a_value_that_is_too_long_is_left_out_and_remarked_on() {
        let value =
            |key: &str, bytes| format!("<i data-pagekin-meta='{key}:{}'></i>", "x".repeat(bytes));
        let page = value("a", 200) + &value("b", 400) + &value("c", 306) + &value("d", 1);
        let found = read_html(page.as_bytes());
        let pairs: Vec<_> = found.metadata.values.metadata.pairs().collect();
        let of = |(key, value): &(&str, &str)| (key.to_string(), value.len());
        assert_eq!(
            pairs.iter().map(of).collect::<Vec<_>>(),
            [("a".to_owned(), 200), ("c".to_owned(), 306)]
        );
        assert_eq!(
            pairs.iter().map(|(key, value)| key.len() + value.len() + 2).sum::<usize>(),
            MAX_SHOWN_BYTES
        );
        let remarks: Vec<_> = found.remarks.iter().map(|one| &*one.markup).collect();
        assert_eq!(remarks, ["the metadata b", "the metadata d"]);
    }

    #[test]
    fn filters_and_sort_keys_are_read() {
        let page = "<p data-pagefind-filter='kind'>Tea <i data-pagekin-filter='leaf, color:green, pale'>Oolong</i></p>\
             <p data-pagefind-filter=kind:Coffee data-pagefind-sort='date[data-date], weight' data-date=2026-01-02> 12 g</p>\
             <meta data-pagekin-filter='kind[content]' content=Coffee><p data-pagekin-sort=weight:9>x";
        let found = read_html(page.as_bytes());
        let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let filters = [
            ("color", "green, pale"),
            ("kind", "Coffee"),
            ("kind", "Tea Oolong"),
            ("leaf", "Oolong"),
        ];
        assert_eq!(found.metadata.values.filters, filters.map(pair));
        assert_eq!(
            found.metadata.values.sorts,
            [("date", "2026-01-02"), ("weight", "12 g")].map(pair)
        );
        assert_eq!(found.metadata.words, "");
        assert_eq!(
            found.page.text.split_whitespace().collect::<Vec<_>>().join(" "),
            "Tea Oolong 12 g x"
        );
        let long = format!("<p data-pagefind-filter='a:{}'>", "é".repeat(1_000));
        assert_eq!(read_html(long.as_bytes()).metadata.values.filters[0].1.len(), MAX_FILTER_BYTES);
    }

    #[test]
    fn metadata_is_limited() {
        let value = "é".repeat(10_000);
        let one = format!("<p data-pagefind-meta=a>{value}</p>");
        let found = read_html(one.repeat(100).as_bytes()).metadata.words;
        assert!(found.len() > MAX_BYTES / 2 && found.len() <= MAX_BYTES, "{}", found.len());
        assert!(found.lines().all(|line| line.len() <= MAX_VALUE_BYTES));
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
        assert_eq!(read_html(html.as_bytes()).page.title.len(), MAX_VALUE_BYTES);
    }
}
