//! Pairs in any order into pairs sorted by their first page, each both ways.
//!
//! All pairs of 20 million URLs do not fit into memory. Pages are numbered in the order of a hash,
//! so their numbers are spread evenly over the pairs: pairs go to files by ranges of their first
//! page, and one file at a time is sorted in memory. The paper's most expensive step (section 5,
//! Table 1).

use std::path::Path;
use std::{fs, io};

use pagekin_pairs::disk::partitions;
use pagekin_pairs::disk::partitions::Spread;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::folder::format::{PAIR_BYTES, StoredPair};

/// What the files of pairs are called, and how many there are at most: so many files may be open at
/// once.
pub(crate) const NAME: &str = "pairs";
const MAX_FILES: u64 = 512;

/// Takes pairs in any order.
#[derive(Debug)]
pub struct PairSorter {
    pages: u32,
    files: Spread,
    pairs: u64,
}

/// Pairs in files, each of which holds those of a range of first pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairFiles {
    /// The number of files.
    pub files: u32,
    /// The number of pairs, each of which stands in them both ways.
    pub pairs: u64,
}

impl PairSorter {
    /// For pages below `pages`, with as many files in `folder` as keep `pairs` pairs, if so many
    /// come, within `memory` bytes a file: 1 to 512.
    ///
    /// # Errors
    ///
    /// If a file cannot be made.
    pub fn create(folder: &Path, pages: u32, pairs: u64, memory: u64) -> io::Result<Self> {
        // While a file is sorted its bytes are in memory too.
        let bytes = pairs.saturating_mul(2 * (size_of::<StoredPair>() + PAIR_BYTES) as u64);
        let files = bytes.div_ceil(memory.max(1)).clamp(1, MAX_FILES) as u32;
        let files = Spread::create(folder, NAME, files)?;
        Ok(Self { pages: pages.max(1), files, pairs: 0 })
    }

    /// Takes a pair, both ways.
    ///
    /// # Errors
    ///
    /// If the disk does not take it.
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

    /// The files, once all pairs are in them.
    ///
    /// # Errors
    ///
    /// If the disk does not take the last of them.
    pub fn finish(self) -> io::Result<PairFiles> {
        let files = self.files.files();
        self.files.close()?;
        Ok(PairFiles { files, pairs: self.pairs })
    }
}

impl PairFiles {
    /// Gives all pairs of the files in `folder`, both ways, sorted: by page, then most similar
    /// first, then by the other page. Each batch goes on where the one before ended, and has all
    /// pairs of its pages.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `each` says so.
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
        fn batches_are_all_pairs_both_ways_in_order(
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
    fn what_is_pushed_is_spread_over_files_by_its_page() {
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
