//! CENTER over pairs in the order of their similarity: that of a clustered crawl.
//!
//! The paper scans pairs sorted by their pages, so whichever page comes first by its number is a
//! center. Here the most similar pair comes first, and of pairs as similar as each other that of
//! the lower page, then that of the lower other one ([`order`]): each pair once, whichever way it
//! was found. Pages are numbered in the order of a hash, so pairs that are equally similar come in
//! a random order that is the same everywhere.
//!
//! - Of two free pages the lower becomes a center and the higher its member.
//! - Of a center and a free page the free one becomes a member, whichever is lower.
//! - Pairs with a member and pairs of two centers do nothing.
//!
//! Two things are gained. A page goes to a center that is more similar to it than those of the
//! pairs behind, and [rounds](crate::center::rounds) on any number of machines find the same
//! clusters, as whether a pair counts depends on those alone that are before it and have a page in
//! common with it. With numbers in the order of a hash such chains are short even where all pairs
//! are equally similar.
//!
//! *Twins*, pages that are equal, come before all other pairs. So the first of them is a center
//! ([`SimilarityScan::found`]), the others are its members, and only the first has to be scanned.
//!
//! # Source
//!
//! The center clustering of entity resolution, which scans pairs from the most similar on and does
//! nothing with those of a member, as SparkER does: after [the paper](crate::center) and
//! Hassanzadeh, Chiang, Lee and Miller (2009), *Framework for evaluating clustering algorithms in
//! duplicate detection*, PVLDB 2(1). The order of ties, and which of two free pages is the center,
//! are ours.

use std::cmp::Reverse;

/// What pairs are sorted by: the most similar first, then that of the lower page, then that of the
/// lower other one. `thousandths` is their similarity.
#[must_use]
pub fn order(u: u32, v: u32, thousandths: u16) -> (Reverse<u16>, u32, u32) {
    (Reverse(thousandths), u.min(v), u.max(v))
}

/// Of a page that is in no cluster. No page has this number, as there are at most so many.
const FREE: u32 = u32::MAX;

/// A scan over pairs in this order.
#[derive(Debug, Clone)]
pub struct SimilarityScan {
    centers: Vec<u32>,
}

impl SimilarityScan {
    /// Of `n` pages.
    #[must_use]
    pub fn new(n: u32) -> Self {
        Self { centers: vec![FREE; n as usize] }
    }

    /// Makes a free page a center without a pair, before those that it is in.
    ///
    /// # Panics
    ///
    /// If it is not below `n`.
    pub fn found(&mut self, page: u32) {
        let center = &mut self.centers[page as usize];
        if *center == FREE {
            *center = page;
        }
    }

    /// The next pair, either way. A page with itself does nothing.
    ///
    /// # Panics
    ///
    /// If a page is not below `n`.
    #[inline]
    pub fn next(&mut self, u: u32, v: u32) {
        let (low, high) = (u.min(v), u.max(v));
        let of = [low, high].map(|page| self.centers[page as usize]);
        if low == high {
        } else if of == [FREE, FREE] {
            self.centers[low as usize] = low;
            self.centers[high as usize] = low;
        } else if of == [low, FREE] {
            self.centers[high as usize] = low;
        } else if of == [FREE, high] {
            self.centers[low as usize] = high;
        }
    }

    /// The center of a page, if it belongs to a cluster so far.
    ///
    /// # Panics
    ///
    /// If it is not below `n`.
    #[must_use]
    pub fn center(&self, page: u32) -> Option<u32> {
        Some(self.centers[page as usize]).filter(|&center| center != FREE)
    }

    /// The center of each page: its own of one in no cluster.
    #[must_use]
    pub fn finish(self) -> Vec<u32> {
        (0..)
            .zip(self.centers)
            .map(|(page, center)| if center == FREE { page } else { center })
            .collect()
    }
}

/// The center of each of `n` pages by pairs `(u, v, thousandths)` in any order, which are sorted
/// here.
///
/// # Panics
///
/// If a pair names a page that is not below `n`.
#[must_use]
pub fn center_by_similarity(n: u32, mut pairs: Vec<(u32, u32, u16)>) -> Vec<u32> {
    pairs.sort_unstable_by_key(|&(u, v, thousandths)| order(u, v, thousandths));
    let mut scan = SimilarityScan::new(n);
    for (u, v, _) in pairs {
        scan.next(u, v);
    }
    scan.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn known_answers() {
        assert_eq!(center_by_similarity(0, vec![]), []);
        // 1 takes 2, to which it is most similar; 2 takes none, so that 3 takes 4.
        let chain = vec![(0, 1, 500), (1, 2, 900), (2, 3, 700), (3, 4, 200)];
        assert_eq!(center_by_similarity(5, chain), [1, 1, 1, 3, 3]);
        // Two centers, and nobody else.
        let chain = vec![(3, 2, 900), (0, 1, 900), (1, 2, 500), (0, 2, 500)];
        assert_eq!(center_by_similarity(4, chain), [0, 0, 2, 2]);
        // A page whose only partner is a member stays alone.
        assert_eq!(center_by_similarity(3, vec![(0, 2, 900), (1, 2, 800)]), [0, 1, 0]);
        assert_eq!(center_by_similarity(2, vec![(1, 1, 900), (0, 1, 300)]), [0, 0]);
        // All as similar as each other: in the order of the pages.
        let cycle = vec![(4, 3, 1), (3, 2, 1), (2, 1, 1), (1, 0, 1), (0, 4, 1)];
        assert_eq!(center_by_similarity(5, cycle), [0, 0, 2, 2, 0]);
    }

    #[test]
    fn a_page_can_be_a_center_before_all_pairs() {
        let mut scan = SimilarityScan::new(4);
        scan.found(3);
        scan.next(0, 3);
        scan.found(0);
        scan.next(1, 0);
        assert_eq!([0, 1, 2, 3].map(|page| scan.center(page)), [Some(3), None, None, Some(3)]);
        assert_eq!(scan.finish(), [3, 1, 2, 3]);
    }

    /// The definition: whatever pair is first of those that still do something does it.
    fn plain(n: u32, pairs: &BTreeMap<(u32, u32), u16>) -> Vec<u32> {
        let (mut centers, mut members) = (BTreeSet::new(), BTreeMap::new());
        loop {
            let does = |&(&(u, v), _): &(&(u32, u32), &u16)| {
                let (of_u, of_v) = (centers.contains(&u), centers.contains(&v));
                !(of_u && of_v || members.contains_key(&u) || members.contains_key(&v))
            };
            let first = pairs.iter().filter(does).min_by_key(|&(&(u, v), &s)| order(u, v, s));
            let Some((&(u, v), _)) = first else { break };
            let (center, member) = if centers.contains(&v) { (v, u) } else { (u, v) };
            centers.insert(center);
            members.insert(member, center);
        }
        (0..n).map(|page| members.get(&page).copied().unwrap_or(page)).collect()
    }

    proptest! {
        #[test]
        fn clusters_are_those_of_the_definition(
            pairs in prop::collection::btree_map((0u32..20, 0u32..20), 0u16..4, 0..60),
        ) {
            let pairs: BTreeMap<_, _> = pairs.into_iter().filter(|((u, v), _)| u < v).collect();
            let centers = center_by_similarity(20, pairs.iter().map(|(&(u, v), &s)| (v, u, s)).collect());
            prop_assert_eq!(&centers, &plain(20, &pairs));
            for (page, &center) in (0u32..).zip(&centers) {
                prop_assert!(page == center || pairs.contains_key(&(page.min(center), page.max(center))));
                prop_assert_eq!(centers[center as usize], center);
            }
        }
    }
}
