//! Bags: what a page is about, as terms with whole numbers of copies.
//!
//! For a page with term frequencies `tf(t)`, the tf-idf weight of a term is `x(t) = f(tf(t)) idf(t)`, with
//! `f` the identity (the paper) or the square root. Weights are normalised so that they sum to a fixed
//! number and rounded to whole copies; the bag is then the set of pairs (term, copy number), so that
//! set operations on it are bag operations (Haveliwala, Gionis and Indyk 2000, sections 2 and 4).
//!
//! The arithmetic is in integers: the same counts and weights give the same bag on every machine. Cost is
//! `O(n log n)` in the distinct terms.
//!
//! # Rounding
//!
//! [`Rounding::LargestRemainder`] makes the copies sum to exactly the number asked for, as close to the
//! weights as whole numbers can be; a bag of more terms than that sum loses the lightest.
//! [`Rounding::Dithered`] gives a term `floor(w + u(t))` copies, where `u(t)` in `[0, 1)` is a hash of the
//! term: right on average, and independent of the other terms of the bag, so that a term that weighs the
//! same in two bags has the same copies in both.

use std::cmp::Reverse;

use crate::hash;
use crate::sort;
use crate::vocabulary::{TermId, Vocabulary};

/// How weights become copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Copies sum to exactly [`BagRules::sum`].
    LargestRemainder,
    /// Copies are each rounded by a hash of the term, and sum to about [`BagRules::sum`].
    Dithered,
}

/// How a term's frequency in its page counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frequency {
    /// `f(tf) = tf`, as in the paper.
    Linear,
    /// `f(tf) = sqrt(tf)`: the tenth occurrence says less than the first.
    SquareRoot,
}

/// How pages become bags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BagRules {
    /// What the copies sum to: 1 to 65,535. The paper has 100.
    pub sum: u16,
    /// How weights become copies.
    pub rounding: Rounding,
    /// How frequency counts.
    pub frequency: Frequency,
    /// Only so many heaviest terms make the bag: 1 to 65,535. A bag is stored whole in the index, so this
    /// bounds what a page costs there.
    pub max_terms: u16,
}

/// A bag: its terms in ascending order, each with its copies, at least 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bag(Vec<(TermId, u16)>);

impl Bag {
    /// The bag of the given terms, or `None` if they are not in ascending order or one has no copies.
    #[must_use]
    pub fn from_sorted(entries: Vec<(TermId, u16)>) -> Option<Self> {
        let ascending = entries.windows(2).all(|pair| pair[0].0 < pair[1].0);
        (ascending && entries.iter().all(|&(_, copies)| copies > 0)).then_some(Self(entries))
    }

    /// The bag of a page: `counts` are its terms in ascending order with their frequencies. Terms whose
    /// weight in `vocabulary` is 0 do not count; ids must be of `vocabulary`.
    #[must_use]
    pub fn weigh(counts: &[(TermId, u32)], vocabulary: &Vocabulary, rules: &BagRules) -> Self {
        let mut weights: Vec<(TermId, u64)> = counts
            .iter()
            .map(|&(id, tf)| {
                let f = match rules.frequency {
                    Frequency::Linear => u64::from(tf) << 8,
                    Frequency::SquareRoot => (u64::from(tf) << 16).isqrt(),
                };
                (id, f * u64::from(vocabulary.get(id).idf))
            })
            .filter(|&(_, weight)| weight > 0)
            .collect();
        let most = usize::from(rules.max_terms);
        if weights.len() > most {
            sort::by_key(&mut weights, |&(id, weight)| (Reverse(weight), id));
            weights.truncate(most);
            sort::by_key(&mut weights, |&(id, _)| id);
        }
        let total: u64 = weights.iter().map(|&(_, weight)| weight).sum();
        if total == 0 {
            return Self::default();
        }
        let mut copies = match rules.rounding {
            Rounding::LargestRemainder => largest_remainder(&weights, total, rules.sum),
            Rounding::Dithered => dithered(&weights, total, rules.sum, vocabulary),
        };
        copies.retain(|&(_, n)| n > 0);
        Self(copies)
    }

    /// The terms with their copies, ascending.
    #[must_use]
    pub fn entries(&self) -> &[(TermId, u16)] {
        &self.0
    }

    /// Whether the bag has no terms: nothing is similar to it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of copies of all terms.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.0.iter().map(|&(_, copies)| u32::from(copies)).sum()
    }
}

fn largest_remainder(weights: &[(TermId, u64)], total: u64, sum: u16) -> Vec<(TermId, u16)> {
    let share = |weight: u64| {
        let scaled = u128::from(weight) * u128::from(sum);
        ((scaled / u128::from(total)) as u16, scaled % u128::from(total))
    };
    let mut copies: Vec<_> = weights.iter().map(|&(id, weight)| (id, share(weight).0)).collect();
    let given: u32 = copies.iter().map(|&(_, n)| u32::from(n)).sum();
    let mut by_remainder: Vec<usize> = (0..weights.len()).collect();
    sort::by_key(&mut by_remainder, |&at| (Reverse(share(weights[at].1).1), at));
    for &at in by_remainder.iter().take((u32::from(sum) - given) as usize) {
        copies[at].1 += 1;
    }
    copies
}

