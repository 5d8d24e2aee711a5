//! Bags of words: the terms of a page with integer counts.
//!
//! For a page with term frequencies `tf(t)`, the tf-idf weight of a term is `x(t) = f(tf(t))
//! idf(t)`, where `f` is the identity (the paper) or the square root. Weights are normalized to a
//! fixed sum and rounded to integer counts, called the *counts* of a term. The bag is the set of
//! pairs (term, copy number), so that set operations on it are bag operations (Haveliwala, Gionis
//! and Indyk 2000, sections 2 and 4).
//!
//! The arithmetic uses integers: the same counts and weights give the same bag on every machine.
//! The cost is `O(n log n)` in the number of distinct terms.
//!
//! # Rounding
//!
//! [`Rounding::LargestRemainder`] makes the counts sum to exactly the requested number, as close to
//! the weights as integers can be. A bag with more terms than that sum loses the lightest.
//! [`Rounding::Dithered`] gives a term `floor(w + u(t))` counts, where `u(t)` in `[0, 1)` is a hash
//! of the term. This is right on average and independent of the other terms of the bag, so a term
//! with the same weight in two bags has the same counts in both.

use std::cmp::Reverse;

use crate::hash;
use crate::sort;
use crate::vocabulary::{TermId, Vocabulary};

/// How weights are rounded to counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// The copies sum to exactly [`BagRules::sum`].
    LargestRemainder,
    /// The copies of each term are rounded using a hash of the term, and sum to about
    /// [`BagRules::sum`].
    Dithered,
}

/// How the frequency of a term in its page affects its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frequency {
    /// `f(tf) = tf`, as in the paper.
    Linear,
    /// `f(tf) = sqrt(tf)`, so that the tenth occurrence adds less than the first. Applies to
    /// [`rounded`] frequencies, because the index stores these.
    SquareRoot,
}

/// The frequency of each class: 1 to 8, then in steps of about a fifth.
pub const FREQUENCIES: [u16; 32] = [
    1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 29, 35, 42, 50, 60, 72, 86, 103, 124, 149, 179,
    215, 258, 310, 372, 446, 535, 642,
];

/// Returns the class of a frequency of at least 1: the index in [`FREQUENCIES`] of the nearest
/// value, or of the larger of two equally near ones.
#[must_use]
pub fn frequency_class(tf: u32) -> u8 {
    let nearer = |at: usize| 2 * tf >= u32::from(FREQUENCIES[at]) + u32::from(FREQUENCIES[at - 1]);
    (1..FREQUENCIES.len()).take_while(|&at| nearer(at)).count() as u8
}

/// Returns the frequency of the class of `tf`.
#[must_use]
pub fn rounded(tf: u32) -> u32 {
    u32::from(FREQUENCIES[usize::from(frequency_class(tf))])
}

/// How bags are built from term frequencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BagRules {
    /// The sum of all counts: 1 to 65,535. The paper uses 100.
    pub sum: u16,
    /// How weights are rounded to counts.
    pub rounding: Rounding,
    /// How frequencies affect weights.
    pub frequency: Frequency,
    /// Maximum number of terms: 1 to 65,535. The heaviest are kept. The index stores whole bags, so
    /// this bounds the cost of a page.
    pub max_terms: u16,
}

impl BagRules {
    /// Returns the weight `f(tf) idf(t)`, in 256ths, of a term that occurs `tf` times in a text and
    /// has the inverse document frequency `idf`.
    #[must_use]
    pub fn term_weight(&self, tf: u32, idf: u8) -> u64 {
        let f = match self.frequency {
            Frequency::Linear => u64::from(tf) << 8,
            Frequency::SquareRoot => (u64::from(rounded(tf)) << 16).isqrt(),
        };
        f * u64::from(idf)
    }
}

/// The step by which the minimum weight of terms for keys is lowered while too few terms have it. A
/// term that weighs 12 less is twice as common.
const KEY_WEIGHT_STEP: u8 = 12;
/// Keys use at least 1 in 8 copies of a bag.
const KEY_PART: u32 = 8;

/// A bag: its terms in ascending order, each with at least one copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bag(Vec<(TermId, u16)>);

