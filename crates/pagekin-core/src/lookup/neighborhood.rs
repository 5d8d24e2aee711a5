//! The results and what is around them: further pages of the blocks that were read, which pages are
//! alike, and the clusters that they are in. Nothing more is read for it.
//!
//! An index does not say which cluster a page is in, but its pages are numbered by clusters: a
//! center stands before its members, and pages that are alike share a block. So CENTER
//! ([`center`](crate::center)), run by these numbers over the pages that a lookup has read, makes
//! clusters like those of the build, of all that is near the query. It takes exact similarities of
//! at least a tenth, as the build does for what belongs to one topic, so every member of a cluster
//! is that similar to its center. Of a cluster that reaches beyond the blocks that were read, only
//! what is in them is known.

use std::cmp::Reverse;

use super::options::Surroundings;
use super::query::Subject;
use super::ranking::SearchResult;
use crate::bag::Bag;
use crate::center::CenterScan;
use crate::index::{Index, Shard, ShardId, ShardMap};
use crate::shard::PageRecord;
use crate::similarity::Overlap;
use crate::sort;

/// Pages are alike from this similarity on.
const ALIKE: f64 = 0.1;
/// The most pages that are compared with each other; of more, those most like the query.
const MAX_COMPARED: usize = 512;
/// The most pages of a map, so that it can be drawn: results and their kin.
const MAX_SHOWN: usize = 20;
/// The most members of a cluster that are named.
const MAX_MEMBERS: usize = 200;
/// The most other clusters that are named.
const MAX_CLUSTERS: usize = 8;
/// The most lines from each page of a map to others: those to the pages most like it.
const MAX_LINKS: usize = 3;

/// A page of a neighborhood.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbor {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Which of [`Neighborhood::clusters`] it is in; none if it is like no other page.
    pub cluster: Option<u32>,
}

/// Pages around a center, of which each is similar to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The address of the center.
    pub url: String,
    /// The title of the center.
    pub title: String,
    /// The pages that are known, with the center.
    pub pages: u32,
}

/// Two pages of a neighborhood that are alike, by their places in [`Neighborhood::pages`], the
/// lower one first, and their similarity.
pub type NeighborLink = (u32, u32, f64);

/// The pages around a query, at most 20, or those of a cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Neighborhood {
    /// The page of the site that is asked for, if one is; then the results in their order, and the
    /// pages most like these. Of a cluster: its center, then its members, most alike first.
    pub pages: Vec<Neighbor>,
    /// Which of the first 20 of these are alike, as far as they can be drawn.
    pub links: Vec<NeighborLink>,
    /// The clusters of two pages or more that these are in, in their order; of a cluster, itself
    /// first, and then those whose centers are most like its own.
    pub clusters: Vec<Cluster>,
}

/// A page that was read.
struct Known<'a> {
    number: u32,
    record: &'a PageRecord,
    /// With the query.
    similarity: f64,
}

/// Of each page those that are like it, ascending, with their similarities.
type Alike = [Vec<(usize, f64)>];

