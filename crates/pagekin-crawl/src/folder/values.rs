//! Searches URLs by the values of their signatures: IndexAllSimilar and ProcessQuery, on disk.
//!
//! For `n` URLs with signatures of `m` values, IndexAllSimilar keeps two structures. *H* contains
//! the signature of each URL. *I* contains, for each position of a signature and each value there,
//! the URLs with that value. ProcessQuery takes the `m` lists of *I* that a signature selects,
//! counts for each URL the lists that contain it, and ranks the URLs by that count, their
//! *agreement*. Two bags have equal values at a position with a probability close to their bag
//! Jaccard `J` ([`minhash`](pagekin_core::minhash)), so
//!
//! ```text
//! E[agreement / m] = J        standard deviation of agreement / m = sqrt(J (1 - J) / m)
//! ```
//!
//! plus `2^-16` for values that are equal by chance after truncation. Every URL that agrees at any
//! position is found.
//!
//! *H* is not stored: the folder contains the bag of each URL, which takes microseconds to sign, so
//! 160 bytes per URL would add no information. *I* is stored in two files:
//!
//! | file | content |
//! | --- | --- |
//! | `signatures` | for each position in order, its buckets in order; in a bucket, for each value in ascending order: the value, the length of its list in bytes, and the list: the first URL, then the distance of each URL from the previous one minus 1; all as LEB128 |
//! | `signatures.index` | the offset of each bucket of each position (u64), then the end of the last |
//!
//! A bucket contains the values that share a prefix of bits. The prefix is so long that a bucket
//! has about 256 URLs or a single value.
//!
//! # Cost
//!
//! For each position, a query reads two numbers and a bucket up to the end of its list, in steps of
//! `STEP` bytes. Lists ascend, so all `m` lists are scanned in parallel, `WINDOW` URLs at a time:
//! memory does not depend on the number of URLs.
//!
//! # Source
//!
//! Haveliwala, Gionis, Klein and Indyk (2002).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::folder::checksums::Checksums;
use crate::folder::error::CrawlFolderError;
use crate::folder::leb128;
use crate::folder::places::Places;

const LISTS: &str = "signatures";
const INDEX: &str = "signatures.index";
pub(crate) const NAMES: [&str; 2] = [LISTS, INDEX];
/// Approximate number of URLs per bucket of a position.
const BUCKET: u32 = 256;
/// Bits of a value.
const BITS: u32 = 16;
/// Bytes of a list that are read at a time. Tests have lists of several steps.
const STEP: u64 = if cfg!(test) { 16 } else { 8 << 10 };
/// URLs whose agreement is counted at a time. Tests have several windows.
const WINDOW: u32 = if cfg!(test) { 16 } else { 1 << 16 };

const DAMAGED: &str = "lists of URLs by the values of signatures";

/// Returns the number of leading bits of a value that select its bucket.
fn bucket_bits(urls: u32) -> u32 {
    (urls / BUCKET).checked_ilog2().unwrap_or(0).min(BITS)
}

/// The lists of a position.
#[derive(Debug)]
pub(crate) struct Position {
    lists: Vec<u8>,
    /// Where each bucket ends.
    ends: Vec<u64>,
}

impl Position {
    /// Groups URLs 0, 1, 2, … by their values at the position.
    pub(crate) fn new(values: &[u16]) -> Self {
        let mut starts = vec![0u32; (1 << BITS) + 1];
        for &value in values {
            starts[usize::from(value) + 1] += 1;
        }
        for value in 0..1 << BITS {
            starts[value + 1] += starts[value];
        }
        let mut urls = vec![0u32; values.len()];
        let mut next = starts.clone();
        for (url, &value) in (0..).zip(values) {
            let place = &mut next[usize::from(value)];
            urls[*place as usize] = url;
            *place += 1;
        }
        drop(next);
        let in_bucket = BITS - bucket_bits(values.len() as u32);
        let (mut lists, mut ends, mut list) = (Vec::new(), Vec::new(), Vec::new());
        for value in 0..1usize << BITS {
            let of_value = &urls[starts[value] as usize..starts[value + 1] as usize];
            if !of_value.is_empty() {
                list.clear();
                let mut min = 0;
                for &url in of_value {
                    leb128::put(&mut list, (url - min).into());
                    min = url + 1;
                }
                leb128::put(&mut lists, (value & ((1 << in_bucket) - 1)) as u64);
                leb128::put(&mut lists, list.len() as u64);
                lists.extend_from_slice(&list);
            }
            if (value + 1).trailing_zeros() >= in_bucket {
                ends.push(lists.len() as u64);
            }
        }
        Self { lists, ends }
    }
}

