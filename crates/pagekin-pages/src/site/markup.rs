//! The attributes by which pages instruct search tools, and those that have no effect here.
//!
//! # Rules
//!
//! 1. Attributes of Pagefind have the effect that they have there, and so have those with pagekin's
//!    own prefix: `data-pagefind-weight` and `data-pagekin-weight`.
//! 2. An attribute, a value, or a script without the effect that its author expects is a *remark*.
//!    Each is counted by pages.
//! 3. The weight of an element is a number from 0 to 10. It applies to the text of the element, up
//!    to elements with weights of their own. 1 is the weight of other text.

use std::collections::{BTreeMap, BTreeSet};

use pagekin_core::page::listed_attributes;

pub(crate) const OWN: &str = "data-pagekin-";
pub(crate) const PAGEFIND: &str = "data-pagefind-";

/// An attribute with the title of its page.
pub(crate) const OWN_TITLE: &str = "data-pagekin-title";
pub(crate) const META: [&str; 2] = ["data-pagekin-meta", "data-pagefind-meta"];
pub(crate) const DEFAULT_META: [&str; 2] =
    ["data-pagekin-default-meta", "data-pagefind-default-meta"];
pub(crate) const FILTER: [&str; 2] = ["data-pagekin-filter", "data-pagefind-filter"];
pub(crate) const SORT: [&str; 2] = ["data-pagekin-sort", "data-pagefind-sort"];
pub(crate) const WEIGHT: [&str; 2] = ["data-pagekin-weight", "data-pagefind-weight"];
pub(crate) const INDEX_ATTRS: [&str; 2] = ["data-pagekin-index-attrs", "data-pagefind-index-attrs"];
pub(crate) const BODY: [&str; 2] = ["data-pagekin-body", "data-pagefind-body"];
pub(crate) const IGNORE: [&str; 2] = ["data-pagekin-ignore", "data-pagefind-ignore"];

/// The prefixes of attributes of other search tools, which have no effect.
const OTHER_TOOLS: [&str; 3] = ["data-search-exclude", "data-swiftype-", "data-elastic-"];

/// Maximum number of entries of a list of metadata.
const MAX_ENTRIES: usize = 16;
/// Maximum number of remarks on a page, and of bytes of the name of an attribute.
const MAX_REMARKS: usize = 64;
const MAX_NAME: usize = 64;

/// A weight of 1.
pub(crate) const ONE: u16 = 100;
/// The maximum weight, in hundredths.
pub(crate) const MAX_WEIGHT: u16 = 10 * ONE;

/// Pages that use something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsingPages {
    /// The number of pages.
    pub count: u64,
    /// The first of their URLs.
    pub first: String,
}

impl UsingPages {
    /// Adds other pages.
    pub(crate) fn add(&mut self, other: Self) {
        self.count += other.count;
        if other.first < self.first {
            self.first = other.first;
        }
    }
}

/// Markup that has no effect, or not the expected one, or that is missing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// The name of the attribute, or of a script or an element.
    pub markup: String,
    /// What is wrong with it, as the end of a sentence that starts with the markup.
    pub problem: &'static str,
}

/// The remarks on one page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRemarks(BTreeSet<Remark>);

impl PageRemarks {
    /// Returns the remarks in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = &Remark> {
        self.0.iter()
    }

    /// Adds what is wrong with an attribute, if anything.
    pub(crate) fn add_attribute(&mut self, name: &str, value: &str) {
        if let Some(problem) = problem_of(name, value) {
            self.add(name.to_owned(), problem);
        }
    }

    /// Adds a script by its `src`, if it is one of Pagefind's.
    pub(crate) fn add_script(&mut self, src: &str) {
        let path = src.split(['?', '#']).next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        if name.starts_with("pagefind") && name.ends_with(".js") {
            self.add(name.to_owned(), "is a script of Pagefind. Use <pagekin-box> instead");
        }
    }

    /// Adds an element, if it is one of Pagefind's.
    pub(crate) fn add_element(&mut self, name: &str) {
        if name.starts_with("pagefind-") {
            self.add(format!("<{name}>"), "is an element of Pagefind. Use <pagekin-box> instead");
        }
    }

    /// Adds a metadata key whose value results do not show.
    pub(crate) fn add_left_out(&mut self, key: &str) {
        let problem = "is left out of results: it does not fit into the 512 bytes of a page";
        self.add(format!("the metadata {key}"), problem);
    }

    pub(crate) fn add(&mut self, markup: String, problem: &'static str) {
        if self.0.len() < MAX_REMARKS && markup.len() <= MAX_NAME {
            self.0.insert(Remark { markup, problem });
        }
    }
}

/// The remarks on the pages of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteRemarks(pub BTreeMap<Remark, UsingPages>);

