//! CENTER: pages into clusters around centers.
//!
//! The pairs of similar pages are scanned in order. A page that comes first in a pair and belongs to no cluster yet
//! becomes a center, and the pages it is paired with that belong to none become its members. So every member is
//! similar to its center, which connected components do not give.
//!
//! Time is one pass over the pairs; space is a number a page.
//!
//! # Source
//!
//! Haveliwala, Gionis and Indyk (2000), section 5, after Hochbaum and Shmoys.

/// The center of each of `n` pages by the pairs `(u, v)`, which must be sorted. A center is its own, and so is a page
/// in no pair.
///
/// # Panics
///
/// If a pair names a page that is not below `n`.
#[must_use]
pub fn center(n: u32, pairs: &[(u32, u32)]) -> Vec<u32> {
    debug_assert!(pairs.is_sorted(), "CENTER scans sorted pairs");
    let mut centers: Vec<Option<u32>> = vec![None; n as usize];
    for &(u, v) in pairs {
        if *centers[u as usize].get_or_insert(u) == u {
            centers[v as usize].get_or_insert(u);
        }
    }
    (0..).zip(centers).map(|(page, center)| center.unwrap_or(page)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn known_answers() {
        assert_eq!(center(0, &[]), []);
        // 0 takes 1 and 2. 1 is a member, so it takes none, and 3 becomes a center.
        assert_eq!(center(5, &[(0, 1), (0, 2), (1, 3), (3, 4)]), [0, 0, 0, 3, 3]);
        // A chain is cut where components would run on.
        assert_eq!(center(4, &[(0, 1), (1, 2), (2, 3)]), [0, 0, 2, 2]);
    }

    /// The definition, page by page: whoever is in no cluster when its turn comes takes its free partners.
    fn plain(n: u32, pairs: &BTreeSet<(u32, u32)>) -> Vec<u32> {
        let mut cluster: BTreeMap<u32, u32> = BTreeMap::new();
        for u in 0..n {
            if pairs.iter().any(|pair| pair.0 == u) && !cluster.contains_key(&u) {
                cluster.insert(u, u);
                for v in 0..n {
                    if pairs.contains(&(u, v)) && !cluster.contains_key(&v) {
                        cluster.insert(v, u);
                    }
                }
            }
        }
        (0..n).map(|page| cluster.get(&page).copied().unwrap_or(page)).collect()
    }

    proptest! {
        #[test]
        fn clusters_are_those_of_the_definition(pairs in prop::collection::btree_set((0u32..20, 0u32..20), 0..60)) {
            let sorted: Vec<_> = pairs.iter().copied().collect();
            let centers = center(20, &sorted);
            prop_assert_eq!(&centers, &plain(20, &pairs));
            for (page, &center) in (0u32..).zip(&centers) {
                prop_assert!(page == center || pairs.contains(&(center, page)));
                prop_assert_eq!(centers[center as usize], center);
            }
        }
    }
}