/// Writes the lists of all positions in order.
#[derive(Debug)]
pub(crate) struct ValueWriter {
    lists: BufWriter<File>,
    index: BufWriter<File>,
    at: u64,
}

impl ValueWriter {
    pub(crate) fn create(folder: &Path) -> io::Result<Self> {
        let file = |name| File::create_new(folder.join(name)).map(BufWriter::new);
        let mut writer = Self { lists: file(LISTS)?, index: file(INDEX)?, at: 0 };
        writer.index.write_all(&writer.at.to_le_bytes())?;
        Ok(writer)
    }

    /// Adds the next position.
    pub(crate) fn push(&mut self, position: &Position) -> io::Result<()> {
        self.lists.write_all(&position.lists)?;
        for end in &position.ends {
            self.index.write_all(&(self.at + end).to_le_bytes())?;
        }
        self.at += position.lists.len() as u64;
        Ok(())
    }

    /// Writes the remaining data.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.lists.flush()?;
        self.index.flush()
    }
}

/// The number of positions where a URL agrees, and the URL. The greatest is the best; of equal
/// counts, the lower URL.
type Agreement = (u16, Reverse<u32>);

#[derive(Debug)]
pub(crate) struct ValueLists {
    lists: Places,
    index: Places,
    urls: u32,
    positions: u16,
}

impl ValueLists {
    /// Opens the lists of a folder of `urls` URLs with signatures of `positions` values.
    pub(crate) fn open(
        sums: &mut Checksums,
        urls: u32,
        positions: u16,
    ) -> Result<Self, CrawlFolderError> {
        let [lists, index] = NAMES.map(|name| Places::open(sums, name));
        let (lists, index) = (lists?, index?);
        let buckets = u64::from(positions) << bucket_bits(urls);
        if index.bytes != 8 * (buckets + 1) {
            return Err(index.damaged("a place for each bucket of values, and the end"));
        }
        Ok(Self { lists, index, urls, positions })
    }

    /// Runs ProcessQuery: returns the `max` accepted URLs that agree most with the signature
    /// `values`, of equal ones the lower URL first. Only URLs that agree at some position count,
    /// and `accepts` is only called for URLs that would be among the best.
    pub(crate) fn best(
        &mut self,
        values: &[u16],
        max: usize,
        mut accepts: impl FnMut(u32) -> Result<bool, CrawlFolderError>,
    ) -> Result<Vec<u32>, CrawlFolderError> {
        assert_eq!(values.len(), usize::from(self.positions), "a value for each position");
        let mut lists = Vec::with_capacity(values.len());
        for (position, &value) in (0..).zip(values) {
            lists.extend(self.list(position, value)?);
        }
        let mut best: BinaryHeap<Reverse<Agreement>> = BinaryHeap::new();
        let mut counts = vec![0u16; WINDOW.min(self.urls) as usize];
        for start in (0..self.urls).step_by(WINDOW as usize) {
            let end = start.saturating_add(WINDOW).min(self.urls);
            counts.fill(0);
            for list in &mut lists {
                while let Some(url) = list.next.filter(|&url| url < end) {
                    counts[(url - start) as usize] += 1;
                    list.advance(self)?;
                }
            }
            for (url, &count) in (start..end).zip(&counts).filter(|&(_, &count)| count > 0) {
                let is_full = best.len() >= max;
                // URLs ascend: of equal counts, the earlier URL is better.
                if is_full && best.peek().is_none_or(|Reverse(worst)| count <= worst.0) {
                    continue;
                }
                if accepts(url)? {
                    best.push(Reverse((count, Reverse(url))));
                    if is_full {
                        best.pop();
                    }
                }
            }
        }
        let best = best.into_sorted_vec().into_iter();
        Ok(best.map(|Reverse((_, Reverse(url)))| url).collect())
    }

