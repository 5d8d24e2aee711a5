//! Groups pages with equal signatures, such as copies, so that one page represents the group.
//!
//! Otherwise a group of n pages would be compared n^2 / 2 times in every table.
//!
//! Nearly equal bags may also have equal signatures. If bags decide, a group is divided into groups
//! of equal bags ([`Deduplicated::divided`]). Each part is compared with the other parts, and with
//! everything that the group is paired with ([`Deduplicated::parts`]). Results for one bag apply to
//! all equal bags.

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

/// Groups pages with equal signatures. Takes about the time of one table.
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
                // This loops once, unless different signatures have the same hash.
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

/// A number is not the lowest page of its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "page {page} has {found} as the lowest page of its group, which is a later page or belongs to another group"
)]
#[non_exhaustive]
pub struct NotLowest {
    /// The first page with a wrong number.
    pub page: u32,
    /// The wrong number.
    pub found: u32,
}

impl Deduplicated {
    /// Creates groups from the lowest page of each page's group.
    ///
    /// # Errors
    ///
    /// Returns an error if such a number is above its page, or is not the lowest page of its own
    /// group.
    pub fn from_lowest(of: Vec<u32>) -> Result<Self, NotLowest> {
        let is_lowest =
            |page: u32, lowest: u32| lowest <= page && of.get(lowest as usize) == Some(&lowest);
        match (0..).zip(of.iter().copied()).find(|&(page, lowest)| !is_lowest(page, lowest)) {
            Some((page, found)) => Err(NotLowest { page, found }),
            None => Ok(Self { of }),
        }
    }

    /// Returns the lowest page of each page's group.
    #[must_use]
    pub fn lowest(&self) -> &[u32] {
        &self.of
    }

    /// Returns the page that represents each group, ascending.
    #[must_use]
    pub fn representatives(&self) -> Vec<u32> {
        (0..).zip(&self.of).filter(|&(page, &of)| page == of).map(|(page, _)| page).collect()
    }

    /// Returns the representative of a page.
    ///
    /// # Panics
    ///
    /// Panics if there is no such page.
    #[must_use]
    pub fn representative(&self, page: u32) -> u32 {
        self.of[page as usize]
    }

    /// Divides each group into groups of pages with equal `hashes`, which has one hash per page.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer hashes than pages.
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

    /// Returns the representatives of the groups of `divided` within each of these groups.
    /// `divided` must be a division of these groups.
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

    /// Returns the size of each representative's group; 0 for all other pages.
    #[must_use]
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.of.len()];
        self.of.iter().for_each(|&of| sizes[of as usize] += 1);
        sizes
    }

    /// Returns each group as a star: its representative paired with each other page, ordered by the
    /// latter.
    pub fn stars(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..).zip(&self.of).filter(|&(page, &of)| page != of).map(|(page, &of)| (of, page))
    }

    /// Extends clusters of representatives to clusters of all pages: each page joins the cluster of
    /// its representative. If all pages of a group have the same pairs, the result is that of
    /// CENTER on all pages.
    ///
    /// # Panics
    ///
    /// Panics unless there is one center per page.
    pub fn spread(&self, centers: &mut [u32]) {
        assert_eq!(centers.len(), self.of.len(), "a center for each page");
        for (page, &of) in self.of.iter().enumerate() {
            // A representative is the lowest of its group, so its own center is already set.
            centers[page] = centers[of as usize];
        }
    }
}

/// The parts of divided groups: see [`Deduplicated::parts`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupParts(FxHashMap<u32, Vec<u32>>);

impl GroupParts {
    /// Returns the representatives of the parts of a group, ascending, starting with the group's
    /// own.
    #[must_use]
    pub fn of<'a>(&'a self, representative: &'a u32) -> &'a [u32] {
        self.0.get(representative).map_or(std::slice::from_ref(representative), Vec::as_slice)
    }

    /// Returns each pair of parts of a group, lower page first, in any order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.values().flat_map(|parts| {
            let below = move |at: usize| parts[..at].iter().map(move |&u| (u, parts[at]));
            (0..parts.len()).flat_map(below)
        })
    }

    /// Expands a pair of representatives: calls `each` with each pair of their parts, lower page
    /// first.
    ///
    /// # Errors
    ///
    /// Returns the first error of `each`.
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
        fn groups_are_divided_and_pairs_apply_to_all_parts(seed: u64, count in 0usize..60) {
            let rows: Vec<u16> = some_rows(count, 2, seed);
            let groups_of_equal = collapse(&columns(2, &rows));
            let hashes: Vec<u64> = (0..count as u64).map(|page| (page * page + seed) % 3).collect();
            let divided = groups_of_equal.divided(&hashes);
            let key = |page: u32| (groups_of_equal.representative(page), hashes[page as usize]);
            for page in 0..count as u32 {
                let lowest = (0..=page).find(|&other| key(other) == key(page));
                prop_assert_eq!(Some(divided.representative(page)), lowest);
            }
            // All pairs of representatives of parts result from pairs of groups, each once.
            let parts = groups_of_equal.parts(&divided);
            let mut pairs: Vec<(u32, u32)> = parts.pairs().collect();
            let groups = groups_of_equal.representatives();
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
