//! MinHash signatures: a few numbers per page that estimate the similarity of bags.
//!
//! A bag is expanded to the set of its elements (term, copy number), each hashed to a 32-bit number
//! `x`. A [`Family`] has `m` functions `h_i(x) = a_i x + b_i mod 2^32`. Because `a_i` is odd, each
//! is a permutation of the 32-bit numbers. Value `i` of the signature is the minimum of `h_i` over
//! the bag, mixed and reduced to its high `bits` bits. Two bags have the same value `i` with a
//! probability close to their bag Jaccard `J`. So the share of equal values has mean `J` and
//! standard deviation `sqrt(J (1 - J) / m)`, plus `2^-bits` for accidental matches due to the
//! reduction.
//!
//! Time is `O(m s)` for a bag of `s` copies (multiply, add, minimum, which the compiler
//! vectorizes). Space is `m` values.
//!
//! # Source
//!
//! Haveliwala, Gionis and Indyk (2000), section 4, after Broder et al. The paper uses `a x + b mod
//! P` for a prime `P` and keeps 3 bytes. We use `P = 2^32`, where reduction is free, and mix `x`
//! before and the minimum after, because the low bits of such a function are regular.
//!
//! # Quirks
//!
//! 1. An empty bag has no signature.

use crate::bag::Bag;
use crate::hash::{GOLDEN, SplitMix64, mix};
use crate::vocabulary::TermId;

/// Parameters of signatures. Only signatures with equal parameters are comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignatureParams {
    /// The number of values, 1 to 1,024.
    pub m: u16,
    /// The number of bits of a value: 8, 16 or 24. 8 suffice for comparisons, 16 for LSH keys.
    pub bits: u8,
    /// The seed of the functions.
    pub seed: u64,
}

impl SignatureParams {
    /// Returns the value of a minimum: mixed, and reduced to its high bits.
    #[must_use]
    #[inline]
    pub const fn value_of(&self, min: u32) -> u32 {
        (mix(min as u64) >> (64 - self.bits as u32)) as u32
    }
}

/// The hash functions of a seed.
///
/// # Example
///
/// The share of equal values of two signatures estimates the similarity of their bags.
///
/// ```
/// use pagekin_core::{Bag, DEFAULT_SEED, Family, Overlap, Preset};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Terms, each with its copies.
/// let rye = Bag::from_sorted(vec![(3, 40), (8, 25), (21, 35)])?;
/// let wheat = Bag::from_sorted(vec![(3, 45), (8, 20), (34, 35)])?;
/// assert_eq!(Overlap::between(&rye, &wheat).jaccard(), 60.0 / 140.0);
///
/// let family = Family::new(Preset::Web.params(DEFAULT_SEED).signature);
/// let [Some(a), Some(b)] = [&rye, &wheat].map(|bag| family.sign(bag)) else {
///     return Err("expected bags that have terms".into());
/// };
/// let agreeing = a.values().iter().zip(b.values()).filter(|(a, b)| a == b).count();
/// let estimate = agreeing as f64 / a.values().len() as f64;
/// assert!((estimate - 60.0 / 140.0).abs() < 0.2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    params: SignatureParams,
    a: Vec<u32>,
    b: Vec<u32>,
}

/// The MinHash signature of a bag: `m` values of `bits` bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature(Vec<u32>);

impl Family {
    /// Creates the functions of `params`: `a_i` and `b_i` are the high and low half of the `i`th
    /// number of [`SplitMix64`] with its seed, `a_i` made odd.
    #[must_use]
    pub fn new(params: SignatureParams) -> Self {
        let mut stream = SplitMix64::new(params.seed);
        let (a, b) = (0..params.m)
            .map(|_| {
                let drawn = stream.next_u64();
                ((drawn >> 32) as u32 | 1, drawn as u32)
            })
            .unzip();
        Self { params, a, b }
    }

    /// Returns the parameters.
    #[must_use]
    pub fn params(&self) -> SignatureParams {
        self.params
    }

    /// Returns `a_i` and `b_i` of each function.
    #[must_use]
    pub fn functions(&self) -> (&[u32], &[u32]) {
        (&self.a, &self.b)
    }

    /// Returns the signature of `bag`, or `None` if it is empty.
    #[must_use]
    pub fn sign(&self, bag: &Bag) -> Option<Signature> {
        let elements = bag
            .entries()
            .iter()
            .flat_map(|&(term, copies)| (0..copies).map(move |copy| element(term, copy)));
        self.sign_elements(elements)
    }

    /// Returns the signature of a set of element hashes, or `None` if there are none.
    #[must_use]
    pub fn sign_elements(&self, elements: impl IntoIterator<Item = u32>) -> Option<Signature> {
        let mut minima = vec![u32::MAX; self.a.len()];
        let mut any = false;
        for x in elements {
            any = true;
            for ((min, a), b) in minima.iter_mut().zip(&self.a).zip(&self.b) {
                *min = (*min).min(a.wrapping_mul(x).wrapping_add(*b));
            }
        }
        any.then(|| Signature(minima.iter().map(|&min| self.params.value_of(min)).collect()))
    }
}

