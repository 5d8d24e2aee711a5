//! Sorts pairs by their first page, in both directions, on disk.
//!
//! All pairs of 20 million URLs do not fit into memory. Pages are numbered in the order of a hash,
//! so their numbers are distributed evenly over the pairs. Pairs are written to files by ranges of
//! their first page, and one file at a time is sorted in memory. This is the paper's most expensive
//! step (section 5, Table 1).

use std::path::Path;
use std::{fs, io};

use pagekin_pairs::disk::partitions;
use pagekin_pairs::disk::partitions::Spread;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::folder::format::{PAIR_BYTES, StoredPair};

/// Prefix of the names of the files.
pub(crate) const NAME: &str = "pairs";
/// Maximum number of files, which are all open at a time.
const MAX_FILES: u64 = 512;

/// Takes pairs in any order.
#[derive(Debug)]
pub struct PairSorter {
    pages: u32,
    files: Spread,
    pairs: u64,
}

/// Files of pairs, each with a range of first pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairFiles {
    /// Number of files.
    pub files: u32,
    /// Number of pairs, each stored in both directions.
    pub pairs: u64,
}

impl PairSorter {
    /// Creates 1 to 512 files in `folder` for pairs of pages below `pages`, enough to keep each
    /// within `memory` bytes if there are `pairs` pairs.
    ///
    /// # Errors
    ///
    /// If a file cannot be created.
    pub fn create(folder: &Path, pages: u32, pairs: u64, memory: u64) -> io::Result<Self> {
        // The bytes of a file are in memory while it is sorted.
        let bytes = pairs.saturating_mul(2 * (size_of::<StoredPair>() + PAIR_BYTES) as u64);
        let files = bytes.div_ceil(memory.max(1)).clamp(1, MAX_FILES) as u32;
        let files = Spread::create(folder, NAME, files)?;
        Ok(Self { pages: pages.max(1), files, pairs: 0 })
    }

    /// Adds a pair, in both directions.
    ///
    /// # Errors
    ///
    /// If writing fails.
    ///
    /// # Panics
    ///
    /// If a page is not below the number of pages.
    pub fn push(&mut self, pair: StoredPair) -> io::Result<()> {
        for pair in [pair, pair.turned()] {
            let file = u64::from(pair.page) * u64::from(self.files.files()) / u64::from(self.pages);
            self.files.write(file as u32, &pair.to_bytes())?;
        }
        self.pairs += 1;
        Ok(())
    }

    /// Writes the remaining pairs and returns the files.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn finish(self) -> io::Result<PairFiles> {
        let files = self.files.files();
        self.files.close()?;
        Ok(PairFiles { files, pairs: self.pairs })
    }
}

impl PairFiles {
    /// Passes all pairs of the files in `folder`, in both directions, to `each`, sorted by page,
    /// then most similar first, then by the other page. Each batch continues after the previous one
    /// and contains all pairs of its pages.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or the first error of `each`.
    pub fn sorted(
        &self,
        folder: &Path,
        mut each: impl FnMut(&[StoredPair]) -> io::Result<()>,
    ) -> io::Result<()> {
        for file in 0..self.files {
            let path = partitions::path(folder, NAME, file);
            let bytes = fs::read(&path)?;
            let (chunks, rest) = bytes.as_chunks::<PAIR_BYTES>();
            if !rest.is_empty() {
                let what =
                    format!("expected whole pairs in {}, found a part of one", path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            let mut pairs: Vec<StoredPair> =
                chunks.par_iter().copied().map(StoredPair::from_bytes).collect();
            drop(bytes);
            pairs.par_sort_unstable_by_key(|pair| {
                (pair.page, std::cmp::Reverse(pair.thousandths), pair.other)
            });
            each(&pairs)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn batches_contain_all_pairs_in_both_directions_in_order(
            pairs in prop::collection::btree_map((0u32..50, 0u32..50), 0u16..=1_000, 0..80), memory in 1u64..4_000,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = PairSorter::create(folder.path(), 50, pairs.len() as u64, memory).unwrap();
            let pairs: Vec<StoredPair> = pairs
                .into_iter()
                .filter(|((page, other), _)| page < other)
                .map(|((page, other), thousandths)| StoredPair { page, other, thousandths })
                .collect();
            for &pair in pairs.iter().rev() {
                sorter.push(pair).unwrap();
            }
            let mut found = Vec::new();
            let mut last = None;
            let files = sorter.finish().unwrap();
            let sorted = files.sorted(folder.path(), |batch| {
                assert!(batch.first().is_none_or(|first| last < Some(first.page)), "a page in two batches");
                last = batch.last().map(|pair| pair.page).or(last);
                found.extend_from_slice(batch);
                Ok(())
            });
            sorted.unwrap();
            prop_assert_eq!(files.pairs, pairs.len() as u64);
            let mut expected: Vec<_> = pairs.iter().flat_map(|pair| [*pair, pair.turned()]).collect();
            expected.sort_by_key(|pair| (pair.page, 1_000 - pair.thousandths, pair.other));
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn pairs_are_distributed_over_files_by_page() {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = PairSorter::create(folder.path(), 100, 4, 44).unwrap();
        assert_eq!(sorter.files.files(), 4);
        sorter.push(StoredPair { page: 0, other: 99, thousandths: 500 }).unwrap();
        let mut batches = Vec::new();
        let sorted = sorter.finish().unwrap().sorted(folder.path(), |batch| {
            batches.push(batch.len());
            Ok(())
        });
        sorted.unwrap();
        assert_eq!(batches, [1, 0, 0, 1]);
    }
}
