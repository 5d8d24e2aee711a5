//! Alg. B: turns shingles into minvalues, supershingles and megashingles.
//!
//! m random functions map the shingles of a page to numbers. The smallest number of each function
//! is a minvalue. The probability that two pages agree in a minvalue is their resemblance.
//! Non-overlapping runs of minvalues are fingerprinted to supershingles. The B-similarity of two
//! pages is the number of equal supershingles. Pages are B-similar if at least two are equal, or as
//! many as the parameters require. They then share a megashingle, the fingerprint of a pair of
//! supershingles, so sorting megashingles finds all B-similar pairs.
//!
//! A pair of resemblance r agrees in a run of l minvalues with probability r^l. With the paper's 6
//! runs of 14, of which two must be equal, a pair at 0.95 is found with probability 0.88, and one
//! at 0.8 with 0.026: Alg. B is for copies that are nearly exact. [`SuperParams::for_resemblance`]
//! finds all pairs above a resemblance by shorter runs.
//!
//! The random functions are x -> a x + b modulo 2^64 for odd a.
//!
//! # Source
//!
//! Henzinger (2007), section 3; Broder et al., *Syntactic clustering of the web* (1997); Fetterly,
//! Manasse and Najork, *On the evolution of clusters of near-duplicate web pages* (2003), the
//! source of m = 84 and the 6 supershingles.

use super::shingles::ShingleSet;
use super::{ParameterError, rabin};
use crate::hash::{SplitMix64, mix};

/// How minvalues become supershingles, and how many must agree for B-similarity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuperParams {
    /// Number of supershingles of a page, m', 1 to 256.
    pub supershingles: u32,
    /// Number of minvalues of a supershingle, l, 1 to 64. There are m = m' l minvalues, at most
    /// 1,024.
    pub run: u32,
    /// Minimum number of equal supershingles of B-similar pages: 1 or 2.
    pub agreeing: u32,
    /// The seed of the random functions.
    pub seed: u64,
}

impl Default for SuperParams {
    /// Returns the parameters of the paper.
    fn default() -> Self {
        Self { supershingles: 6, run: 14, agreeing: 2, seed: crate::DEFAULT_SEED }
    }
}

impl SuperParams {
    /// Default number of minvalues of a page: the paper's m.
    pub const MINVALUES: u32 = 84;
    /// Minimum share of the pairs at a resemblance that [`for_resemblance`](Self::for_resemblance)
    /// finds.
    pub const RECALL: f64 = 0.995;

    /// Returns the parameters with which pairs of this `resemblance`, 0 to 1, share a supershingle
    /// with a probability of at least [`RECALL`](Self::RECALL): the paper's number of minvalues, in
    /// the longest possible runs. Below a resemblance of 0.062 even single minvalues find fewer
    /// pairs, but are used.
    #[must_use]
    pub fn for_resemblance(resemblance: f64) -> Self {
        let of_run = |run: u32| Self {
            supershingles: Self::MINVALUES / run,
            run,
            agreeing: 1,
            ..Self::default()
        };
        let enough = |params: &Self| params.found(resemblance) >= Self::RECALL;
        (2..=14).rev().map(of_run).find(enough).unwrap_or_else(|| of_run(1))
    }

    /// Returns the probability that a pair of this resemblance is B-similar.
    #[must_use]
    pub fn found(&self, resemblance: f64) -> f64 {
        let power = |base: f64, exponent: u32| (0..exponent).fold(1.0, |power, _| power * base);
        let (n, one) = (self.supershingles, power(resemblance, self.run));
        let none = power(1.0 - one, n);
        if self.agreeing == 1 || n == 0 {
            return 1.0 - none;
        }
        1.0 - none - f64::from(n) * one * power(1.0 - one, n - 1)
    }
}

/// Computes the minvalues and supershingles of pages.
#[derive(Debug, Clone)]
pub struct Supershingler {
    params: SuperParams,
    /// The a and b of each function x -> a x + b modulo 2^64, in separate vectors for SIMD.
    multipliers: Vec<u64>,
    addends: Vec<u64>,
}

impl Supershingler {
    /// Creates functions with these parameters.
    ///
    /// # Errors
    ///
    /// If a parameter is out of range.
    pub fn new(params: SuperParams) -> Result<Self, ParameterError> {
        let refuse = |name, expected, found| Err(ParameterError { name, expected, found });
        let SuperParams { supershingles, run, agreeing, seed } = params;
        if !(1..=256).contains(&supershingles) {
            return refuse("supershingles of a page", "1 to 256", supershingles);
        }
        if !(1..=64).contains(&run) {
            return refuse("minvalues of a supershingle", "1 to 64", run);
        }
        if supershingles * run > 1_024 {
            return refuse("minvalues of a page", "at most 1024", supershingles * run);
        }
        if !(1..=2.min(supershingles)).contains(&agreeing) {
            let expected = "1, or 2 for at least two supershingles";
            return refuse("supershingles that must agree", expected, agreeing);
        }
        let mut stream = SplitMix64::new(seed);
        let mut function = || (stream.next_u64() | 1, stream.next_u64());
        let (multipliers, addends) = (0..supershingles * run).map(|_| function()).unzip();
        Ok(Self { params, multipliers, addends })
    }

