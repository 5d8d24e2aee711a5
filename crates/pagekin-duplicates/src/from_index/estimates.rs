//! Finds pages of an index that may be near-duplicates, by their sketches.
//!
//! A sketch stores only the first bits of the place of each shingle, and more bits for longer
//! pages. Places that agree in the bits that both sketches store get the same number. The numbers
//! of a page are a set that represents its shingles, so pairs are found by the same functions as
//! for sets of all shingles: [`exact_join`] and [`quotations`].
//!
//! # Accuracy
//!
//! 1. [`exact_join`] misses no pair whose estimated resemblance is at least the minimum: the whole
//!    sketch of the page with the lower limit is compared with a part of the other's.
//! 2. Estimates have a standard error of up to 1/16. If complete texts are compared afterwards, use
//!    [`with_margin`].
//! 3. If a short page is contained in a long one, few or none of its shingles are in the long
//!    page's sketch, so the quotation may be missed.

use std::cmp::Reverse;

use pagekin_core::hash::mix;
use pagekin_core::near::shingles::Shared;
use pagekin_core::near::sketch::{KnownShingles, Nearness, Sketch};
use pagekin_pages::Observer;
use rayon::prelude::*;

use crate::error::DuplicatesError;
use crate::pairs::candidates::may_resemble;
use crate::pairs::{exact_join, quotations};

/// The thresholds for sketches of quotations: half of the share that complete texts need, and more
/// than a single shingle.
const RULE: quotations::Rule = quotations::Rule { min_shared: 2, part: quotations::PART / 2 };
/// Number of standard errors below the minimum resemblance at which a pair is still a candidate.
/// One in 700 pairs is below it.
const ERRORS: f64 = 3.0;

pub(crate) struct Estimates<'a> {
    sketches: &'a [&'a Sketch],
    known: Vec<KnownShingles>,
    /// The numbers of the values of each sketch.
    sets: Vec<Vec<u64>>,
}

impl<'a> Estimates<'a> {
    pub(crate) fn new(sketches: &'a [&'a Sketch]) -> Self {
        let known = sketches.par_iter().map(|sketch| KnownShingles::from_page(sketch)).collect();
        Self { sketches, known, sets: numbered(sketches) }
    }

    /// Returns the pairs whose estimated resemblance is at least `min_estimate`, and whose numbers
    /// of shingles allow a resemblance of `min`.
    pub(crate) fn near(
        &self,
        min_estimate: f64,
        min: f64,
        observer: &dyn Observer,
    ) -> Result<Vec<(u32, u32)>, DuplicatesError> {
        let resemblance = |a: u32, b: u32| {
            let [n, m] = [a, b].map(|page| self.sketches[page as usize].shingles);
            if may_resemble(n, m, min) { self.shared(a, b).resemblance() } else { 0.0 }
        };
        exact_join::find(&self.sets(), min_estimate, resemblance, observer)
    }

    /// Returns the pairs in which one page may quote the other.
    pub(crate) fn quoting(
        &self,
        observer: &dyn Observer,
    ) -> Result<Vec<(u32, u32)>, DuplicatesError> {
        quotations::find(&self.sets(), RULE, observer)
    }

    /// Returns the shared shingles of two pages, as far as both sketches store them.
    pub(crate) fn shared(&self, a: u32, b: u32) -> Shared {
        let sample = self.known[a as usize].shared_with(self.sketches[b as usize]);
        let [both, a, b] = [sample.both, sample.text, sample.page].map(u64::from);
        Shared { both, a, b }
    }

    /// Returns whether two pages have the same words and different numbers.
    pub(crate) fn are_same_but_numbers(&self, a: u32, b: u32) -> bool {
        let sample = self.known[a as usize].shared_with(self.sketches[b as usize]);
        sample.nearness() == Some(Nearness::SameButNumbers)
    }

    fn sets(&self) -> Vec<&[u64]> {
        self.sets.iter().map(Vec::as_slice).collect()
    }
}

/// Returns the minimum estimate for sketches of `values` values at which hardly any pair with this
/// resemblance is missed.
pub(crate) fn with_margin(resemblance: f64, values: u16) -> f64 {
    let error = libm::sqrt(resemblance * (1.0 - resemblance) / f64::from(values));
    (resemblance - ERRORS * error).max(0.0)
}