impl SiteRemarks {
    /// Adds the remarks on the page at a URL.
    pub(crate) fn add(&mut self, url: &str, page: PageRemarks) {
        for remark in page.0 {
            self.count(remark, UsingPages { count: 1, first: url.to_owned() });
        }
    }

    /// Adds a remark on the page at a URL.
    pub(crate) fn add_one(&mut self, url: &str, markup: String, problem: &'static str) {
        self.count(Remark { markup, problem }, UsingPages { count: 1, first: url.to_owned() });
    }

    /// Adds the remarks on the pages of another thread.
    pub(crate) fn extend(&mut self, other: Self) {
        other.0.into_iter().for_each(|(remark, pages)| self.count(remark, pages));
    }

    fn count(&mut self, remark: Remark, pages: UsingPages) {
        match self.0.get_mut(&remark) {
            Some(known) => known.add(pages),
            None => drop(self.0.insert(remark, pages)),
        }
    }
}

/// Whether an attribute is for a search tool.
pub(crate) fn is_for_search(name: &str) -> bool {
    name.starts_with("data-")
        && ([OWN, PAGEFIND].iter().chain(&OTHER_TOOLS).any(|prefix| name.starts_with(prefix)))
}

/// Whether an attribute is a list of metadata, filters, or sort keys.
pub(crate) fn is_metadata(name: &str) -> bool {
    [META, DEFAULT_META, FILTER, SORT].iter().any(|names| names.contains(&name))
}

/// Returns the names of the attributes that an attribute refers to, in lower case.
pub(crate) fn named_by(name: &str, value: &str) -> Vec<String> {
    if INDEX_ATTRS.contains(&name) {
        return listed_attributes(value).collect();
    }
    if !is_metadata(name) {
        return Vec::new();
    }
    let of_entry = |entry: Entry<'_>| match entry.source {
        Source::Attribute(name) => Some(name.to_ascii_lowercase()),
        Source::Inline(_) | Source::Text => None,
    };
    entries(value).filter_map(of_entry).collect()
}

/// Whether readers request an attribute, in addition to those of the core.
pub(crate) fn is_read(name: &str) -> bool {
    name == OWN_TITLE || is_metadata(name) || WEIGHT.contains(&name)
}

/// Returns what is wrong with an attribute, if anything.
fn problem_of(name: &str, value: &str) -> Option<&'static str> {
    let own = name.strip_prefix(OWN);
    let Some(kind) = own.or_else(|| name.strip_prefix(PAGEFIND)) else {
        return is_for_search(name).then_some("is an attribute of another tool, without effect");
    };
    match kind {
        "body" => None,
        "index-attrs" => value.trim().is_empty().then_some("lists no attributes"),
        "ignore" => {
            let is_known = matches!(value.trim(), "" | "index" | "all");
            (!is_known).then_some("has a value other than index and all, and ignores the element")
        }
        "weight" => weight(value).1,
        "meta" | "default-meta" | "filter" | "sort" => {
            entries(value).next().is_none().then_some("has no name, and no effect")
        }
        "title" if own.is_some() => None,
        "title" => Some("has no effect: only headings start sections of results"),
        _ => Some("has no effect: pagekin does not know this attribute"),
    }
}

/// Returns the weight in the value of an attribute, in hundredths, and what is wrong with it.
pub(crate) fn weight(value: &str) -> (Option<u16>, Option<&'static str>) {
    let Ok(weight) = value.trim().parse::<f64>() else {
        return (None, Some("is not a number from 0 to 10, and has no effect"));
    };
    if !weight.is_finite() || weight < 0.0 {
        return (None, Some("is not a number from 0 to 10, and has no effect"));
    }
    let hundredths = (weight * f64::from(ONE)).round();
    if hundredths > f64::from(MAX_WEIGHT) {
        return (Some(MAX_WEIGHT), Some("is above 10, and counts as 10"));
    }
    (Some(hundredths as u16), None)
}

/// The source of the value of a metadata key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    Inline(&'a str),
    /// The value of another attribute of the element, in any case.
    Attribute(&'a str),
    /// The text of the element.
    Text,
}

/// A key in a list of metadata, and the source of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) key: &'a str,
    pub(crate) source: Source<'a>,
}

