//! Computes MinHash signatures of bags with the widest instructions of the processor.
//!
//! The values of [`Algorithm::Affine32`] equal those of [`Family::sign`] bit by bit on every
//! processor. The available instructions are detected when a [`Signer`] is created, and all
//! implementations are tested against the definition.
//!
//! A bag takes three passes: copies are numbered, numbers are hashed to elements, and each element
//! is passed to all functions, which stay in registers. The last pass takes nearly all of the time:
//! `m s` steps of a multiplication, an addition and a minimum for a bag of `s` copies.

pub(crate) mod kernels;

pub use fearless_simd::Level;
use fearless_simd::dispatch;
use pagekin_core::Preset;
use pagekin_core::bag::Bag;
use pagekin_core::hash::{GOLDEN, SplitMix64};
use pagekin_core::minhash::{Family, SignatureParams, element_of};
use rayon::prelude::*;

use crate::minhash::kernels::{Affine, MAX_LANES, PRIME, Prime, Steps};

/// Number of bags per task of a thread.
const SHARE: usize = 128;
/// Number of copies of a term written in one step. Many terms have fewer, but a processor cannot
/// predict how many.
const COPIES: usize = 4;
/// The differences between the numbers of these copies and the first.
const STEPS: [u64; COPIES] = [0, GOLDEN, GOLDEN.wrapping_mul(2), GOLDEN.wrapping_mul(3)];

/// The hash functions of signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// `a x + b mod 2^32`, mixed and truncated: see [`Family`].
    Affine32,
    /// The lowest bits of `a x + b mod P` with the prime `P = 2^31 - 1`: the family of Haveliwala,
    /// Gionis and Indyk (2000), who do not specify their prime. `x` is the high 31 bits of the
    /// element. `a`, from 1, and `b`, from 0 to `P - 1`, are drawn alternately from [`SplitMix64`]
    /// with the seed. A minimum has about `31 - log2 s` bits for a bag of `s` copies, so its lowest
    /// 24 bits contain nearly all of it.
    Prime31,
}

impl Algorithm {
    /// Returns the algorithm for the signatures of a crawl with this preset.
    #[must_use]
    pub fn new(preset: Preset) -> Self {
        match preset {
            Preset::Web => Self::Affine32,
            Preset::Paper => Self::Prime31,
        }
    }

    /// Returns the name that is stored with signatures.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Affine32 => "minhash-affine32",
            Self::Prime31 => "minhash-prime31",
        }
    }
}

/// The functions of an algorithm and a seed, prepared for this processor.
#[derive(Debug, Clone)]
pub struct Signer {
    algorithm: Algorithm,
    params: SignatureParams,
    level: Level,
    /// The functions in the form that the level needs, padded to a multiple of [`MAX_LANES`].
    a: Vec<u32>,
    b: Vec<u32>,
    /// The functions as defined.
    family: Family,
}

impl Signer {
    /// Creates a signer for the widest instructions of this processor.
    #[must_use]
    pub fn new(algorithm: Algorithm, params: SignatureParams) -> Self {
        Self::at(Level::new(), algorithm, params)
    }

    /// Creates a signer for the instructions of `level`. [`Level::baseline`] is supported by all
    /// processors that the program is compiled for.
    #[must_use]
    pub fn at(level: Level, algorithm: Algorithm, params: SignatureParams) -> Self {
        let family = Family::new(params);
        let (mut a, mut b) = match algorithm {
            Algorithm::Affine32 => {
                let (a, b) = family.functions();
                (a.to_vec(), b.to_vec())
            }
            Algorithm::Prime31 => prime_functions(params),
        };
        let filled = a.len().next_multiple_of(MAX_LANES);
        a.resize(filled, 1);
        b.resize(filled, 0);
        #[cfg(target_arch = "x86_64")]
        if let (Level::Sse2(_), Algorithm::Affine32) = (level, algorithm) {
            kernels::Reversed::reverse(&mut a, &mut b);
        }
        Self { algorithm, params, level, a, b, family }
    }

