//! Compares one signature with all others: the simple method that the lists of values are compared
//! with.

use std::cmp::Reverse;

use pagekin_core::bag::Bag;
use pagekin_pairs::minhash::Signer;
use rayon::prelude::*;

/// Number of pages that are compared at a time.
const STEP: usize = 1 << 14;

/// The signatures of pages 0, 1, 2, …
#[derive(Debug)]
pub struct Signatures {
    m: usize,
    rows: Vec<u16>,
}

impl Signatures {
    /// Computes the signatures of bags, none of which is empty, with `m` values each.
    #[must_use]
    pub fn new(signer: &Signer, m: u16, bags: &[Bag]) -> Self {
        Self { m: m.into(), rows: signer.rows(bags) }
    }

    /// Returns the `limit` pages that agree with the signature of a bag in most positions, lower
    /// page numbers first among equals. Pages that agree nowhere are omitted.
    #[must_use]
    pub fn most_agreeing(&self, signature: &[u16], limit: usize) -> Vec<u32> {
        let agreement = |row: &[u16]| -> u16 {
            row.iter().zip(signature).map(|(a, b)| u16::from(a == b)).sum()
        };
        let best_first = |&(agreement, page): &(u16, u32)| (Reverse(agreement), page);
        let of_part = |(part, rows): (usize, &[u16])| {
            let pages = (part * STEP) as u32..;
            let mut best: Vec<(u16, u32)> =
                rows.chunks(self.m).map(agreement).zip(pages).filter(|of| of.0 > 0).collect();
            best.sort_unstable_by_key(best_first);
            best.truncate(limit);
            best
        };
        let mut best: Vec<(u16, u32)> =
            self.rows.par_chunks(STEP * self.m).enumerate().flat_map_iter(of_part).collect();
        best.sort_unstable_by_key(best_first);
        best.into_iter().take(limit).map(|(_, page)| page).collect()
    }

    /// Returns the size in memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.rows) as u64
    }
}