/// Returns the entries of a list of `key`, `key[attribute]` or `key:value`, separated by commas. A
/// value extends to the end of the list.
pub(crate) fn entries(list: &str) -> impl Iterator<Item = Entry<'_>> {
    let mut rest = Some(list);
    let next = move || {
        let list = rest?;
        let (entry, after) = match list.split_once(',') {
            Some((entry, after)) => (entry, Some(after)),
            None => (list, None),
        };
        if entry.contains(':')
            && let Some((key, value)) = list.split_once(':')
        {
            rest = None;
            return Some(Entry { key: key.trim(), source: Source::Inline(value.trim()) });
        }
        rest = after;
        let entry = entry.trim();
        let of_attribute = entry.strip_suffix(']').and_then(|entry| entry.split_once('['));
        Some(match of_attribute {
            Some((key, name)) => Entry { key: key.trim(), source: Source::Attribute(name.trim()) },
            None => Entry { key: entry, source: Source::Text },
        })
    };
    std::iter::from_fn(next).take(MAX_ENTRIES).filter(|entry| !entry.key.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_numbers_from_0_to_10() {
        for (value, expected) in [
            ("1", 100),
            (" 0.1 ", 10),
            (".5", 50),
            ("10", 1_000),
            ("0", 0),
            ("2.505", 251),
            ("1e1", 1_000),
        ] {
            assert_eq!(weight(value), (Some(expected), None), "{value}");
        }
        for value in ["", "abc", "-1", "NaN", "inf", "1,5", "2x"] {
            let (found, problem) = weight(value);
            assert!(found.is_none() && problem.is_some(), "{value}");
        }
        assert_eq!(weight("11"), (Some(1_000), Some("is above 10, and counts as 10")));
    }

    #[test]
    fn markup_without_effect_is_remarked_on() {
        for (name, value) in [
            ("data-pagefind-body", ""),
            ("data-pagekin-body", "x"),
            ("data-pagefind-ignore", ""),
            ("data-pagekin-ignore", " index "),
            ("data-pagefind-ignore", "all"),
            ("data-pagefind-weight", "2"),
            ("data-pagefind-filter", "color"),
            ("data-pagekin-sort", "date[content], size:9"),
            ("data-pagefind-index-attrs", "title"),
            ("data-pagekin-title", "A"),
            ("data-pagefind-meta", "title, url[href]"),
            ("data-pagekin-default-meta", "title:A, b"),
            ("data-pagefind-meta", "title, author"),
            ("data-pagefind-default-meta", "image[content]"),
            ("data-x", "1"),
            ("class", "data-pagefind-filter"),
        ] {
            assert_eq!(problem_of(name, value), None, "{name}={value}");
        }
        for (name, value) in [
            ("data-pagefind-filter", ""),
            ("data-pagekin-sort", " , "),
            ("data-pagefind-title", "A"),
            ("data-pagefind-tilte", "A"),
            ("data-pagekin-boddy", ""),
            ("data-pagefind-ignore", "misc"),
            ("data-pagefind-weight", "abc"),
            ("data-pagefind-index-attrs", " "),
            ("data-pagefind-meta", ""),
            ("data-swiftype-index", "false"),
            ("data-elastic-exclude", ""),
            ("data-search-exclude", ""),
        ] {
            assert!(problem_of(name, value).is_some(), "{name}={value}");
        }
    }

    #[test]
    fn scripts_and_elements_of_pagefind_are_remarked_on() {
        let mut remarks = PageRemarks::default();
        for src in
            ["/pagefind/pagefind-ui.js?v=1", "/pagefind.js", "/a/pagefind-ui.css", "/find.js"]
        {
            remarks.add_script(src);
        }
        for name in ["pagefind-searchbox", "pagekin-box", "p"] {
            remarks.add_element(name);
        }
        let found: Vec<_> = remarks.0.iter().map(|remark| remark.markup.as_str()).collect();
        assert_eq!(found, ["<pagefind-searchbox>", "pagefind-ui.js", "pagefind.js"]);
    }

    #[test]
    fn the_pages_of_a_remark_are_counted() {
        let page = || {
            let mut page = PageRemarks::default();
            page.add_attribute("data-pagefind-title", "a");
            page.add_attribute("data-pagefind-title", "b");
            page
        };
        let mut site = SiteRemarks::default();
        site.add("/b", page());
        let mut other = SiteRemarks::default();
        other.add("/a", page());
        other.add("/c", PageRemarks::default());
        site.extend(other);
        let found: Vec<_> = site.0.into_values().collect();
        assert_eq!(found, [UsingPages { count: 2, first: "/a".to_owned() }]);
    }

    #[test]
    fn lists_of_metadata_are_read() {
        let of = |list| entries(list).map(|entry| (entry.key, entry.source)).collect::<Vec<_>>();
        assert_eq!(
            of("a, b[ src ],c:d, e: f"),
            [
                ("a", Source::Text),
                ("b", Source::Attribute("src")),
                ("c", Source::Inline("d, e: f"))
            ]
        );
        assert_eq!(of(" , ,"), []);
        assert_eq!(
            of("b[href], url:/x:y"),
            [("b", Source::Attribute("href")), ("url", Source::Inline("/x:y"))]
        );
    }
}