    /// Returns the URLs with a value at a position, if any.
    fn list(&mut self, position: u64, value: u16) -> Result<Option<List>, CrawlFolderError> {
        let bits = bucket_bits(self.urls);
        let in_bucket = BITS - bits;
        let bucket = (position << bits) + u64::from(u32::from(value) >> in_bucket);
        let [start, end] = self.index.numbers(8 * bucket)?;
        if start > end || end > self.lists.bytes {
            return Err(self.index.damaged("places within the lists, in order"));
        }
        let wanted = u64::from(u32::from(value) & ((1 << in_bucket) - 1));
        let mut list = List { at: start, end, read: Vec::new(), place: 0, next: None };
        while let Some(found) = list.number(self)? {
            let bytes = list.number(self)?.ok_or_else(|| self.lists.damaged(DAMAGED))?;
            if found < wanted {
                list.skip(bytes);
                continue;
            }
            if found == wanted {
                list.end_after(bytes);
                list.next = None;
                list.advance(self)?;
                return Ok(list.next.is_some().then_some(list));
            }
            break;
        }
        Ok(None)
    }
}

/// A list that is being read, or the bucket in which its value is searched.
#[derive(Debug)]
struct List {
    /// Start of the unread bytes.
    at: u64,
    end: u64,
    /// Bytes that are read, and the current offset in them.
    read: Vec<u8>,
    place: usize,
    /// The current URL.
    next: Option<u32>,
}

impl List {
    /// Moves to the next URL.
    fn advance(&mut self, of: &mut ValueLists) -> Result<(), CrawlFolderError> {
        let min = self.next.map_or(0, |url| u64::from(url) + 1);
        self.next = match self.number(of)? {
            None => None,
            Some(distance) => match u32::try_from(min + distance) {
                Ok(url) if url < of.urls => Some(url),
                _ => return Err(of.lists.damaged(DAMAGED)),
            },
        };
        Ok(())
    }

    /// Reads the next number, if there is one.
    #[inline]
    fn number(&mut self, of: &mut ValueLists) -> Result<Option<u64>, CrawlFolderError> {
        if self.read.len() - self.place < leb128::MAX_BYTES && self.at < self.end {
            let end = self.end.min(self.at + STEP);
            self.read.drain(..self.place);
            self.place = 0;
            self.read.extend(of.lists.read(self.at, end)?);
            self.at = end;
        }
        let mut rest = &self.read[self.place..];
        if rest.is_empty() {
            return Ok(None);
        }
        let number = leb128::take(&mut rest).ok_or_else(|| of.lists.damaged(DAMAGED))?;
        self.place = self.read.len() - rest.len();
        Ok(Some(number))
    }

    /// Skips `bytes` bytes, or all that are left.
    fn skip(&mut self, bytes: u64) {
        let is_read = (self.read.len() - self.place) as u64;
        self.place += bytes.min(is_read) as usize;
        self.at = self.at.saturating_add(bytes.saturating_sub(is_read)).min(self.end);
    }

