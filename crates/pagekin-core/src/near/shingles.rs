//! Turns a text into tokens, tokens into shingles, and compares the shingles of two pages.
//!
//! A token is a word or a number of the text of a page, as in [`for_each_token_at`]. Stop words are
//! tokens, and tokens are not stemmed. A shingle is a run of k tokens. The resemblance of two pages
//! is the share of all their shingles that both have, |A ∩ B| / |A ∪ B|. The containment of A in B
//! is the share of A's shingles that B has, |A ∩ B| / |A|. Shingles are sets: one that occurs twice
//! on a page counts once.
//!
//! # Quirks
//!
//! 1. A page with fewer than k tokens has one shingle of all its tokens. By the definition it would
//!    have none, and resemble not even its own copy. A page without tokens has none.
//! 2. Sets contain hashes of 64 bits. Two runs of words share a hash with a probability of 2^-64,
//!    if some word occurs an odd number of times more often in one than in the other. Among a
//!    million such shingles, any two do with a probability of one in thirty million. If one run is
//!    a permutation of the other, the probability is at most 2^-50 (see [`Shingler`]). Otherwise
//!    resemblances are exact.
//!
//! # Source
//!
//! Broder, *On the resemblance and containment of documents* (1997); Henzinger (2007), section 3.

use super::ParameterError;
use crate::hash::{self, GOLDEN, mix};
use crate::sort;
use crate::terms::{for_each_token_at, for_each_word};

/// Default number of tokens of a shingle, as in the paper.
pub const SHINGLE_TOKENS: u32 = 10;

/// Returns the token of a word: its hash.
#[must_use]
#[inline]
pub fn token(word: &str) -> u64 {
    hash::of_bytes(word.as_bytes())
}

/// Returns the tokens of a text, in order. Linear in its length.
#[must_use]
pub fn tokens(text: &str) -> Vec<u64> {
    let mut tokens = Vec::new();
    for_each_token_at(text, &mut |_, word| tokens.push(token(word)));
    tokens
}

/// Returns the tokens of a text that are words of an index, in order: those of [`for_each_word`],
/// without numbers. Linear in its length.
#[must_use]
pub fn word_tokens(text: &str) -> Vec<u64> {
    let mut tokens = Vec::new();
    for_each_word(text, |word| tokens.push(token(word)));
    tokens
}

/// Creates shingles of k tokens.
///
/// A shingle is [`mix`] of a sum of its tokens modulo 2^64, in which each token is multiplied by
/// [`GOLDEN`] once for each token after it. The next sum is this one times `GOLDEN`, plus the next
/// token, minus the first token times `GOLDEN^k`. So a shingle costs two multiplications and a mix
/// for any k, and because it is mixed, the order of shingles is random.
///
/// Two different runs of words have the same sum if the hashes of their words, each times a factor,
/// sum to 0. The factor of a word is the sum of the powers of `GOLDEN` for its positions in one
/// run, minus those in the other. It is not 0 for some word. If the factor is odd, as when the word
/// occurs once more in one run than in the other, the probability is 2^-64 for random hashes. If it
/// is divisible by 2^v and no higher power, the probability is 2^(v-64). Among the 3^10 factors
/// that are possible with 10 tokens, only that of equal positions is 0, and none is divisible by
/// 2^15.
#[derive(Debug, Clone)]
pub struct Shingler {
    k: usize,
    /// The factor of the first token when it leaves the run: `GOLDEN^k`.
    going: u64,
}

impl Default for Shingler {
    /// Creates shingles of [`SHINGLE_TOKENS`] tokens.
    fn default() -> Self {
        Self::from_size(SHINGLE_TOKENS)
    }
}

impl Shingler {
    /// Creates shingles of `k` tokens, 1 to 100.
    ///
    /// # Errors
    ///
    /// If `k` is out of range.
    pub fn new(k: u32) -> Result<Self, ParameterError> {
        if !(1..=100).contains(&k) {
            return Err(ParameterError {
                name: "tokens of a shingle",
                expected: "1 to 100",
                found: k,
            });
        }
        Ok(Self::from_size(k))
    }

