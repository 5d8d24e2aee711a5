//! All pairs of similar bags, exactly.
//!
//! Two bags of similarity `t` or more share at least `t` times the copies of the larger one. So if a bag's terms are put in
//! any order that is the same for all bags, and those at the end that have fewer copies together than that are left away,
//! what stays, the *prefix*, still has a term of every bag similar to it. With the rarest terms first, the prefixes make
//! short lists: only these are indexed. Each bag is looked up with all of its terms, among the bags that are not larger than
//! it and not so small that they cannot be similar, which counts the copies it shares with the prefix of each; where that
//! and all copies behind the prefix together would be enough, the bags are compared.
//!
//! # Cost
//!
//! A step for each two bags that share a term of the smaller one's prefix: it grows with the square of the pages, and the
//! more the lower the threshold is. Memory is 12 bytes for each term of a prefix, and 4 bytes a bag and thread.
//!
//! # Source
//!
//! Bayardo, Ma and Srikant, *Scaling up all pairs similarity search* (WWW 2007); Chaudhuri, Ganti and Kaushik, *A primitive
//! operator for similarity joins in data cleaning* (ICDE 2006). A bag is the set of its (term, copy), and the copies of a
//! term stand together, so that they are handled at once.

use std::borrow::Borrow;

use pagekin_core::bag::Bag;
use pagekin_core::similarity::Overlap;
use pagekin_core::vocabulary::TermId;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::crawl::pairs::verify::SimilarPair;
use crate::crawl::threshold::Threshold;

/// A bag in the list of a term.
#[derive(Clone, Copy)]
struct Posting {
    /// The bag's place among all, by size.
    place: u32,
    copies: u16,
}

/// Bags by size, and where their terms are.
struct Joined<'a> {
    threshold: Threshold,
    bags: Vec<(u32, &'a Bag)>,
    sizes: Vec<u32>,
    /// The copies of each bag that are behind its prefix.
    behind: Vec<u32>,
    /// The bags that have a term in their prefix, ascending.
    lists: FxHashMap<TermId, Vec<Posting>>,
}

/// The pairs of the given pages whose bags reach the threshold, sorted.
#[must_use]
pub fn join<B: Borrow<Bag> + Sync>(pages: &[(u32, B)], threshold: Threshold) -> Vec<SimilarPair> {
    let joined = Joined::new(pages, threshold);
    let mut pairs: Vec<SimilarPair> = (0..joined.bags.len())
        .into_par_iter()
        .map_init(
            || (vec![0u32; joined.bags.len()], Vec::new()),
            |(shared, met), place| joined.partners(place, shared, met),
        )
        .flatten_iter()
        .collect();
    pairs.par_sort_unstable_by_key(|pair| (pair.u, pair.v));
    pairs
}

impl<'a> Joined<'a> {
    fn new<B: Borrow<Bag>>(pages: &'a [(u32, B)], threshold: Threshold) -> Self {
        let mut bags: Vec<(u32, &Bag)> =
            pages.iter().map(|(page, bag)| (*page, bag.borrow())).collect();
        bags.retain(|(_, bag)| !bag.is_empty());
        bags.sort_by_cached_key(|&(page, bag)| (bag.size(), page));
        let mut frequency: FxHashMap<TermId, u32> = FxHashMap::default();
        for (term, _) in bags.iter().flat_map(|(_, bag)| bag.entries()) {
            *frequency.entry(*term).or_default() += 1;
        }
        let mut lists: FxHashMap<TermId, Vec<Posting>> = FxHashMap::default();
        let mut behind = Vec::with_capacity(bags.len());
        let sizes: Vec<u32> = bags.iter().map(|(_, bag)| bag.size()).collect();
        for (place, &(_, bag)) in bags.iter().enumerate() {
            let mut terms = bag.entries().to_vec();
            terms.sort_unstable_by_key(|(term, _)| (frequency[term], *term));
            let least = threshold.least_of(sizes[place]);
            let mut left = 0;
            while let Some((_, copies)) =
                terms.pop_if(|(_, copies)| left + u32::from(*copies) < least)
            {
                left += u32::from(copies);
            }
            behind.push(left);
            for (term, copies) in terms {
                lists.entry(term).or_default().push(Posting { place: place as u32, copies });
            }
        }
        Self { threshold, bags, sizes, behind, lists }
    }

    /// The pairs of a bag with those before it. `shared` is all zeros, before and after.
    fn partners(&self, place: usize, shared: &mut [u32], met: &mut Vec<u32>) -> Vec<SimilarPair> {
        let (page, bag) = self.bags[place];
        let size = self.sizes[place];
        let smallest = self.threshold.least_of(size);
        let first = self.sizes.partition_point(|&other| other < smallest) as u32;
        for (term, copies) in bag.entries() {
            let Some(list) = self.lists.get(term) else { continue };
            let begin = list.partition_point(|posting| posting.place < first);
            for posting in list[begin..].iter().take_while(|other| (other.place as usize) < place) {
                let shared = &mut shared[posting.place as usize];
                if *shared == 0 {
                    met.push(posting.place);
                }
                *shared += u32::from(posting.copies.min(*copies));
            }
        }
        let mut pairs = Vec::new();
        for other in met.drain(..) {
            let at = other as usize;
            let most = (std::mem::take(&mut shared[at]) + self.behind[at]).min(self.sizes[at]);
            if !self.threshold.is_reached(most, size + self.sizes[at] - most) {
                continue;
            }
            let (other, theirs) = self.bags[at];
            let overlap = Overlap::of(bag, theirs);
            if self.threshold.is_reached(overlap.intersection, overlap.union) {
                pairs.push(SimilarPair { u: page.min(other), v: page.max(other), overlap });
            }
        }
        pairs
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
            let threshold = Threshold::of_thousandths(thousandths).unwrap();
            let bags: Vec<(u32, Bag)> = (0..)
                .zip(bags)
                .map(|(at, bag)| (2 * at + 1, Bag::from_sorted(bag.into_iter().collect()).unwrap()))
                .collect();
            let mut plainly = Vec::new();
            for (at, (u, a)) in bags.iter().enumerate() {
                for (v, b) in &bags[at + 1..] {
                    let overlap = Overlap::of(a, b);
                    if threshold.is_reached(overlap.intersection, overlap.union) {
                        plainly.push(SimilarPair { u: *u, v: *v, overlap });
                    }
                }
            }
            prop_assert_eq!(join(&bags, threshold), plainly);
        }
    }
}