    /// Ends the list after `bytes` bytes, or at its current end if that is earlier.
    fn end_after(&mut self, bytes: u64) {
        let is_read = (self.read.len() - self.place) as u64;
        self.read.truncate(self.place + bytes.min(is_read) as usize);
        self.end = self.at.saturating_add(bytes.saturating_sub(is_read)).min(self.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::hash::SplitMix64;
    use proptest::prelude::*;
    use tempfile::TempDir;

    fn folder_of(rows: &[Vec<u16>]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = ValueWriter::create(folder.path()).unwrap();
        for position in 0..rows.first().map_or(0, Vec::len) {
            let values: Vec<u16> = rows.iter().map(|row| row[position]).collect();
            writer.push(&Position::new(&values)).unwrap();
        }
        writer.finish().unwrap();
        folder
    }

    fn opened(folder: &TempDir, rows: &[Vec<u16>]) -> Result<ValueLists, CrawlFolderError> {
        let positions = rows.first().map_or(0, Vec::len) as u16;
        let mut sums = Checksums::open(folder.path())?;
        ValueLists::open(&mut sums, rows.len() as u32, positions)
    }

    /// Compares every signature: slow but obvious.
    fn by_comparison(rows: &[Vec<u16>], values: &[u16], max: usize, step: u32) -> Vec<u32> {
        let agreement = |row: &Vec<u16>| row.iter().zip(values).filter(|(a, b)| a == b).count();
        let mut all: Vec<(u32, usize)> =
            (0..).zip(rows).map(|(url, row)| (url, agreement(row))).collect();
        all.retain(|&(url, agreement)| agreement > 0 && url % step == 0);
        all.sort_by_key(|&(url, agreement)| (Reverse(agreement), url));
        all.into_iter().take(max).map(|(url, _)| url).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Uses few values, so that many URLs agree equally, and any others. 512 URLs and more fill
        /// several buckets.
        #[test]
        fn a_query_finds_what_comparing_every_signature_finds(
            m in 1usize..6, urls in prop_oneof![3 => 1usize..60, 1 => 500usize..1_200], seed: u64,
            max in prop_oneof![4 => 0usize..12, 1 => Just(2_000)], step in 1u32..4,
        ) {
            let mut stream = SplitMix64::new(seed);
            let mut value = || match stream.below(4) {
                0 => stream.below(1 << 16) as u16,
                few => (0x3fff * few) as u16,
            };
            let mut rows: Vec<Vec<u16>> = (0..=urls).map(|_| (0..m).map(|_| value()).collect()).collect();
            let other = rows.pop().unwrap();
            let folder = folder_of(&rows);
            let mut lists = opened(&folder, &rows).unwrap();
            for values in [&other, &rows[urls / 2]] {
                let found = lists.best(values, max, |url| Ok(url % step == 0)).unwrap();
                prop_assert_eq!(found, by_comparison(&rows, values, max, step));
            }
        }
    }

    #[test]
    fn damaged_lists_are_refused_or_change_few_results() {
        let rows: Vec<Vec<u16>> = (0..600).map(|url| vec![url % 7, url * 91]).collect();
        let folder = folder_of(&rows);
        for name in NAMES {
            let path = folder.path().join(name);
            let sound = std::fs::read(&path).unwrap();
            for at in 0..sound.len() {
                let mut bytes = sound.clone();
                bytes[at] ^= 0x81;
                std::fs::write(&path, &bytes).unwrap();
                // Neither panics nor returns an unknown URL.
                if let Ok(found) =
                    opened(&folder, &rows).and_then(|mut of| of.best(&rows[5], 9, |_| Ok(true)))
                {
                    assert!(found.len() <= 9 && found.iter().all(|&url| url < 600));
                }
            }
            std::fs::write(&path, &sound[..sound.len() - 1]).unwrap();
            let read =
                opened(&folder, &rows).and_then(|mut of| of.best(&[6, 0xffff], 9, |_| Ok(true)));
            assert!(read.is_err() || name == LISTS, "{name}");
            std::fs::write(&path, &sound).unwrap();
        }
        assert_eq!(opened(&folder, &rows).unwrap().best(&rows[5], 1, |_| Ok(true)).unwrap(), [5]);
    }
}