    /// Returns the parameters.
    #[must_use]
    pub fn params(&self) -> &SuperParams {
        &self.params
    }

    /// Returns the m minvalues of a page, or `None` for a page without shingles. Costs m
    /// multiplications for each shingle, several at once if the instruction set of the caller
    /// allows it. That is why it is inlined into the caller.
    #[must_use]
    #[inline(always)]
    pub fn minvalues(&self, shingles: &ShingleSet) -> Option<Vec<u64>> {
        if shingles.as_slice().is_empty() {
            return None;
        }
        let mut least = vec![u64::MAX; self.multipliers.len()];
        for x in shingles.as_slice() {
            let functions = self.multipliers.iter().zip(&self.addends);
            for (least, (a, b)) in least.iter_mut().zip(functions) {
                *least = (*least).min(a.wrapping_mul(*x).wrapping_add(*b));
            }
        }
        Some(least)
    }

    /// Returns the index of the first of these shingles that has each of the m minvalues, or
    /// nothing if there are no shingles. For showing them: slower than
    /// [`minvalues`](Self::minvalues).
    #[must_use]
    pub fn winners(&self, shingles: &[u64]) -> Vec<usize> {
        let winner = |(a, b): (&u64, &u64)| {
            let value = |x: &u64| a.wrapping_mul(*x).wrapping_add(*b);
            let places = 0..shingles.len();
            places.min_by_key(|&at| value(&shingles[at]))
        };
        self.multipliers.iter().zip(&self.addends).filter_map(winner).collect()
    }

    /// Returns the m' supershingles of m minvalues: the Rabin fingerprint of each run.
    #[must_use]
    pub fn supershingles(&self, minvalues: &[u64]) -> Vec<u64> {
        minvalues.chunks_exact(self.params.run as usize).map(rabin::of_words).collect()
    }

    /// Calls `each` with the keys that two pages share if and only if they are B-similar: the m'
    /// (m' - 1) / 2 megashingles. If one equal supershingle is enough, the keys are the
    /// supershingles themselves, each fingerprinted with its index.
    pub fn for_each_key(&self, supershingles: &[u64], mut each: impl FnMut(u64)) {
        for (i, &a) in (0u64..).zip(supershingles) {
            if self.params.agreeing == 1 {
                each(mix(rabin::of_words(&[i, a])));
                continue;
            }
            for (j, &b) in (0u64..).zip(supershingles).skip(i as usize + 1) {
                each(mix(rabin::of_words(&[i << 32 | j, a, b])));
            }
        }
    }

    /// Whether two pages with these supershingles are B-similar.
    #[must_use]
    pub fn are_similar(&self, a: &[u64], b: &[u64]) -> bool {
        b_similarity(a, b) >= self.params.agreeing
    }
}

