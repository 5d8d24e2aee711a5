//! The order in which pages are stored: neighbors share a block, so alike pages should be
//! neighbors.
//!
//! # Of a crawl
//!
//! Its clusters are known. Each takes the place of the first of its addresses, and its pages stand
//! there in the order of their addresses. So the order is that of a sort, which many machines can
//! do together. Of the documentation of Python and of PostgreSQL, crawled with and without what is
//! said beside links, the index has 0.2 % more bytes than by signatures, and 3.4, 0.7 and 2.2 %
//! fewer.
//!
//! # Of a site
//!
//! The first order is that of addresses, in which the pages of a folder, and what was made from one
//! template, lie together. Then CENTER puts each page behind its center, wherever on the site that
//! is: a lookup that wants one page of a cluster gets the others with it.
//!
//! Pairs are found by tables of `k = 4` over the whole signature, of which a pair at similarity 0.5
//! meets in one of the 20 of m = 80 with probability 0.72, and one at 0.7 with 0.996. In each
//! bucket every page is paired with the first only: pages of a large template meet in one bucket,
//! and all their pairs would be too many. A pair stays if the signatures agree in at least half of
//! their values.
//!
//! Then the centers themselves are clustered in the same way by tables of `k = 2`, of which centers
//! at similarity 0.2 meet in one of the 40 with probability 0.80: clusters whose centers agree in
//! at least a fifth of their values become neighbors. And the centers of these by tables of `k =
//! 1` where they agree in a tenth, so that what belongs to one topic lies together. Pages of low
//! similarity, which lists and tables often miss, are then found by their neighbors.

use pagekin_core::center::center;
use pagekin_core::hash;
use pagekin_core::minhash::{Signature, agreement};
use pagekin_pages::Observer;
use pagekin_pages::progress::check;
use pagekin_pairs::join::by_key::{Pairs, Table, join};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::build::error::BuildError;
use crate::build::pages::vocabulary::WeightedPage;

/// How pages are paired.
#[derive(Clone, Copy)]
struct Pairing {
    /// The values in a key.
    k: usize,
    /// The least agreement of a page with its center.
    alike: f64,
}

/// The pages of a bucket that a page is compared with, besides the first.
const NEIGHBORS: usize = 7;

/// Of pages, of their centers, and of those's centers.
const LEVELS: [Pairing; 3] =
    [Pairing { k: 4, alike: 0.5 }, Pairing { k: 2, alike: 0.2 }, Pairing { k: 1, alike: 0.1 }];

/// Sorts pages by their addresses.
pub fn by_address(pages: &mut [WeightedPage]) {
    pages.sort_by(|a, b| a.url.cmp(&b.url));
}

/// Sorts pages with known clusters into the order in which they are stored; `centers` has the place
/// of the center of each.
pub(crate) fn by_center(pages: &mut [WeightedPage], centers: &[u32]) {
    let mut first: FxHashMap<u32, &str> = FxHashMap::default();
    for (page, center) in pages.iter().zip(centers) {
        let first = first.entry(*center).or_insert(&page.url);
        *first = page.url.as_str().min(first);
    }
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    let url = |page: u32| pages[page as usize].url.as_str();
    order.par_sort_unstable_by_key(|&page| (first[&centers[page as usize]], url(page)));
    let mut place = vec![0; pages.len()];
    (0..).zip(order).for_each(|(at, page)| place[page as usize] = at);
    // Each swap puts a page where it stays.
    for at in 0..pages.len() {
        while place[at] as usize != at {
            let to = place[at] as usize;
            pages.swap(at, to);
            place.swap(at, to);
        }
    }
}

/// The order in which pages are stored, from their signatures in the order of their addresses: the
/// page that stands first, and so on.
pub(crate) fn by_cluster(
    signatures: &[Signature],
    observer: &dyn Observer,
) -> Result<Vec<u32>, BuildError> {
    let n = signatures.len() as u32;
    let mut order: Vec<u32> = (0..n).collect();
    // Of each page its group in each level.
    let mut groups = vec![[0; LEVELS.len()]; signatures.len()];
    let mut of = order.clone();
    for (level, pairing) in LEVELS.into_iter().enumerate() {
        let mut members = of.clone();
        members.sort_unstable();
        members.dedup();
        let centers = cluster(signatures, &members, pairing, observer)?;
        for (group, groups) in of.iter_mut().zip(&mut groups) {
            *group = members.binary_search(group).map_or(*group, |at| centers[at]);
            groups[LEVELS.len() - 1 - level] = *group;
        }
    }
    observer.advance(u64::from(n));
    // A center has the lowest number of its cluster, so it comes first.
    order.par_sort_unstable_by_key(|&page| (groups[page as usize], page));
    Ok(order)
}

/// The center of each of `pages`, which ascend.
fn cluster(
    signatures: &[Signature],
    pages: &[u32],
    Pairing { k, alike }: Pairing,
    observer: &dyn Observer,
) -> Result<Vec<u32>, BuildError> {
    let tables = signatures.first().map_or(0, |signature| signature.values().len() / k);
    let signature = |place: u32| signatures[pages[place as usize] as usize].values();
    let table = |table: usize| {
        let key = |place: u32| {
            let values = &signature(place)[k * table..k * (table + 1)];
            values.iter().fold(0, |key, &value| hash::mix(key ^ u64::from(value)))
        };
        Table::new((0..pages.len() as u32).map(|place| (key(place), place)))
    };
    // Each with the first of the bucket and a few that stand before it, if it is like them.
    let pair = |_: usize, table: &Table<(u64, u32)>, into: &mut Pairs| {
        for bucket in table.buckets() {
            check(observer)?;
            for at in 1..bucket.len() {
                let place = bucket[at].1;
                let before = bucket[at.saturating_sub(NEIGHBORS).max(1)..at].iter();
                for &(_, other) in before.chain(&bucket[..1]) {
                    if agreement(signature(other), signature(place)) >= alike {
                        into.push(other, place);
                    }
                }
            }
        }
        Ok::<_, BuildError>(())
    };
    let Pairs { pairs, .. } = join(tables, table, pair)?;
    let centers = center(pages.len() as u32, &pairs);
    Ok(centers.into_iter().map(|center| pages[center as usize]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::minhash::{Family, SignatureParams};
    use pagekin_pages::Silent;

    #[test]
    fn clusters_stand_where_their_first_address_does() {
        let page = |url: &str| WeightedPage { url: url.to_owned(), ..WeightedPage::default() };
        let mut pages = ["/f", "/b", "/a", "/e", "/c", "/d"].map(page);
        by_center(&mut pages, &[1, 1, 2, 4, 4, 5]);
        let urls = pages.each_ref().map(|page| page.url.as_str());
        assert_eq!(urls, ["/a", "/b", "/f", "/c", "/e", "/d"]);
    }

    #[test]
    fn alike_pages_become_neighbors() {
        let family = Family::new(SignatureParams { m: 80, bits: 16, seed: 1 });
        // Three topics in turn; pages of a topic differ in 10 of 100 elements.
        let signatures: Vec<_> = (0..30u32)
            .map(|page| {
                let topic = page % 3;
                let common = (0..90).map(|x| topic * 1_000_000 + x * 7_919);
                let own = (0..10).map(|x| 3_000_000 + page * 1_000 + x * 31);
                family.sign_elements(common.chain(own)).unwrap()
            })
            .collect();
        let order = by_cluster(&signatures, &Silent).unwrap();
        let topics: Vec<_> = order.iter().map(|page| page % 3).collect();
        assert_eq!(topics.chunk_by(|a, b| a == b).count(), 3, "{order:?}");
    }
}