    pub(super) fn from_size(k: u32) -> Self {
        Self { k: k as usize, going: GOLDEN.wrapping_pow(k) }
    }

    /// Calls `each` with every shingle, in order. Linear in the tokens.
    pub fn for_each(&self, tokens: &[u64], mut each: impl FnMut(u64)) {
        if tokens.is_empty() {
            return;
        }
        let append = |sum: u64, token| sum.wrapping_mul(GOLDEN).wrapping_add(token);
        let (first, rest) = tokens.split_at(self.k.min(tokens.len()));
        let mut sum = first.iter().fold(0, |sum, &token| append(sum, token));
        each(mix(sum));
        for (&goes, &comes) in tokens.iter().zip(rest) {
            sum = append(sum, comes).wrapping_sub(goes.wrapping_mul(self.going));
            each(mix(sum));
        }
    }

    /// Returns the set of shingles.
    #[must_use]
    pub fn set(&self, tokens: &[u64]) -> ShingleSet {
        self.set_by(tokens, <[u64]>::sort_unstable)
    }

    /// Returns the set of shingles, by a sort that is smaller to download.
    pub(super) fn set_in_browser(&self, tokens: &[u64]) -> ShingleSet {
        self.set_by(tokens, |shingles| sort::by_key(shingles, |&shingle| shingle))
    }

    /// Returns the set of shingles, by a function that sorts in ascending order.
    fn set_by(&self, tokens: &[u64], sort: impl FnOnce(&mut [u64])) -> ShingleSet {
        let mut shingles = Vec::with_capacity((tokens.len() + 1).saturating_sub(self.k).max(1));
        self.for_each(tokens, |shingle| shingles.push(shingle));
        sort(&mut shingles);
        shingles.dedup();
        ShingleSet(shingles)
    }
}

/// The shingles of a page, each once, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShingleSet(Vec<u64>);

impl ShingleSet {
    /// Returns the shingles.
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    pub(super) fn into_vec(self) -> Vec<u64> {
        self.0
    }
}

/// The numbers of shingles of two pages, and of those that both have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    /// Number of shingles of both, |A ∩ B|.
    pub both: u64,
    /// Number of shingles of the first, |A|.
    pub a: u64,
    /// Number of shingles of the second, |B|.
    pub b: u64,
}

impl Shared {
    /// Compares two sets. Linear in their sizes.
    #[must_use]
    pub fn between(a: &ShingleSet, b: &ShingleSet) -> Self {
        Self::from_sorted(a.as_slice(), b.as_slice())
    }

    /// Compares two sets as slices, each shingle once, ascending.
    #[must_use]
    pub fn from_sorted(a: &[u64], b: &[u64]) -> Self {
        let (mut at_a, mut at_b, mut both) = (0, 0, 0);
        // Without branches, because the lower of two shingles cannot be predicted.
        while at_a < a.len() && at_b < b.len() {
            let (x, y) = (a[at_a], b[at_b]);
            both += u64::from(x == y);
            at_a += usize::from(x <= y);
            at_b += usize::from(y <= x);
        }
        Self { both, a: a.len() as u64, b: b.len() as u64 }
    }

    /// Returns |A ∩ B| / |A ∪ B|, or 0 if neither page has shingles.
    #[must_use]
    pub fn resemblance(&self) -> f64 {
        ratio(self.both, self.a + self.b - self.both)
    }

    /// Returns |A ∩ B| / |A|, the share of the first page in the second, or 0 if the first has no
    /// shingles.
    #[must_use]
    pub fn a_in_b(&self) -> f64 {
        ratio(self.both, self.a)
    }