fn dithered(
    weights: &[(TermId, u64)],
    total: u64,
    sum: u16,
    vocabulary: &Vocabulary,
) -> Vec<(TermId, u16)> {
    weights
        .iter()
        .map(|&(id, weight)| {
            // floor(sum * weight / total + u / 2^16) over the common denominator total * 2^16.
            let w = (u128::from(weight) * u128::from(sum)) << 16;
            let u = u128::from(dither(vocabulary.term_hash(id))) * u128::from(total);
            (id, ((w + u) / (u128::from(total) << 16)) as u16)
        })
        .collect()
}

/// `u(t)` of a term in 65,536ths. Its constant keeps it independent of the signatures, which hash the
/// same term.
fn dither(term_hash: u64) -> u16 {
    (hash::mix(term_hash ^ 0xd17e_0000_ba90_5eed) >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Term;
    use proptest::prelude::*;

    fn vocabulary(idf: &[u8]) -> Vocabulary {
        let mut vocabulary = Vocabulary::new();
        for (at, &idf) in idf.iter().enumerate() {
            let stem = format!("t{at:05}");
            assert!(vocabulary.push(Term { stem: &stem, word: &stem, idf }));
        }
        vocabulary
    }

    const PAPER: BagRules = BagRules {
        sum: 100,
        rounding: Rounding::LargestRemainder,
        frequency: Frequency::Linear,
        max_terms: u16::MAX,
    };

    #[test]
    fn weights_are_shared_out_in_proportion() {
        // x = 1 * 12, 2 * 24, 1 * 36 of 96: 12.5, 50 and 37.5 of 100; the first remainder of equals wins.
        let bag = Bag::weigh(&[(0, 1), (1, 2), (2, 1)], &vocabulary(&[12, 24, 36]), &PAPER);
        assert_eq!(bag.entries(), [(0, 13), (1, 50), (2, 37)]);
    }

    #[test]
    fn the_square_root_of_a_frequency_counts_less() {
        let rules = BagRules { frequency: Frequency::SquareRoot, ..PAPER };
        let bag = Bag::weigh(&[(0, 1), (1, 16)], &vocabulary(&[10, 10]), &rules);
        assert_eq!(bag.entries(), [(0, 20), (1, 80)]);
    }

    #[test]
    fn only_the_heaviest_terms_stay() {
        let rules = BagRules { max_terms: 2, ..PAPER };
        let bag = Bag::weigh(&[(0, 1), (1, 3), (2, 1), (3, 2)], &vocabulary(&[10; 4]), &rules);
        assert_eq!(bag.entries(), [(1, 60), (3, 40)]);
    }

    #[test]
    fn terms_without_weight_make_no_bag() {
        assert!(Bag::weigh(&[(0, 5)], &vocabulary(&[0]), &PAPER).is_empty());
        assert!(Bag::weigh(&[], &vocabulary(&[]), &PAPER).is_empty());
    }

    proptest! {
        #[test]
        fn largest_remainder_sums_exactly(counts in prop::collection::vec((1u32..1_000_000, 1u8..), 1..300)) {
            let idf: Vec<u8> = counts.iter().map(|&(_, idf)| idf).collect();
            let counts: Vec<_> = counts.iter().enumerate().map(|(at, &(tf, _))| (at as u32, tf)).collect();
            let bag = Bag::weigh(&counts, &vocabulary(&idf), &PAPER);
            prop_assert_eq!(bag.size(), 100);
        }

        #[test]
        fn dithered_copies_are_within_one_of_the_weight(counts in prop::collection::vec((1u32..1_000, 1u8..), 1..60)) {
            let idf: Vec<u8> = counts.iter().map(|&(_, idf)| idf).collect();
            let counts: Vec<_> = counts.iter().enumerate().map(|(at, &(tf, _))| (at as u32, tf)).collect();
            let rules = BagRules { sum: 400, rounding: Rounding::Dithered, ..PAPER };
            let bag = Bag::weigh(&counts, &vocabulary(&idf), &rules);
            let x: Vec<f64> = counts.iter().map(|&(id, tf)| f64::from(tf) * f64::from(idf[id as usize])).collect();
            let total: f64 = x.iter().sum();
            for (at, x) in x.iter().enumerate() {
                let copies = bag.entries().iter().find(|entry| entry.0 == at as u32).map_or(0, |entry| entry.1);
                prop_assert!((f64::from(copies) - 400.0 * x / total).abs() <= 1.0);
            }
        }
    }
}
