//! The neighborhood of the results: further pages of the blocks that were read, which of them are
//! similar, and their clusters. Nothing more is read for it.
//!
//! An index does not store the cluster of a page, but its pages are numbered by clusters: a center
//! comes before its members, and similar pages share a block. So CENTER
//! ([`center`](crate::center)), run in this order over the pages that a lookup has read, gives
//! clusters like those of the build near the query. It uses exact similarities of at least 0.1, as
//! the build does for a topic, so every member of a cluster has at least this similarity to its
//! center. If a cluster extends beyond the blocks that were read, only its pages in them are known.

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

/// Minimum similarity of similar pages.
const MIN_SIMILARITY: f64 = 0.1;
/// Maximum number of pages that are compared with each other. The pages most similar to the query
/// are kept.
const MAX_COMPARED: usize = 512;
/// Maximum number of pages of a map, so that it can be drawn: results and similar pages.
const MAX_SHOWN: usize = 20;
/// Maximum number of members listed for a cluster.
const MAX_MEMBERS: usize = 200;
/// Maximum number of other clusters listed.
const MAX_CLUSTERS: usize = 8;
/// Maximum number of lines from each page of a map, to the pages most similar to it.
const MAX_LINKS: usize = 3;

/// A page of a neighborhood.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbor {
    /// The URL of the page.
    pub url: String,
    /// The title of the page.
    pub title: String,
    /// Its index in [`Neighborhood::clusters`]. `None` if it is similar to no other page.
    pub cluster: Option<u32>,
}

/// Pages around a center, each similar to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The URL of the center.
    pub url: String,
    /// The title of the center.
    pub title: String,
    /// The number of known pages, including the center.
    pub pages: u32,
}

/// Two similar pages of a neighborhood: their indexes in [`Neighborhood::pages`], the lower one
/// first, and their similarity.
pub type NeighborLink = (u32, u32, f64);

/// The pages around a query, at most 20, or the pages of a cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Neighborhood {
    /// The page of the query, if it is in the index, then the results in their order, and the pages
    /// most similar to these. For a cluster: its center, then its members, most similar first.
    pub pages: Vec<Neighbor>,
    /// Which of the first 20 pages are similar, as far as lines can be drawn.
    pub links: Vec<NeighborLink>,
    /// The clusters of at least two pages that these pages are in, in their order. For a cluster:
    /// itself first, then those whose centers are most similar to its own.
    pub clusters: Vec<Cluster>,
}

/// A page that was read.
struct Known<'a> {
    number: u32,
    record: &'a PageRecord,
    /// To the query.
    similarity: f64,
}

/// For each page the pages similar to it, ascending, with their similarities.
type SimilarPages = [Vec<(usize, f64)>];

/// Returns the neighborhood of a subject in the available blocks.
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
    let similar = similar_pages(&known);
    let centers = centers(&similar, chosen);
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
        add_similar(&mut shown, &similar);
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
        links: links(&shown[..shown.len().min(MAX_SHOWN)], &similar),
        clusters: clusters.iter().map(cluster).collect(),
    }
}

/// Returns the pages of the available blocks, ordered by number, as shards and records are.
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

