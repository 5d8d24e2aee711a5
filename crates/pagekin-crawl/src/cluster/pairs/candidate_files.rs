//! Candidate pairs on disk, before they are verified by their bags.
//!
//! The bags of a large crawl do not fit into memory together. URLs are divided into equal ranges,
//! and a pair is written to the file of the ranges of its two URLs, a *cell*. Verifying the pairs
//! of a cell takes the bags of two ranges.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pagekin_pairs::disk::partitions;
use pagekin_pairs::disk::partitions::Spread;
use serde::{Deserialize, Serialize};

/// Prefix of the names of the files.
pub(crate) const NAME: &str = "candidates";
/// Maximum number of ranges. It limits the number of files that are open at a time.
const MAX_RANGES: u32 = 30;

/// The division of the URLs of a crawl into ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cells {
    urls: u32,
    ranges: u32,
}

/// A pair of ranges, lower first. Both may be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) low: u32,
    pub(crate) high: u32,
}

impl Cells {
    /// Returns the minimum number of ranges so that two of them have bags of at most `memory`
    /// bytes, out of `bytes` in all; or one range if all fit.
    pub(crate) fn new(urls: u32, bytes: u64, memory: u64) -> Self {
        let parts = (2 * bytes).div_ceil(memory.max(1)).clamp(1, MAX_RANGES.into()) as u32;
        Self { urls, ranges: if bytes <= memory { 1 } else { parts } }
    }

    pub(crate) fn range(self, range: u32) -> Range<u32> {
        let begin = |range: u32| {
            (u64::from(self.urls) * u64::from(range)).div_ceil(u64::from(self.ranges)) as u32
        };
        begin(range)..begin(range + 1)
    }

    fn range_of(self, url: u32) -> u32 {
        (u64::from(url) * u64::from(self.ranges) / u64::from(self.urls.max(1))) as u32
    }

    /// Returns all cells, grouped by their lower range.
    pub(crate) fn all(self) -> impl Iterator<Item = Cell> {
        (0..self.ranges).flat_map(move |low| (low..self.ranges).map(move |high| Cell { low, high }))
    }

    /// Returns the number of a cell's file.
    fn number(self, cell: Cell) -> u32 {
        let Cell { low, high } = cell;
        low * self.ranges - low * (low + 1) / 2 + high
    }

    pub(crate) fn path(self, folder: &Path, cell: Cell) -> PathBuf {
        partitions::path(folder, NAME, self.number(cell))
    }
}

/// Writes pairs in any order.
#[derive(Debug)]
pub(crate) struct CandidateWriter {
    cells: Cells,
    files: Spread,
    count: u64,
}

impl CandidateWriter {
    pub(crate) fn create(folder: &Path, cells: Cells) -> io::Result<Self> {
        let files = cells.ranges * (cells.ranges + 1) / 2;
        Ok(Self { cells, files: Spread::create(folder, NAME, files)?, count: 0 })
    }

    /// Adds a pair of URLs, `u < v`.
    pub(crate) fn push(&mut self, u: u32, v: u32) -> io::Result<()> {
        let cell = Cell { low: self.cells.range_of(u), high: self.cells.range_of(v) };
        self.count += 1;
        self.files.write(self.cells.number(cell), &word(u, v).to_ne_bytes())
    }

    /// Writes the remaining data and returns the number of pairs.
    pub(crate) fn finish(self) -> io::Result<u64> {
        self.files.close()?;
        Ok(self.count)
    }
}

/// Returns a pair as a number. Numbers sort like pairs.
fn word(u: u32, v: u32) -> u64 {
    u64::from(u) << 32 | u64::from(v)
}

/// Returns the pair of a number.
pub(crate) fn pair(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pairs::disk::columns::NumberFile;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_are_in_the_cell_of_their_ranges(
            urls in 2u32..90, bytes in 1u64..2_000, memory in 1u64..2_000, pairs in prop::collection::vec((0u32..90, 0u32..90), 0..50),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let cells = Cells::new(urls, bytes, memory);
            let max = if cells.ranges == 1 { bytes } else { 2 * bytes / u64::from(cells.ranges) };
            prop_assert!(max <= memory || cells.ranges == MAX_RANGES);
            let ranges: Vec<u32> = (0..cells.ranges).flat_map(|range| cells.range(range)).collect();
            prop_assert_eq!(ranges, (0..urls).collect::<Vec<_>>());
            let mut pairs: Vec<(u32, u32)> =
                pairs.into_iter().map(|(u, v)| (u % urls, v % urls)).filter(|(u, v)| u < v).collect();
            let mut writer = CandidateWriter::create(folder.path(), cells).unwrap();
            for &(u, v) in &pairs {
                writer.push(u, v).unwrap();
            }
            prop_assert_eq!(writer.finish().unwrap(), pairs.len() as u64);
            let mut found = Vec::new();
            for cell in cells.all() {
                let words = NumberFile::<u64>::open(&cells.path(folder.path(), cell)).unwrap().all().unwrap();
                for (u, v) in words.into_iter().map(pair) {
                    prop_assert!(cells.range(cell.low).contains(&u) && cells.range(cell.high).contains(&v));
                    found.push((u, v));
                }
            }
            found.sort_unstable();
            pairs.sort_unstable();
            prop_assert_eq!(found, pairs);
        }
    }
}