/// Returns the numbers of the values of each sketch, ascending. They have no meaning, and are
/// distributed over the whole range of `u64`.
fn numbered(sketches: &[&Sketch]) -> Vec<Vec<u64>> {
    // A place, the number of its unknown bits, and its sketch.
    let mut places: Vec<(u64, u32, u32)> = (0..)
        .zip(sketches)
        .flat_map(|(at, sketch)| {
            let unknown = sketch.unknown_bits();
            sketch.places().map(move |place| (place, unknown, at))
        })
        .collect();
    // Sort the least known first: everything that agrees with it follows.
    places.par_sort_unstable_by_key(|&(place, unknown, at)| (place, Reverse(unknown), at));
    let mut sets: Vec<Vec<u64>> =
        sketches.iter().map(|sketch| Vec::with_capacity(sketch.values.len())).collect();
    let (mut number, mut first) = (0u64, None);
    for (place, unknown, at) in places {
        let agrees = first.is_some_and(|(first, unknown)| first >> unknown == place >> unknown);
        if !agrees {
            number += 1;
            first = Some((place, unknown));
        }
        sets[at as usize].push(mix(number));
    }
    sets.par_iter_mut().for_each(|set| set.sort_unstable());
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::near::identity::Identity;
    use pagekin_core::near::shingles::Shingler;
    use pagekin_pages::Silent;
    use proptest::prelude::*;

    const VALUES: u16 = 64;

    fn words(from: u64, n: u64) -> Vec<u64> {
        (from..from + n).map(mix).collect()
    }

    fn sketch(tokens: &[u64]) -> Sketch {
        Sketch::new(&Shingler::default().set(tokens), VALUES, Identity::default())
    }

    /// Texts of various lengths that share parts of a few books, and a template.
    fn texts(seed: u64) -> Vec<Sketch> {
        let mut stream = SplitMix64::new(seed);
        let texts = (0..60).map(|_| {
            let book = u64::from(stream.below(5)) * 100_000;
            let max = 1 << (4 + stream.below(9));
            let n = u64::from(1 + stream.below(max));
            let own = words(stream.next_u64() >> 1, u64::from(stream.below(n as u32 / 2 + 1)));
            sketch(&[words(0, 30), words(book, n), own].concat())
        });
        texts.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Against brute force.
        #[test]
        fn no_pair_is_missed(seed: u64, min_estimate in 0.0f64..=1.0) {
            let texts = texts(seed);
            let sketches: Vec<&Sketch> = texts.iter().collect();
            let estimates = Estimates::new(&sketches);
            let mut expected = Vec::new();
            for (a, x) in (0..).zip(&texts) {
                for (b, y) in (0..).zip(&texts).skip(a as usize + 1) {
                    let sample = KnownShingles::from_page(x).shared_with(y);
                    let [n, m] = [x, y].map(|sketch| f64::from(sketch.shingles));
                    if sample.both > 0
                        && sample.resemblance().is_some_and(|part| part >= min_estimate)
                        && n.min(m) >= min_estimate * n.max(m)
                    {
                        expected.push((a, b));
                    }
                }
            }
            prop_assert_eq!(estimates.near(min_estimate, min_estimate, &Silent).unwrap(), expected);
        }
    }

    #[test]
    fn a_page_with_half_of_another_is_a_candidate() {
        let texts = [
            words(0, 800),
            [words(400, 400), words(10_000, 300)].concat(),
            [words(0, 60), words(20_000, 900)].concat(),
            words(30_000, 500),
        ];
        let texts = texts.map(|tokens| sketch(&tokens));
        let sketches: Vec<&Sketch> = texts.iter().collect();
        assert_eq!(Estimates::new(&sketches).quoting(&Silent).unwrap(), [(0, 1)]);
    }

    #[test]
    fn the_margin_grows_as_sketches_shrink() {
        assert_eq!(with_margin(1.0, 64), 1.0);
        assert!((with_margin(0.8, 64) - 0.65).abs() < 1e-9);
        assert!((with_margin(0.8, 16) - 0.5).abs() < 1e-9);
    }
}
