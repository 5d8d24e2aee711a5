//! Groups near-copies, and finds the page of each group that is probably the original.
//!
//! 1. **Pairs** are pages compared as [related](crate::build::related::similar_pages) whose
//!    sketches are copies or near-duplicates, and all pages with the same sketch, which are copies.
//!    Pages that differ in numbers only are not a pair: each contains facts of its own, and none
//!    can represent another.
//! 2. **The original** is a page outside the folders of languages other than its own, because
//!    untranslated pages are in such folders. Among equals, it is the one of the [latest
//!    version](VariantRank), then the one that most pages link to in their texts, then the one with
//!    the shortest path, with the shortest URL, and first in the alphabet.
//! 3. **Groups** are the clusters of CENTER ([`pagekin_core::center`]), with pages in that order.
//!    So every member is a near-copy of its original, or a copy of one.
//!
//! # Limits
//!
//! A page with more near-copies than pages that it is compared with misses the least similar ones.
//! So a large family can be divided into several groups.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pagekin_core::address;
use pagekin_core::center::center;
use pagekin_core::near::sketch::{KnownShingles, Nearness};
use pagekin_pages::site::link_graph::LinkGraph;
use rustc_hash::FxHashMap;

use crate::build::pages::vocabulary::WeightedPage;
use crate::build::related::variants::{VariantRank, names_other_language};

/// Maximum number of other pages that are reported for a member of a group.
const MAX_REPORTED: usize = 4;

/// A near-copy, and the other pages of its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CopyOf {
    /// The probable original.
    pub(crate) original: u32,
    /// Whether the words are the same.
    pub(crate) same_words: bool,
    /// Number of pages in the group, without the near-copy and its original.
    pub(crate) others: u32,
    /// Some of these pages, most probable originals first.
    pub(crate) examples: Vec<u32>,
}

/// A sort key: the lower of two is more probably the original.
pub(crate) fn originality<'a>(
    number: u32,
    page: &'a WeightedPage,
    links: &LinkGraph,
) -> impl Ord + use<'a> {
    let url = page.url.as_str();
    let elsewhere = page.language.as_ref().is_some_and(|own| names_other_language(url, own));
    let linking = Reverse(links.linking_to(number).len());
    (elsewhere, VariantRank::new(url), linking, address::path(url).len(), url.len(), url)
}

/// Compares two pages by their sketches. If they are near-copies, returns whether their words are
/// the same. Pages that differ in numbers only are not near-copies.
pub(crate) fn compare(known: &KnownShingles, page: &WeightedPage) -> Option<bool> {
    // Most pairs need no comparison: one has far more shingles than the other.
    let [own, others] = [known.shingles(), page.sketch.shingles].map(u64::from);
    if 5 * own.min(others) < 4 * own.max(others) {
        return None;
    }
    match known.shared_with(&page.sketch).nearness()? {
        Nearness::Copy => Some(true),
        Nearness::NearDuplicate => Some(false),
        _ => None,
    }
}