    /// Returns a buffer for signing bags one after another.
    #[must_use]
    pub fn desk(&self) -> SigningBuffers<'_> {
        let values = vec![0; self.a.len()];
        SigningBuffers { signer: self, numbers: Vec::new(), elements: Vec::new(), values }
    }

    /// Computes the minima of [`Algorithm::Affine32`] by the definition.
    #[cold]
    fn plain_minima(&self, elements: &[u32], minima: &mut [u32]) {
        let (a, b) = self.family.functions();
        for ((minimum, a), b) in minima.iter_mut().zip(a).zip(b) {
            let values = elements.iter().map(|x| a.wrapping_mul(*x).wrapping_add(*b));
            *minimum = values.min().unwrap_or(u32::MAX);
        }
    }

    /// Returns the values of all bags in order, computed in parallel. Only the lowest 16 bits of
    /// each value are included.
    ///
    /// # Panics
    ///
    /// Panics if a bag is empty.
    #[must_use]
    pub fn rows(&self, bags: &[Bag]) -> Vec<u16> {
        let m = usize::from(self.params.m);
        let mut rows = vec![0; bags.len() * m];
        let shares = rows.par_chunks_mut(SHARE * m).zip(bags.par_chunks(SHARE));
        shares.for_each(|(rows, bags)| {
            let mut desk = self.desk();
            for (row, bag) in rows.chunks_exact_mut(m).zip(bags) {
                let values = desk.sign(bag).expect("an empty bag has no signature");
                for (place, &value) in row.iter_mut().zip(values) {
                    *place = value as u16;
                }
            }
        });
        rows
    }
}

/// Returns `a` and `b` of each function modulo the prime.
fn prime_functions(params: SignatureParams) -> (Vec<u32>, Vec<u32>) {
    let mut stream = SplitMix64::new(params.seed);
    (0..params.m).map(|_| (1 + stream.below(PRIME - 1), stream.below(PRIME))).unzip()
}

/// The buffers of a thread for signing bags. Memory is only allocated for a bag that is larger than
/// all earlier ones.
#[derive(Debug)]
pub struct SigningBuffers<'a> {
    signer: &'a Signer,
    numbers: Vec<u64>,
    elements: Vec<u32>,
    values: Vec<u32>,
}

impl SigningBuffers<'_> {
    /// Returns the values of `bag`, or `None` if it is empty.
    pub fn sign(&mut self, bag: &Bag) -> Option<&[u32]> {
        let size = bag.size() as usize;
        if size == 0 {
            return None;
        }
        if self.elements.len() < size {
            self.numbers.resize(size + COPIES, 0);
            self.elements.resize(size, 0);
        }
        number(bag, &mut self.numbers);
        let Signer { algorithm, params, level, .. } = *self.signer;
        match algorithm {
            Algorithm::Affine32 => {
                let value = |min| params.value_of(min);
                match level {
                    #[cfg(target_arch = "x86_64")]
                    Level::Sse2(simd) => fearless_simd::Simd::vectorize(
                        simd,
                        #[inline(always)]
                        || self.take::<_, 5>(kernels::Reversed(simd), size, value),
                    ),
                    _ => dispatch!(level, simd => self.take::<_, 5>(Affine(simd), size, value)),
                }
            }
            Algorithm::Prime31 => {
                let kept = u32::MAX >> (32 - params.bits);
                dispatch!(level, _ => self.take::<_, 1>(Prime, size, |min| min & kept));
            }
        }
        Some(&self.values[..usize::from(params.m)])
    }

    /// Computes the values from the numbers. Everything is inlined, so that it is compiled to the
    /// instructions of the level.
    #[inline(always)]
    fn take<S: Steps, const TILE: usize>(
        &mut self,
        steps: S,
        size: usize,
        value: impl Fn(u32) -> u32,
    ) {
        let elements = &mut self.elements[..size];
        for (element, &number) in elements.iter_mut().zip(&self.numbers) {
            *element = element_of(number);
        }
        let functions = (&self.signer.a[..], &self.signer.b[..]);
        kernels::minima::<S, TILE>(steps, functions, elements, &mut self.values);
        let values = &mut self.values[..usize::from(self.signer.params.m)];
        if values.contains(&u32::MAX) {
            self.signer.plain_minima(elements, values);
        }
        for min in values {
            *min = value(*min);
        }
    }
}

