//! Pages of equal signatures, such as copies of a page, into groups of which one stands for all.
//!
//! They would meet in every table: a group of n pages would be compared n^2 / 2 times in each.

use rayon::prelude::*;

use crate::crawl::signatures::columns::SignatureColumns;
use crate::join::radix_groups;
use crate::join::radix_groups::Grouping;

/// Groups of pages whose signatures are equal in all values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collapsed {
    /// The lowest page of each page's group.
    of: Vec<u32>,
}

/// Finds the pages of equal signatures, in about the time of a table.
#[must_use]
pub fn collapse(columns: &SignatureColumns) -> Collapsed {
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
    Collapsed { of }
}

impl Collapsed {
    /// Groups by the lowest page of each page's group: `None` if one is above its page, or not of its own group.
    #[must_use]
    pub fn from_lowest(of: Vec<u32>) -> Option<Self> {
        let is_lowest = |(page, &lowest): (u32, &u32)| {
            lowest <= page && of.get(lowest as usize) == Some(&lowest)
        };
        (0..).zip(&of).all(is_lowest).then_some(Self { of })
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

    /// Each group as a star: its representative with each other page, sorted by the latter.
    pub fn stars(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..).zip(&self.of).filter(|&(page, &of)| page != of).map(|(page, &of)| (of, page))
    }

    /// Clusters of the representatives into clusters of all pages: each page goes where its representative is. CENTER on
    /// pairs and stars would leave those alone whose representative is a member.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::signatures::columns::tests::{columns, some_rows};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn equal_signatures_are_collapsed(seed: u64, count in 0usize..300) {
            let rows: Vec<u16> = some_rows(count, 3, seed);
            let collapsed = collapse(&columns(3, 2, &rows));
            let mut first: BTreeMap<&[u16], u32> = BTreeMap::new();
            for (page, row) in (0..).zip(rows.chunks(3)) {
                let lowest = *first.entry(row).or_insert(page);
                prop_assert_eq!(collapsed.representative(page), lowest);
            }
            let representatives = collapsed.representatives();
            prop_assert_eq!(representatives.len(), first.len());
            prop_assert!(collapsed.stars().is_sorted_by_key(|(_, page)| page));
            prop_assert_eq!(collapsed.stars().count() + first.len(), count);
            prop_assert_eq!(Collapsed::from_lowest(collapsed.lowest().to_vec()).unwrap(), collapsed.clone());
            prop_assert_eq!(Collapsed::from_lowest(vec![0, 2, 2]), None);
            prop_assert_eq!(Collapsed::from_lowest(vec![0, 0, 1]), None);
            let mut centers: Vec<u32> = (0..count as u32).collect();
            collapsed.spread(&mut centers);
            prop_assert!((0..).zip(centers).all(|(page, center)| center == collapsed.representative(page)));
        }
    }
}
