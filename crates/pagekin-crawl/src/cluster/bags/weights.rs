//! Weights of terms in little memory, because each task of a large job holds those of the whole
//! crawl.

use std::convert::Infallible;

use pagekin_core::Preset;
use pagekin_core::vocabulary::TermId;

use crate::cluster::bags::collection::{Collection, Own, Spread};
use crate::cluster::bags::frequencies::Frequencies;

/// Number of values of a term's high bits.
const HIGH: usize = 1 << 16;

/// Weights of all terms that count. Takes 3 bytes each, and 256 KiB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    /// Per value of the high 16 bits, where its terms start; then the end of all.
    starts: Vec<u32>,
    /// Low bits of terms, ascending for equal high bits.
    low: Vec<u16>,
    weights: Vec<u8>,
    own: Option<Own>,
}

fn high_of(term: TermId) -> usize {
    (term >> 16) as usize
}

impl Weights {
    /// Computes the [weight](Collection::weight) of each term.
    #[must_use]
    pub fn new(frequencies: &Frequencies, preset: Preset) -> Self {
        let counts = || -> Result<_, Infallible> { Ok(frequencies.unsorted().map(Ok)) };
        let Ok(weights) = Self::read(Collection { preset, all: frequencies.all() }, counts);
        weights
    }

    /// Computes the weights from frequencies in any order, which `counts` reads twice. A term that
    /// occurs twice gets one of its weights.
    ///
    /// # Errors
    ///
    /// The errors of `counts`.
    pub fn read<I, E>(
        collection: Collection,
        mut counts: impl FnMut() -> Result<I, E>,
    ) -> Result<Self, E>
    where
        I: Iterator<Item = Result<(TermId, Spread), E>>,
    {
        let allows = |one: &Result<(TermId, Spread), E>| match one {
            Ok((_, spread)) => collection.weight(*spread) > 0,
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
            let (term, spread) = one?;
            let end = &mut ends[high_of(term)];
            // Only if the second read returns other terms.
            let Some(place) = low.get_mut(*end as usize) else { break };
            (*place, weights[*end as usize]) = (term as u16, collection.weight(spread));
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
        let own = collection.own();
        Ok(Self { starts, low, weights, own })
    }

    fn place(&self, term: TermId) -> Option<usize> {
        let high = high_of(term);
        let (start, end) = (self.starts[high] as usize, self.starts[high + 1] as usize);
        let at = self.low[start..end].binary_search(&(term as u16)).ok()?;
        Some(start + at)
    }

    /// Multiplies the weights of some terms by a factor. No weight becomes 0.
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

    /// Returns the weight of a term, 0 if bags do not contain it.
    #[must_use]
    pub fn of(&self, term: TermId) -> u8 {
        self.place(term).map_or(0, |place| self.weights[place])
    }

    /// Returns how terms that no other URL has are weighted.
    #[must_use]
    pub fn own(&self) -> Option<Own> {
        self.own
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
            others in prop::collection::vec(any::<u32>(), 0..20),
        ) {
            let all = Spread { urls: 120, texts: 110 };
            let spread = |urls: u32| Spread { urls, texts: urls.div_ceil(2) };
            let counts: BTreeMap<TermId, Spread> = counts.iter().map(|(&term, &urls)| (term, spread(urls))).collect();
            for preset in [Preset::Web, Preset::Paper] {
                let collection = Collection { preset, all };
                let weights = Weights::new(&Frequencies::from_counts(all, counts.clone()), preset);
                for term in counts.keys().copied().chain(others.iter().copied()) {
                    let expected = counts.get(&term).map_or(0, |&spread| collection.weight(spread));
                    prop_assert_eq!(weights.of(term), expected);
                }
                let backwards = || Ok::<_, Infallible>(counts.iter().rev().map(|(&term, &spread)| Ok((term, spread))));
                let Ok(again) = Weights::read(collection, backwards);
                prop_assert_eq!(again, weights);
            }
        }
    }

    #[test]
    fn the_paper_drops_rare_and_common_words_and_sites_weigh_different_texts() {
        let of = |preset, urls, texts| {
            let all = Spread { urls: 1_000, texts: 400 };
            Collection { preset, all }.weight(Spread { urls, texts })
        };
        assert_eq!([1, 2, 200, 201].map(|urls| of(Preset::Paper, urls, 1)), [0, 108, 28, 0]);
        // log2(400 / 2), log2(400 / 100), a bit at least.
        assert_eq!(of(Preset::Web, 1, 1), 0);
        assert_eq!(
            [(600, 1), (600, 2), (700, 100), (1_000, 400)].map(|(u, t)| of(Preset::Web, u, t)),
            [92, 92, 24, 12]
        );
    }
}
