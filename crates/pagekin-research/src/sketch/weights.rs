//! Bags whose terms have weights.

use pagekin_core::bag::Bag;
use pagekin_core::vocabulary::TermId;

/// A bag: its terms in ascending order, each with its weight, which is finite and above 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WeightedBag(Vec<(TermId, f64)>);

/// Why entries are not those of a weighted bag.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightError {
    /// A term comes before or is that of the entry before it.
    #[error(
        "expected the terms of a bag in ascending order, each once, found term {term} after {previous}. Sort them first"
    )]
    Order {
        /// The term of the entry before it.
        previous: TermId,
        /// The term.
        term: TermId,
    },
    /// A weight is not above 0, or is not finite.
    #[error(
        "expected a finite weight above 0 of each term, found {weight} of term {term}. Omit terms without weight"
    )]
    Weight {
        /// The term.
        term: TermId,
        /// Its weight.
        weight: f64,
    },
}

impl WeightedBag {
    /// The bag of the given terms with their weights.
    ///
    /// # Errors
    ///
    /// If the terms are not in ascending order, or a weight is not finite or not above 0.
    pub fn from_sorted(entries: Vec<(TermId, f64)>) -> Result<Self, WeightError> {
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(WeightError::Order { previous: pair[0].0, term: pair[1].0 });
        }
        let is_wrong = |weight: f64| !(weight.is_finite() && weight > 0.0);
        match entries.iter().find(|&&(_, weight)| is_wrong(weight)) {
            Some(&(term, weight)) => Err(WeightError::Weight { term, weight }),
            None => Ok(Self(entries)),
        }
    }

    /// The terms with their weights, ascending.
    #[must_use]
    pub fn entries(&self) -> &[(TermId, f64)] {
        &self.0
    }

    /// The sum of the weights.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.0.iter().map(|&(_, weight)| weight).sum()
    }
}

impl From<&Bag> for WeightedBag {
    /// Each term weighs as much as it has copies.
    fn from(bag: &Bag) -> Self {
        Self(bag.entries().iter().map(|&(term, copies)| (term, f64::from(copies))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_bag_is_refused() {
        let refused = |entries: &[(TermId, f64)]| {
            WeightedBag::from_sorted(entries.to_vec()).unwrap_err().to_string()
        };
        assert_eq!(
            refused(&[(3, 1.0), (3, 1.0)]),
            "expected the terms of a bag in ascending order, each once, found term 3 after 3. Sort them first"
        );
        for weight in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            assert_eq!(
                refused(&[(3, 1.0), (4, weight)]),
                format!(
                    "expected a finite weight above 0 of each term, found {weight} of term 4. Omit terms without weight"
                )
            );
        }
        let bag = Bag::from_sorted(vec![(3, 2), (9, 1)]).unwrap();
        let weighted = WeightedBag::from(&bag);
        assert_eq!(weighted, WeightedBag::from_sorted(vec![(3, 2.0), (9, 1.0)]).unwrap());
        assert_eq!(weighted.total(), 3.0);
    }
}
