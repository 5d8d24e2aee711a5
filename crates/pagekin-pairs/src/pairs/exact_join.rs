//! All pairs of similar bags, exactly.
//!
//! Two bags of similarity `t` or more share at least `t` times the copies of the larger one: so
//! they are joined by their prefixes (`join::by_prefix`). Each bag is looked up with all of its
//! terms, among the bags that are not larger than it and not so small that they cannot be similar,
//! and where what it shares with the prefix of another and all copies behind that prefix together
//! would be enough, the bags are compared.
//!
//! # Cost
//!
//! A step for each two bags that share a term of the smaller one's prefix: it grows with the square
//! of the pages, and the more the lower the threshold is. Memory is some 20 bytes for each term of
//! a prefix, and 4 bytes a bag and thread.

use std::borrow::Borrow;
use std::convert::Infallible;

use pagekin_core::bag::Bag;
use pagekin_core::similarity::Overlap;
use pagekin_core::vocabulary::TermId;
use rayon::prelude::*;

use crate::join::by_prefix::{self, Sets};
use crate::pairs::verify::SimilarPair;
use crate::threshold::Threshold;

/// The pairs of the given pages whose bags reach the threshold, sorted.
#[must_use]
pub fn join<B: Borrow<Bag> + Sync>(pages: &[(u32, B)], threshold: Threshold) -> Vec<SimilarPair> {
    let Ok(pairs) = join_while(pages, threshold, || Ok::<_, Infallible>(()));
    pairs
}

/// [`join`], as long as `step` does not fail, which is called for each page.
pub fn join_while<B: Borrow<Bag> + Sync, E: Send>(
    pages: &[(u32, B)],
    threshold: Threshold,
    step: impl Fn() -> Result<(), E> + Sync,
) -> Result<Vec<SimilarPair>, E> {
    let mut pairs = by_prefix::join(&Bags::new(pages, threshold), step)?;
    pairs.par_sort_unstable_by_key(|pair| (pair.u, pair.v));
    Ok(pairs)
}

/// Bags by size.
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
        self.threshold.least_of(self.sizes[set])
    }

    fn smallest_partner(&self, set: usize) -> usize {
        let smallest = self.threshold.least_of(self.sizes[set]);
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
        fn pairs_are_those_of_comparing_all_with_all(
            bags in prop::collection::vec(prop::collection::btree_map(0u32..25, 1u16..9, 0..8), 0..60),
            thousandths in 1u16..=1_000,
        ) {
            let threshold = Threshold::from_thousandths(thousandths).unwrap();
            let bags: Vec<(u32, Bag)> = (0..)
                .zip(bags)
                .map(|(at, bag)| (2 * at + 1, Bag::from_sorted(bag.into_iter().collect()).unwrap()))
                .collect();
            let mut plainly = Vec::new();
            for (at, (u, a)) in bags.iter().enumerate() {
                for (v, b) in &bags[at + 1..] {
                    let overlap = Overlap::between(a, b);
                    if threshold.is_reached(overlap.intersection, overlap.union) {
                        plainly.push(SimilarPair { u: *u, v: *v, overlap });
                    }
                }
            }
            prop_assert_eq!(join(&bags, threshold), plainly);
        }
    }
}
