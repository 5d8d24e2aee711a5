//! Pages of equal signatures, such as copies of a page, into groups of which one stands for all.
//!
//! They would meet in every table: a group of n pages would be compared n^2 / 2 times in each.
//!
//! Bags that are nearly equal may have equal signatures too. So where bags have the last word, a
//! group is divided into those of equal bags ([`Deduplicated::divided`]). Each of these is compared
//! with the others and with what they meet ([`Deduplicated::parts`]). What is known of one of
//! several equal bags holds for all of them.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::join::radix_groups;
use crate::join::radix_groups::Grouping;
use crate::signatures::columns::SignatureColumns;

/// Groups of pages whose signatures are equal in all values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deduplicated {
    /// The lowest page of each page's group.
    of: Vec<u32>,
}

/// Finds the pages of equal signatures, in about the time of a table.
#[must_use]
pub fn collapse(columns: &SignatureColumns) -> Deduplicated {
    let mut of: Vec<u32> = (0..columns.pages()).collect();
    let mut grouping = Grouping::new(of.len());
    grouping.fill(|range, hashes| columns.hash_rows(&of[range], hashes));
    let members: Vec<Vec<(u32, u32)>> = (0..grouping.partitions())
        .into_par_iter()
        .map_init(Default::default, |(words, spare), partition| {
            grouping.partition(partition, words, spare);
            let mut members = Vec::new();
            for run in radix_groups::runs(words) {
                let mut rest: Vec<u32> =
                    run.iter().map(|&word| radix_groups::place(word)).collect();
                // Once, unless hashes are equal by chance.
                while let [lowest, ..] = *rest {
                    rest.retain(|&page| {
                        let equal = columns.are_equal(lowest, page);
                        if equal && page != lowest {
                            members.push((page, lowest));
                        }
                        !equal
                    });
                }
            }
            members
        })
        .collect();
    for (page, lowest) in members.into_iter().flatten() {
        of[page as usize] = lowest;
    }
    Deduplicated { of }
}

/// Why numbers are not the lowest pages of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected for page {page} the lowest page of its group, found {found}, which is above it or of another group"
)]
#[non_exhaustive]
pub struct NotLowest {
    /// The first page whose number is wrong.
    pub page: u32,
    /// Its number.
    pub found: u32,
}

impl Deduplicated {
    /// Groups by the lowest page of each page's group.
    ///
    /// # Errors
    ///
    /// If one is above its page, or not of its own group.
    pub fn from_lowest(of: Vec<u32>) -> Result<Self, NotLowest> {
        let is_lowest =
            |page: u32, lowest: u32| lowest <= page && of.get(lowest as usize) == Some(&lowest);
        match (0..).zip(of.iter().copied()).find(|&(page, lowest)| !is_lowest(page, lowest)) {
            Some((page, found)) => Err(NotLowest { page, found }),
            None => Ok(Self { of }),
        }
    }

    /// The lowest page of each page's group.
    #[must_use]
    pub fn lowest(&self) -> &[u32] {
        &self.of
    }

    /// The pages that stand for the others of their group, or for themselves, ascending.
    #[must_use]
    pub fn representatives(&self) -> Vec<u32> {
        (0..).zip(&self.of).filter(|&(page, &of)| page == of).map(|(page, _)| page).collect()
    }

    /// The representative of a page.
    ///
    /// # Panics
    ///
    /// If there is no such page.
    #[must_use]
    pub fn representative(&self, page: u32) -> u32 {
        self.of[page as usize]
    }

    /// The same groups, each divided into those pages of equal `hashes`, of which there is one for
    /// each page.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    #[must_use]
    pub fn divided(&self, hashes: &[u64]) -> Self {
        let mut of: Vec<u32> = (0..self.of.len() as u32).collect();
        let mut lowest: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        for (representative, page) in self.stars() {
            let hash = hashes[page as usize];
            let own = if hash == hashes[representative as usize] { representative } else { page };
            of[page as usize] = *lowest.entry((representative, hash)).or_insert(own);
        }
        Self { of }
    }

    /// The representatives of `divided` in each of these groups, of which that has groups of its
    /// own.
    #[must_use]
    pub fn parts(&self, divided: &Self) -> GroupParts {
        let mut parts: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (representative, page) in self.stars() {
            if divided.representative(page) == page {
                parts.entry(representative).or_insert_with(|| vec![representative]).push(page);
            }
        }
        GroupParts(parts)
    }

