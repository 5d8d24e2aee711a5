//! A shard of the LSH tables: buckets, the pages in them, and the partners of these pages.
//!
//! The number of buckets, then the buckets, ordered by key. Each is the difference from the
//! previous key; the number of pages minus one, with a lowest bit that shows whether there were
//! more; the pages in ascending order, each as the difference from the previous one; and for each
//! partner one byte for each page.

use super::sealed::open;
use super::wire::{Damaged, Writer, read_whole};
use super::{Kind, ReadError};
use crate::lsh::TableKey;

/// Buckets by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableShard {
    /// The number of partners of an entry.
    n_partners: usize,
    /// Ascending.
    keys: Vec<u32>,
    /// The end of the entries of each bucket.
    ends: Vec<u32>,
    /// Whether pages of the bucket were omitted.
    cut: Vec<bool>,
    /// The page of each entry.
    pages: Vec<u32>,
    /// The partners of each entry.
    partners: Vec<u8>,
}

/// Returns the key of a bucket in its shard: the number of its table and 16 bits of its hash,
/// because a shard has some hundreds of buckets. Two buckets of a table with the same key are
/// merged. Their pages are then candidates a little too often. A page is in one bucket of each
/// table, so none is lost.
fn key_of(bucket: u64) -> u32 {
    bucket as u32 & 0xff_ffff
}

impl TableShard {
    /// Groups pages into buckets. All keys must have as many partners as the first. `cut` contains
    /// the buckets from which pages were omitted.
    #[must_use]
    pub fn new(mut entries: Vec<(TableKey, u32)>, cut: &[u64]) -> Self {
        entries.sort_unstable_by_key(|(key, page)| (key_of(key.bucket), *page));
        let n_partners = entries.first().map_or(0, |(key, _)| key.partners.len());
        let mut shard = Self { n_partners, ..Self::default() };
        for (key, page) in entries {
            debug_assert_eq!(key.partners.len(), n_partners, "tables of one index");
            let is_cut = cut.contains(&key.bucket);
            let bucket = key_of(key.bucket);
            if shard.keys.last() == Some(&bucket) {
                shard.ends.pop();
                if let Some(of_bucket) = shard.cut.last_mut() {
                    *of_bucket |= is_cut;
                }
                if shard.pages.last() == Some(&page) {
                    // The same page twice.
                    shard.ends.push(shard.pages.len() as u32);
                    continue;
                }
            } else {
                shard.keys.push(bucket);
                shard.cut.push(is_cut);
            }
            shard.pages.push(page);
            shard.partners.extend(key.partners);
            shard.ends.push(shard.pages.len() as u32);
        }
        shard
    }

    /// Returns the pages in the bucket of `key`, ascending, each with the number of its partners
    /// that agree with those of `key`.
    pub fn matches<'a>(&'a self, key: &'a TableKey) -> impl Iterator<Item = (u32, u32)> + 'a {
        let range = match self.keys.binary_search(&key_of(key.bucket)) {
            Ok(at) => {
                let start = if at == 0 { 0 } else { self.ends[at - 1] };
                start as usize..self.ends[at] as usize
            }
            Err(_) => 0..0,
        };
        range.map(|at| {
            let partners = &self.partners[at * self.n_partners..(at + 1) * self.n_partners];
            let agreeing = partners.iter().zip(&key.partners).filter(|(a, b)| a == b).count();
            (self.pages[at], agreeing as u32)
        })
    }

    /// Whether the bucket of `key` was cut, so that pages may be missing from it.
    #[must_use]
    pub fn is_cut(&self, key: &TableKey) -> bool {
        self.keys.binary_search(&key_of(key.bucket)).is_ok_and(|at| self.cut[at])
    }

