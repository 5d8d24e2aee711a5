//! Sets of pages, such as those that have the value of a filter.
//!
//! A set is stored as ranges of page numbers, because similar pages have adjacent numbers and often
//! the same values.

/// A set of page numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageSet {
    /// Ranges of a first page and the page after the last one: not empty, ascending, and apart.
    ranges: Vec<(u32, u32)>,
}

impl PageSet {
    /// Creates the set of these pages, which must ascend.
    #[must_use]
    pub fn from_ascending(pages: impl IntoIterator<Item = u32>) -> Self {
        let mut set = Self::default();
        for page in pages {
            set.push(page, page + 1);
        }
        set
    }

    /// Creates the set of the pages below `end`.
    #[must_use]
    pub fn below(end: u32) -> Self {
        let mut set = Self::default();
        set.push(0, end);
        set
    }

    /// Adds a range after all others.
    pub(crate) fn push(&mut self, start: u32, end: u32) {
        match self.ranges.last_mut() {
            _ if start >= end => {}
            Some((_, last)) if *last == start => *last = end,
            _ => self.ranges.push((start, end)),
        }
    }

    /// Returns the ranges of a first page and the page after the last one, ascending.
    #[must_use]
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// Returns the pages, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().flat_map(|&(start, end)| start..end)
    }

    /// Returns the number of pages.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.ranges.iter().map(|(start, end)| end - start).sum()
    }

    /// Whether there is no page.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether a page is in the set.
    #[must_use]
    pub fn contains(&self, page: u32) -> bool {
        let after = self.ranges.partition_point(|&(start, _)| start <= page);
        after > 0 && page < self.ranges[after - 1].1
    }

    /// Returns the numbers of the blocks of `block_pages` slots that have pages of the set,
    /// ascending: at most `most` of them.
    pub(crate) fn blocks(&self, block_pages: u32, most: usize) -> Vec<u32> {
        let mut blocks: Vec<u32> = Vec::new();
        for &(start, end) in &self.ranges {
            let first = (start / block_pages).max(blocks.last().map_or(0, |last| last + 1));
            blocks.extend((first..=(end - 1) / block_pages).take(most - blocks.len()));
            if blocks.len() == most {
                break;
            }
        }
        blocks
    }

    /// Returns the pages of either set.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.combined(other, |one, other| one || other)
    }

    /// Returns the pages of both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.combined(other, |one, other| one && other)
    }

    /// Returns the pages that are not in the other set.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.combined(other, |one, other| one && !other)
    }

    /// Returns the number of the pages of both sets.
    pub(crate) fn shared(&self, other: &Self) -> u32 {
        self.and(other).len()
    }

    fn combined(&self, other: &Self, keeps: fn(bool, bool) -> bool) -> Self {
        let (mut result, mut at) = (Self::default(), 0);
        // The numbers of bounds that were passed: odd within a range.
        let (mut i, mut j) = (0, 0);
        loop {
            let (a, b) = (self.bound(i), other.bound(j));
            let Some(next) = a.into_iter().chain(b).min() else { return result };
            if keeps(i % 2 == 1, j % 2 == 1) {
                result.push(at, next);
            }
            at = next;
            i += usize::from(a == Some(next));
            j += usize::from(b == Some(next));
        }
    }

    /// Returns the start or end of a range.
    fn bound(&self, at: usize) -> Option<u32> {
        let &(start, end) = self.ranges.get(at / 2)?;
        Some(if at.is_multiple_of(2) { start } else { end })
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of_val(&*self.ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(pages: &BTreeSet<u32>) -> PageSet {
        PageSet::from_ascending(pages.iter().copied())
    }

    fn pages() -> impl Strategy<Value = BTreeSet<u32>> {
        prop::collection::btree_set(0u32..60, 0..40)
    }

    proptest! {
        #[test]
        fn sets_are_combined_like_sets(a in pages(), b in pages(), page in 0u32..70) {
            let (one, other) = (set(&a), set(&b));
            prop_assert_eq!(one.or(&other), set(&(&a | &b)));
            prop_assert_eq!(one.and(&other), set(&(&a & &b)));
            prop_assert_eq!(one.without(&other), set(&(&a - &b)));
            prop_assert_eq!(one.contains(page), a.contains(&page));
            prop_assert_eq!(one.len() as usize, a.len());
            prop_assert!(one.iter().eq(a.iter().copied()));
        }

        #[test]
        fn the_blocks_of_a_set_are_those_of_its_pages(a in pages(), block in 1u32..9, most in 0usize..9) {
            let blocks: BTreeSet<u32> = a.iter().map(|page| page / block).collect();
            let expected: Vec<u32> = blocks.into_iter().take(most).collect();
            prop_assert_eq!(set(&a).blocks(block, most), expected);
        }
    }
}