/// Writes the numbers of all copies, and a few more after them, which do not count.
///
/// This is compiled for any processor: wider stores would cross cache lines.
#[inline(never)]
fn number(bag: &Bag, numbers: &mut [u64]) {
    let mut first = 0;
    for &(term, copies) in bag.entries() {
        let copies = usize::from(copies);
        let mut number = u64::from(term);
        for at in (first..first + copies).step_by(COPIES) {
            let places: &mut [u64; COPIES] =
                numbers[at..].first_chunk_mut().expect("there is room for more");
            *places = STEPS.map(|step| number.wrapping_add(step));
            number = number.wrapping_add(STEPS[COPIES - 1]).wrapping_add(GOLDEN);
        }
        first += copies;
    }
}

/// How signatures were computed. Signatures are only comparable if this is equal, so store it with
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedBy {
    /// The name of the algorithm. Different algorithms may have the same parameters.
    pub algorithm: String,
    /// The parameters of the algorithm.
    pub params: SignatureParams,
    /// The exact or approximate sum of the counts of a bag. The same page at another scale has
    /// another signature.
    pub scale: u16,
}

impl std::fmt::Display for SignedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SignatureParams { m, bits, seed } = self.params;
        let (algorithm, scale) = (&self.algorithm, self.scale);
        write!(f, "{algorithm} (m = {m}, {bits} bits, seed {seed}, scale {scale})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use pagekin_core::Preset;
    use pagekin_core::minhash::{agreement, element};
    use pagekin_core::similarity::Overlap;
    use pagekin_core::vocabulary::TermId;
    use proptest::prelude::*;

    /// Returns all levels of this processor.
    fn levels() -> Vec<Level> {
        let best = Level::new();
        #[cfg(target_arch = "x86_64")]
        let narrower = [best.as_avx2().map(Level::Avx2), best.as_sse4_2().map(Level::Sse4_2)];
        #[cfg(not(target_arch = "x86_64"))]
        let narrower = [];
        [best, Level::baseline()].into_iter().chain(narrower.into_iter().flatten()).collect()
    }

    fn bag(entries: &[(TermId, u16)]) -> Bag {
        Bag::from_sorted(entries.to_vec()).unwrap()
    }

    fn any_bag() -> impl Strategy<Value = Bag> {
        let copies = prop_oneof![16 => 1_u16..4, 4 => 1_u16..20, 1 => Just(70)];
        proptest::collection::btree_map(0..1_u32 << 24, copies, 1..40)
            .prop_map(|terms| bag(&terms.into_iter().collect::<Vec<_>>()))
    }

    /// The values of [`Algorithm::Prime31`] by the definition.
    fn by_prime(bag: &Bag, params: SignatureParams) -> Vec<u32> {
        let (a, b) = prime_functions(params);
        let prime = (1_u64 << 31) - 1;
        let value = |(&a, &b): (&u32, &u32)| {
            let copies =
                bag.entries().iter().flat_map(|&(id, copies)| (0..copies).map(move |at| (id, at)));
            let min = copies
                .map(|(id, at)| u64::from(element(id, at) >> 1))
                .map(|x| (u64::from(a) * x + u64::from(b)) % prime)
                .min();
            (min.unwrap() % (1 << params.bits)) as u32
        };
        a.iter().zip(&b).map(value).collect()
    }

    #[test]
    fn known_answers() {
        let params = SignatureParams { m: 4, bits: 24, seed: 1 };
        let bag = bag(&[(3, 2), (7, 100)]);
        let values = |algorithm| Signer::new(algorithm, params).desk().sign(&bag).unwrap().to_vec();
        expect![[r#"
            [7682675, 7900028, 10559218, 7670213]
            [2602205, 5672280, 1679627, 12108461]
        "#]]
        .assert_eq(&format!(
            "{:?}\n{:?}\n",
            values(Algorithm::Affine32),
            values(Algorithm::Prime31)
        ));
    }

    #[test]
    fn an_empty_bag_has_no_values() {
        let signer = Signer::new(Algorithm::Affine32, Preset::Web.params(1).signature);
        assert_eq!(signer.desk().sign(&Bag::default()), None);
    }

    /// With a single element, half of the minima are outside the range of positive floating point
    /// numbers.
    #[test]
    fn all_levels_agree_on_one_element() {
        let params = SignatureParams { m: 1_024, bits: 24, seed: 1 };
        let bag = bag(&[(7, 1)]);
        let expected = Family::new(params).sign(&bag).unwrap();
        for level in levels() {
            let signer = Signer::at(level, Algorithm::Affine32, params);
            assert_eq!(signer.desk().sign(&bag).unwrap(), expected.values(), "{level:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(2000), cases: 48, ..ProptestConfig::default() })]

        /// For any level, any number of functions, and any bags signed with the same buffers
        /// before.
        #[test]
        fn all_levels_match_the_definition(
            bags in proptest::collection::vec(any_bag(), 1..3),
            m in prop_oneof![1_u16..100, Just(80)],
            bits in prop_oneof![Just(8_u8), Just(16), Just(24)],
            seed: u64,
        ) {
            let params = SignatureParams { m, bits, seed };
            let family = Family::new(params);
            for level in levels() {
                let signer = Signer::at(level, Algorithm::Affine32, params);
                let by_prime_signer = Signer::at(level, Algorithm::Prime31, params);
                let (mut desk, mut prime_desk) = (signer.desk(), by_prime_signer.desk());
                for bag in &bags {
                    let expected = family.sign(bag).unwrap();
                    prop_assert_eq!(desk.sign(bag).unwrap(), expected.values(), "{:?}", level);
                    let expected = by_prime(bag, params);
                    prop_assert_eq!(prime_desk.sign(bag).unwrap(), expected, "{:?}", level);
                }
            }
        }

        /// Agreement modulo the prime also estimates the similarity, within five standard
        /// deviations.
        #[test]
        fn agreement_modulo_the_prime_estimates_the_bag_jaccard(a in any_bag(), more in any_bag(), seed: u64) {
            // Partly similar: everything of one bag, and the terms of the other that it does not
            // contain.
            let has = |id| a.entries().iter().any(|&(other, _)| other == id);
            let others = more.entries().iter().filter(|&&(id, _)| !has(id));
            let mut entries: Vec<_> = a.entries().iter().chain(others).copied().collect();
            entries.sort_unstable();
            let b = bag(&entries);
            prop_assume!(a.size() >= 5);
            let m = 1_024;
            let signer = Signer::new(Algorithm::Prime31, SignatureParams { m, bits: 24, seed });
            let mut desk = signer.desk();
            let values = desk.sign(&a).unwrap().to_vec();
            let estimate = agreement(&values, desk.sign(&b).unwrap());
            let exact = Overlap::between(&a, &b).jaccard();
            let deviation = (exact * (1.0 - exact) / f64::from(m)).sqrt();
            prop_assert!((estimate - exact).abs() <= 5.0 * deviation + 0.002, "{estimate} for {exact}");
        }

        /// Rows are the values of consecutive bags, truncated to 16 bits, for any number of tasks.
        #[test]
        fn rows_contain_the_values_of_bags_in_order(bag in any_bag(), other in any_bag(), count in 1_usize..300) {
            let signer = Signer::new(Algorithm::Affine32, SignatureParams { m: 5, bits: 24, seed: 1 });
            let bags: Vec<Bag> =
                (0..count).map(|at| if at % 3 == 0 { bag.clone() } else { other.clone() }).collect();
            let mut desk = signer.desk();
            let expected: Vec<u16> = bags
                .iter()
                .flat_map(|bag| desk.sign(bag).unwrap().iter().map(|&value| value as u16).collect::<Vec<_>>())
                .collect();
            prop_assert_eq!(signer.rows(&bags), expected);
        }
    }
}