/// The neighborhood of a subject by the blocks that are there.
#[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
pub(super) fn of(
    index: &Index,
    subject: &Subject,
    results: &[(u32, SearchResult)],
    blocks: &ShardMap,
    around: Surroundings,
) -> Neighborhood {
    let known = known_pages(index, subject, blocks);
    let place = |number| known.iter().position(|page| page.number == number);
    let own = subject.page.and_then(place);
    let chosen = own.filter(|_| around == Surroundings::Center);
    let alike = alike(&known);
    let centers = centers(&alike, chosen);
    let size = |center: usize| centers.iter().filter(|&&one| one == center).count() as u32;
    let by_query = |page: usize| (page, known[page].similarity);

    let mut shown: Vec<usize> = Vec::new();
    if let Some(center) = chosen {
        let members = (0..known.len()).filter(|&page| page != center && centers[page] == center);
        shown.push(center);
        shown.extend(best_first(members.map(by_query).collect()));
        shown.truncate(MAX_MEMBERS);
    } else {
        shown.extend(own);
        shown.extend(results.iter().filter_map(|&(number, _)| place(number)));
        shown.truncate(MAX_SHOWN);
        add_kin(&mut shown, &alike);
    }

    let mut clusters: Vec<usize> = Vec::new();
    let mut add = |center: usize, most: usize| {
        if clusters.len() < most && !clusters.contains(&center) && size(center) > 1 {
            clusters.push(center);
        }
    };
    for &page in &shown {
        add(centers[page], MAX_SHOWN);
    }
    if chosen.is_some() {
        let others = (0..known.len()).filter(|&page| centers[page] == page);
        for center in best_first(others.map(by_query).collect()) {
            add(center, 1 + MAX_CLUSTERS);
        }
    }
    let named = |page: usize| (known[page].record.url.clone(), known[page].record.title.clone());
    let neighbor = |&page: &usize| {
        let (url, title) = named(page);
        let cluster = clusters.iter().position(|&center| center == centers[page]);
        Neighbor { url, title, cluster: cluster.map(|at| at as u32) }
    };
    let cluster = |&center: &usize| {
        let (url, title) = named(center);
        Cluster { url, title, pages: size(center) }
    };
    Neighborhood {
        pages: shown.iter().map(neighbor).collect(),
        links: links(&shown[..shown.len().min(MAX_SHOWN)], &alike),
        clusters: clusters.iter().map(cluster).collect(),
    }
}

/// The pages of the blocks that are there, in the order of their numbers, as shards and records
/// have them.
fn known_pages<'a>(index: &Index, subject: &Subject, blocks: &'a ShardMap) -> Vec<Known<'a>> {
    let mut known = Vec::new();
    for (&id, shard) in blocks.iter() {
        let (ShardId::Block(block), Shard::Block(pages)) = (id, shard) else { continue };
        for (slot, record) in &pages.0 {
            let number = block * index.manifest().block_pages + slot;
            let similarity = match subject.page {
                Some(page) if page == number => f64::INFINITY,
                _ => similarity(&subject.bag, &record.bag),
            };
            known.push(Known { number, record, similarity });
        }
    }
    if known.len() > MAX_COMPARED {
        let all = known.iter().enumerate().map(|(at, page)| (at, page.similarity)).collect();
        let mut kept = vec![false; known.len()];
        for at in best_first(all).into_iter().take(MAX_COMPARED) {
            kept[at] = true;
        }
        let mut kept = kept.into_iter();
        known.retain(|_| kept.next().unwrap_or_default());
    }
    known
}

fn similarity(a: &Bag, b: &Bag) -> f64 {
    Overlap::between(a, b).jaccard()
}