/// Returns the hash of copy `copy` of a term: the high half of their mixed number.
#[must_use]
pub fn element(term: TermId, copy: u16) -> u32 {
    element_of(u64::from(term).wrapping_add(u64::from(copy).wrapping_mul(GOLDEN)))
}

/// Returns the same for the number of both: the term's id plus [`GOLDEN`] times the copy number.
#[must_use]
#[inline]
pub const fn element_of(number: u64) -> u32 {
    (mix(number) >> 32) as u32
}

impl From<Vec<u32>> for Signature {
    /// Creates a signature from its values.
    fn from(values: Vec<u32>) -> Self {
        Self(values)
    }
}

impl Signature {
    /// Returns the values.
    #[must_use]
    pub fn values(&self) -> &[u32] {
        &self.0
    }
}

/// Returns the share of equal values of two signatures of the same family, or of their low bytes.
///
/// # Panics
///
/// If the lengths differ, because the signatures are of different families.
#[must_use]
pub fn agreement<T: PartialEq>(a: &[T], b: &[T]) -> f64 {
    assert_eq!(a.len(), b.len(), "signatures of different families cannot be compared");
    let equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
    equal as f64 / a.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similarity::Overlap;
    use crate::similarity::tests::{any_bag, flat};
    use crate::vocabulary::term_id;
    use expect_test::expect;
    use proptest::prelude::*;

    #[test]
    fn known_answers() {
        let family = Family::new(SignatureParams { m: 4, bits: 16, seed: 1 });
        let (a, b) = (term_id("oat"), term_id("rye"));
        let mut entries = vec![(a, 2), (b, 1)];
        entries.sort_unstable();
        let bag = Bag::from_sorted(entries).unwrap();
        let signature = family.sign(&bag).unwrap();
        expect![[r#"
            a [1572997799, 3181733515, 2192847479, 3981270741]
            b [2996990263, 30868636, 2880963110, 2800376244]
            element [1048702392, 3732564358]
            values [54998, 55881, 33148, 4956]
        "#]]
        .assert_eq(&format!(
            "a {:?}\nb {:?}\nelement {:?}\nvalues {:?}\n",
            family.a,
            family.b,
            [element(a, 0), element(a, 1)],
            signature.values()
        ));
    }

    #[test]
    fn an_empty_bag_has_no_signature() {
        let family = Family::new(SignatureParams { m: 4, bits: 16, seed: 1 });
        assert_eq!(family.sign(&Bag::default()), None);
    }

    #[test]
    fn different_seeds_give_different_values() {
        let bag = Bag::from_sorted((0..30).map(|id| (id, 3)).collect()).unwrap();
        let sign =
            |seed| Family::new(SignatureParams { m: 80, bits: 16, seed }).sign(&bag).unwrap();
        assert_eq!(agreement(sign(1).values(), sign(1).values()), 1.0);
        assert!(agreement(sign(1).values(), sign(2).values()) < 0.05);
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(2000), ..ProptestConfig::default() })]

        /// The fast signature equals the minimum of each function over the expanded set.
        #[test]
        fn a_value_is_the_minimum_over_the_expanded_set(bag in any_bag(), seed: u64) {
            let family = Family::new(SignatureParams { m: 7, bits: 24, seed });
            let plain: Option<Vec<u32>> = (0..7).map(|i| {
                flat(&bag).into_iter()
                    .map(|(id, copy)| element(id, copy))
                    .map(|x| ((u64::from(family.a[i]) * u64::from(x) + u64::from(family.b[i])) % (1 << 32)) as u32)
                    .min()
                    .map(|min| (mix(u64::from(min)) >> 40) as u32)
            }).collect();
            prop_assert_eq!(family.sign(&bag).map(|signature| signature.0), plain);
        }

        /// Agreement estimates the bag Jaccard within the binomial bound: with m = 1,024 values,
        /// five standard deviations (one miss in 1.7 million) of the exact value, plus the
        /// reduction to 16 bits.
        #[test]
        fn agreement_estimates_the_bag_jaccard(a in any_bag(), b in any_bag(), seed: u64) {
            prop_assume!(a.entries().len() >= 5 && b.entries().len() >= 5);
            let m = 1_024;
            let family = Family::new(SignatureParams { m, bits: 16, seed });
            let estimate = agreement(
                family.sign(&a).unwrap().values(),
                family.sign(&b).unwrap().values(),
            );
            let exact = Overlap::between(&a, &b).jaccard();
            let deviation = (exact * (1.0 - exact) / f64::from(m)).sqrt();
            prop_assert!((estimate - exact).abs() <= 5.0 * deviation + 0.002, "{} for {}", estimate, exact);
        }
    }
}