    /// The pages of each representative's group; 0 for all other pages.
    #[must_use]
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.of.len()];
        self.of.iter().for_each(|&of| sizes[of as usize] += 1);
        sizes
    }

    /// Each group as a star: its representative with each other page, sorted by the latter.
    pub fn stars(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..).zip(&self.of).filter(|&(page, &of)| page != of).map(|(page, &of)| (of, page))
    }

    /// Clusters of the representatives into clusters of all pages: each page goes where its
    /// representative is. If all pages of a group have the same pairs, that is what CENTER makes of
    /// all of them.
    ///
    /// # Panics
    ///
    /// If there are not as many centers as pages.
    pub fn spread(&self, centers: &mut [u32]) {
        assert_eq!(centers.len(), self.of.len(), "a center for each page");
        for (page, &of) in self.of.iter().enumerate() {
            // A representative is below its group, so it has its center already.
            centers[page] = centers[of as usize];
        }
    }
}

/// What groups were divided into, for those that were: see [`Deduplicated::parts`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupParts(FxHashMap<u32, Vec<u32>>);

impl GroupParts {
    /// The parts of the group of a representative, ascending: itself, and what stands for other
    /// parts.
    #[must_use]
    pub fn of<'a>(&'a self, representative: &'a u32) -> &'a [u32] {
        self.0.get(representative).map_or(std::slice::from_ref(representative), Vec::as_slice)
    }

    /// Each two parts of a group, the lower one first; in any order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.values().flat_map(|parts| {
            let below = move |at: usize| parts[..at].iter().map(move |&u| (u, parts[at]));
            (0..parts.len()).flat_map(below)
        })
    }

    /// What a pair of representatives stands for: each part of the one with each of the other, the
    /// lower page first.
    ///
    /// # Errors
    ///
    /// Those of `each`, at once.
    pub fn expand<E>(
        &self,
        u: u32,
        v: u32,
        mut each: impl FnMut(u32, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        for &a in self.of(&u) {
            for &b in self.of(&v) {
                each(a.min(b), a.max(b))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signatures::columns::tests::{columns, some_rows};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn equal_signatures_are_collapsed(seed: u64, count in 0usize..300) {
            let rows: Vec<u16> = some_rows(count, 3, seed);
            let collapsed = collapse(&columns(3, &rows));
            let mut first: BTreeMap<&[u16], u32> = BTreeMap::new();
            for (page, row) in (0..).zip(rows.chunks(3)) {
                let lowest = *first.entry(row).or_insert(page);
                prop_assert_eq!(collapsed.representative(page), lowest);
            }
            let representatives = collapsed.representatives();
            prop_assert_eq!(representatives.len(), first.len());
            prop_assert!(collapsed.stars().is_sorted_by_key(|(_, page)| page));
            prop_assert_eq!(collapsed.stars().count() + first.len(), count);
            prop_assert_eq!(Deduplicated::from_lowest(collapsed.lowest().to_vec()).unwrap(), collapsed.clone());
            prop_assert_eq!(Deduplicated::from_lowest(vec![0, 2, 2]), Err(NotLowest { page: 1, found: 2 }));
            prop_assert_eq!(Deduplicated::from_lowest(vec![0, 0, 1]), Err(NotLowest { page: 2, found: 1 }));
            let sizes = collapsed.sizes();
            prop_assert_eq!(sizes.iter().sum::<u32>() as usize, count);
            prop_assert!((0..).zip(&sizes).all(|(page, &size)| (size > 0) == (collapsed.representative(page) == page)));
            let mut centers: Vec<u32> = (0..count as u32).collect();
            collapsed.spread(&mut centers);
            prop_assert!((0..).zip(centers).all(|(page, center)| center == collapsed.representative(page)));
        }

        #[test]
        fn groups_are_divided_and_what_meets_one_meets_all_parts(seed: u64, count in 0usize..60) {
            let rows: Vec<u16> = some_rows(count, 2, seed);
            let alike = collapse(&columns(2, &rows));
            let hashes: Vec<u64> = (0..count as u64).map(|page| (page * page + seed) % 3).collect();
            let divided = alike.divided(&hashes);
            let key = |page: u32| (alike.representative(page), hashes[page as usize]);
            for page in 0..count as u32 {
                let lowest = (0..=page).find(|&other| key(other) == key(page));
                prop_assert_eq!(Some(divided.representative(page)), lowest);
            }
            // All pairs of representatives of parts come from pairs of the groups, each once.
            let parts = alike.parts(&divided);
            let mut pairs: Vec<(u32, u32)> = parts.pairs().collect();
            let groups = alike.representatives();
            for (at, &v) in groups.iter().enumerate() {
                for &u in &groups[..at] {
                    parts.expand(u, v, |a, b| { pairs.push((a, b)); Ok::<_, ()>(()) }).unwrap();
                }
            }
            pairs.sort_unstable();
            let each = divided.representatives();
            let expected = |(at, &v): (usize, &u32)| each[..at].iter().map(move |&u| (u, v)).collect::<Vec<_>>();
            let mut expected: Vec<(u32, u32)> = each.iter().enumerate().flat_map(expected).collect();
            expected.sort_unstable();
            prop_assert_eq!(pairs, expected);
        }
    }
}