fn alike(known: &[Known<'_>]) -> Vec<Vec<(usize, f64)>> {
    let mut alike = vec![Vec::new(); known.len()];
    for (v, page) in known.iter().enumerate() {
        for (u, other) in known[..v].iter().enumerate() {
            let similarity = similarity(&page.record.bag, &other.record.bag);
            if similarity >= ALIKE {
                alike[u].push((v, similarity));
                alike[v].push((u, similarity));
            }
        }
    }
    // Each has been given those behind it when it had all those before it.
    alike
}

/// Those of higher numbers first; of equal ones the lower place.
fn best_first(mut pages: Vec<(usize, f64)>) -> Vec<usize> {
    // The bits of numbers that are not negative have the order of the numbers.
    sort::by_key(&mut pages, |&(page, number)| (Reverse(number.to_bits()), page));
    pages.into_iter().map(|(page, _)| page).collect()
}

/// The center of each page by CENTER in the order of their places, but that a page that is to be
/// one comes first.
fn centers(alike: &Alike, chosen: Option<usize>) -> Vec<usize> {
    let n = alike.len();
    let order: Vec<usize> =
        chosen.into_iter().chain((0..n).filter(|&page| Some(page) != chosen)).collect();
    let rank = |page: usize| match chosen {
        Some(first) if page == first => 0,
        Some(first) if page < first => page as u32 + 1,
        _ => page as u32,
    };
    let mut scan = CenterScan::new(n as u32);
    for &page in &order {
        for &(other, _) in &alike[page] {
            scan.next(rank(page), rank(other));
        }
    }
    let centers = scan.finish();
    (0..n).map(|page| order[centers[rank(page) as usize] as usize]).collect()
}

/// Adds the pages most like those that are shown: the best of each in turn, then the next best.
fn add_kin(shown: &mut Vec<usize>, alike: &Alike) {
    let kin: Vec<Vec<usize>> = shown.iter().map(|&page| best_first(alike[page].clone())).collect();
    let deepest = kin.iter().map(Vec::len).max().unwrap_or(0);
    for depth in 0..deepest {
        for kin in &kin {
            if let Some(&page) = kin.get(depth)
                && shown.len() < MAX_SHOWN
                && !shown.contains(&page)
            {
                shown.push(page);
            }
        }
    }
}

/// Of each of these pages the lines to those of them that it is most like.
fn links(shown: &[usize], alike: &Alike) -> Vec<NeighborLink> {
    let best = |&page: &usize| {
        let among = alike[page].iter().copied().filter(|(other, _)| shown.contains(other));
        let mut best = best_first(among.collect());
        best.truncate(MAX_LINKS);
        best
    };
    let best: Vec<Vec<usize>> = shown.iter().map(best).collect();
    let mut links = Vec::new();
    for (a, &one) in shown.iter().enumerate() {
        for (b, &other) in shown.iter().enumerate().skip(a + 1) {
            let similarity = alike[one].iter().find(|&&(page, _)| page == other);
            if let Some(&(_, similarity)) = similarity
                && (best[a].contains(&other) || best[b].contains(&one))
            {
                links.push((a as u32, b as u32, similarity));
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(n: usize, pairs: &[(usize, usize, f64)]) -> Vec<Vec<(usize, f64)>> {
        let mut alike = vec![Vec::new(); n];
        for &(u, v, similarity) in pairs {
            alike[u].push((v, similarity));
            alike[v].push((u, similarity));
        }
        alike
    }

    #[test]
    fn clusters_are_those_of_center_but_for_a_page_that_is_to_be_one() {
        let alike = alike(6, &[(0, 1, 0.5), (1, 2, 0.5), (3, 4, 0.5)]);
        assert_eq!(centers(&alike, None), [0, 0, 2, 3, 3, 5]);
        assert_eq!(centers(&alike, Some(1)), [1, 1, 1, 3, 3, 5]);
        assert_eq!(centers(&alike, Some(4)), [0, 0, 2, 4, 4, 5]);
    }

    #[test]
    fn kin_are_added_in_turn_until_the_map_is_full() {
        let few = alike(5, &[(0, 2, 0.9), (0, 3, 0.8), (1, 4, 0.3), (1, 2, 0.2)]);
        let mut shown = vec![0, 1];
        add_kin(&mut shown, &few);
        assert_eq!(shown, [0, 1, 2, 4, 3]);
        let many: Vec<_> = (1..60).map(|other| (0, other, 0.5)).collect();
        let mut shown = vec![0];
        add_kin(&mut shown, &alike(60, &many));
        assert_eq!(shown, (0..MAX_SHOWN).collect::<Vec<_>>());
    }

    #[test]
    fn a_page_has_lines_to_those_it_is_most_like_and_to_those_that_are_most_like_it() {
        let star: Vec<_> = (1..8).map(|other| (0, other, 1.0 / other as f64)).collect();
        let all: Vec<_> = (0..8).collect();
        // Each of the others is most like the first.
        assert_eq!(links(&all, &alike(8, &star)).len(), 7);
        let mut full = Vec::new();
        for u in 0..8 {
            for v in u + 1..8 {
                full.push((u, v, 0.5));
            }
        }
        let full = alike(8, &full);
        let lines = links(&all, &full);
        assert!(lines.len() <= 8 * MAX_LINKS && lines.iter().all(|&(u, v, _)| u < v), "{lines:?}");
        assert_eq!(links(&[5, 2], &full), [(0, 1, 0.5)]);
    }
}
