//! Known pairs, so that a check fails only on new ones.
//!
//! A baseline is a file kept with the site. It lists groups of pages that are known to be similar,
//! by URL. All copies of a text form one group; each pair of near-duplicates or quotations is its
//! own group. You may edit the file and write larger groups: all pages of a group are then known to
//! be similar to one another.
//!
//! ```json
//! {
//!   "version": 1,
//!   "groups": [
//!     {"kind": "copy", "pages": ["/a.html", "/archive/a.html", "/print/a.html"]},
//!     {"kind": "near-duplicate", "pages": ["/a.html", "/b.html"]}
//!   ]
//! }
//! ```
//!
//! # Rules
//!
//! 1. A pair is known if both pages are in one group of the same kind, or of a closer one:
//!    near-duplicates that have become copies are new, and copies that have been edited apart are
//!    not.
//! 2. Copies are interchangeable, both in the baseline and now. So the near-duplicates of a page
//!    stay known if the page is removed and a copy of it remains, or if a more probable original is
//!    added.
//! 3. If copies of one text are new, those that are already known to be copies of each other count
//!    once.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::found::Duplicates;
use crate::pair::{PairKind, UnknownPairKind};

const VERSION: u32 = 1;

/// Groups of pages that are known to be similar.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    groups: Vec<KnownGroup>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct KnownGroup {
    kind: PairKind,
    pages: Vec<String>,
}

/// The known pairs of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownPairs {
    /// For each pair, whether it is known.
    pub pairs: Vec<bool>,
    /// Number of groups of the baseline without a matching pair.
    pub gone: u64,
}

/// Why a baseline could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The file is not a baseline.
    #[error("expected a baseline as written by --write-baseline, found: {0}")]
    Json(#[from] serde_json::Error),
    /// The baseline has another version.
    #[error(
        "expected version {VERSION}, found {0}. Write the baseline again with --write-baseline"
    )]
    Version(u32),
    /// A group has an unknown kind.
    #[error(transparent)]
    Kind(#[from] UnknownPairKind),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    groups: Vec<FileGroup>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileGroup {
    kind: String,
    pages: Vec<String>,
}

impl Baseline {
    /// Creates a baseline of all pairs found.
    #[must_use]
    pub fn new(found: &Duplicates) -> Self {
        let url = |page: u32| found.pages[page as usize].url.clone();
        let mut copies: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        let mut groups = Vec::new();
        for pair in &found.pairs {
            if pair.kind == PairKind::Copy {
                copies.entry(pair.a).or_insert_with(|| vec![url(pair.a)]).push(url(pair.b));
            } else {
                groups.push(KnownGroup { kind: pair.kind, pages: vec![url(pair.a), url(pair.b)] });
            }
        }
        let copies = copies.into_values();
        groups.extend(copies.map(|pages| KnownGroup { kind: PairKind::Copy, pages }));
        // Sort, so that a file under version control changes only where the results do.
        groups.iter_mut().for_each(|group| group.pages.sort());
        groups.sort();
        Self { groups }
    }

    /// Returns the number of groups.
    #[must_use]
    pub fn groups(&self) -> u64 {
        self.groups.len() as u64
    }

    /// Encodes the baseline as a file with one group per line.
    ///
    /// # Errors
    ///
    /// Never in practice: all its parts can be written as JSON.
    pub fn encode(&self) -> Result<String, BaselineError> {
        let mut lines = Vec::new();
        for KnownGroup { kind, pages } in &self.groups {
            let group = FileGroup { kind: kind.name().to_owned(), pages: pages.clone() };
            lines.push(format!("\n    {}", serde_json::to_string(&group)?));
        }
        let end = if lines.is_empty() { "" } else { "\n  " };
        let groups = lines.join(",");
        Ok(format!("{{\n  \"version\": {VERSION},\n  \"groups\": [{groups}{end}]\n}}\n"))
    }

    /// Decodes a file.
    ///
    /// # Errors
    ///
    /// Returns a [`BaselineError`] if the text is not a baseline.
    pub fn decode(text: &str) -> Result<Self, BaselineError> {
        let file: File = serde_json::from_str(text)?;
        if file.version != VERSION {
            return Err(BaselineError::Version(file.version));
        }
        let group = |FileGroup { kind, pages }| Ok(KnownGroup { kind: kind.parse()?, pages });
        let groups = file.groups.into_iter().map(group);
        Ok(Self { groups: groups.collect::<Result<_, BaselineError>>()? })
    }