/// Why a list of entries is not a bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BagError {
    /// The terms are not in strictly ascending order.
    #[error(
        "expected the terms of a bag in ascending order, each once, found term {term} after {previous}"
    )]
    Order {
        /// The term of the previous entry.
        previous: TermId,
        /// The term that is out of order.
        term: TermId,
    },
    /// The count of a term is 0.
    #[error("the count of term {term} in a bag is 0. Omit the term")]
    ZeroCount {
        /// The term.
        term: TermId,
    },
}

impl Bag {
    /// Creates a bag from terms and their counts.
    ///
    /// # Errors
    ///
    /// Returns an error if the terms are not in strictly ascending order, or if one has no counts.
    pub fn from_sorted(entries: Vec<(TermId, u16)>) -> Result<Self, BagError> {
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(BagError::Order { previous: pair[0].0, term: pair[1].0 });
        }
        match entries.iter().find(|&&(_, count)| count == 0) {
            Some(&(term, _)) => Err(BagError::ZeroCount { term }),
            None => Ok(Self(entries)),
        }
    }

    /// Builds the bag of a page. `counts` contains its terms in ascending order with their
    /// frequencies. Terms with weight 0 in `vocabulary` are dropped, unless all of them are
    /// ([`Vocabulary::weights_in`]).
    #[must_use]
    pub fn weigh(counts: &[(TermId, u32)], vocabulary: &Vocabulary, rules: &BagRules) -> Self {
        Self::weigh_by(counts, vocabulary.weights_in(counts), rules)
    }

    /// Like [`weigh`](Self::weigh), with weights from a function.
    #[must_use]
    pub fn weigh_by(
        counts: &[(TermId, u32)],
        weight: impl Fn(TermId) -> u8,
        rules: &BagRules,
    ) -> Self {
        let weights = counts.iter().map(|&(id, tf)| (id, rules.term_weight(tf, weight(id))));
        Self::from_weights(weights.collect(), rules)
    }

    /// Builds the bag of terms in ascending order with their [weights](BagRules::term_weight).
    /// Terms of weight 0 are dropped.
    #[must_use]
    pub fn from_weights(mut weights: Vec<(TermId, u64)>, rules: &BagRules) -> Self {
        weights.retain(|&(_, weight)| weight > 0);
        let max_terms = usize::from(rules.max_terms);
        if weights.len() > max_terms {
            sort::by_key(&mut weights, |&(id, weight)| (Reverse(weight), id));
            weights.truncate(max_terms);
            sort::by_key(&mut weights, |&(id, _)| id);
        }
        let total: u64 = weights.iter().map(|&(_, weight)| weight).sum();
        if total == 0 {
            return Self::default();
        }
        let mut counts = match rules.rounding {
            Rounding::LargestRemainder => largest_remainder(&weights, total, rules.sum),
            Rounding::Dithered => dithered(&weights, total, rules.sum),
        };
        counts.retain(|&(_, n)| n > 0);
        Self(counts)
    }

    /// Returns the part of the bag that keys are drawn from: the terms that weigh at least the
    /// [`key_weight`](Vocabulary::key_weight). If they have less than an eighth of the counts, the
    /// minimum is lowered by 12, repeatedly, so that a page of common words has keys, too.
    ///
    /// All pages with a common term share its keys, so these do not help to find similar pages.
    #[must_use]
    pub fn key_part(&self, vocabulary: &Vocabulary) -> Self {
        let mut min_weight = vocabulary.key_weight();
        loop {
            let heavy = |&&(id, _): &&(TermId, u16)| vocabulary.weight(id) >= min_weight;
            let part = Self(self.0.iter().filter(heavy).copied().collect());
            if min_weight == 0 || KEY_PART * part.size() >= self.size() {
                return part;
            }
            min_weight = min_weight.saturating_sub(KEY_WEIGHT_STEP);
        }
    }

    /// Returns the terms with their counts, ascending.
    #[must_use]
    pub fn entries(&self) -> &[(TermId, u16)] {
        &self.0
    }

    /// Returns the counts of a term, or 0.
    #[must_use]
    pub fn count(&self, id: TermId) -> u16 {
        self.0.binary_search_by_key(&id, |&(id, _)| id).map_or(0, |at| self.0[at].1)
    }

    /// Returns whether the bag has no terms. No bag is similar to an empty one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of counts of all terms.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.0.iter().map(|&(_, count)| u32::from(count)).sum()
    }
}

