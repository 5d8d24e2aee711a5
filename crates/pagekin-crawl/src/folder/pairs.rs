//! Reads the similar URLs of a crawl: those of one URL, and all pairs.
//!
//! Pairs are only stored for the first of each group of *twins*, URLs with equal bags. They apply
//! to all twins.

use std::cmp::Reverse;

use crate::folder::error::CrawlFolderError;
use crate::folder::format::{EQUAL, GROUP_ENTRY, PAIR_ENTRY, StoredPair, group_entry, pair_entry};
use crate::folder::read::CrawlFolder;

const PAIRS: &str = "numbers of URLs, and similarities of at most 1,000 thousandths";
const PAIR_PLACES: &str = "places within the pairs, in order";
const GROUPS: &str = "twins in the order of their first twins";

impl CrawlFolder {
    /// Returns the pages similar to a page with their similarity in thousandths, most similar
    /// first.
    ///
    /// # Errors
    ///
    /// If the page does not exist or cannot be read.
    pub fn related(&mut self, number: u32) -> Result<Vec<(u32, u16)>, CrawlFolderError> {
        let first = self.first_twin(number)?;
        let mut related: Vec<(u32, u16)> = vec![(first, EQUAL)];
        self.twins_behind(first, |twin| related.push((twin, EQUAL)))?;
        related.retain(|&(page, _)| page != number);
        for (page, thousandths) in self.pairs_of(first)? {
            related.push((page, thousandths));
            self.twins_behind(page, |twin| related.push((twin, thousandths)))?;
        }
        related.sort_unstable_by_key(|&(page, thousandths)| (Reverse(thousandths), page));
        Ok(related)
    }

    /// Passes all pairs of similar pages to `each`, those of a page and its twins together.
    ///
    /// # Errors
    ///
    /// If pairs cannot be read, or the first error of `each`.
    pub fn each_pair<E: From<CrawlFolderError>>(
        &self,
        mut each: impl FnMut(StoredPair) -> Result<(), E>,
    ) -> Result<(), E> {
        let groups = self.twin_groups()?;
        let twins_after = |first: u32| {
            let start = groups.partition_point(|entry| entry.0 < first);
            let of_first = groups[start..].iter().take_while(move |entry| entry.0 == first);
            of_first.map(|&(_, twin)| twin)
        };
        let mut give = |a: u32, b: u32, thousandths| {
            each(StoredPair { page: a.min(b), other: a.max(b), thousandths })
        };
        let (mut index, mut pairs) = (self.pair_index.stream(), self.pairs.stream());
        let mut place = || {
            let mut bytes = [0; 8];
            self.pair_index.fill(&mut index, &mut bytes)?;
            Ok::<_, CrawlFolderError>(u64::from_le_bytes(bytes))
        };
        let mut at = place()?;
        if at != 0 {
            return Err(self.pair_index.damaged(PAIR_PLACES).into());
        }
        for page in 0..self.description.urls {
            let mut twins: Vec<u32> = twins_after(page).collect();
            twins.insert(0, page);
            for (rank, &a) in twins.iter().enumerate() {
                twins[..rank].iter().try_for_each(|&b| give(a, b, EQUAL))?;
            }
            let end = place()?;
            if end < at {
                return Err(self.pair_index.damaged(PAIR_PLACES).into());
            }
            for _ in at..end {
                let mut bytes = [0; PAIR_ENTRY as usize];
                self.pairs.fill(&mut pairs, &mut bytes)?;
                let (other, thousandths) = pair_entry(bytes);
                if !self.is_pair(other, thousandths) {
                    return Err(self.pairs.damaged(PAIRS).into());
                }
                if other > page {
                    for &a in &twins {
                        give(a, other, thousandths)?;
                        twins_after(other).try_for_each(|b| give(a, b, thousandths))?;
                    }
                }
            }
            at = end;
        }
        Ok(())
    }

