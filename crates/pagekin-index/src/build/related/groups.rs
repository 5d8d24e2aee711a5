//! Groups copies and variants of pages, of which a lookup shows one.
//!
//! Copies are [found](crate::build::related::copies) by their sketches. So are near-duplicates,
//! which are copies if they have the same title; others are pages of one template. Pages are
//! compared with those of the same sketch, and with their neighbors in the order in which they are
//! stored, where similar pages are adjacent. Variants are found by their URLs: pages whose URLs are
//! equal without folders of languages and versions are one page. So are
//! [translations](crate::build::related::translations), which name each other. One page of each
//! group is the probable [original](copies::originality).
//!
//! Pages of a group with the same title, filters and words are **repeats** of the most probable
//! original among them. Only that page is in lists, so that a page takes one place among the
//! candidates of a lookup, not one per language or version in which it also exists. Its repeats are
//! stored after it, so that they are read with it.

use pagekin_core::near::sketch::{KnownShingles, Sketch};
use pagekin_core::shard::group_of_copies;
use pagekin_core::vocabulary::TermId;
use pagekin_pages::site::link_graph::LinkGraph;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::build::pages::vocabulary::WeightedPage;
use crate::build::related::copies;
use crate::build::related::sets::Sets;
use crate::build::related::variants::without_variant;

/// Number of following pages in the order that a page is compared with.
const NEIGHBORS: usize = 8;

/// Assigns pages to groups, if these contain others, and moves repeats after the pages that they
/// repeat in the order in which pages are stored.
pub(crate) fn assign_groups(pages: &mut [WeightedPage], order: &mut [u32], links: &LinkGraph) {
    let groups = groups(pages, order, links);
    let mut sizes = vec![0u32; pages.len()];
    groups.iter().for_each(|&original| sizes[original as usize] += 1);
    let in_groups =
        (0..pages.len() as u32).filter(|&page| sizes[groups[page as usize] as usize] > 1);
    let repeated = repeated(pages, &groups, in_groups.collect(), links);
    let mut place = vec![0; pages.len()];
    (0..).zip(&*order).for_each(|(at, &page)| place[page as usize] = at);
    order.sort_by_key(|&page| {
        let of = repeated[page as usize];
        (place[of as usize], of != page)
    });
    let urls: Vec<Option<u32>> = (0..)
        .zip(&groups)
        .map(|(page, &original)| {
            let url = &pages[original as usize].url;
            (sizes[original as usize] > 1).then(|| group_of_copies(url, page == original))
        })
        .collect();
    for (number, (page, copies)) in (0..).zip(pages.iter_mut().zip(urls)) {
        page.copies = copies.unwrap_or(0);
        page.repeats = repeated[number as usize] != number;
    }
}

/// Returns the page that each page repeats, usually itself. `members` are the pages of groups with
/// several pages.
fn repeated(
    pages: &[WeightedPage],
    groups: &[u32],
    mut members: Vec<u32>,
    links: &LinkGraph,
) -> Vec<u32> {
    // The most probable originals of each text, by group, title and sketch.
    let mut known: FxHashMap<(u32, &str, &Sketch), Vec<u32>> = FxHashMap::default();
    members.sort_by_cached_key(|&page| copies::originality(page, &pages[page as usize], links));
    let mut repeated: Vec<u32> = (0..pages.len() as u32).collect();
    for number in members {
        let page = &pages[number as usize];
        let key = (groups[number as usize], page.title.as_str(), &page.sketch);
        let firsts = known.entry(key).or_default();
        let is_repeated = |first: &WeightedPage| {
            first.values.filters == page.values.filters && text(first).eq(text(page))
        };
        let of = firsts.iter().find(|&&first| is_repeated(&pages[first as usize]));
        match of {
            Some(&first) => repeated[number as usize] = first,
            None => firsts.push(number),
        }
    }
    repeated
}

/// The terms of a page's text, with their frequency classes.
fn text(page: &WeightedPage) -> impl Iterator<Item = (TermId, u8)> {
    let terms = page.terms.iter().filter(|term| !term.is_outside);
    terms.map(|term| (term.id, term.class))
}

