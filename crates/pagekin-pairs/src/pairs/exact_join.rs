//! Finds all pairs of similar bags exactly.
//!
//! Two bags with a similarity of at least `t` share at least `t` times the copies of the larger
//! one. So they are joined by their prefixes (`join::by_prefix`). Each bag is looked up with all of
//! its terms, among bags that are not larger and not too small to be similar. Two bags are compared
//! if the copies that it shares with the other's prefix, plus all copies after that prefix, would
//! be enough.
//!
//! # Cost
//!
//! One step for every two bags that share a term of the smaller one's prefix. So the time is
//! quadratic in the number of pages, and increases as the threshold decreases. Memory is about 20
//! bytes per term of a prefix, and 4 bytes per bag and thread.

use std::borrow::Borrow;
use std::convert::Infallible;

use pagekin_core::bag::Bag;
use pagekin_core::similarity::Overlap;
use pagekin_core::vocabulary::TermId;
use rayon::prelude::*;

use crate::join::by_prefix::{self, Sets};
use crate::pairs::verify::SimilarPair;
use crate::threshold::Threshold;

/// Returns the pairs of pages whose bags reach the threshold, sorted.
#[must_use]
pub fn join<B: Borrow<Bag> + Sync>(pages: &[(u32, B)], threshold: Threshold) -> Vec<SimilarPair> {
    let Ok(pairs) = join_while(pages, threshold, || Ok::<_, Infallible>(()));
    pairs
}

/// The same as [`join`], but calls `step` for each page, and stops at its first error.
pub fn join_while<B: Borrow<Bag> + Sync, E: Send>(
    pages: &[(u32, B)],
    threshold: Threshold,
    step: impl Fn() -> Result<(), E> + Sync,
) -> Result<Vec<SimilarPair>, E> {
    let mut pairs = by_prefix::join(&Bags::new(pages, threshold), step)?;
    pairs.par_sort_unstable_by_key(|pair| (pair.u, pair.v));
    Ok(pairs)
}

/// Bags ordered by size.
struct Bags<'a> {
    threshold: Threshold,
    bags: Vec<(u32, &'a Bag)>,
    sizes: Vec<u32>,
}

impl<'a> Bags<'a> {
    fn new<B: Borrow<Bag>>(pages: &'a [(u32, B)], threshold: Threshold) -> Self {
        let mut bags: Vec<(u32, &Bag)> =
            pages.iter().map(|(page, bag)| (*page, bag.borrow())).collect();
        bags.retain(|(_, bag)| !bag.is_empty());
        bags.sort_by_cached_key(|&(page, bag)| (bag.size(), page));
        let sizes = bags.iter().map(|(_, bag)| bag.size()).collect();
        Self { threshold, bags, sizes }
    }
}

impl Sets for Bags<'_> {
    type Term = TermId;
    type Pair = SimilarPair;
    const COUNTS: bool = true;

    fn len(&self) -> usize {
        self.bags.len()
    }

    fn terms(&self, set: usize) -> impl Iterator<Item = (TermId, u16)> {
        self.bags[set].1.entries().iter().copied()
    }

    fn least_shared(&self, set: usize) -> u32 {
        self.threshold.min_of(self.sizes[set])
    }

    fn smallest_partner(&self, set: usize) -> usize {
        let smallest = self.threshold.min_of(self.sizes[set]);
        self.sizes.partition_point(|&size| size < smallest)
    }

    fn pair(&self, set: usize, before: usize, most_shared: u32) -> Option<SimilarPair> {
        let most = most_shared.min(self.sizes[before]);
        let both = self.sizes[set] + self.sizes[before];
        if !self.threshold.is_reached(most, both - most) {
            return None;
        }
        let ((page, bag), (other, theirs)) = (self.bags[set], self.bags[before]);
        let overlap = Overlap::between(bag, theirs);
        let similar = self.threshold.is_reached(overlap.intersection, overlap.union);
        similar.then(|| SimilarPair { u: page.min(other), v: page.max(other), overlap })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_match_brute_force(
            bags in prop::collection::vec(prop::collection::btree_map(0u32..25, 1u16..9, 0..8), 0..60),
            thousandths in 1u16..=1_000,
        ) {
            let threshold = Threshold::from_thousandths(thousandths).unwrap();
            let bags: Vec<(u32, Bag)> = (0..)
                .zip(bags)
                .map(|(at, bag)| (2 * at + 1, Bag::from_sorted(bag.into_iter().collect()).unwrap()))
                .collect();
            let mut expected = Vec::new();
            for (at, (u, a)) in bags.iter().enumerate() {
                for (v, b) in &bags[at + 1..] {
                    let overlap = Overlap::between(a, b);
                    if threshold.is_reached(overlap.intersection, overlap.union) {
                        expected.push(SimilarPair { u: *u, v: *v, overlap });
                    }
                }
            }
            prop_assert_eq!(join(&bags, threshold), expected);
        }
    }
}