fn similar_pages(known: &[Known<'_>]) -> Vec<Vec<(usize, f64)>> {
    let mut similar = vec![Vec::new(); known.len()];
    for (v, page) in known.iter().enumerate() {
        for (u, other) in known[..v].iter().enumerate() {
            let similarity = similarity(&page.record.bag, &other.record.bag);
            if similarity >= MIN_SIMILARITY {
                similar[u].push((v, similarity));
                similar[v].push((u, similarity));
            }
        }
    }
    // Each list is ascending: a page gets the earlier pages first, then the later ones.
    similar
}

/// Orders pages by descending value, then by index.
fn best_first(mut pages: Vec<(usize, f64)>) -> Vec<usize> {
    // The bits of non-negative numbers have the same order as the numbers.
    sort::by_key(&mut pages, |&(page, number)| (Reverse(number.to_bits()), page));
    pages.into_iter().map(|(page, _)| page).collect()
}

/// Returns the center of each page by CENTER, in order. A chosen page becomes a center first.
fn centers(similar: &SimilarPages, chosen: Option<usize>) -> Vec<usize> {
    let n = similar.len();
    let order: Vec<usize> =
        chosen.into_iter().chain((0..n).filter(|&page| Some(page) != chosen)).collect();
    let rank = |page: usize| match chosen {
        Some(first) if page == first => 0,
        Some(first) if page < first => page as u32 + 1,
        _ => page as u32,
    };
    let mut scan = CenterScan::new(n as u32);
    for &page in &order {
        for &(other, _) in &similar[page] {
            scan.next(rank(page), rank(other));
        }
    }
    let centers = scan.finish();
    (0..n).map(|page| order[centers[rank(page) as usize] as usize]).collect()
}

/// Adds the pages most similar to the shown ones: the best of each, then the second best, and so
/// on.
fn add_similar(shown: &mut Vec<usize>, similar: &SimilarPages) {
    let lists: Vec<Vec<usize>> =
        shown.iter().map(|&page| best_first(similar[page].clone())).collect();
    let deepest = lists.iter().map(Vec::len).max().unwrap_or(0);
    for depth in 0..deepest {
        for list in &lists {
            if let Some(&page) = list.get(depth)
                && shown.len() < MAX_SHOWN
                && !shown.contains(&page)
            {
                shown.push(page);
            }
        }
    }
}

/// Returns the lines from each of these pages to the most similar ones among them.
fn links(shown: &[usize], similar: &SimilarPages) -> Vec<NeighborLink> {
    let best = |&page: &usize| {
        let among = similar[page].iter().copied().filter(|(other, _)| shown.contains(other));
        let mut best = best_first(among.collect());
        best.truncate(MAX_LINKS);
        best
    };
    let best: Vec<Vec<usize>> = shown.iter().map(best).collect();
    let mut links = Vec::new();
    for (a, &one) in shown.iter().enumerate() {
        for (b, &other) in shown.iter().enumerate().skip(a + 1) {
            let similarity = similar[one].iter().find(|&&(page, _)| page == other);
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

    fn similar_pages(n: usize, pairs: &[(usize, usize, f64)]) -> Vec<Vec<(usize, f64)>> {
        let mut similar = vec![Vec::new(); n];
        for &(u, v, similarity) in pairs {
            similar[u].push((v, similarity));
            similar[v].push((u, similarity));
        }
        similar
    }

    #[test]
    fn clusters_follow_center_except_for_a_chosen_page() {
        let similar = similar_pages(6, &[(0, 1, 0.5), (1, 2, 0.5), (3, 4, 0.5)]);
        assert_eq!(centers(&similar, None), [0, 0, 2, 3, 3, 5]);
        assert_eq!(centers(&similar, Some(1)), [1, 1, 1, 3, 3, 5]);
        assert_eq!(centers(&similar, Some(4)), [0, 0, 2, 4, 4, 5]);
    }

    #[test]
    fn similar_pages_are_added_in_rounds_until_the_map_is_full() {
        let few = similar_pages(5, &[(0, 2, 0.9), (0, 3, 0.8), (1, 4, 0.3), (1, 2, 0.2)]);
        let mut shown = vec![0, 1];
        add_similar(&mut shown, &few);
        assert_eq!(shown, [0, 1, 2, 4, 3]);
        let many: Vec<_> = (1..60).map(|other| (0, other, 0.5)).collect();
        let mut shown = vec![0];
        add_similar(&mut shown, &similar_pages(60, &many));
        assert_eq!(shown, (0..MAX_SHOWN).collect::<Vec<_>>());
    }

    #[test]
    fn lines_connect_the_most_similar_pages() {
        let star: Vec<_> = (1..8).map(|other| (0, other, 1.0 / other as f64)).collect();
        let all: Vec<_> = (0..8).collect();
        // All others are most similar to the first.
        assert_eq!(links(&all, &similar_pages(8, &star)).len(), 7);
        let mut full = Vec::new();
        for u in 0..8 {
            for v in u + 1..8 {
                full.push((u, v, 0.5));
            }
        }
        let full = similar_pages(8, &full);
        let lines = links(&all, &full);
        assert!(lines.len() <= 8 * MAX_LINKS && lines.iter().all(|&(u, v, _)| u < v), "{lines:?}");
        assert_eq!(links(&[5, 2], &full), [(0, 1, 0.5)]);
    }
}
