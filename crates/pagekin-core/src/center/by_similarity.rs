//! CENTER over pairs in the order of their similarity, as used for clustering a crawl.
//!
//! The paper scans pairs sorted by their pages, so the page with the lowest number becomes a
//! center. Here the most similar pair comes first. Equally similar pairs are sorted by the lower
//! page, then by the higher ([`order`]). Each pair is scanned once, regardless of its direction.
//! Pages are numbered in the order of a hash, so equally similar pairs come in a random but
//! reproducible order.
//!
//! - If both pages are free, the lower becomes a center and the higher its member.
//! - If one page is a center and the other is free, the free one becomes its member.
//! - Pairs with a member, and pairs of two centers, have no effect.
//!
//! This has two advantages. A page joins the center that is most similar to it. And
//! [rounds](crate::center::rounds) on any number of machines find the same clusters, because the
//! effect of a pair depends only on earlier pairs that share a page with it. With numbers in the
//! order of a hash, such chains are short even if all pairs are equally similar.
//!
//! *Twins*, which are equal pages, come before all other pairs. So the first of them is a center
//! ([`SimilarityScan::found`]), the others are its members, and only the first has to be scanned.
//!
//! # Source
//!
//! The center clustering of entity resolution, which scans pairs in order of decreasing similarity
//! and ignores those of members, as in SparkER: after [the paper](crate::center) and Hassanzadeh,
//! Chiang, Lee and Miller (2009), *Framework for evaluating clustering algorithms in duplicate
//! detection*, PVLDB 2(1). The order of ties, and which of two free pages becomes the center, are
//! ours.

use std::cmp::Reverse;

/// Returns the sort key of a pair: the most similar first, then by the lower page, then by the
/// higher. `thousandths` is the similarity.
#[must_use]
pub fn order(u: u32, v: u32, thousandths: u16) -> (Reverse<u16>, u32, u32) {
    (Reverse(thousandths), u.min(v), u.max(v))
}

/// The center of a page that is not in a cluster. No page has this number.
const FREE: u32 = u32::MAX;

/// A scan over pairs sorted by [`order`].
#[derive(Debug, Clone)]
pub struct SimilarityScan {
    centers: Vec<u32>,
}

impl SimilarityScan {
    /// Starts a scan of `n` pages.
    #[must_use]
    pub fn new(n: u32) -> Self {
        Self { centers: vec![FREE; n as usize] }
    }

    /// Makes a free page a center without a pair. Must be called before the pairs of the page.
    ///
    /// # Panics
    ///
    /// If `page` is not below `n`.
    pub fn found(&mut self, page: u32) {
        let center = &mut self.centers[page as usize];
        if *center == FREE {
            *center = page;
        }
    }

    /// Processes the next pair, in either direction. A pair of a page with itself is ignored.
    ///
    /// # Panics
    ///
    /// If a page is not below `n`.
    #[inline]
    pub fn next(&mut self, u: u32, v: u32) {
        let (low, high) = (u.min(v), u.max(v));
        let centers = [low, high].map(|page| self.centers[page as usize]);
        if low == high {
        } else if centers == [FREE, FREE] {
            self.centers[low as usize] = low;
            self.centers[high as usize] = low;
        } else if centers == [low, FREE] {
            self.centers[high as usize] = low;
        } else if centers == [FREE, high] {
            self.centers[low as usize] = high;
        }
    }

    /// Returns the center of a page, if it belongs to a cluster so far.
    ///
    /// # Panics
    ///
    /// If `page` is not below `n`.
    #[must_use]
    pub fn center(&self, page: u32) -> Option<u32> {
        Some(self.centers[page as usize]).filter(|&center| center != FREE)
    }

    /// Returns the center of each page. A page that is not in a cluster is its own center.
    #[must_use]
    pub fn finish(self) -> Vec<u32> {
        (0..)
            .zip(self.centers)
            .map(|(page, center)| if center == FREE { page } else { center })
            .collect()
    }
}

/// Returns the center of each of `n` pages, given pairs `(u, v, thousandths)` in any order.
///
/// # Panics
///
/// If a page of a pair is not below `n`.
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
        // 1 takes 2, to which it is most similar. 2 is a member, so 3 takes 4.
        let chain = vec![(0, 1, 500), (1, 2, 900), (2, 3, 700), (3, 4, 200)];
        assert_eq!(center_by_similarity(5, chain), [1, 1, 1, 3, 3]);
        // Two centers only.
        let chain = vec![(3, 2, 900), (0, 1, 900), (1, 2, 500), (0, 2, 500)];
        assert_eq!(center_by_similarity(4, chain), [0, 0, 2, 2]);
        // A page whose only partner is a member stays alone.
        assert_eq!(center_by_similarity(3, vec![(0, 2, 900), (1, 2, 800)]), [0, 1, 0]);
        assert_eq!(center_by_similarity(2, vec![(1, 1, 900), (0, 1, 300)]), [0, 0]);
        // All equally similar: in the order of the pages.
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

    /// The definition: apply the first pair that has an effect, until there is none.
    fn plain(n: u32, pairs: &BTreeMap<(u32, u32), u16>) -> Vec<u32> {
        let (mut centers, mut members) = (BTreeSet::new(), BTreeMap::new());
        loop {
            let has_effect = |&(&(u, v), _): &(&(u32, u32), &u16)| {
                let (of_u, of_v) = (centers.contains(&u), centers.contains(&v));
                !(of_u && of_v || members.contains_key(&u) || members.contains_key(&v))
            };
            let first = pairs.iter().filter(has_effect).min_by_key(|&(&(u, v), &s)| order(u, v, s));
            let Some((&(u, v), _)) = first else { break };
            let (center, member) = if centers.contains(&v) { (v, u) } else { (u, v) };
            centers.insert(center);
            members.insert(member, center);
        }
        (0..n).map(|page| members.get(&page).copied().unwrap_or(page)).collect()
    }

    proptest! {
        #[test]
        fn clusters_match_the_definition(
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