/// Returns the B-similarity of two pages: the number of their equal supershingles.
#[must_use]
pub fn b_similarity(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;
    use crate::near::shingles::{Shared, Shingler};
    use expect_test::expect;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A page of `n` tokens of its own, and one that contains the first `copied` of them.
    fn pages(n: u64, copied: u64) -> (ShingleSet, ShingleSet) {
        let shingler = Shingler::new(3).unwrap();
        let token = |number: u64| hash::of_bytes(&number.to_le_bytes());
        let a: Vec<u64> = (0..n).map(token).collect();
        let b: Vec<u64> = (0..n).map(|at| token(if at < copied { at } else { n + at })).collect();
        (shingler.set(&a), shingler.set(&b))
    }

    fn keys(shingler: &Supershingler, supershingles: &[u64]) -> BTreeSet<u64> {
        let mut keys = BTreeSet::new();
        shingler.for_each_key(supershingles, |key| {
            keys.insert(key);
        });
        keys
    }

    #[test]
    fn the_minvalues_are_those_of_the_winners() {
        let (shingler, supershingler) =
            (Shingler::new(1).unwrap(), Supershingler::new(SuperParams::default()).unwrap());
        let tokens: Vec<u64> = (0..50).map(mix).collect();
        let mut in_order = Vec::new();
        shingler.for_each(&tokens, |shingle| in_order.push(shingle));
        let all = supershingler.minvalues(&shingler.set(&tokens)).unwrap();
        let winners = supershingler.winners(&in_order);
        assert_eq!(winners.len(), all.len());
        for (i, &winner) in winners.iter().enumerate() {
            let alone = supershingler.minvalues(&shingler.set(&tokens[winner..=winner])).unwrap();
            assert_eq!(alone[i], all[i]);
        }
        assert!(supershingler.winners(&[]).is_empty());
    }

    #[test]
    fn known_answers() {
        let supershingler = Supershingler::new(SuperParams::default()).unwrap();
        let minvalues = supershingler.minvalues(&pages(40, 0).0).unwrap();
        let supershingles = supershingler.supershingles(&minvalues);
        assert_eq!((minvalues.len(), supershingles.len()), (84, 6));
        assert_eq!(keys(&supershingler, &supershingles).len(), 15);
        expect!["[065e618962115c01, 03ccce0f4e9428fd] [63611f016abb41ff, 8a3f908a65f0fcdd]"]
            .assert_eq(&format!("{:016x?} {:016x?}", &minvalues[..2], &supershingles[..2]));
    }

    #[test]
    fn a_page_without_shingles_has_no_minvalues() {
        let supershingler = Supershingler::new(SuperParams::default()).unwrap();
        assert_eq!(supershingler.minvalues(&ShingleSet::default()), None);
    }

    #[test]
    fn parameters_out_of_their_range_are_refused() {
        #[track_caller]
        fn check(supershingles: u32, run: u32, agreeing: u32, expected: &str) {
            let params = SuperParams { supershingles, run, agreeing, seed: 1 };
            assert_eq!(Supershingler::new(params).unwrap_err().to_string(), expected);
        }
        check(0, 14, 1, "supershingles of a page is 0: expected 1 to 256");
        check(6, 0, 2, "minvalues of a supershingle is 0: expected 1 to 64");
        check(64, 64, 2, "minvalues of a page is 4096: expected at most 1024");
        let expected =
            "supershingles that must agree is 2: expected 1, or 2 for at least two supershingles";
        check(1, 14, 2, expected);
    }

    #[test]
    fn runs_are_as_long_as_the_resemblance_allows() {
        let runs = [1.0, 0.95, 0.8, 0.5, 0.25, 0.1, 0.0]
            .map(|resemblance| SuperParams::for_resemblance(resemblance).run);
        assert_eq!(runs, [14, 12, 5, 2, 1, 1, 1]);
        let found = |resemblance| SuperParams::default().found(resemblance);
        assert!((found(0.95) - 0.88).abs() < 0.005 && (found(0.8) - 0.026).abs() < 0.001);
    }

    /// The share of 4,000 pairs of one resemblance that is found, each with functions of its own,
    /// is the computed probability, within five standard deviations.
    #[test]
    fn the_recall_is_as_computed() {
        let (a, b) = pages(100, 80);
        let resemblance = Shared::between(&a, &b).resemblance();
        for params in [
            SuperParams { supershingles: 6, run: 4, ..SuperParams::default() },
            SuperParams { supershingles: 3, run: 3, agreeing: 1, ..SuperParams::default() },
        ] {
            let found = (0..4_000).filter(|&seed| {
                let of = Supershingler::new(SuperParams { seed, ..params }).unwrap();
                let [a, b] = [&a, &b].map(|set| of.supershingles(&of.minvalues(set).unwrap()));
                of.are_similar(&a, &b)
            });
            let (found, expected) = (found.count() as f64 / 4_000.0, params.found(resemblance));
            let deviation = (expected * (1.0 - expected) / 4_000.0).sqrt();
            assert!((found - expected).abs() <= 5.0 * deviation, "{found} for {expected}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(2007), ..ProptestConfig::default() })]

        /// With 1,024 minvalues, the estimate is within five standard deviations of the exact
        /// resemblance.
        #[test]
        fn equal_minvalues_estimate_the_resemblance(n in 20u64..200, copied in 0u64..200, seed: u64) {
            let (a, b) = pages(n, copied.min(n));
            let params = SuperParams { supershingles: 256, run: 4, agreeing: 1, seed };
            let of = Supershingler::new(params).unwrap();
            let equal = b_similarity(&of.minvalues(&a).unwrap(), &of.minvalues(&b).unwrap());
            let exact = Shared::between(&a, &b).resemblance();
            let deviation = (exact * (1.0 - exact) / 1_024.0).sqrt();
            let estimate = f64::from(equal) / 1_024.0;
            prop_assert!((estimate - exact).abs() <= 5.0 * deviation, "{} for {}", estimate, exact);
        }

        /// Pages share a megashingle if and only if at least two supershingles are equal, and a key
        /// of one supershingle if and only if one is.
        #[test]
        fn a_shared_key_is_b_similarity(
            a in prop::collection::vec(0u64..3, 6), b in prop::collection::vec(0u64..3, 6), agreeing in 1u32..=2,
        ) {
            let of = Supershingler::new(SuperParams { agreeing, ..SuperParams::default() }).unwrap();
            let shared = !keys(&of, &a).is_disjoint(&keys(&of, &b));
            prop_assert_eq!(shared, a.iter().zip(&b).filter(|(a, b)| a == b).count() >= agreeing as usize);
            prop_assert_eq!(shared, of.are_similar(&a, &b));
        }
    }
}
