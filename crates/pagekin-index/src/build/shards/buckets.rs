//! Builds the shards of the LSH tables from signatures.
//!
//! # Popular buckets
//!
//! Pages with the same template share a few buckets, thousands of them at once. A lookup would read
//! such a bucket whole and learn little. A bucket of more than [`MAX_ENTRIES`] pages is popular,
//! and keeps only that many. Each page draws the hash of its number and the table, so that each
//! table keeps other pages, times the number of its buckets in which it can expect to stay. The
//! lowest values stay: a page without other buckets is the likelier to stay. Pages that share a
//! block with a kept page are read with it. The shard marks the bucket as cut, so that a lookup
//! does not mistake a missing page for a different one.
//!
//! In a pack, every shard takes a slot, and a lookup reads whole slots. So slots fit most shards,
//! and the buckets of a shard that does not fit keep half as many pages, or a quarter, and so on
//! down to [`MIN_ENTRIES`].

use pagekin_core::hash;
use pagekin_core::lsh::Tables;
use pagekin_core::minhash::Signature;
use pagekin_core::shard::TableShard;
use rayon::prelude::*;

/// Maximum number of pages in a bucket.
pub(crate) const MAX_ENTRIES: usize = 512;
/// Number of pages that a bucket in a pack keeps at least.
pub(crate) const MIN_ENTRIES: usize = 8;

/// A page in a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    shard: u32,
    bucket: u64,
    /// The number of the page in the index.
    number: u32,
    table: u16,
    /// Its index in the list of all pages.
    page: u32,
}

/// All pages in their buckets, by shard.
pub(crate) struct Buckets<'a> {
    tables: &'a Tables,
    signatures: &'a [Signature],
    entries: Vec<Entry>,
    /// The index of each shard's first entry, and the number of entries.
    ends: Vec<usize>,
    sizes: Vec<u32>,
}

impl<'a> Buckets<'a> {
    /// Distributes pages over `shards` shards. `numbers` and `signatures` are those of each page.
    pub(crate) fn new(
        tables: &'a Tables,
        signatures: &'a [Signature],
        numbers: &[u32],
        shards: u32,
    ) -> Self {
        let mut entries = Vec::new();
        if shards > 0 {
            entries.par_extend((0..signatures.len()).into_par_iter().flat_map_iter(|page| {
                tables.keys(&signatures[page]).zip(0u16..).map(move |(key, table)| Entry {
                    shard: key.shard(shards),
                    bucket: key.bucket,
                    number: numbers[page],
                    table,
                    page: page as u32,
                })
            }));
        }
        entries.par_sort_unstable();
        let sizes = bucket_sizes(&entries, tables.count(), signatures.len());
        let ends = (0..=shards).map(|shard| entries.partition_point(|entry| entry.shard < shard));
        Self { tables, signatures, ends: ends.collect(), entries, sizes }
    }

    /// Encodes all shards.
    pub(crate) fn shards(&self) -> Vec<Vec<u8>> {
        let shards = self.ends.len() as u32 - 1;
        (0..shards).into_par_iter().map(|shard| self.shard(shard, MAX_ENTRIES)).collect()
    }

    /// Encodes a shard whose buckets keep at most `max` pages.
    pub(crate) fn shard(&self, shard: u32, max: usize) -> Vec<u8> {
        let range = self.ends[shard as usize]..self.ends[shard as usize + 1];
        let l = self.tables.count();
        let buckets = self.entries[range].chunk_by(|a, b| a.bucket == b.bucket);
        let cut: Vec<u64> = buckets
            .clone()
            .filter(|bucket| bucket.len() > max)
            .map(|bucket| bucket[0].bucket)
            .collect();
        let kept = buckets.flat_map(|bucket| most_needed(bucket, &self.sizes, l, max));
        let keyed = kept.filter_map(|entry| {
            let mut keys = self.tables.keys(&self.signatures[entry.page as usize]);
            keys.nth(usize::from(entry.table)).map(|key| (key, entry.number))
        });
        TableShard::new(keyed.collect(), &cut).encode()
    }
}

/// The size of each page's bucket in each of `l` tables.
fn bucket_sizes(entries: &[Entry], l: usize, pages: usize) -> Vec<u32> {
    let mut sizes = vec![0; l * pages];
    for bucket in entries.chunk_by(|a, b| a.bucket == b.bucket) {
        for entry in bucket {
            sizes[l * entry.page as usize + usize::from(entry.table)] = bucket.len() as u32;
        }
    }
    sizes
}

/// The `max` entries of a bucket that stay.
fn most_needed(bucket: &[Entry], sizes: &[u32], l: usize, max: usize) -> Vec<Entry> {
    if bucket.len() <= max {
        return bucket.to_vec();
    }
    let mut kept = bucket.to_vec();
    kept.sort_by_cached_key(|entry| {
        let all = &sizes[l * entry.page as usize..l * (entry.page as usize + 1)];
        let stays: u64 = all.iter().map(|&size| 256.min(256 * max as u64 / u64::from(size))).sum();
        let drawn = hash::mix(u64::from(entry.number) << 16 | u64::from(entry.table)) >> 32;
        (drawn * stays, entry.number)
    });
    kept.truncate(max);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::lsh::TableRules;
    use pagekin_core::minhash::{Family, SignatureParams};

    #[test]
    fn popular_buckets_keep_pages_without_others_and_are_marked_as_cut() {
        let family = Family::new(SignatureParams { m: 2, bits: 16, seed: 1 });
        let tables = Tables::new(TableRules::Anchored { anchors: 2, partners: 0 }, 2, 1).unwrap();
        // All share a bucket of the first table. Two in three share one of the second table too;
        // the others are alone there.
        let plain = family.sign_elements([7]).unwrap();
        let n = 6 * MAX_ENTRIES;
        let own = (0..100_000u32).map(|x| family.sign_elements([7, 100 + x]).unwrap()).filter(
            |signature| {
                signature.values()[0] == plain.values()[0]
                    && signature.values()[1] != plain.values()[1]
            },
        );
        let mut signatures = vec![plain.clone(); 4 * MAX_ENTRIES];
        signatures.extend(own.take(2 * MAX_ENTRIES));
        assert_eq!(signatures.len(), n);
        let numbers: Vec<u32> = (0..n as u32).collect();
        let payloads = Buckets::new(&tables, &signatures, &numbers, 1).shards();
        let bytes = pagekin_core::shard::seal(pagekin_core::shard::Kind::Tables, 1, &payloads[0]);
        let shard = TableShard::decode("x", 1, n as u32, 0, &bytes).unwrap();
        let key = tables.keys(&plain).next().unwrap();
        assert!(shard.is_cut(&key));
        let alone = tables.keys(&signatures[n - 1]).nth(1).unwrap();
        assert!(shard.matches(&alone).count() > 0 && !shard.is_cut(&alone));
        let kept: Vec<u32> = shard.matches(&key).map(|(page, _)| page).collect();
        assert_eq!(kept.len(), MAX_ENTRIES);
        let similar = kept.iter().filter(|&&page| (page as usize) < 4 * MAX_ENTRIES).count();
        assert!(
            similar > MAX_ENTRIES * 4 / 5,
            "{similar} of {MAX_ENTRIES}, where the others have another bucket"
        );
    }
}
