//! The order in which an index takes terms: the rarest first, as far as is known.
//!
//! Frequencies are those of the pages that came before, so an order may be bad, and nothing is
//! missed by that: any order will do, as long as one index keeps to it.

use std::sync::Arc;

use pagekin_core::hash::mix;
use pagekin_core::vocabulary::TermId;

use crate::stream::vector::Vector;

/// The counters of terms are between so many bits of a hash, as there are more terms. Terms that
/// share one only seem commoner than they are.
const MIN_BITS: u32 = 10;
const MAX_BITS: u32 = 22;
/// Terms that are counted for each counter before there are twice as many counters.
const PER_COUNTER: u64 = 2;

/// How many pages have a term, of late.
#[derive(Debug)]
pub(super) struct Frequencies {
    /// By the first bits of a hash.
    counts: Vec<u32>,
    /// The terms that were counted, of late: as many counters are enough for a horizon.
    added: u64,
}

impl Default for Frequencies {
    fn default() -> Self {
        Self { counts: vec![0; 1 << MIN_BITS], added: 0 }
    }
}

impl Frequencies {
    /// The bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        4 * self.counts.len() as u64
    }

    pub(super) fn add(&mut self, page: &Vector) {
        self.added += page.terms().len() as u64;
        while self.added > PER_COUNTER * self.counts.len() as u64
            && self.counts.len() < 1 << MAX_BITS
        {
            // Until it is known which of the two had what, both had it.
            self.counts = self.counts.iter().flat_map(|&count| [count; 2]).collect();
        }
        for &(term, _) in page.terms() {
            let at = counter(term, self.counts.len());
            self.counts[at] = self.counts[at].saturating_add(1);
        }
    }

    /// The order by what was counted, which counts half from now on.
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
    /// The bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.classes.len() as u64
    }

    /// The buckets of terms.
    pub(super) fn buckets(&self) -> usize {
        self.classes.len()
    }

    /// That of a term.
    pub(super) fn bucket(&self, term: TermId) -> usize {
        counter(term, self.classes.len())
    }

    /// Numbers that are in the order of their terms, and have the terms and weights in them.
    pub(super) fn sort(&self, page: &Vector, sorted: &mut Vec<u64>) {
        sorted.clear();
        sorted.extend(page.terms().iter().map(|&(term, weight)| {
            let class = self.classes[self.bucket(term)];
            u64::from(class) << 48 | u64::from(term) << 16 | u64::from(weight)
        }));
        sorted.sort_unstable();
    }
}

/// The term and weight of a number of [`TermOrder::sort`].
pub(super) fn term_and_weight(sorted: u64) -> (TermId, u16) {
    ((sorted >> 16) as TermId, sorted as u16)
}

/// The counter of a term, of a power of two of them.
fn counter(term: TermId, counters: usize) -> usize {
    (mix(u64::from(term)) >> (64 - counters.ilog2())) as usize
}

/// The logarithm of a count, in eighths.
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
    fn counters_become_more_as_terms_do() {
        let mut frequencies = Frequencies::default();
        let mut add = |terms: std::ops::Range<u32>| {
            frequencies.add(&Vector::from_counts(&terms.map(|term| (term, 1)).collect::<Vec<_>>()));
            frequencies.bytes()
        };
        // Two terms for each of 1,024 counters of four bytes.
        assert_eq!(add(0..2_048), 4_096);
        assert_eq!(add(0..1), 8_192);
        assert_eq!(add(0..6_143), 16_384);
        // Half of what was counted has been long ago.
        let order = frequencies.order();
        assert_eq!((order.buckets(), order.bytes()), (4_096, 4_096));
        let terms: Vec<_> = (0..4_096).map(|term| (term, 1)).collect();
        frequencies.add(&Vector::from_counts(&terms));
        assert_eq!(frequencies.bytes(), 16_384);
        frequencies.add(&Vector::from_counts(&[(1, 1)]));
        assert_eq!(frequencies.bytes(), 32_768);
        // A term that was in twice as many pages, twice as long ago, is as common as another.
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
