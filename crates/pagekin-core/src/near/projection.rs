//! Alg. C: turns tokens into a projection sketch, and the sketch into subsketches.
//!
//! Each token has a pseudo-random vector of b entries. The vector of a page is the sum of those of
//! its tokens, each as often as it occurs. The sketch has one bit for each entry: 1 if it is
//! positive, otherwise 0. A bit shows on which side of a random hyperplane the page is, so two
//! pages whose token frequencies have the angle θ agree in a share of 1 - θ / π of the bits. Their
//! C-similarity is the number of bits in which they agree. They are C-similar if it is at least t.
//!
//! Such pages disagree in at most b - t bits, so they agree in at least one of b - t + 1 pieces of
//! the sketch. Sorting the pieces finds all C-similar pairs, with none missed.
//!
//! The entries are the odd integers from -255 to 255, each equally likely. This is the paper's
//! interval from -1 to 1 in 256 steps, so that sums are exact on every machine.
//!
//! # Quirks
//!
//! 1. Only the first [`Projector::MAX_TOKENS`] tokens of a page count, because sums have 32 bits.
//! 2. A page of a few words that are repeated often is in few dimensions, in which vectors of
//!    uniform entries are not random directions. There the estimate of the angle is off by a few
//!    hundredths.
//!
//! # Source
//!
//! Charikar, *Similarity estimation techniques from rounding algorithms* (2002); Henzinger (2007),
//! section 3.

use super::ParameterError;
use crate::hash::{SplitMix64, mix};

/// The size of a projection sketch, and how many bits must agree for C-similarity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectionParams {
    /// Number of bits of a sketch, b: a multiple of 64, at most 4,096.
    pub bits: u32,
    /// Minimum number of equal bits of C-similar pages, t: 1 to b.
    pub agreeing: u32,
    /// The seed of the tokens' vectors.
    pub seed: u64,
}

impl Default for ProjectionParams {
    /// Returns the parameters of the paper.
    fn default() -> Self {
        Self { bits: 384, agreeing: 372, seed: crate::DEFAULT_SEED }
    }
}

/// Computes the projection sketches of pages.
#[derive(Debug, Clone)]
pub struct Projector {
    params: ProjectionParams,
}

impl Projector {
    /// Maximum number of tokens of a page that count.
    pub const MAX_TOKENS: usize = (i32::MAX / 255) as usize;

    /// Creates a projector with these parameters.
    ///
    /// # Errors
    ///
    /// If a parameter is out of range.
    pub fn new(params: ProjectionParams) -> Result<Self, ParameterError> {
        let refuse = |name, expected, found| Err(ParameterError { name, expected, found });
        let ProjectionParams { bits, agreeing, .. } = params;
        if !(64..=4_096).contains(&bits) || bits % 64 != 0 {
            return refuse("bits of a projection sketch", "a multiple of 64, to 4096", bits);
        }
        if !(1..=bits).contains(&agreeing) {
            return refuse("bits that must agree", "1 to the bits of the sketch", agreeing);
        }
        Ok(Self { params })
    }

    /// Returns the parameters.
    #[must_use]
    pub fn params(&self) -> &ProjectionParams {
        &self.params
    }

    /// Returns the sketch of a page: `bits` bits, the first of which is the lowest of the first
    /// word. Costs b additions for each different token.
    #[must_use]
    pub fn sketch(&self, tokens: &[u64]) -> Vec<u64> {
        let mut tokens = tokens[..tokens.len().min(Self::MAX_TOKENS)].to_vec();
        tokens.sort_unstable();
        let mut sums = vec![0i32; self.params.bits as usize];
        for same in tokens.chunk_by(|a, b| a == b) {
            let times = same.len() as i32;
            let mut stream = self.entries(same[0]);
            for sums in sums.chunks_exact_mut(8) {
                let bytes = stream.next_u64().to_le_bytes();
                for (sum, byte) in sums.iter_mut().zip(bytes) {
                    *sum += times * (2 * i32::from(byte) - 255);
                }
            }
        }
        let word =
            |sums: &[i32]| sums.iter().rev().fold(0, |word, &sum| word << 1 | u64::from(sum > 0));
        sums.chunks_exact(64).map(word).collect()
    }

