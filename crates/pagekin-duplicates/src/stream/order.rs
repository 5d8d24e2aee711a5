//! The order of terms in an index: rarest first, as far as known.
//!
//! Frequencies are those of earlier pages, so an order may be poor. It still misses nothing: any
//! order is correct, as long as an index keeps the same one.

use std::sync::Arc;

use pagekin_core::hash::mix;
use pagekin_core::vocabulary::TermId;

use crate::stream::vector::Vector;

/// The binary logarithms of the minimum and maximum number of counters, which grows with the number
/// of terms. Terms that share a counter only appear more common than they are.
const MIN_BITS: u32 = 10;
const MAX_BITS: u32 = 22;
/// Number of counted terms per counter above which the number of counters is doubled.
const PER_COUNTER: u64 = 2;

/// The number of recent pages that contain each term.
#[derive(Debug)]
pub(super) struct Frequencies {
    /// Counters by the first bits of a hash.
    counts: Vec<u32>,
    /// The number of recently counted terms. It limits counters to those needed for a horizon.
    added: u64,
}

impl Default for Frequencies {
    fn default() -> Self {
        Self { counts: vec![0; 1 << MIN_BITS], added: 0 }
    }
}

impl Frequencies {
    pub(super) fn bytes(&self) -> u64 {
        4 * self.counts.len() as u64
    }

    pub(super) fn add(&mut self, page: &Vector) {
        self.added += page.terms().len() as u64;
        while self.added > PER_COUNTER * self.counts.len() as u64
            && self.counts.len() < 1 << MAX_BITS
        {
            // It is unknown which half of the terms was counted, so both halves get the full count.
            self.counts = self.counts.iter().flat_map(|&count| [count; 2]).collect();
        }
        for &(term, _) in page.terms() {
            let at = counter(term, self.counts.len());
            self.counts[at] = self.counts[at].saturating_add(1);
        }
    }

    /// Returns the order by the current counts, then halves the counts.
    pub(super) fn order(&mut self) -> TermOrder {
        let classes = self.counts.iter().map(|&count| class(count)).collect();
        self.counts.iter_mut().for_each(|count| *count /= 2);
        self.added /= 2;
        TermOrder { classes }
    }
}

/// An order of all terms.
#[derive(Debug, Clone)]
pub(super) struct TermOrder {
    classes: Arc<[u8]>,
}

impl TermOrder {
    pub(super) fn bytes(&self) -> u64 {
        self.classes.len() as u64
    }

    /// Returns the number of buckets.
    pub(super) fn buckets(&self) -> usize {
        self.classes.len()
    }

    /// Returns the bucket of a term.
    pub(super) fn bucket(&self, term: TermId) -> usize {
        counter(term, self.classes.len())
    }

    /// Computes numbers that sort in the order of their terms, and contain the terms and weights.
    pub(super) fn sort(&self, page: &Vector, sorted: &mut Vec<u64>) {
        sorted.clear();
        sorted.extend(page.terms().iter().map(|&(term, weight)| {
            let class = self.classes[self.bucket(term)];
            u64::from(class) << 48 | u64::from(term) << 16 | u64::from(weight)
        }));
        sorted.sort_unstable();
    }
}

/// Extracts the term and weight from a number of [`TermOrder::sort`].
pub(super) fn term_and_weight(sorted: u64) -> (TermId, u16) {
    ((sorted >> 16) as TermId, sorted as u16)
}

/// Returns the counter of a term. `counters` must be a power of two.
fn counter(term: TermId, counters: usize) -> usize {
    (mix(u64::from(term)) >> (64 - counters.ilog2())) as usize
}

/// Returns the binary logarithm of a count plus 1, in eighths.
fn class(count: u32) -> u8 {
    let n = u64::from(count) + 1;
    let whole = n.ilog2();
    let eighths = (n << 3 >> whole) & 7;
    (u64::from(whole) * 8 + eighths).min(255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_terms_come_first() {
        let mut frequencies = Frequencies::default();
        for n in 0..100u32 {
            let terms = (0..10).filter(|k| n.is_multiple_of(k + 1)).map(|k| (k, 1));
            frequencies.add(&Vector::from_counts(&terms.collect::<Vec<_>>()));
        }
        let all: Vec<_> = (0..12).map(|term| (term, 1)).collect();
        let mut sorted = Vec::new();
        frequencies.order().sort(&Vector::from_counts(&all), &mut sorted);
        let terms: Vec<_> = sorted.into_iter().map(|number| term_and_weight(number).0).collect();
        assert_eq!(terms, [10, 11, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn classes_grow_with_counts() {
        let classes: Vec<u8> = [0, 1, 2, 3, 100, 1_000, u32::MAX - 1, u32::MAX].map(class).into();
        assert!(classes.is_sorted(), "{classes:?}");
        assert_eq!(classes[..4], [0, 8, 12, 16]);
    }

    #[test]
    fn the_number_of_counters_grows_with_terms() {
        let mut frequencies = Frequencies::default();
        let mut add = |terms: std::ops::Range<u32>| {
            frequencies.add(&Vector::from_counts(&terms.map(|term| (term, 1)).collect::<Vec<_>>()));
            frequencies.bytes()
        };
        // Two terms for each of 1,024 counters of four bytes.
        assert_eq!(add(0..2_048), 4_096);
        assert_eq!(add(0..1), 8_192);
        assert_eq!(add(0..6_143), 16_384);
        // Older counts are halved.
        let order = frequencies.order();
        assert_eq!((order.buckets(), order.bytes()), (4_096, 4_096));
        let terms: Vec<_> = (0..4_096).map(|term| (term, 1)).collect();
        frequencies.add(&Vector::from_counts(&terms));
        assert_eq!(frequencies.bytes(), 16_384);
        frequencies.add(&Vector::from_counts(&[(1, 1)]));
        assert_eq!(frequencies.bytes(), 32_768);
        // A term on twice as many pages, one period earlier, is as common as another.
        let count = |frequencies: &Frequencies, term| {
            frequencies.counts[counter(term, frequencies.counts.len())]
        };
        let mut frequencies = Frequencies::default();
        (0..8).for_each(|_| frequencies.add(&Vector::from_counts(&[(7, 1)])));
        frequencies.order();
        (0..4).for_each(|_| frequencies.add(&Vector::from_counts(&[(8, 1)])));
        assert_eq!([7, 8].map(|term| count(&frequencies, term)), [4, 4]);
    }
}