fn largest_remainder(weights: &[(TermId, u64)], total: u64, sum: u16) -> Vec<(TermId, u16)> {
    // A weight is below 2^48: a 32-bit frequency in 256ths, times a byte.
    let share = |weight: u64| {
        let scaled = weight * u64::from(sum);
        ((scaled / total) as u16, scaled % total)
    };
    let mut counts: Vec<_> = weights.iter().map(|&(id, weight)| (id, share(weight).0)).collect();
    let given: u32 = counts.iter().map(|&(_, n)| u32::from(n)).sum();
    let mut by_remainder: Vec<usize> = (0..weights.len()).collect();
    sort::by_key(&mut by_remainder, |&at| (Reverse(share(weights[at].1).1), at));
    for &at in by_remainder.iter().take((u32::from(sum) - given) as usize) {
        counts[at].1 += 1;
    }
    counts
}

fn dithered(weights: &[(TermId, u64)], total: u64, sum: u16) -> Vec<(TermId, u16)> {
    weights
        .iter()
        .map(|&(id, weight)| {
            // floor(sum * weight / total + u / 2^16): one more than the quotient if the remainder
            // and u add up to at least 1. Avoids a 128-bit division, whose code a browser would
            // download.
            let scaled = weight * u64::from(sum);
            let remainder = u128::from(scaled % total) << 16;
            let missing = u128::from((1 << 16) - u32::from(dither(id))) * u128::from(total);
            (id, (scaled / total) as u16 + u16::from(remainder >= missing))
        })
        .collect()
}