    /// Returns the stream whose bytes are the entries of the token's vector.
    fn entries(&self, token: u64) -> SplitMix64 {
        // The stream mixes its seed. Mixing the seed of the projector first gives different vectors
        // for every seed.
        SplitMix64::new(token ^ mix(self.params.seed))
    }

    /// Calls `each` with the b - t + 1 subsketches of a sketch: pieces whose lengths differ by at
    /// most one bit, each hashed with its number.
    pub fn for_each_subsketch(&self, sketch: &[u64], mut each: impl FnMut(u64)) {
        let ProjectionParams { bits, agreeing, .. } = self.params;
        let pieces = u64::from(bits - agreeing + 1);
        let border = |piece: u64| (piece * u64::from(bits) / pieces) as usize;
        for piece in 0..pieces {
            let (mut at, end) = (border(piece), border(piece + 1));
            let mut subsketch = mix(piece);
            while at < end {
                let taken = (64 - at % 64).min(end - at);
                let part = sketch[at / 64] >> (at % 64) & (u64::MAX >> (64 - taken));
                subsketch = mix(subsketch ^ part);
                at += taken;
            }
            each(subsketch);
        }
    }

    /// Whether two pages with these sketches are C-similar.
    #[must_use]
    pub fn are_similar(&self, a: &[u64], b: &[u64]) -> bool {
        c_similarity(a, b) >= self.params.agreeing
    }
}