    /// Returns which of the pairs found are known.
    #[must_use]
    pub fn known(&self, found: &Duplicates) -> KnownPairs {
        let texts = Texts::from_groups(&self.groups);
        let url = |page: u32| found.pages[page as usize].url.as_str();
        let known_text = |page: u32| texts.by_url.get(url(page)).map(|&text| texts.root(text));
        // The known texts of each group of current copies, by its original.
        let mut now: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut seen: FxHashSet<(u32, u32)> = FxHashSet::default();
        let mut found_texts = FxHashSet::default();
        let mut known = vec![false; found.pairs.len()];
        let copies = found.pairs.iter().zip(&mut known);
        for (pair, known) in copies.filter(|(pair, _)| pair.kind == PairKind::Copy) {
            let texts = now.entry(pair.a).or_default();
            for page in [pair.a, pair.b] {
                let Some(text) = known_text(page) else { continue };
                if seen.insert((pair.a, text)) {
                    texts.push(text);
                } else if page == pair.b {
                    *known = true;
                    found_texts.insert(text);
                }
            }
        }
        let mut found_groups = FxHashSet::default();
        for (pair, known) in found.pairs.iter().zip(&mut known) {
            if pair.kind == PairKind::Copy {
                continue;
            }
            let alone = |page| known_text(page).into_iter().collect();
            let [a, b] = [pair.a, pair.b].map(|page| match now.get(&page) {
                Some(texts) => texts.clone(),
                None => alone(page),
            });
            for (x, y) in a.iter().flat_map(|x| b.iter().map(move |y| (*x, *y))) {
                if x == y {
                    *known = true;
                    found_texts.insert(x);
                    continue;
                }
                let of = |text: u32| &texts.groups[text as usize];
                for group in of(x).intersection(of(y)) {
                    if self.groups[*group as usize].kind <= pair.kind {
                        *known = true;
                        found_groups.insert(*group);
                    }
                }
            }
        }
        let is_gone = |(at, group): (u32, &KnownGroup)| match group.kind {
            PairKind::Copy => !group.pages.first().is_some_and(|url| {
                let text = texts.by_url.get(url.as_str());
                text.is_some_and(|&text| found_texts.contains(&texts.root(text)))
            }),
            PairKind::SameButNumbers | PairKind::NearDuplicate | PairKind::Passages => {
                !found_groups.contains(&at)
            }
        };
        let gone = (0..).zip(&self.groups).filter(|&group| is_gone(group)).count() as u64;
        KnownPairs { pairs: known, gone }
    }
}

/// The distinct texts of a baseline: the pages of a group of copies share one.
struct Texts<'a> {
    by_url: FxHashMap<&'a str, u32>,
    /// A union-find forest: the parent of each text, which is itself at a root.
    parents: Vec<u32>,
    /// The groups of other kinds that contain each text.
    groups: Vec<FxHashSet<u32>>,
}