/// Returns the original of each page's group, which may be the page itself.
fn groups(pages: &[WeightedPage], order: &[u32], links: &LinkGraph) -> Vec<u32> {
    let refs: Vec<&WeightedPage> = pages.iter().collect();
    let copies = copies::find_originals(&refs, links, near_pairs(pages, order).into_iter());
    let mut groups = Sets::alone(pages.len());
    for (page, of) in (0..).zip(&copies) {
        if let Some(of) = of {
            groups.join(page, of.original);
        }
    }
    let names: Vec<String> = pages.par_iter().map(|page| without_variant(&page.url)).collect();
    let mut variants: FxHashMap<String, u32> = FxHashMap::default();
    for (page, name) in (0..).zip(names) {
        let first = *variants.entry(name).or_insert(page);
        groups.join(page, first);
    }
    let mut translations: FxHashMap<u32, u32> = FxHashMap::default();
    for (number, page) in (0..).zip(pages).filter(|(_, page)| page.translations > 0) {
        let first = *translations.entry(page.translations).or_insert(number);
        groups.join(number, first);
    }
    // The most probable original represents the group.
    let looks = |page: u32| copies::originality(page, &pages[page as usize], links);
    let mut best: FxHashMap<u32, u32> = FxHashMap::default();
    let roots: Vec<u32> = (0..pages.len() as u32).map(|page| groups.root(page)).collect();
    for (page, &root) in (0..).zip(&roots) {
        let known = best.entry(root).or_insert(page);
        if looks(page) < looks(*known) {
            *known = page;
        }
    }
    roots.into_iter().map(|root| best[&root]).collect()
}