    /// Returns the first of a page's twins.
    fn first_twin(&mut self, number: u32) -> Result<u32, CrawlFolderError> {
        if number >= self.description.urls {
            return Err(self.twins.damaged("numbers of URLs below their number"));
        }
        let place = 4 * u64::from(number);
        let bytes = self.twins.read(place, place + 4)?;
        let first = bytes.first_chunk::<4>().map_or(number, |bytes| u32::from_le_bytes(*bytes));
        if first > number {
            return Err(self.twins.damaged("the first twin of each URL"));
        }
        Ok(first)
    }

    /// Passes the other twins of a group to `each`. Reads `O(log n)` entries.
    fn twins_behind(
        &mut self,
        first: u32,
        mut each: impl FnMut(u32),
    ) -> Result<(), CrawlFolderError> {
        let entries = self.groups.bytes / GROUP_ENTRY;
        let mut first_of = |at: u64| {
            let bytes = self.groups.read(GROUP_ENTRY * at, GROUP_ENTRY * at + 4)?;
            let first = bytes.first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
            Ok::<u32, CrawlFolderError>(first)
        };
        let mut begin_of = |first: u64| {
            let (mut low, mut high) = (0, entries);
            while low < high {
                let middle = low + (high - low) / 2;
                if u64::from(first_of(middle)?) < first { low = middle + 1 } else { high = middle }
            }
            Ok::<u64, CrawlFolderError>(low)
        };
        let (start, end) = (begin_of(first.into())?, begin_of(u64::from(first) + 1)?);
        if start >= end {
            return Ok(());
        }
        let bytes = self.groups.read(GROUP_ENTRY * start, GROUP_ENTRY * end)?;
        let mut before = first;
        for entry in bytes.as_chunks::<{ GROUP_ENTRY as usize }>().0 {
            let (of, twin) = group_entry(*entry);
            if of != first || twin <= before || twin >= self.description.urls {
                return Err(self.groups.damaged(GROUPS));
            }
            each(twin);
            before = twin;
        }
        Ok(())
    }

    /// Returns, for each page that is not the first of its twins, the first twin and the page
    /// itself, sorted. Takes 8 bytes each.
    ///
    /// # Errors
    ///
    /// If they cannot be read or are damaged.
    pub fn twin_groups(&self) -> Result<Vec<(u32, u32)>, CrawlFolderError> {
        let mut file = self.groups.stream();
        let mut groups: Vec<(u32, u32)> = Vec::new();
        for _ in 0..self.groups.bytes / GROUP_ENTRY {
            let mut bytes = [0; GROUP_ENTRY as usize];
            self.groups.fill(&mut file, &mut bytes)?;
            let entry = group_entry(bytes);
            let (first, twin) = entry;
            if first >= twin
                || twin >= self.description.urls
                || groups.last().is_some_and(|before| *before >= entry)
            {
                return Err(self.groups.damaged(GROUPS));
            }
            groups.push(entry);
        }
        Ok(groups)
    }

    fn is_pair(&self, other: u32, thousandths: u16) -> bool {
        other < self.description.urls && thousandths <= EQUAL
    }

    fn pairs_of(&mut self, number: u32) -> Result<Vec<(u32, u16)>, CrawlFolderError> {
        if number >= self.description.urls {
            return Err(self.pair_index.damaged("numbers of URLs below their number"));
        }
        let [start, end] = self.pair_index.numbers(8 * u64::from(number))?;
        let (start, end) = (start.checked_mul(PAIR_ENTRY), end.checked_mul(PAIR_ENTRY));
        let (Some(start), Some(end)) = (start, end) else {
            return Err(self.pair_index.damaged(PAIR_PLACES));
        };
        let bytes = self.pairs.read(start, end)?;
        let (entries, _) = bytes.as_chunks::<{ PAIR_ENTRY as usize }>();
        let pairs: Vec<_> = entries.iter().copied().map(pair_entry).collect();
        if pairs.iter().any(|&(other, thousandths)| !self.is_pair(other, thousandths)) {
            return Err(self.pairs.damaged(PAIRS));
        }
        Ok(pairs)
    }
}
