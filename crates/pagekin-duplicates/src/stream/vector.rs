//! Represents a page as a vector of its terms.
//!
//! The weight of a term is 1 plus the binary logarithm of its frequency, in units of 1/256. It does
//! not depend on other pages, so the similarity of two pages is always the same. All values are
//! integers except for the final division of a cosine, so pairs exactly at a threshold are decided
//! the same way on all machines.

use std::cmp::Ordering;

use pagekin_core::vocabulary::TermId;

/// The terms of a page with their weights.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vector {
    /// Ascending.
    terms: Vec<(TermId, u16)>,
    norm: u64,
}

/// The weight of a term of frequency 1.
const ONE: f64 = 256.0;

impl Vector {
    /// Creates a vector from terms with their frequencies, ascending.
    #[must_use]
    pub fn from_counts(counts: &[(TermId, u32)]) -> Self {
        let weight = |tf: u32| match tf {
            0 | 1 => ONE as u16,
            _ => (ONE * (1.0 + libm::log2(f64::from(tf)))).round() as u16,
        };
        Self::from_weights(counts.iter().map(|&(term, tf)| (term, weight(tf))).collect())
    }

    /// Creates a vector from terms with their weights, ascending.
    pub(super) fn from_weights(terms: Vec<(TermId, u16)>) -> Self {
        debug_assert!(terms.is_sorted_by(|a, b| a.0 < b.0));
        let norm = terms.iter().map(|&(_, weight)| square(weight)).sum();
        Self { terms, norm }
    }

    /// Returns the terms with their weights, ascending.
    #[must_use]
    pub fn terms(&self) -> &[(TermId, u16)] {
        &self.terms
    }

    /// Returns the sum of the squared weights.
    pub(super) fn norm(&self) -> u64 {
        self.norm
    }

    /// Returns the cosine of two vectors, from 0 to 1. It is exactly 1 for equal vectors.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f64 {
        let (mut ours, mut theirs) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        let mut dot = 0;
        while let (Some((a, of_a)), Some((b, of_b))) = (ours.peek(), theirs.peek()) {
            let order = a.cmp(b);
            if order == Ordering::Equal {
                dot += product(*of_a, *of_b);
            }
            if order != Ordering::Greater {
                ours.next();
            }
            if order != Ordering::Less {
                theirs.next();
            }
        }
        cosine(dot, self.norm, other.norm)
    }
}

pub(super) fn square(weight: u16) -> u64 {
    product(weight, weight)
}

pub(super) fn product(a: u16, b: u16) -> u64 {
    u64::from(a) * u64::from(b)
}

/// Returns the cosine, given the dot product and the sums of squares.
pub(super) fn cosine(dot: u64, norm: u64, other: u64) -> f64 {
    if dot == 0 {
        return 0.0;
    }
    (dot as f64 / ((u128::from(norm) * u128::from(other)) as f64).sqrt()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cosines_match_values_computed_by_hand() {
        let of = Vector::from_counts;
        assert_eq!(of(&[(1, 1), (2, 1)]).cosine(&of(&[(2, 1), (3, 1)])), 0.5);
        // A frequency of 8 weighs 4 times as much as one of 1.
        let found = of(&[(1, 8), (2, 1)]).cosine(&of(&[(1, 1)]));
        assert!((found - 4.0 / 17f64.sqrt()).abs() < 1e-12);
        assert_eq!(of(&[]).cosine(&of(&[(1, 1)])), 0.0);
        assert_eq!(of(&[(1, u32::MAX)]).terms(), [(1, 33 * 256)]);
    }

    proptest! {
        #[test]
        fn equal_vectors_have_a_cosine_of_exactly_one(
            counts in proptest::collection::btree_map(any::<u32>(), 1u32.., 1..200),
            more: u16,
        ) {
            let counts: Vec<_> = counts.into_iter().collect();
            let vector = Vector::from_counts(&counts);
            prop_assert_eq!(vector.cosine(&vector), 1.0);
            let other = Vector::from_weights(vec![(7, more.max(1))]);
            prop_assert!((0.0..=1.0).contains(&vector.cosine(&other)));
        }
    }
}
