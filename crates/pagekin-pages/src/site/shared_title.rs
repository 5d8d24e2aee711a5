//! Shared parts of titles: the name of the site, with which nearly all titles start or end, and
//! titles that many pages share. Neither describes a page.
//!
//! # Rules
//!
//! 1. The titles of each language are examined separately, because translations of a site have
//!    different names.
//! 2. A shared ending starts with a separator, such as ` | ` or ` — `, and is that of at least 80%
//!    of the titles, and of at least 5. The longest such ending is used. Likewise for beginnings,
//!    which end with a separator.
//! 3. It is removed from titles that contain anything else. The ending is removed before the
//!    beginning.
//! 4. If at least 3 pages of a language then have the same title, each is named by its first
//!    heading, unless that equals the title, or at least half of them have it too. So copies keep
//!    their title.
//! 5. If these are at least 5 and at least 80% of the pages of the language, the first suitable one
//!    of the first 4 headings is used, because the very first may be the name of the site, too.

use std::collections::BTreeMap;

use pagekin_core::terms::Language;
use rustc_hash::FxHashMap;

/// Separators between the title of a page and the name of its site.
const SEPARATORS: [&str; 13] =
    [" | ", " - ", " -- ", " – ", " — ", " · ", " • ", ": ", " :: ", " » ", " « ", " › ", " // "];

/// Minimum number of titles with a shared part.
const MIN_TITLES: u64 = 5;
/// Minimum percentage of titles with a shared part.
const MIN_PERCENT: u64 = 80;

/// Maximum number of headings of a page that may name it.
pub(crate) const MAX_HEADINGS: usize = 4;
/// Minimum number of pages with the same title that are renamed. Fewer may be parts of one page, or
/// variants.
const MIN_SAME: usize = 3;

/// What was done to the titles of a site
/// ([`settle_titles`](super::read::ParsedSite::settle_titles)).
#[derive(Debug, Default)]
pub struct SettledTitles {
    /// The text that nearly all titles of a language share and that was removed from them.
    pub shared: BTreeMap<Language, SharedTitle>,
    /// The number of pages with a heading as title because other pages have the same title.
    pub by_heading: u64,
}

impl SettledTitles {
    /// Returns what titles share, by language code.
    #[must_use]
    pub fn shared_by_code(self) -> Vec<(String, SharedTitle)> {
        let code = |(language, shared): (Language, _)| (language.code().to_owned(), shared);
        self.shared.into_iter().map(code).collect()
    }
}

/// The parts shared by nearly all titles of a language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedTitle {
    /// The shared beginning, including the separator.
    pub prefix: Option<String>,
    /// The shared ending, including the separator.
    pub suffix: Option<String>,
}

impl SharedTitle {
    /// Finds the shared parts of the titles of a language. Empty titles are ignored.
    pub(crate) fn new<'a>(titles: impl Iterator<Item = &'a str> + Clone) -> Self {
        Self { prefix: shared(titles.clone(), beginnings), suffix: shared(titles, endings) }
    }

    /// Returns whether there is a shared part.
    fn is_any(&self) -> bool {
        self.prefix.is_some() || self.suffix.is_some()
    }

    /// Returns a title without its shared parts.
    pub fn own<'a>(&self, title: &'a str) -> &'a str {
        let is_name = |own: &&str| own.contains(char::is_alphanumeric);
        let own = |own: Option<&'a str>| own.map(str::trim).filter(is_name);
        let without = |title: &'a str, suffix: &String| own(title.strip_suffix(&**suffix));
        let title = self.suffix.as_ref().and_then(|it| without(title, it)).unwrap_or(title);
        let without = |title: &'a str, prefix: &String| own(title.strip_prefix(&**prefix));
        self.prefix.as_ref().and_then(|it| without(title, it)).unwrap_or(title)
    }
}

/// Returns the shared parts of the titles of each language that has any.
pub fn by_language<'a>(
    titles: impl Iterator<Item = (&'a Language, &'a str)>,
) -> BTreeMap<Language, SharedTitle> {
    let mut by_language: BTreeMap<&Language, Vec<&str>> = BTreeMap::new();
    for (language, title) in titles {
        by_language.entry(language).or_default().push(title);
    }
    let shared = by_language
        .into_iter()
        .map(|(language, titles)| (language.clone(), SharedTitle::new(titles.into_iter())));
    shared.filter(|(_, shared)| shared.is_any()).collect()
}

