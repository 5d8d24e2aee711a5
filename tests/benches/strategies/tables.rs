//! LSH tables in memory: those that an index has on disk, with no bucket cut.

use std::cmp::Reverse;

use pagekin_core::lsh::{TableKey, Tables};
use pagekin_core::minhash::Signature;

/// The bits of an estimate and the values of no agreement that it starts from, as in the lookup.
const ESTIMATE_BITS: u32 = 12;
const CAUTION: u64 = 8;

/// The entries of all tables by their buckets.
pub(crate) struct Buckets {
    buckets: Vec<u64>,
    pages: Vec<u32>,
    /// Those of each entry, in turn.
    partners: Vec<u8>,
    of_an_entry: usize,
}

impl Buckets {
    /// Of pages 0, 1, 2, … with these signatures; a page without one is in no bucket.
    pub(crate) fn from_signatures(
        tables: &Tables,
        signatures: impl IntoIterator<Item = Option<Signature>>,
    ) -> Self {
        let mut entries: Vec<(u64, u32, Vec<u8>)> = Vec::new();
        for (page, signature) in (0..).zip(signatures) {
            let keys = signature.iter().flat_map(|signature| tables.keys(signature));
            entries.extend(keys.map(|TableKey { bucket, partners }| (bucket, page, partners)));
        }
        entries.sort_unstable();
        Self {
            buckets: entries.iter().map(|(bucket, ..)| *bucket).collect(),
            pages: entries.iter().map(|(_, page, _)| *page).collect(),
            of_an_entry: entries.first().map_or(0, |(.., partners)| partners.len()),
            partners: entries.into_iter().flat_map(|(.., partners)| partners).collect(),
        }
    }

    /// The pages that a signature meets, by the part of the values known of them that agree, as the
    /// lookup estimates it; the best first, of equal ones the lower page.
    pub(crate) fn query(&self, tables: &Tables, signature: &Signature, limit: usize) -> Vec<u32> {
        let mut met: Vec<(u32, u64)> = Vec::new();
        for key in tables.keys(signature) {
            let from = self.buckets.partition_point(|&bucket| bucket < key.bucket);
            let to = from + self.buckets[from..].partition_point(|&bucket| bucket == key.bucket);
            met.extend((from..to).map(|entry| {
                let partners = &self.partners[entry * self.of_an_entry..][..self.of_an_entry];
                let agreeing = partners.iter().zip(&key.partners).filter(|(a, b)| a == b).count();
                (self.pages[entry], agreeing as u64)
            }));
        }
        met.sort_unstable();
        let estimates = met.chunk_by(|a, b| a.0 == b.0).map(|run| {
            let buckets = run.len() as u64;
            let agreeing = buckets + run.iter().map(|(_, agreeing)| agreeing).sum::<u64>();
            let known = tables.count() as u64 + buckets * self.of_an_entry as u64 + CAUTION;
            (Reverse((agreeing << ESTIMATE_BITS) / known), run[0].0)
        });
        let mut found: Vec<_> = estimates.collect();
        found.sort_unstable();
        found.into_iter().take(limit).map(|(_, page)| page).collect()
    }

    /// The memory that the entries take.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = size_of_val(&*self.buckets) + size_of_val(&*self.pages);
        (bytes + size_of_val(&*self.partners)) as u64
    }
}