/// Returns `u(t)` of a term in 65,536ths. The constant makes it independent of the signatures,
/// which hash the same term.
fn dither(term: TermId) -> u16 {
    (hash::mix(u64::from(term) ^ 0xd17e_0000_ba90_5eed) >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::term_id;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const PAPER: BagRules = BagRules {
        sum: 100,
        rounding: Rounding::LargestRemainder,
        frequency: Frequency::Linear,
        max_terms: u16::MAX,
    };

    /// Returns the counts of terms given by their frequencies and weights, without terms that have
    /// none.
    fn weigh(terms: &[(u32, u8)], rules: &BagRules) -> BTreeMap<usize, u16> {
        let mut weights = Vec::new();
        let mut counts = Vec::new();
        let mut names = BTreeMap::new();
        for (at, &(tf, idf)) in terms.iter().enumerate() {
            let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
            let stem: String = [at / 676, at / 26, at].map(letter).iter().collect();
            weights.push((term_id(&stem), idf));
            counts.push((term_id(&stem), tf));
            names.insert(term_id(&stem), at);
        }
        counts.sort_unstable();
        let bag = Bag::weigh(&counts, &Vocabulary::new(weights, 0), rules);
        bag.entries().iter().map(|&(id, count)| (names[&id], count)).collect()
    }

    #[test]
    fn copies_are_proportional_to_weights() {
        // x = 1 * 12, 2 * 24, 1 * 39 of 99: 12.12, 48.48 and 39.39 of 100. The largest remainder
        // gets the last copy.
        let bag = weigh(&[(1, 12), (2, 24), (1, 39)], &PAPER);
        assert_eq!(bag, [(0, 12), (1, 49), (2, 39)].into());
    }

    #[test]
    fn the_square_root_reduces_the_effect_of_frequency() {
        let rules = BagRules { frequency: Frequency::SquareRoot, ..PAPER };
        assert_eq!(weigh(&[(1, 10), (4, 10)], &rules), [(0, 33), (1, 67)].into());
    }

    #[test]
    fn frequencies_are_rounded_to_the_nearest_class() {
        assert_eq!([1, 8, 9, 10, 11, 13, 15, 1_000].map(rounded), [1, 8, 10, 10, 12, 14, 14, 642]);
        for (class, &tf) in (0u8..).zip(&FREQUENCIES) {
            assert_eq!(frequency_class(u32::from(tf)), class);
        }
    }

    #[test]
    fn only_the_heaviest_terms_are_kept() {
        let rules = BagRules { max_terms: 2, ..PAPER };
        let bag = weigh(&[(1, 10), (3, 10), (1, 10), (2, 10)], &rules);
        assert_eq!(bag, [(1, 60), (3, 40)].into());
    }

    #[test]
    fn terms_without_weight_are_dropped_unless_all_are() {
        assert_eq!(weigh(&[(5, 0), (1, 9)], &PAPER), [(1, 100)].into());
        assert_eq!(weigh(&[(5, 0), (15, 0)], &PAPER), [(0, 25), (1, 75)].into());
        assert!(weigh(&[], &PAPER).is_empty());
    }

    #[test]
    fn rare_terms_share_a_weight() {
        let counts = [(7, 1), (9, 1)];
        let bag = |rare| Bag::weigh(&counts, &Vocabulary::new([], rare), &PAPER);
        assert_eq!(bag(30).entries(), [(7, 50), (9, 50)]);
        let heavy = (7, 200);
        let with_heavy = Bag::weigh(&counts, &Vocabulary::new([heavy], 0), &PAPER);
        assert_eq!(with_heavy.entries(), [(7, 100)]);
    }

    #[test]
    fn keys_are_drawn_from_rare_terms() {
        let weights = [("ta", 10), ("tb", 20), ("tc", 40), ("td", 60)];
        let vocabulary = Vocabulary::new(weights.map(|(stem, idf)| (term_id(stem), idf)), 90);
        let part = |counts: &[(&str, u16)], key_weight| {
            let vocabulary = vocabulary.clone().with_key_weight(key_weight);
            let mut entries: Vec<_> = counts.iter().map(|&(t, n)| (term_id(t), n)).collect();
            entries.sort_unstable();
            let part = Bag::from_sorted(entries).unwrap().key_part(&vocabulary);
            let stem = |id| counts.iter().find(|(stem, _)| term_id(stem) == id).unwrap().0;
            let mut stems: Vec<_> = part.entries().iter().map(|&(id, _)| stem(id)).collect();
            stems.sort_unstable();
            stems.join(" ")
        };
        let bag = [("ta", 50), ("tb", 28), ("tc", 2), ("td", 10), ("rare", 10)];
        assert_eq!(part(&bag, 0), "rare ta tb tc td");
        assert_eq!(part(&bag, 40), "rare tc td");
        assert_eq!(part(&bag, 41), "rare td");
        assert_eq!(part(&[("ta", 87), ("td", 13)], 40), "td", "13 in 100 are more than an eighth");
        // 12 in 100 are less: minimum weights 28, 16 and 4 are tried.
        assert_eq!(part(&[("ta", 88), ("td", 12)], 40), "ta td");
        assert_eq!(part(&[("ta", 60), ("tb", 28), ("td", 12)], 40), "tb td");
        assert_eq!(part(&[("ta", 100)], 40), "ta");
    }

    proptest! {
        #[test]
        fn dithered_counts_are_those_of_one_exact_division(
            weights in prop::collection::vec((any::<u32>(), 1u64..1 << 48), 1..50),
            sum: u16,
        ) {
            let total = weights.iter().map(|&(_, weight)| weight).sum::<u64>();
            let exactly = weights.iter().map(|&(id, weight)| {
                let scaled = (u128::from(weight) * u128::from(sum)) << 16;
                let u = u128::from(dither(id)) * u128::from(total);
                (id, ((scaled + u) / (u128::from(total) << 16)) as u16)
            });
            prop_assert_eq!(dithered(&weights, total, sum), exactly.collect::<Vec<_>>());
        }

        #[test]
        fn largest_remainder_sums_exactly(terms in prop::collection::vec((1u32..1_000_000, 1u8..), 1..300)) {
            let count: u32 = weigh(&terms, &PAPER).values().map(|&n| u32::from(n)).sum();
            prop_assert_eq!(count, 100);
        }

        #[test]
        fn dithered_counts_are_within_one_of_the_weight(terms in prop::collection::vec((1u32..1_000, 1u8..), 1..60)) {
            let rules = BagRules { sum: 400, rounding: Rounding::Dithered, ..PAPER };
            let bag = weigh(&terms, &rules);
            let x: Vec<f64> = terms.iter().map(|&(tf, idf)| f64::from(tf) * f64::from(idf)).collect();
            let total: f64 = x.iter().sum();
            for (at, x) in x.iter().enumerate() {
                let count = bag.get(&at).copied().unwrap_or(0);
                prop_assert!((f64::from(count) - 400.0 * x / total).abs() <= 1.0);
            }
        }
    }
}