/// Finds the near-copies among pages, from pairs of near-copies in any order.
pub(crate) fn find_originals(
    pages: &[&WeightedPage],
    links: &LinkGraph,
    pairs: impl Iterator<Item = (u32, u32)>,
) -> Vec<Option<CopyOf>> {
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    order.sort_by_cached_key(|&page| originality(page, pages[page as usize], links));
    // From here on, pages are identified by their places in this order.
    let mut place = vec![0u32; pages.len()];
    for (at, &page) in (0..).zip(&order) {
        place[page as usize] = at;
    }
    let page = |at: u32| pages[order[at as usize] as usize];
    // The first page with the same sketch as each page.
    let mut first_of: FxHashMap<_, u32> = FxHashMap::default();
    let first: Vec<u32> = (0..pages.len() as u32)
        .map(|at| match &page(at).sketch {
            sketch if sketch.shingles == 0 => at,
            sketch => *first_of.entry(sketch).or_insert(at),
        })
        .collect();
    let mut pairs: Vec<(u32, u32)> = pairs
        .map(|(a, b)| [a, b].map(|page| first[place[page as usize] as usize]))
        .filter_map(|[a, b]| (a != b).then_some((a.min(b), a.max(b))))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let centers = center(pages.len() as u32, &pairs);
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (at, &first) in (0..).zip(&first) {
        groups.entry(centers[first as usize]).or_default().push(at);
    }
    let mut copies = vec![None; pages.len()];
    for (original, members) in groups.into_iter().filter(|(_, members)| members.len() > 1) {
        let known = KnownShingles::from_page(&page(original).sketch);
        for &member in members.iter().filter(|&&member| member != original) {
            let others = members.iter().filter(|&&other| other != original && other != member);
            copies[order[member as usize] as usize] = Some(CopyOf {
                original: order[original as usize],
                same_words: compare(&known, page(member)).unwrap_or(false),
                others: members.len() as u32 - 2,
                examples: others.take(MAX_REPORTED).map(|&other| order[other as usize]).collect(),
            });
        }
    }
    copies
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pagekin_core::near::identity::{Identity, IdentityHasher};
    use pagekin_core::near::shingles::Shingler;
    use pagekin_core::near::sketch::Sketch;

    pub(crate) fn page(url: &str, tokens: std::ops::Range<u64>) -> WeightedPage {
        let tokens: Vec<u64> = tokens.map(pagekin_core::hash::mix).collect();
        let mut identity = IdentityHasher::default();
        tokens.iter().for_each(|&token| identity.push(token, false));
        let sketch = Sketch::new(&Shingler::default().set(&tokens), 64, identity.finish());
        WeightedPage { url: url.to_owned(), sketch, ..WeightedPage::default() }
    }

    /// For each page, its original, whether the words are the same, and the number of others.
    fn found(pages: &[WeightedPage], pairs: &[(u32, u32)]) -> Vec<Option<(u32, bool, u32)>> {
        let pages: Vec<_> = pages.iter().collect();
        let links = LinkGraph::new(vec![Vec::new(); pages.len()], &vec![false; pages.len()]);
        let copies = find_originals(&pages, &links, pairs.iter().copied());
        copies.into_iter().map(|of| of.map(|of| (of.original, of.same_words, of.others))).collect()
    }

    #[test]
    fn the_page_with_the_shortest_url_is_the_original() {
        let pages = [
            page("/archive/a.html", 0..200),
            page("/a.html", 0..200),
            page("/b.html", 500..700),
            page("/old/a.html", 0..205),
        ];
        let expected = [Some((1, true, 1)), None, None, Some((1, false, 1))];
        assert_eq!(found(&pages, &[(3, 0)]), expected);
        // Pages without text are not copies.
        let empty = ["/a", "/b"].map(|url| page(url, 0..0));
        assert_eq!(found(&empty, &[]), [None, None]);
    }

    #[test]
    fn the_latest_version_is_the_original() {
        let links = LinkGraph::new(vec![vec![0, 1], vec![0], vec![0]], &[false; 3]);
        let original = |urls: [&str; 3]| {
            let pages = urls.map(|url| page(url, 0..100));
            let refs: Vec<_> = pages.iter().collect();
            let found = find_originals(&refs, &links, std::iter::empty());
            found.iter().flatten().map(|of| urls[of.original as usize].to_owned()).next().unwrap()
        };
        // Most pages link to the first, and it has the shortest URL.
        assert_eq!(original(["/v1.9/a", "/v1.10/a", "/latest/a"]), "/latest/a");
        assert_eq!(original(["/v1.9/a", "/v1.8.12/a", "/v1.10/a"]), "/v1.10/a");
        assert_eq!(original(["/9/a.html", "/10/a.html", "/current/a.html"]), "/current/a.html");
        assert_eq!(original(["/1.x/a", "/2.x/a", "/next/a"]), "/2.x/a");
    }

    #[test]
    fn pages_that_differ_in_numbers_only_are_not_copies() {
        let mut pages = [page("/a.html", 0..200), page("/b.html", 0..200)];
        let Identity { words, all } = pages[1].sketch.identity;
        pages[1].sketch.identity = Identity { words, all: all + 1 };
        assert_eq!(found(&pages, &[]), [None, None]);
        let known = KnownShingles::from_page(&pages[0].sketch);
        assert_eq!(compare(&known, &pages[1]), None);
        pages[1].sketch.identity.words += 1;
        assert_eq!(compare(&known, &pages[1]), Some(false), "another word");
    }

    #[test]
    fn a_few_pages_of_a_large_group_are_reported() {
        let pages: Vec<_> = (0..9).map(|at| page(&format!("/{at}.html"), 0..100)).collect();
        let refs: Vec<_> = pages.iter().collect();
        let links = LinkGraph::new(
            (0..9).map(|at| if at == 2 { vec![7] } else { Vec::new() }).collect(),
            &[false; 9],
        );
        let found = find_originals(&refs, &links, std::iter::empty());
        let of = CopyOf { original: 7, same_words: true, others: 7, examples: vec![0, 1, 2, 3] };
        assert_eq!((found[4].clone(), found[7].clone()), (Some(of), None), "the one linked to");
    }
}
