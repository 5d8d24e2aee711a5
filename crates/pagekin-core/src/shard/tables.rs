//! A shard of the LSH tables: buckets and the pages in them.
//!
//! The number of buckets; then the buckets in ascending order of their keys, each the step from the key
//! before, the number of pages less one, and the pages in ascending order, each the step from the one before.

use super::wire::{Reader, Writer};
use super::{Kind, ReadError, open};

/// Buckets by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableShard {
    /// Ascending.
    keys: Vec<u32>,
    /// Where the pages of each bucket end in `pages`.
    ends: Vec<u32>,
    pages: Vec<u32>,
}

impl TableShard {
    /// Groups (key, page) pairs into buckets. Repeated pairs count once.
    #[must_use]
    pub fn new(mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut shard = Self::default();
        for (key, page) in pairs {
            if shard.keys.last() == Some(&key) {
                shard.ends.pop();
            } else {
                shard.keys.push(key);
            }
            shard.pages.push(page);
            shard.ends.push(shard.pages.len() as u32);
        }
        shard
    }

    /// The pages in the bucket of `key`, ascending; none if there is no such bucket.
    #[must_use]
    pub fn bucket(&self, key: u32) -> &[u32] {
        let Ok(at) = self.keys.binary_search(&key) else { return &[] };
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.pages[start as usize..self.ends[at] as usize]
    }

    /// The number of buckets.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.keys.len()
    }

    /// The payload.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.varint(self.keys.len() as u32);
        let mut key_before = None;
        for &key in &self.keys {
            writer.varint(key - key_before.unwrap_or(0));
            key_before = Some(key);
            let bucket = self.bucket(key);
            writer.varint(bucket.len() as u32 - 1);
            let mut page_before = 0;
            for &page in bucket {
                writer.varint(page - page_before);
                page_before = page;
            }
        }
        writer.finish()
    }

    /// Reads a shard. `pages` is the number of pages of the index.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    pub fn decode(
        name: &str,
        generation: u64,
        pages: u32,
        bytes: &[u8],
    ) -> Result<Self, ReadError> {
        let (_, payload) = open(name, Kind::Tables, Some(generation), bytes)?;
        let mut reader = Reader::new(name, payload);
        let n = reader.count("the number of buckets")?;
        let mut shard = Self::default();
        for _ in 0..n {
            let key = reader.ascending(shard.keys.last().copied(), "a bucket's key")?;
            shard.keys.push(key);
            let mut page = None;
            for _ in 0..=reader.count("the size of a bucket")? {
                let next = reader.ascending(page, "a page in a bucket")?;
                if next >= pages {
                    return Err(reader.damaged("a page of the index"));
                }
                shard.pages.push(next);
                page = Some(next);
            }
            shard.ends.push(shard.pages.len() as u32);
        }
        reader.end()?;
        Ok(shard)
    }
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(pairs in prop::collection::vec((0u32..50, 0u32..1_000), 0..300), wide: Vec<(u32, u16)>) {
            let pairs: Vec<_> = pairs.into_iter().chain(wide.into_iter().map(|(key, page)| (key, u32::from(page)))).collect();
            let shard = TableShard::new(pairs.clone());
            let bytes = seal(Kind::Tables, 1, &shard.encode());
            prop_assert_eq!(TableShard::decode("x", 1, 1 << 16, &bytes), Ok(shard.clone()));
            for (key, page) in pairs {
                prop_assert!(shard.bucket(key).contains(&page));
            }
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            let _ = TableShard::decode("x", 1, 1_000, &seal(Kind::Tables, 1, &payload));
        }
    }
}