/// Returns the C-similarity of two pages: the number of bits in which their sketches agree.
#[must_use]
pub fn c_similarity(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_zeros()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn subsketches(projector: &Projector, sketch: &[u64]) -> BTreeSet<u64> {
        let mut subsketches = BTreeSet::new();
        projector.for_each_subsketch(sketch, |subsketch| {
            subsketches.insert(subsketch);
        });
        subsketches
    }

    fn cosine(a: &[u64], b: &[u64]) -> f64 {
        let frequencies = |tokens: &[u64]| {
            let mut of = BTreeMap::<u64, f64>::new();
            tokens.iter().for_each(|&token| *of.entry(token).or_default() += 1.0);
            of
        };
        let (a, b) = (frequencies(a), frequencies(b));
        let product = |a: &BTreeMap<u64, f64>, b: &BTreeMap<u64, f64>| -> f64 {
            a.iter().filter_map(|(token, n)| Some(n * b.get(token)?)).sum()
        };
        product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
    }

    #[test]
    fn known_answers() {
        let projector = Projector::new(ProjectionParams::default()).unwrap();
        let sketch = projector.sketch(&[1, 2, 3, 2]);
        assert_eq!(sketch.len(), 6);
        assert_eq!(subsketches(&projector, &sketch).len(), 13);
        expect!["[e90ca3ce2bdc1a48, 89b879587282b7ab, ad6f1d218ae5d9b8, 138901131f5a31a1, c0fa8204c73fee62, 495eed0092aade59]"].assert_eq(&format!("{sketch:016x?}"));
    }

    #[test]
    fn a_page_of_no_tokens_has_no_positive_entry() {
        let projector = Projector::new(ProjectionParams::default()).unwrap();
        assert_eq!(projector.sketch(&[]), [0; 6]);
    }

    #[test]
    fn a_single_token_has_about_as_many_ones_as_zeros() {
        let projector = Projector::new(ProjectionParams::default()).unwrap();
        let ones = (0..1_000).map(|token| projector.sketch(&[token])[0].count_ones()).sum::<u32>();
        // Five standard deviations of 64,000 fair coins.
        assert!(ones.abs_diff(32_000) <= 633, "{ones}");
    }

    #[test]
    fn parameters_out_of_their_range_are_refused() {
        #[track_caller]
        fn check(bits: u32, agreeing: u32, expected: &str) {
            let params = ProjectionParams { bits, agreeing, seed: 1 };
            assert_eq!(Projector::new(params).unwrap_err().to_string(), expected);
        }
        let expected = "bits of a projection sketch is 100: expected a multiple of 64, to 4096";
        check(100, 90, expected);
        check(384, 385, "bits that must agree is 385: expected 1 to the bits of the sketch");
        check(384, 0, "bits that must agree is 0: expected 1 to the bits of the sketch");
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(2007), ..ProptestConfig::default() })]

        /// With 4,096 bits, the estimate is within five standard deviations of 1 - θ / π, and a
        /// hundredth for the difference between vectors of uniform entries and random directions.
        #[test]
        fn agreeing_bits_estimate_the_angle(
            own_a in prop::collection::vec(0u64..40, 0..150), own_b in prop::collection::vec(40u64..80, 0..150),
            both in prop::collection::vec(80u64..140, 50..200), seed: u64,
        ) {
            let projector = Projector::new(ProjectionParams { bits: 4_096, agreeing: 4_096, seed }).unwrap();
            let (a, b) = ([&own_a[..], &both].concat(), [&own_b[..], &both].concat());
            let agreeing = c_similarity(&projector.sketch(&a), &projector.sketch(&b));
            let exact = 1.0 - cosine(&a, &b).min(1.0).acos() / std::f64::consts::PI;
            let estimate = f64::from(agreeing) / 4_096.0;
            let deviation = (exact * (1.0 - exact) / 4_096.0).sqrt();
            prop_assert!((estimate - exact).abs() <= 5.0 * deviation + 0.01, "{} for {}", estimate, exact);
        }

        /// The order of tokens does not matter.
        #[test]
        fn a_sketch_is_that_of_the_frequencies(tokens in prop::collection::vec(0u64..9, 0..40)) {
            let projector = Projector::new(ProjectionParams::default()).unwrap();
            let backwards: Vec<u64> = tokens.iter().rev().copied().collect();
            prop_assert_eq!(projector.sketch(&tokens), projector.sketch(&backwards));
        }

        /// Compares with all pairs: C-similar pages share a subsketch. Bits are flipped anywhere,
        /// as many as allowed and more.
        #[test]
        fn similar_sketches_share_a_subsketch(
            sketch in prop::collection::vec(any::<u64>(), 6), flipped in prop::collection::btree_set(0usize..384, 0..20),
            agreeing in 366u32..=384,
        ) {
            let projector = Projector::new(ProjectionParams { agreeing, ..ProjectionParams::default() }).unwrap();
            let mut other = sketch.clone();
            for &bit in &flipped {
                other[bit / 64] ^= 1 << (bit % 64);
            }
            prop_assert_eq!(c_similarity(&sketch, &other), 384 - flipped.len() as u32);
            if projector.are_similar(&sketch, &other) {
                let (a, b) = (subsketches(&projector, &sketch), subsketches(&projector, &other));
                prop_assert!(!a.is_disjoint(&b));
            }
        }

        /// The pieces form the whole sketch: a bit that changes changes one subsketch, and no two
        /// contain the same bits.
        #[test]
        fn every_bit_is_in_one_subsketch(
            sketch in prop::collection::vec(any::<u64>(), 2), bit in 0usize..128, agreeing in 1u32..=128,
        ) {
            let projector = Projector::new(ProjectionParams { bits: 128, agreeing, seed: 1 }).unwrap();
            let mut other = sketch.clone();
            other[bit / 64] ^= 1 << (bit % 64);
            let (a, b) = (subsketches(&projector, &sketch), subsketches(&projector, &other));
            prop_assert_eq!(a.difference(&b).count(), 1);
        }
    }
}