    /// Returns |A ∩ B| / |B|, the share of the second page in the first, or 0 if the second has no
    /// shingles.
    #[must_use]
    pub fn b_in_a(&self) -> f64 {
        ratio(self.both, self.b)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(k: u32, text: &str) -> ShingleSet {
        Shingler::new(k).unwrap().set(&tokens(text))
    }

    #[test]
    fn known_answers() {
        // Broder's own example: "a rose is a rose is a rose" has three different shingles of four
        // words.
        let rose = "A rose is a rose is a rose.";
        assert_eq!(set(4, rose).as_slice().len(), 3);
        let shared = Shared::between(&set(4, rose), &set(4, "A rose is a rose"));
        assert_eq!(shared, Shared { both: 2, a: 3, b: 2 });
        assert_eq!((shared.resemblance(), shared.b_in_a()), (2.0 / 3.0, 1.0));
        assert_eq!(shared.a_in_b(), 2.0 / 3.0);
        assert_eq!(tokens("Abc."), [0x44bc_2cf5_ad77_0999]);
        // Computed independently, from FORMAT.md.
        let shingles = Shingler::new(2).unwrap().set(&word_tokens("abc a1 abc bread"));
        assert_eq!(shingles.as_slice(), [0x6c04_caf5_e818_813f, 0xcf28_a2a7_608c_e5d9]);
    }

    #[test]
    fn short_pages_have_one_shingle_and_empty_pages_none() {
        assert_eq!(set(10, "only three words"), set(10, "Only THREE words!"));
        assert_eq!(set(10, "only three words").as_slice().len(), 1);
        assert_ne!(set(10, "only three words"), set(10, "only three"));
        assert_eq!(set(10, ""), ShingleSet::default());
        let nothing = Shared::between(&set(10, ""), &set(10, "? ! ..."));
        assert_eq!((nothing.resemblance(), nothing.a_in_b(), nothing.b_in_a()), (0.0, 0.0, 0.0));
    }

    #[test]
    fn a_shingle_of_no_tokens_is_refused() {
        let refused = Shingler::new(0).unwrap_err().to_string();
        assert_eq!(refused, "tokens of a shingle is 0: expected 1 to 100");
    }

    /// At each position, a word is in the first run of 10 tokens, in the second, or in neither or
    /// both.
    #[test]
    fn no_factor_of_a_word_is_divisible_by_a_high_power_of_two() {
        let mut factors = vec![0u64];
        for place in 0..SHINGLE_TOKENS {
            let power = GOLDEN.wrapping_pow(place);
            let with =
                |factor: u64| [factor, factor.wrapping_add(power), factor.wrapping_sub(power)];
            factors = factors.into_iter().flat_map(with).collect();
        }
        assert_eq!(factors.len(), 3usize.pow(10));
        let highest = factors[1..].iter().map(|factor| factor.trailing_zeros()).max();
        assert_eq!((factors[0], highest), (0, Some(14)));
    }

    proptest! {
        #[test]
        fn rolling_is_the_definition(tokens: Vec<u64>, k in 1u32..12) {
            let mut rolled = Vec::new();
            Shingler::new(k).unwrap().for_each(&tokens, |shingle| rolled.push(shingle));
            let shingle = |run: &[u64]| {
                let powers = (0..run.len() as u32).rev().map(|follow| GOLDEN.wrapping_pow(follow));
                mix(run.iter().zip(powers).fold(0, |sum: u64, (token, power)| {
                    sum.wrapping_add(token.wrapping_mul(power))
                }))
            };
            let runs = tokens.windows((k as usize).min(tokens.len()).max(1));
            prop_assert_eq!(rolled, runs.map(shingle).collect::<Vec<_>>());
        }

        /// Compares with the sets of the runs of words themselves, without hashes.
        #[test]
        fn resemblance_and_containment_are_those_of_the_runs(
            a in prop::collection::vec(0u64..3, 4..60), b in prop::collection::vec(0u64..3, 4..60),
        ) {
            let shingler = Shingler::new(4).unwrap();
            let shared = Shared::between(&shingler.set(&a), &shingler.set(&b));
            let runs = |tokens: &[u64]| tokens.windows(4).map(<[u64]>::to_vec).collect::<BTreeSet<_>>();
            let (a, b) = (runs(&a), runs(&b));
            let (both, either) = (a.intersection(&b).count(), a.union(&b).count());
            prop_assert_eq!(shared.resemblance(), both as f64 / either as f64);
            prop_assert_eq!(shared.a_in_b(), both as f64 / a.len() as f64);
            prop_assert_eq!(shared.b_in_a(), both as f64 / b.len() as f64);
        }
    }
}