/// Finds near-copies among neighbors in the order.
fn near_pairs(pages: &[WeightedPage], order: &[u32]) -> Vec<(u32, u32)> {
    let of_page = |at: usize| {
        let page = order[at];
        let sketch = &pages[page as usize].sketch;
        let others = order[at + 1..].iter().take(NEIGHBORS).copied();
        let known = (sketch.shingles > 0).then(|| KnownShingles::from_page(sketch));
        let is_near = move |&other: &u32| {
            let (page, other) = (&pages[page as usize], &pages[other as usize]);
            let is_copy = known.as_ref().and_then(|known| copies::compare(known, other));
            is_copy.is_some_and(|is_whole| is_whole || page.title == other.title)
        };
        others.filter(is_near).map(move |other| (page, other))
    };
    (0..order.len()).into_par_iter().flat_map_iter(of_page).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::related::copies::tests::page;
    use pagekin_core::shard::group_number;

    /// Checks the original of each page's group; `None` for a page without a group.
    #[track_caller]
    fn check(pages: &[(&str, std::ops::Range<u64>)], linked: &[u32], expected: &[Option<&str>]) {
        let mut made: Vec<_> = pages.iter().map(|(url, text)| page(url, text.clone())).collect();
        let mut to = vec![Vec::new(); made.len()];
        to[0] = linked.to_vec();
        let links = LinkGraph::new(to, &vec![false; made.len()]);
        let mut order: Vec<u32> = (0..made.len() as u32).collect();
        assign_groups(&mut made, &mut order, &links);
        for (page, original) in made.iter().zip(expected) {
            let of = |original: &&str| group_of_copies(original, *original == page.url);
            assert_eq!(page.copies, original.as_ref().map_or(0, of), "{}", page.url);
        }
    }

    #[test]
    fn copies_and_near_copies_are_one_group() {
        let pages = [("/b/a.html", 0..200), ("/c.html", 900..950), ("/old/x.html", 0..205)];
        let of = Some("/b/a.html");
        check(&pages, &[], &[of, None, of]);
        check(&pages, &[2], &[Some("/old/x.html"), None, Some("/old/x.html")]);
    }

    #[test]
    fn near_copies_with_other_titles_are_not_grouped() {
        let titled = |url: &str, end, title: &str| WeightedPage {
            title: title.to_owned(),
            ..page(url, 0..end)
        };
        let mut pages = vec![
            titled("/jam", 200, "Jam"),
            titled("/butter", 203, "Butter"),
            titled("/all", 200, "All"),
        ];
        let links = LinkGraph::new(vec![Vec::new(); 3], &[false; 3]);
        assign_groups(&mut pages, &mut [0, 1, 2], &links);
        assert_eq!(pages[1].copies, 0);
        assert!(pages[0].copies > 0);
        assert_eq!(group_number(pages[0].copies), group_number(pages[2].copies));
    }

    #[test]
    fn repeats_follow_the_page_that_represents_them() {
        let titled = |url: &str, text, title: &str| WeightedPage {
            title: title.to_owned(),
            ..page(url, text)
        };
        let mut pages = vec![
            titled("/da/jam.html", 0..90, "Jam"),
            titled("/de/jam.html", 0..90, "Marmelade"),
            titled("/en/jam.html", 0..90, "Jam"),
            titled("/fr/jam.html", 0..90, "Jam"),
            titled("/jams.html", 0..90, "All jams"),
            titled("/bread.html", 100..190, "Jam"),
        ];
        // The original is the page that is linked to.
        let links =
            LinkGraph::new(vec![vec![2], vec![], vec![], vec![], vec![], vec![]], &[false; 6]);
        let mut order = [5, 3, 1, 2, 4, 0];
        assign_groups(&mut pages, &mut order, &links);
        assert_eq!(
            pages.iter().map(|page| page.repeats).collect::<Vec<_>>(),
            [true, false, false, true, false, false]
        );
        assert_eq!(order, [5, 1, 2, 3, 0, 4]);
    }

    #[test]
    fn variants_are_one_group_whatever_their_texts() {
        let pages = [
            ("/de/guide/a.html", 0..90),
            ("/guide/a.html", 100..190),
            ("/v2/fr/guide/a.html", 200..290),
            ("/guide/b.html", 300..390),
            ("/tour/a.html", 400..490),
        ];
        let of = Some("/guide/a.html");
        check(&pages, &[], &[of, of, of, None, None]);
    }

    #[test]
    fn translations_are_grouped_with_their_copies() {
        let translated = |url: &str, text| WeightedPage { translations: 1, ..page(url, text) };
        let mut pages = vec![
            translated("/brot.html", 0..90),
            page("/old/bread.html", 100..190),
            translated("/bread.html", 100..190),
            page("/peas.html", 200..290),
        ];
        let links = LinkGraph::new(vec![vec![], vec![], vec![], vec![0]], &[false; 4]);
        assign_groups(&mut pages, &mut [0, 1, 2, 3], &links);
        for (page, is_original) in [(0, true), (1, false), (2, false)] {
            assert_eq!(pages[page].copies, group_of_copies("/brot.html", is_original));
        }
        assert_eq!(pages[3].copies, 0);
    }

    #[test]
    fn repeats_have_the_same_terms_in_their_texts() {
        use pagekin_core::shard::PageTerm;
        let of = |url: &str, class, is_outside| {
            let given = PageTerm { is_outside, ..PageTerm::from_text(9, class) };
            let terms = vec![PageTerm::from_text(7, 1), given];
            WeightedPage { terms, ..page(url, 0..90) }
        };
        let links = LinkGraph::new(vec![vec![]; 2], &[false; 2]);
        let repeats = |mut pages: Vec<WeightedPage>| {
            assign_groups(&mut pages, &mut [0, 1], &links);
            pages.into_iter().map(|page| page.repeats).collect::<Vec<_>>()
        };
        let same = repeats(vec![of("/a.html", 2, false), of("/de/a.html", 2, false)]);
        assert_eq!(same, [false, true]);
        // Another frequency; and one term less, as the text of a link is not the page's text.
        for other in [of("/de/a.html", 3, false), of("/de/a.html", 2, true)] {
            assert_eq!(repeats(vec![of("/a.html", 2, false), other]), [false, false]);
        }
        let called = repeats(vec![of("/a.html", 2, true), of("/de/a.html", 5, true)]);
        assert_eq!(called, [false, true]);
    }
}
