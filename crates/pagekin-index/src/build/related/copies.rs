//! Pairs of near-copies into what is told of each page that is one: the page that looks like its
//! original, and the others of its group.
//!
//! 1. **Pairs** are those that the pages were compared for as
//!    [related](crate::build::related::similar_pages), whose sketches say that they are copies or
//!    near-duplicates; and all pages of the same sketch, which are copies. Pages that are the same
//!    but for numbers are no pair: each has facts of its own, and none stands for another.
//! 2. **The original.** That page looks like it that is in no folder of another language than its
//!    own, as what is not translated yet is; of equals, the one of the
//!    [latest version](EditionRank); of equals, the one that most pages link to in their texts;
//!    then that with the shortest path, then address; then the first in the alphabet.
//! 3. **Groups** are the clusters of CENTER ([`pagekin_core::center`]), pages taken in that order:
//!    so every member is a near-copy of its original, or a copy of one.
//!
//! # What is missed
//!
//! Of a page with more near-copies than others it is compared with, those that are less alike: so a
//! large family may fall into several groups.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pagekin_core::address;
use pagekin_core::center::center;
use pagekin_core::near::sketch::{KnownShingles, Nearness};
use pagekin_pages::site::link_graph::LinkGraph;
use rustc_hash::FxHashMap;

use crate::build::pages::vocabulary::WeightedPage;
use crate::build::related::variants::{VariantRank, names_other_language};

/// Of the other pages of a group so many are told.
const MAX_REPORTED: usize = 4;

/// What is told of a page that is a near-copy of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CopyOf {
    /// The page that looks like its original.
    pub(crate) original: u32,
    /// Whether the words are the same.
    pub(crate) whole: bool,
    /// How many pages of the group there are beside these two.
    pub(crate) others: u32,
    /// Some of them, those that look most like originals first.
    pub(crate) told: Vec<u32>,
}

/// How much a page looks like an original: of two the lower does more.
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

/// Whether two pages are near-copies by their sketches; if so, whether their words are the same.
/// Pages with other numbers among the same words are none.
pub(crate) fn compare(known: &KnownShingles, page: &WeightedPage) -> Option<bool> {
    // Most pairs need no look at their sketches: with so many more runs on the one than on the
    // other they cannot be.
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

/// What is told of each page, by pairs of near-copies in any order.
pub(crate) fn find_originals(
    pages: &[&WeightedPage],
    links: &LinkGraph,
    pairs: impl Iterator<Item = (u32, u32)>,
) -> Vec<Option<CopyOf>> {
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    order.sort_by_cached_key(|&page| originality(page, pages[page as usize], links));
    // From here on pages are known by their places in this order.
    let mut place = vec![0u32; pages.len()];
    for (at, &page) in (0..).zip(&order) {
        place[page as usize] = at;
    }
    let page = |at: u32| pages[order[at as usize] as usize];
    // The first page with the sketch of each.
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
    let mut told = vec![None; pages.len()];
    for (original, members) in groups.into_iter().filter(|(_, members)| members.len() > 1) {
        let known = KnownShingles::from_page(&page(original).sketch);
        for &member in members.iter().filter(|&&member| member != original) {
            let others = members.iter().filter(|&&other| other != original && other != member);
            told[order[member as usize] as usize] = Some(CopyOf {
                original: order[original as usize],
                whole: compare(&known, page(member)).unwrap_or(false),
                others: members.len() as u32 - 2,
                told: others.take(MAX_REPORTED).map(|&other| order[other as usize]).collect(),
            });
        }
    }
    told
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

    /// For each page its original, whether the words are the same, and how many others there are.
    fn told(pages: &[WeightedPage], pairs: &[(u32, u32)]) -> Vec<Option<(u32, bool, u32)>> {
        let pages: Vec<_> = pages.iter().collect();
        let links = LinkGraph::new(vec![Vec::new(); pages.len()], &vec![false; pages.len()]);
        let told = find_originals(&pages, &links, pairs.iter().copied());
        let told = told.into_iter().map(|of| of.map(|of| (of.original, of.whole, of.others)));
        told.collect()
    }

    #[test]
    fn copies_have_the_page_of_the_shortest_address_as_original() {
        let pages = [
            page("/archive/a.html", 0..200),
            page("/a.html", 0..200),
            page("/b.html", 500..700),
            page("/old/a.html", 0..205),
        ];
        let expected = [Some((1, true, 1)), None, None, Some((1, false, 1))];
        assert_eq!(told(&pages, &[(3, 0)]), expected);
        // Pages without a text are like none.
        let empty = ["/a", "/b"].map(|url| page(url, 0..0));
        assert_eq!(told(&empty, &[]), [None, None]);
    }

    #[test]
    fn the_latest_version_looks_most_like_an_original() {
        let links = LinkGraph::new(vec![vec![0, 1], vec![0], vec![0]], &[false; 3]);
        let original = |urls: [&str; 3]| {
            let pages = urls.map(|url| page(url, 0..100));
            let refs: Vec<_> = pages.iter().collect();
            let found = find_originals(&refs, &links, std::iter::empty());
            found.iter().flatten().map(|of| urls[of.original as usize].to_owned()).next().unwrap()
        };
        // Most pages link to the first, and it has the shortest address.
        assert_eq!(original(["/v1.9/a", "/v1.10/a", "/latest/a"]), "/latest/a");
        assert_eq!(original(["/v1.9/a", "/v1.8.12/a", "/v1.10/a"]), "/v1.10/a");
        assert_eq!(original(["/9/a.html", "/10/a.html", "/current/a.html"]), "/current/a.html");
    }

    #[test]
    fn pages_that_are_the_same_but_for_numbers_are_no_copies() {
        let mut pages = [page("/a.html", 0..200), page("/b.html", 0..200)];
        let Identity { words, all } = pages[1].sketch.identity;
        pages[1].sketch.identity = Identity { words, all: all + 1 };
        assert_eq!(told(&pages, &[]), [None, None]);
        let known = KnownShingles::from_page(&pages[0].sketch);
        assert_eq!(compare(&known, &pages[1]), None);
        pages[1].sketch.identity.words += 1;
        assert_eq!(compare(&known, &pages[1]), Some(false), "another word");
    }

    #[test]
    fn of_many_pages_some_are_told() {
        let pages: Vec<_> = (0..9).map(|at| page(&format!("/{at}.html"), 0..100)).collect();
        let refs: Vec<_> = pages.iter().collect();
        let links = LinkGraph::new(
            (0..9).map(|at| if at == 2 { vec![7] } else { Vec::new() }).collect(),
            &[false; 9],
        );
        let found = find_originals(&refs, &links, std::iter::empty());
        let of = CopyOf { original: 7, whole: true, others: 7, told: vec![0, 1, 2, 3] };
        assert_eq!((found[4].clone(), found[7].clone()), (Some(of), None), "the one linked to");
    }
}