impl<'a> Texts<'a> {
    fn from_groups(groups: &'a [KnownGroup]) -> Self {
        let mut texts =
            Self { by_url: FxHashMap::default(), parents: Vec::new(), groups: Vec::new() };
        for group in groups.iter().filter(|group| group.kind == PairKind::Copy) {
            let numbers: Vec<_> = group.pages.iter().map(|url| texts.number(url)).collect();
            for pair in numbers.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|text| texts.root(text));
                texts.parents[b as usize] = a;
            }
        }
        for (at, group) in (0..).zip(groups) {
            for url in group.pages.iter().filter(|_| group.kind != PairKind::Copy) {
                let number = texts.number(url);
                let root = texts.root(number);
                texts.groups[root as usize].insert(at);
            }
        }
        texts
    }

    fn number(&mut self, url: &'a str) -> u32 {
        let next = self.parents.len() as u32;
        let number = *self.by_url.entry(url).or_insert(next);
        if number == next {
            self.parents.push(next);
            self.groups.push(FxHashSet::default());
        }
        number
    }

    fn root(&self, mut text: u32) -> u32 {
        while self.parents[text as usize] != text {
            text = self.parents[text as usize];
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::PagePair;
    use crate::pair::PairKind::{Copy, NearDuplicate, Passages};
    use crate::texts::SitePage;
    use pagekin_core::near::shingles::Shared;

    /// A comparison with these pairs, of pages named by a letter. As from `find`, originals come
    /// first.
    fn found(pairs: &[(char, char, PairKind)]) -> Duplicates {
        let page = |name| SitePage { url: format!("/{name}"), ..SitePage::default() };
        let number = |name| u32::from(name) - u32::from('a');
        let pair = |&(a, b, kind)| {
            let shared = Shared { both: 1, a: 1, b: 1 };
            PagePair { a: number(a), b: number(b), kind, shared, similarities: None }
        };
        let mut pairs: Vec<PagePair> = pairs.iter().map(pair).collect();
        pairs.sort_by_key(|pair| (pair.a, pair.b));
        Duplicates { pages: ('a'..='z').map(page).collect(), pairs, ..Duplicates::default() }
    }

    #[track_caller]
    fn check(
        before: &[(char, char, PairKind)],
        now: &[(char, char, PairKind)],
        known: &[bool],
        gone: u64,
    ) {
        let text = Baseline::new(&found(before)).encode().unwrap();
        let expected = KnownPairs { pairs: known.to_vec(), gone };
        assert_eq!(Baseline::decode(&text).unwrap().known(&found(now)), expected, "{text}");
    }

    #[test]
    fn what_was_found_is_known_and_nothing_else() {
        let all = [('a', 'b', Copy), ('a', 'c', NearDuplicate), ('d', 'e', Passages)];
        check(&all, &all, &[true, true, true], 0);
        check(&[], &all, &[false, false, false], 0);
        check(&all, &[], &[], 3);
        check(&all[..1], &all, &[true, false, false], 0);
        // Two pages are not similar because a third is similar to both.
        check(
            &[('a', 'b', NearDuplicate), ('b', 'c', NearDuplicate)],
            &[('a', 'c', NearDuplicate)],
            &[false],
            2,
        );
    }

    #[test]
    fn pairs_that_became_closer_are_new() {
        check(&[('a', 'b', NearDuplicate)], &[('a', 'b', Copy)], &[false], 1);
        check(&[('a', 'b', Copy)], &[('a', 'b', NearDuplicate)], &[true], 0);
        check(&[('a', 'b', NearDuplicate)], &[('a', 'b', Passages)], &[true], 0);
        check(&[('a', 'b', Passages)], &[('a', 'b', NearDuplicate)], &[false], 1);
    }

    #[test]
    fn copies_are_interchangeable() {
        // The original is removed.
        let before = [('a', 'b', Copy), ('a', 'c', Copy), ('a', 'd', NearDuplicate)];
        check(&before, &[('b', 'c', Copy), ('b', 'd', NearDuplicate)], &[true, true], 0);
        // A new copy becomes the probable original: only its own pair is new.
        let before = [('b', 'c', Copy), ('b', 'd', NearDuplicate)];
        let now = [('a', 'b', Copy), ('a', 'c', Copy), ('a', 'd', NearDuplicate)];
        check(&before, &now, &[false, true, true], 0);
        // Two texts have become one, which is one new pair.
        let before = [('a', 'b', Copy), ('c', 'd', Copy)];
        let now = [('a', 'b', Copy), ('a', 'c', Copy), ('a', 'd', Copy)];
        check(&before, &now, &[true, false, true], 0);
    }

    #[test]
    fn an_edited_group_may_have_many_pages() {
        let text = r#"{"version": 1, "groups": [{"kind": "near-duplicate", "pages": ["/a", "/b", "/c"]}]}"#;
        let known = |pairs| Baseline::decode(text).unwrap().known(&found(pairs)).pairs;
        assert_eq!(known(&[('a', 'c', NearDuplicate), ('b', 'c', Passages)]), [true, true]);
        assert_eq!(known(&[('a', 'c', Copy), ('b', 'd', NearDuplicate)]), [false, false]);
    }

    #[test]
    fn an_invalid_baseline_is_refused() {
        for (text, part) in [
            ("", "expected a baseline"),
            (r#"{"version": 2, "groups": []}"#, "expected version 1, found 2"),
            (r#"{"version": 1, "groups": [{"kind": "twin", "pages": []}]}"#, "found \"twin\""),
            (r#"{"version": 1, "groups": [], "more": 1}"#, "unknown field"),
        ] {
            let error = Baseline::decode(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let empty = Baseline::default().encode().unwrap();
        assert_eq!(Baseline::decode(&empty).unwrap(), Baseline::default());
    }
}