    /// Returns the number of buckets.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.keys.len()
    }

    /// Returns the approximate size in memory, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let of_buckets = size_of_val(&*self.keys) + size_of_val(&*self.ends) + self.cut.len();
        of_buckets + size_of_val(&*self.pages) + self.partners.len()
    }

    /// Returns the payload.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.varint(self.keys.len() as u32);
        let (mut key_before, mut start) = (0, 0);
        for ((&key, &end), &cut) in self.keys.iter().zip(&self.ends).zip(&self.cut) {
            writer.varint(key - key_before);
            key_before = key;
            let end = end as usize;
            writer.varint(((end - start) as u32 - 1) << 1 | u32::from(cut));
            let mut page_before = 0;
            for &page in &self.pages[start..end] {
                writer.varint(page - page_before);
                page_before = page;
            }
            for partner in 0..self.n_partners {
                for at in start..end {
                    writer.u8(self.partners[at * self.n_partners + partner]);
                }
            }
            start = end;
        }
        writer.finish()
    }

    /// Reads a shard. `slots` is the number of slots of the index's blocks, `n_partners` the number
    /// of partners in its tables.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub fn decode(
        name: &str,
        generation: u64,
        slots: u32,
        n_partners: usize,
        bytes: &[u8],
    ) -> Result<Self, ReadError> {
        let (_, payload) = open(name, Kind::Tables, Some(generation), bytes)?;
        read_whole(name, &payload, |reader| {
            let n = reader.count("the number of buckets")?;
            let mut shard = Self { n_partners, ..Self::default() };
            for _ in 0..n {
                let key = reader.ascending(shard.keys.last().copied(), "a bucket's key")?;
                shard.keys.push(key);
                let size_and_cut = reader.varint("the size of a bucket")?;
                shard.cut.push(size_and_cut & 1 == 1);
                let size = (size_and_cut >> 1) as usize + 1;
                let mut page = None;
                for _ in 0..size {
                    let next = reader.ascending(page, "a page in a bucket")?;
                    if next >= slots {
                        return Err(Damaged("a page of the index"));
                    }
                    shard.pages.push(next);
                    page = Some(next);
                }
                let columns = reader.bytes(size * n_partners, "the partners of a bucket")?;
                for at in 0..size {
                    shard
                        .partners
                        .extend((0..n_partners).map(|partner| columns[partner * size + at]));
                }
                shard.ends.push(shard.pages.len() as u32);
            }
            Ok(shard)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn any_entry() -> impl Strategy<Value = (TableKey, u32)> {
        let bucket = prop_oneof![0u64..50, any::<u64>()];
        (bucket, prop::collection::vec(any::<u8>(), 3..=3), 0u32..1_000)
            .prop_map(|(bucket, partners, page)| (TableKey { bucket, partners }, page))
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(entries in prop::collection::vec(any_entry(), 1..300)) {
            let cut = [entries[0].0.bucket];
            let shard = TableShard::new(entries.clone(), &cut);
            let bytes = seal(Kind::Tables, 1, &shard.encode());
            prop_assert_eq!(TableShard::decode("x", 1, 1_000, 3, &bytes), Ok(shard.clone()));
            prop_assert!(shard.is_cut(&entries[0].0));
            let buckets: BTreeSet<_> = entries.iter().map(|(key, _)| key_of(key.bucket)).collect();
            prop_assert_eq!(shard.buckets(), buckets.len());
            // Counts the key, end and mark of each bucket, and the page and three partners of each
            // entry.
            let met = |(key, page): &(TableKey, u32)| (key_of(key.bucket), *page);
            let kept: BTreeSet<_> = entries.iter().map(met).collect();
            prop_assert_eq!(shard.memory(), 9 * buckets.len() + 7 * kept.len());
            for (key, page) in entries {
                prop_assert!(shard.matches(&key).any(|(found, _)| found == page));
            }
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>, n_partners in 0usize..10) {
            let _ = TableShard::decode("x", 1, 1_000, n_partners, &seal(Kind::Tables, 1, &payload));
        }
    }

    #[test]
    fn agreeing_partners_are_counted() {
        let key = |partners: [u8; 3]| TableKey { bucket: 9, partners: partners.to_vec() };
        let shard = TableShard::new(vec![(key([1, 2, 3]), 5), (key([1, 9, 3]), 4)], &[]);
        let query = key([1, 2, 0]);
        assert_eq!(shard.matches(&query).collect::<Vec<_>>(), [(4, 1), (5, 2)]);
        let other = TableKey { bucket: 8, ..query.clone() };
        assert_eq!(shard.matches(&other).count(), 0);
        assert!(!shard.is_cut(&query) && !shard.is_cut(&other));
    }
}
