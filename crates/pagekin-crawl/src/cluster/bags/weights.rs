//! What terms weigh, in little memory: each task of a large job holds those of the whole crawl.

use std::convert::Infallible;

use pagekin_core::vocabulary::{DfLimits, TermId, quantised_idf};

use crate::cluster::bags::frequencies::Frequencies;

/// The values that the high bits of a term have.
const HIGH: usize = 1 << 16;

/// What each term weighs that counts: 3 bytes each, and 256 KiB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    /// Where the terms begin whose high 16 bits are this; one more, where they end.
    starts: Vec<u32>,
    /// The low bits of terms, ascending for equal high ones.
    low: Vec<u16>,
    weights: Vec<u8>,
}

fn high_of(term: TermId) -> usize {
    (term >> 16) as usize
}

impl Weights {
    /// [`quantised_idf`] of each term within `limits`, 0 for all others: words that few or nearly
    /// all URLs have are dropped (section 2).
    #[must_use]
    pub fn new(frequencies: &Frequencies, limits: DfLimits) -> Self {
        let counts = || -> Result<_, Infallible> { Ok(frequencies.unsorted().map(Ok)) };
        let Ok(weights) = Self::read(frequencies.urls(), limits, counts);
        weights
    }

    /// The same of frequencies in any order, which `counts` reads twice, of `urls` URLs. A term
    /// that is there twice has one of its weights.
    ///
    /// # Errors
    ///
    /// That of `counts`.
    pub fn read<I, E>(
        urls: u32,
        limits: DfLimits,
        mut counts: impl FnMut() -> Result<I, E>,
    ) -> Result<Self, E>
    where
        I: Iterator<Item = Result<(TermId, u32), E>>,
    {
        let allows = |one: &Result<(TermId, u32), E>| match one {
            Ok((_, df)) => limits.allow(*df, urls),
            Err(_) => true,
        };
        let mut ends = vec![0; HIGH + 1];
        for one in counts()?.filter(allows) {
            ends[high_of(one?.0) + 1] += 1;
        }
        for high in 0..HIGH {
            ends[high + 1] += ends[high];
        }
        let starts = ends.clone();
        let all = starts[HIGH] as usize;
        let (mut low, mut weights) = (vec![0; all], vec![0; all]);
        for one in counts()?.filter(allows) {
            let (term, df) = one?;
            let end = &mut ends[high_of(term)];
            // Never so unless it is read otherwise the second time.
            let Some(place) = low.get_mut(*end as usize) else { break };
            (*place, weights[*end as usize]) = (term as u16, quantised_idf(df, urls));
            *end += 1;
        }
        let mut of_high = Vec::new();
        for range in starts.windows(2).map(|ends| ends[0] as usize..ends[1] as usize) {
            let (low, weights) = (&mut low[range.clone()], &mut weights[range]);
            if low.is_sorted() {
                continue;
            }
            of_high.clear();
            of_high.extend(low.iter().copied().zip(weights.iter().copied()));
            of_high.sort_unstable();
            for (at, &one) in of_high.iter().enumerate() {
                (low[at], weights[at]) = one;
            }
        }
        Ok(Self { starts, low, weights })
    }

    fn place(&self, term: TermId) -> Option<usize> {
        let high = high_of(term);
        let (start, end) = (self.starts[high] as usize, self.starts[high + 1] as usize);
        let at = self.low[start..end].binary_search(&(term as u16)).ok()?;
        Some(start + at)
    }

    /// The same, of some terms multiplied by a factor; none of these weighs nothing.
    #[must_use]
    pub fn multiplied(mut self, factors: &[(TermId, f64)]) -> Self {
        for &(term, factor) in factors {
            if let Some(place) = self.place(term).filter(|&place| self.weights[place] > 0) {
                let weight = f64::from(self.weights[place]);
                self.weights[place] = (weight * factor).round().clamp(1.0, 255.0) as u8;
            }
        }
        self
    }

    /// Of a term.
    #[must_use]
    pub fn of(&self, term: TermId) -> u8 {
        self.place(term).map_or(0, |place| self.weights[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// The definition: a map.
        #[test]
        fn weights_are_those_of_a_map(
            counts in prop::collection::btree_map(
                prop_oneof![0u32..9, 65_530u32..65_545, any::<u32>(), u32::MAX - 3..=u32::MAX], 1u32..120, 0..60,
            ),
            asked in prop::collection::vec(any::<u32>(), 0..20),
        ) {
            let limits = DfLimits { min: 2, max_percent: 80.0, never_too_high: 1 };
            let expected: BTreeMap<TermId, u8> = counts
                .iter()
                .filter(|&(_, &df)| limits.allow(df, 120))
                .map(|(&term, &df)| (term, quantised_idf(df, 120)))
                .collect();
            let weights = Weights::new(&Frequencies::from_counts(120, counts.clone()), limits);
            for term in counts.keys().copied().chain(asked) {
                prop_assert_eq!(weights.of(term), expected.get(&term).copied().unwrap_or(0));
            }
            let backwards = || Ok::<_, Infallible>(counts.iter().rev().map(|(&term, &df)| Ok((term, df))));
            let Ok(again) = Weights::read(120, limits, backwards);
            prop_assert_eq!(again, weights);
        }
    }
}
