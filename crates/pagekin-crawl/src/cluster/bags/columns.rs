//! Bags in columns, in memory and on disk. Takes 6 bytes per term of a bag, and 8 per bag.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pagekin_core::bag::Bag;
use pagekin_core::vocabulary::TermId;
use pagekin_pairs::disk::columns::{NumberFile, NumberWriter};

/// A sequence of bags.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BagColumns {
    /// End of the terms of each bag.
    ends: Vec<u64>,
    terms: Vec<TermId>,
    copies: Vec<u16>,
}

impl BagColumns {
    /// Creates columns from bags.
    #[must_use]
    pub fn new(bags: &[Bag]) -> Self {
        let mut columns = Self::default();
        bags.iter().for_each(|bag| columns.push(bag));
        columns
    }

    /// Appends a bag.
    pub fn push(&mut self, bag: &Bag) {
        for &(term, copies) in bag.entries() {
            self.terms.push(term);
            self.copies.push(copies);
        }
        self.ends.push(self.terms.len() as u64);
    }

    /// Returns the number of bags.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no bags.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the terms of a bag in ascending order, and the count of each.
    ///
    /// # Panics
    ///
    /// If the bag does not exist.
    #[must_use]
    pub fn columns(&self, bag: usize) -> (&[TermId], &[u16]) {
        let start = if bag == 0 { 0 } else { self.ends[bag - 1] as usize };
        let range = start..self.ends[bag] as usize;
        (&self.terms[range.clone()], &self.copies[range])
    }

    /// Returns the terms of a bag with their counts, in ascending order.
    ///
    /// # Panics
    ///
    /// If the bag does not exist.
    pub fn entries(&self, bag: usize) -> impl Iterator<Item = (TermId, u16)> + '_ {
        let (terms, copies) = self.columns(bag);
        terms.iter().copied().zip(copies.iter().copied())
    }

    /// Returns a bag.
    ///
    /// # Panics
    ///
    /// If the bag does not exist.
    #[must_use]
    pub fn bag(&self, bag: usize) -> Bag {
        Bag::from_sorted(self.entries(bag).collect()).unwrap_or_default()
    }
}

/// Writes bags to three files, one per column.
#[derive(Debug)]
pub(crate) struct BagWriter {
    ends: NumberWriter<u64>,
    terms: NumberWriter<TermId>,
    copies: NumberWriter<u16>,
    written: u64,
}

/// Returns the paths of the columns of the bags at `path`: `path.ends` and so on.
fn paths(path: &Path) -> [PathBuf; 3] {
    ["ends", "terms", "copies"].map(|column| path.with_added_extension(column))
}

impl BagWriter {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let [ends, terms, copies] = paths(path);
        Ok(Self {
            ends: NumberWriter::create(&ends)?,
            terms: NumberWriter::create(&terms)?,
            copies: NumberWriter::create(&copies)?,
            written: 0,
        })
    }

    /// Appends bags.
    pub(crate) fn extend(&mut self, bags: &BagColumns) -> io::Result<()> {
        let ends: Vec<u64> = bags.ends.iter().map(|end| self.written + end).collect();
        self.ends.extend(&ends)?;
        self.terms.extend(&bags.terms)?;
        self.copies.extend(&bags.copies)?;
        self.written += bags.terms.len() as u64;
        Ok(())
    }

    /// Writes the remaining data.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.ends.finish()?;
        self.terms.finish()?;
        self.copies.finish()
    }
}

/// Bags on disk.
#[derive(Debug)]
pub(crate) struct BagFiles {
    ends: NumberFile<u64>,
    terms: NumberFile<TermId>,
    copies: NumberFile<u16>,
}

impl BagFiles {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let [ends, terms, copies] = paths(path);
        Ok(Self {
            ends: NumberFile::open(&ends)?,
            terms: NumberFile::open(&terms)?,
            copies: NumberFile::open(&copies)?,
        })
    }

    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Returns the bytes of all bags in memory.
    pub(crate) fn bytes(&self) -> u64 {
        8 * self.ends.len() + 6 * self.terms.len()
    }

    /// Reads bags by their numbers.
    pub(crate) fn each(&mut self, bags: impl Iterator<Item = u32>) -> io::Result<Vec<(u32, Bag)>> {
        bags.map(|bag| Ok((bag, self.range(bag..bag + 1)?.bag(0)))).collect()
    }

    /// Reads a range of bags.
    pub(crate) fn range(&mut self, range: Range<u32>) -> io::Result<BagColumns> {
        let (start, end) = (u64::from(range.start), u64::from(range.end));
        let first = match start.checked_sub(1) {
            Some(before) => self.ends.range(before..start)?[0],
            None => 0,
        };
        let mut ends = self.ends.range(start..end)?;
        let terms = first..ends.last().copied().unwrap_or(first);
        let out_of_order =
            || io::Error::new(io::ErrorKind::InvalidData, "bags end before they begin");
        for end in &mut ends {
            *end = end.checked_sub(first).ok_or_else(out_of_order)?;
        }
        if !ends.is_sorted() {
            return Err(out_of_order());
        }
        Ok(BagColumns {
            ends,
            terms: self.terms.range(terms.clone())?,
            copies: self.copies.range(terms)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_range_of_bags_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let bags: Vec<Bag> = [vec![(1, 2)], vec![], vec![(1, 1), (7, 9)], vec![(3, 4)]]
            .map(|entries| Bag::from_sorted(entries).unwrap())
            .into();
        let mut writer = BagWriter::create(&folder.path().join("some")).unwrap();
        for part in bags.chunks(3) {
            let mut columns = BagColumns::default();
            part.iter().for_each(|bag| columns.push(bag));
            writer.extend(&columns).unwrap();
        }
        writer.finish().unwrap();
        let mut files = BagFiles::open(&folder.path().join("some")).unwrap();
        assert_eq!((files.len(), files.bytes()), (4, 4 * 8 + 4 * 6));
        for start in 0..=4u32 {
            for end in start..=4 {
                let columns = files.range(start..end).unwrap();
                let found: Vec<Bag> = (0..columns.len()).map(|at| columns.bag(at)).collect();
                assert_eq!(found, bags[start as usize..end as usize]);
            }
        }
        assert!(files.range(3..5).is_err());
        let [first, .., last] = [0, 1, 2, 3].map(|at| (at, bags[at as usize].clone()));
        assert_eq!(files.each([3, 0].into_iter()).unwrap(), [last, first]);
    }
}
