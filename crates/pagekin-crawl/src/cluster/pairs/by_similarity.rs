//! Reads pairs from most to least similar, out of a folder where they are sorted by page.
//!
//! All pairs of 20 million URLs do not fit into memory and need not be sorted: similarities are
//! whole thousandths, and pairs with the same similarity are already in the order of their pages. A
//! first pass counts pairs by similarity. Each further pass collects the pairs of as many
//! similarities as fit: in most crawls, one pass collects all.

use std::io;
use std::ops::Range;
use std::path::Path;

use crate::folder::format::{EQUAL, StoredPair};
use crate::folder::write;

/// Memory per collected pair.
const GATHERED: u64 = size_of::<(u32, u32)>() as u64;

/// The pairs of a folder that a [`PairWriter`](write::PairWriter) wrote.
#[derive(Debug)]
pub(crate) struct BySimilarity<'a> {
    folder: &'a Path,
    urls: u32,
    /// Number of pairs at each similarity in thousandths.
    counts: Vec<u64>,
}

impl<'a> BySimilarity<'a> {
    /// Counts the pairs in a folder, of `urls` URLs, and passes each to `count`, lower URL first.
    pub(crate) fn new(
        folder: &'a Path,
        urls: u32,
        mut count: impl FnMut(StoredPair),
    ) -> io::Result<Self> {
        let mut counts = vec![0; usize::from(EQUAL) + 1];
        write::read_pairs_once(folder, urls, |pair| {
            counts[usize::from(pair.thousandths)] += 1;
            count(pair);
        })?;
        Ok(Self { folder, urls, counts })
    }

    /// Passes each pair to `each` once, lower URL first: most similar first, then by the lower URL,
    /// then by the other. Holds about `memory` bytes of pairs at a time.
    pub(crate) fn each(&self, memory: u64, mut each: impl FnMut(u32, u32)) -> io::Result<()> {
        let room = memory / GATHERED;
        let mut end = self.counts.len();
        while end > 0 {
            let mut start = end - 1;
            let mut pairs = self.counts[start];
            while start > 0 && pairs + self.counts[start - 1] <= room {
                start -= 1;
                pairs += self.counts[start];
            }
            if pairs > room {
                // Pairs with one similarity are in order.
                self.of_similarities(start..end, |_, pair| each(pair.page, pair.other))?;
            } else if pairs > 0 {
                self.collect(start..end)?.into_iter().for_each(|(u, v)| each(u, v));
            }
            end = start;
        }
        Ok(())
    }

    /// Returns the pairs with some similarities, in order.
    fn collect(&self, levels: Range<usize>) -> io::Result<Vec<(u32, u32)>> {
        let mut pairs = 0;
        // Where the next pair of each similarity is stored.
        let mut places = vec![0; levels.len()];
        for (place, count) in places.iter_mut().zip(&self.counts[levels.clone()]).rev() {
            *place = pairs;
            pairs += *count as usize;
        }
        let mut collected = vec![(0, 0); pairs];
        self.of_similarities(levels, |level, pair| {
            collected[places[level]] = (pair.page, pair.other);
            places[level] += 1;
        })?;
        Ok(collected)
    }

    /// Passes pairs with some similarities in the order of the folder, each with the index of its
    /// similarity among these.
    fn of_similarities(
        &self,
        levels: Range<usize>,
        mut each: impl FnMut(usize, StoredPair),
    ) -> io::Result<()> {
        write::read_pairs_once(self.folder, self.urls, |pair| {
            let level = usize::from(pair.thousandths);
            if levels.contains(&level) {
                each(level - levels.start, pair);
            }
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::cluster::pairs::external_sort::PairSorter;
    use crate::folder::write::PairWriter;
    use pagekin_core::center::by_similarity::order;
    use proptest::prelude::*;
    use tempfile::TempDir;

    /// A folder with some pairs, each given once.
    pub(crate) fn folder_of(urls: u32, pairs: &[StoredPair]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = PairSorter::create(folder.path(), urls, pairs.len() as u64, 500).unwrap();
        pairs.iter().for_each(|&pair| sorter.push(pair).unwrap());
        let mut writer = PairWriter::create(folder.path(), urls).unwrap();
        let files = sorter.finish().unwrap();
        files.sorted(folder.path(), |pairs| writer.push(pairs)).unwrap();
        writer.finish().unwrap();
        folder
    }

    proptest! {
        #[test]
        fn pairs_are_those_of_a_plain_sort_with_any_memory(
            pairs in prop::collection::btree_map((0u32..50, 0u32..50), (0u16..4, 0u16..=1_000), 0..80),
            spread: bool, memory in 0u64..700,
        ) {
            let mut pairs: Vec<StoredPair> = pairs
                .into_iter()
                .filter(|((page, other), _)| page < other)
                .map(|((page, other), (few, many))| StoredPair { page, other, thousandths: if spread { many } else { 300 * few } })
                .collect();
            let folder = folder_of(50, &pairs);
            let mut counted = Vec::new();
            let by_similarity = BySimilarity::new(folder.path(), 50, |pair| counted.push(pair)).unwrap();
            let mut found = Vec::new();
            by_similarity.each(memory, |u, v| found.push((u, v))).unwrap();
            counted.sort();
            prop_assert_eq!(&counted, &pairs);
            pairs.sort_by_key(|pair| order(pair.page, pair.other, pair.thousandths));
            prop_assert_eq!(found, pairs.iter().map(|pair| (pair.page, pair.other)).collect::<Vec<_>>());
        }
    }
}
