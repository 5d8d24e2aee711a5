//! Pairs in any order into pairs sorted by their first page, each both ways.
//!
//! All pairs of 20 million URLs do not fit into memory. Pages are numbered in the order of a hash, so their numbers are
//! spread evenly over the pairs: pairs go to files by ranges of their first page, and one file at a time is sorted in
//! memory. The paper's most expensive step (section 5, Table 1).

use std::fs;
use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::spreading::Spread;

/// Of a pair on disk.
const PAIR_BYTES: usize = 10;

/// Two similar pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredPair {
    /// A page by its number.
    pub page: u32,
    /// Another that is like it.
    pub other: u32,
    /// How similar they are, in thousandths, 0 to 1,000.
    pub thousandths: u16,
}

impl StoredPair {
    /// The same pair the other way round.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { page: self.other, other: self.page, ..self }
    }

    fn to_bytes(self) -> [u8; PAIR_BYTES] {
        let mut bytes = [0; PAIR_BYTES];
        bytes[..4].copy_from_slice(&self.page.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.other.to_le_bytes());
        bytes[8..].copy_from_slice(&self.thousandths.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: [u8; PAIR_BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j] = bytes;
        Self {
            page: u32::from_le_bytes([a, b, c, d]),
            other: u32::from_le_bytes([e, f, g, h]),
            thousandths: u16::from_le_bytes([i, j]),
        }
    }
}

/// Takes pairs in any order.
#[derive(Debug)]
pub struct PairSorter {
    pages: u32,
    files: Spread,
    pairs: u64,
}

impl PairSorter {
    /// For pages below `pages`, with as many files in `folder` as keep `pairs` pairs, if so many come, within `memory`
    /// bytes a file: 1 to 4,096.
    ///
    /// # Errors
    ///
    /// If a file cannot be made.
    pub fn create(folder: &Path, pages: u32, pairs: u64, memory: u64) -> io::Result<Self> {
        let bytes = 2 * pairs * size_of::<StoredPair>() as u64;
        let files = bytes.div_ceil(memory.max(1)).clamp(1, 4_096) as u32;
        let files = Spread::create(folder, "pairs", files)?;
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

    /// Gives all pairs, both ways, sorted: by page, then most similar first, then by the other page. Each batch goes on
    /// where the one before ended, and has all pairs of its pages. The files are removed.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written, or `each` says so.
    pub fn sorted(self, mut each: impl FnMut(&[StoredPair]) -> io::Result<()>) -> io::Result<u64> {
        for path in self.files.close()? {
            let bytes = fs::read(&path)?;
            let (chunks, rest) = bytes.as_chunks::<PAIR_BYTES>();
            if !rest.is_empty() {
                let what =
                    format!("expected whole pairs in {}, found a part of one", path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            let mut pairs: Vec<StoredPair> =
                chunks.iter().copied().map(StoredPair::from_bytes).collect();
            drop(bytes);
            pairs.par_sort_unstable_by_key(|pair| {
                (pair.page, std::cmp::Reverse(pair.thousandths), pair.other)
            });
            each(&pairs)?;
            fs::remove_file(&path)?;
        }
        Ok(self.pairs)
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
            let count = sorter.sorted(|batch| {
                assert!(batch.first().is_none_or(|first| last < Some(first.page)), "a page in two batches");
                last = batch.last().map(|pair| pair.page).or(last);
                found.extend_from_slice(batch);
                Ok(())
            });
            prop_assert_eq!(count.unwrap(), pairs.len() as u64);
            let mut expected: Vec<_> = pairs.iter().flat_map(|pair| [*pair, pair.turned()]).collect();
            expected.sort_by_key(|pair| (pair.page, 1_000 - pair.thousandths, pair.other));
            prop_assert_eq!(found, expected);
            prop_assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "temporary files stay");
        }
    }

    #[test]
    fn what_is_pushed_is_spread_over_files_by_its_page() {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = PairSorter::create(folder.path(), 100, 4, 24).unwrap();
        assert_eq!(sorter.files.files(), 4);
        sorter.push(StoredPair { page: 0, other: 99, thousandths: 500 }).unwrap();
        let mut batches = Vec::new();
        sorter
            .sorted(|batch| {
                batches.push(batch.len());
                Ok(())
            })
            .unwrap();
        assert_eq!(batches, [1, 0, 0, 1]);
    }
}