/// Returns the longest part that enough titles have.
fn shared<'a, P: Iterator<Item = &'a str>>(
    titles: impl Iterator<Item = &'a str>,
    parts: impl Fn(&'a str) -> P,
) -> Option<String> {
    let mut counts: FxHashMap<&str, u64> = FxHashMap::default();
    let mut n = 0u64;
    for title in titles.filter(|title| !title.is_empty()) {
        n += 1;
        for part in parts(title) {
            *counts.entry(part).or_default() += 1;
        }
    }
    let enough = |count| count >= MIN_TITLES && count * 100 >= n * MIN_PERCENT;
    // All such parts are suffixes, or prefixes, of one another, so no two have the same length.
    let found = counts.into_iter().filter(|&(_, count)| enough(count));
    found.map(|(part, _)| part).max_by_key(|part| part.len()).map(str::to_owned)
}

/// Returns the endings of a title that start with a separator.
fn endings(title: &str) -> impl Iterator<Item = &str> {
    separators(title).map(|(start, _)| &title[start..])
}

/// Returns the beginnings of a title that end with a separator.
fn beginnings(title: &str) -> impl Iterator<Item = &str> {
    separators(title).map(|(_, end)| &title[..end])
}

/// Returns the ranges of separators that have text on both sides.
fn separators(title: &str) -> impl Iterator<Item = (usize, usize)> {
    let found = SEPARATORS.iter().flat_map(|separator| {
        title.match_indices(separator).map(|(at, separator)| (at, at + separator.len()))
    });
    found.filter(|&(start, end)| start > 0 && end < title.len())
}

/// The candidate names of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageNames<'a> {
    pub(crate) language: &'a Language,
    /// Without shared parts.
    pub(crate) title: &'a str,
    /// Its first headings, at most [`MAX_HEADINGS`].
    pub(crate) headings: &'a [Box<str>],
}

