//! The order in which pages are stored: neighbours share a block, so alike pages should be neighbours.
//!
//! The first order is that of addresses, in which the pages of a folder, and what was made from one template, lie
//! together. Then CENTER puts each page behind its center, wherever on the site that is: a lookup that wants one page
//! of a cluster gets the others with it.
//!
//! Pairs are found by tables of `k = 4` over the whole signature, of which a pair at similarity 0.5 meets in one of the
//! 20 of m = 80 with probability 0.72, and one at 0.7 with 0.996. In each bucket every page is paired with the first
//! only: pages of a large template meet in one bucket, and all their pairs would be too many. A pair stays if the
//! signatures agree in at least half of their values.

use pagekin_core::center::center;
use pagekin_core::hash;
use pagekin_core::minhash::{Signature, agreement};
use rayon::prelude::*;

use crate::observer::Observer;
use crate::weighing::WeighedPage;

/// The values in a key.
const K: usize = 4;
/// The least agreement of a page with its center.
const ALIKE: f64 = 0.5;

/// Sorts pages by their addresses.
pub(crate) fn by_address(pages: &mut [WeighedPage]) {
    pages.sort_by(|a, b| a.url.cmp(&b.url));
}

/// The order in which pages are stored, from their signatures in the order of their addresses: the page that stands
/// first, and so on.
pub(crate) fn by_cluster(signatures: &[Signature], observer: &dyn Observer) -> Vec<u32> {
    let n = signatures.len() as u32;
    let tables = signatures.first().map_or(0, |signature| signature.values().len() / K);
    let mut pairs: Vec<(u32, u32)> =
        (0..tables).into_par_iter().flat_map_iter(|table| pairs(signatures, table)).collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    let centers = center(n, &pairs);
    observer.advance(u64::from(n));
    let mut order: Vec<u32> = (0..n).collect();
    // A center has the lowest number of its cluster, so it comes first.
    order.sort_unstable_by_key(|&page| (centers[page as usize], page));
    order
}

/// The pairs of one table: of each bucket its first page with those of the others that are like it.
fn pairs(signatures: &[Signature], table: usize) -> Vec<(u32, u32)> {
    let mut keyed: Vec<(u64, u32)> = signatures
        .iter()
        .zip(0..)
        .map(|(signature, page)| {
            let values = &signature.values()[K * table..K * (table + 1)];
            (values.iter().fold(0, |key, &value| hash::mix(key ^ u64::from(value))), page)
        })
        .collect();
    keyed.sort_unstable();
    let buckets = keyed.chunk_by(|a, b| a.0 == b.0);
    let pairs = buckets.flat_map(|bucket| {
        let first = bucket[0].1;
        let values = signatures[first as usize].values();
        bucket[1..].iter().filter_map(move |&(_, page)| {
            let alike = agreement(values, signatures[page as usize].values()) >= ALIKE;
            alike.then_some((first, page))
        })
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Silent;
    use pagekin_core::minhash::{Family, SignatureParams};

    #[test]
    fn alike_pages_become_neighbours() {
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
        let order = by_cluster(&signatures, &Silent);
        let topics: Vec<_> = order.iter().map(|page| page % 3).collect();
        assert_eq!(topics.chunk_by(|a, b| a == b).count(), 3, "{order:?}");
    }
}