/// Returns the heading that replaces the title of each page (rules 4 and 5).
pub(crate) fn headings_instead<'a>(pages: &[PageNames<'a>]) -> Vec<Option<&'a str>> {
    let mut of_language: FxHashMap<&Language, u64> = FxHashMap::default();
    let mut same: FxHashMap<(&Language, &str), Vec<usize>> = FxHashMap::default();
    for (at, page) in pages.iter().enumerate().filter(|(_, page)| !page.title.is_empty()) {
        *of_language.entry(page.language).or_default() += 1;
        same.entry((page.language, page.title)).or_default().push(at);
    }
    let mut instead = vec![None; pages.len()];
    for ((language, title), group) in same.into_iter().filter(|(_, of)| of.len() >= MIN_SAME) {
        let n = group.len() as u64;
        let is_of_site = n >= MIN_TITLES && n * 100 >= of_language[language] * MIN_PERCENT;
        let candidates = if is_of_site { MAX_HEADINGS } else { 1 };
        let headings = |at: usize| pages[at].headings.iter().take(candidates).map(|it| &**it);
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for heading in group.iter().flat_map(|&at| headings(at)) {
            *counts.entry(heading).or_default() += 1;
        }
        for at in group.iter().copied() {
            let is_distinct =
                |heading: &&str| *heading != title && 2 * counts[heading] < group.len();
            instead[at] = headings(at).find(is_distinct);
        }
    }
    instead
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the names of pages with these titles and headings.
    #[track_caller]
    fn check_names(pages: &[(&str, &[&str])], expected: &[&str]) {
        let language = Language::undetermined();
        let boxed = |headings: &[&str]| headings.iter().map(|&it| it.into()).collect::<Vec<_>>();
        let headings: Vec<Vec<Box<str>>> = pages.iter().map(|page| boxed(page.1)).collect();
        let names: Vec<_> = pages
            .iter()
            .zip(&headings)
            .map(|(&(title, _), headings)| PageNames { language: &language, title, headings })
            .collect();
        let instead = headings_instead(&names);
        let called = instead.iter().zip(pages).map(|(heading, page)| heading.unwrap_or(page.0));
        assert_eq!(called.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn pages_with_the_same_title_are_named_by_headings() {
        let of_site: [(&str, &[&str]); 6] = [
            ("Docs", &["Glazes"]),
            ("Docs", &["Docs", "Kilns", "Cones"]),
            ("Docs", &["Docs", "Clay"]),
            ("Docs", &[]),
            ("Docs", &["Docs", "Wheels"]),
            ("Home", &["Welcome"]),
        ];
        check_names(&of_site, &["Glazes", "Kilns", "Clay", "Docs", "Wheels", "Home"]);
        // If only a part of the site shares a title, only the first heading is used.
        let others: [(&str, &[&str]); 2] = [("Rye", &[]), ("Oats", &[])];
        let expected = ["Glazes", "Docs", "Docs", "Docs", "Docs", "Home", "Rye", "Oats"];
        check_names(&[&of_site[..], &others].concat(), &expected);
    }

    #[test]
    fn copies_and_pairs_keep_their_title() {
        let two: [(&str, &[&str]); 2] = [("Docs", &["Glazes"]), ("Docs", &["Kilns"])];
        check_names(&two, &["Docs", "Docs"]);
        let copies: [(&str, &[&str]); 4] = [("Docs", &["Glazes"]); 4];
        check_names(&copies, &["Docs"; 4]);
        let mostly = [&copies[..3], &[("Docs", &["Kilns"][..])]].concat();
        check_names(&mostly, &["Docs", "Docs", "Docs", "Kilns"]);
    }

    #[track_caller]
    fn check(titles: &[&str], prefix: Option<&str>, suffix: Option<&str>, own: &[&str]) {
        let shared = SharedTitle::new(titles.iter().copied());
        assert_eq!((shared.prefix.as_deref(), shared.suffix.as_deref()), (prefix, suffix));
        let owns: Vec<_> = titles.iter().map(|title| shared.own(title)).collect();
        assert_eq!(owns, own);
    }

    #[test]
    fn the_name_of_the_site_is_removed() {
        let titles =
            ["A | My docs", "B | My docs", "", "C: D | My docs", "E | My docs", "F | My docs"];
        check(&titles, None, Some(" | My docs"), &["A", "B", "", "C: D", "E", "F"]);
        let titles = ["My docs: A", "My docs: B", "My docs: C: D", "My docs: E", "My docs: F"];
        check(&titles, Some("My docs: "), None, &["A", "B", "C: D", "E", "F"]);
        let titles = ["Docs -- A", "Docs -- B", "Docs -- C", "Docs -- D", "Docs -- E -- F"];
        check(&titles, Some("Docs -- "), None, &["A", "B", "C", "D", "E -- F"]);
    }

    #[test]
    fn the_longest_part_that_enough_titles_share_is_removed() {
        let end = " — Library — Python documentation";
        let titles = ["a", "b", "c", "d", "e"].map(|own| format!("{own}{end}"));
        let mut titles: Vec<_> = titles.iter().map(String::as_str).collect();
        check(&titles, None, Some(end), &["a", "b", "c", "d", "e"]);
        titles.extend(["f — Python documentation", "Python documentation"]);
        let own = ["a — Library", "b — Library", "c — Library", "d — Library", "e — Library", "f"];
        let own = [&own[..], &["Python documentation"]].concat();
        check(&titles, None, Some(" — Python documentation"), &own);
    }

    #[test]
    fn a_title_without_other_text_is_kept() {
        let titles =
            ["A | My docs", "B | My docs", "C | My docs", "D | My docs", "» | My docs", "My docs"];
        check(&titles, None, Some(" | My docs"), &["A", "B", "C", "D", "» | My docs", "My docs"]);
    }

    #[test]
    fn parts_shared_by_few_titles_are_kept() {
        let four = ["A | My docs", "B | My docs", "C | My docs", "D | My docs"];
        check(&four, None, None, &four);
        let seven = [&four[..], &["E | My docs", "F", "G"]].concat();
        check(&seven, None, None, &seven);
        let same = ["My docs"; 6];
        check(&same, None, None, &same);
        let without = ["A-docs", "B-docs", "C-docs", "D-docs", "E-docs"];
        check(&without, None, None, &without);
    }

    #[test]
    fn both_parts_may_be_removed_from_a_title() {
        let titles = ["X: a | Y", "X: b | Y", "X: c | Y", "X: d | Y", "X: e | Y", "X: a"];
        check(&titles, Some("X: "), Some(" | Y"), &["a", "b", "c", "d", "e", "a"]);
        let equal = ["Y: a | b"; 5];
        check(&equal, Some("Y: a | "), Some(": a | b"), &["Y"; 5]);
    }
}
