//! A text into tokens, tokens into shingles, and how much of their shingles two pages share.
//!
//! A token is a word of the page without markup: one of [`for_each_word`], stop words among them and not stemmed. A
//! shingle is k consecutive tokens. The resemblance of two pages is the part of all their shingles that both have,
//! |A ∩ B| / |A ∪ B|; the containment of A in B is the part of A's that B has, |A ∩ B| / |A|. Shingles are sets: one
//! that stands twice on a page counts once.
//!
//! # Quirks
//!
//! 1. A page of fewer than k tokens has one shingle, of all its tokens. By the definition it would have none, and be
//!    like nothing, not even its own copy. A page without tokens has none.
//! 2. Sets hold fingerprints of 64 bits. That two of a million shingles share one has a probability of one in ten
//!    million; resemblances are exact but for that.
//!
//! # Source
//!
//! Broder, *On the resemblance and containment of documents* (1997); Henzinger (2007), section 3.

use super::ParameterError;
use super::rabin::{self, Times};
use crate::terms::for_each_word;

/// The tokens of a shingle by default: the paper's.
pub const SHINGLE_TOKENS: u32 = 10;

/// The tokens of a text, in order: the Rabin fingerprint of each. Linear in the text.
#[must_use]
pub fn tokens(text: &str) -> Vec<u64> {
    let mut tokens = Vec::new();
    for_each_word(text, |word| tokens.push(rabin::of_bytes(word.as_bytes())));
    tokens
}

/// Makes the shingles of k tokens.
///
/// A shingle is the Rabin fingerprint of the fingerprints of its tokens, [`rabin::of_words`]. As that is linear, a
/// shingle follows from the one before: times x^64, plus the token that comes, less x^(64 k) times the one that goes. So
/// a shingle costs sixteen look-ups whatever k is.
#[derive(Debug, Clone)]
pub struct Shingler {
    k: usize,
    /// x^(64 k), by which the token that goes is multiplied, and which is the 1 in front of the string.
    front: u64,
    going: Box<Times>,
    /// That of [`rabin`] is 16 kB that a browser would have to download: it is made here in no time.
    word: Box<Times>,
}

impl Shingler {
    /// For shingles of `k` tokens, 1 to 100.
    ///
    /// # Errors
    ///
    /// If `k` is out of its range.
    pub fn new(k: u32) -> Result<Self, ParameterError> {
        if !(1..=100).contains(&k) {
            return Err(ParameterError {
                name: "tokens of a shingle",
                expected: "1 to 100",
                found: k,
            });
        }
        let word = Box::new(Times::by_word());
        let front = (0..k).fold(1, |power, _| word.apply(power));
        Ok(Self { k: k as usize, front, going: Box::new(Times::new(front)), word })
    }

    /// Calls `each` with every shingle, in order. Linear in the tokens.
    pub fn for_each(&self, tokens: &[u64], mut each: impl FnMut(u64)) {
        if tokens.is_empty() {
            return;
        }
        let append = |value, token| self.word.apply(value) ^ token;
        if tokens.len() < self.k {
            each(tokens.iter().fold(1, |value, &token| append(value, token)));
            return;
        }
        // Without the 1 in front, that it need not be taken away each time.
        let mut value = tokens[..self.k].iter().fold(0, |value, &token| append(value, token));
        each(value ^ self.front);
        for (&goes, &comes) in tokens.iter().zip(&tokens[self.k..]) {
            value = append(value, comes) ^ self.going.apply(goes);
            each(value ^ self.front);
        }
    }

    /// The set of the shingles.
    #[must_use]
    pub fn set(&self, tokens: &[u64]) -> ShingleSet {
        let mut shingles = Vec::with_capacity((tokens.len() + 1).saturating_sub(self.k).max(1));
        self.for_each(tokens, |shingle| shingles.push(shingle));
        shingles.sort_unstable();
        shingles.dedup();
        ShingleSet(shingles)
    }
}

/// The shingles of a page, each once, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShingleSet(Vec<u64>);

impl ShingleSet {
    /// The shingles.
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }
}

/// How many shingles two pages have, and how many both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    /// Those of both, |A ∩ B|.
    pub both: u64,
    /// Those of the first, |A|.
    pub a: u64,
    /// Those of the second, |B|.
    pub b: u64,
}

impl Shared {
    /// Of two sets. Linear in them.
    #[must_use]
    pub fn of(a: &ShingleSet, b: &ShingleSet) -> Self {
        Self::of_ascending(a.as_slice(), b.as_slice())
    }

    /// Of two sets as ascending lists.
    pub(super) fn of_ascending(a: &[u64], b: &[u64]) -> Self {
        let (mut at_a, mut at_b, mut both) = (0, 0, 0);
        // Without branches: which of two shingles is lower cannot be foreseen.
        while at_a < a.len() && at_b < b.len() {
            let (x, y) = (a[at_a], b[at_b]);
            both += u64::from(x == y);
            at_a += usize::from(x <= y);
            at_b += usize::from(y <= x);
        }
        Self { both, a: a.len() as u64, b: b.len() as u64 }
    }

    /// |A ∩ B| / |A ∪ B|; 0 if neither page has shingles.
    #[must_use]
    pub fn resemblance(&self) -> f64 {
        ratio(self.both, self.a + self.b - self.both)
    }

    /// |A ∩ B| / |A|: how much of the first page is in the second; 0 if the first has no shingles.
    #[must_use]
    pub fn a_in_b(&self) -> f64 {
        ratio(self.both, self.a)
    }

    /// |A ∩ B| / |B|: how much of the second page is in the first; 0 if the second has no shingles.
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
        // Broder's own example: as sets of shingles of four, a rose is a rose is a rose has three. Its "a" is no word
        // here, so it is "the".
        let rose = "The rose is the rose is the rose.";
        assert_eq!(set(4, rose).as_slice().len(), 3);
        let shared = Shared::of(&set(4, rose), &set(4, "The rose is the rose"));
        assert_eq!(shared, Shared { both: 2, a: 3, b: 2 });
        assert_eq!((shared.resemblance(), shared.b_in_a()), (2.0 / 3.0, 1.0));
        assert_eq!(shared.a_in_b(), 2.0 / 3.0);
        assert_eq!(tokens("the"), [0x0174_6865]);
    }

    #[test]
    fn short_pages_have_one_shingle_and_empty_pages_none() {
        assert_eq!(set(10, "only three words"), set(10, "Only THREE words!"));
        assert_eq!(set(10, "only three words").as_slice().len(), 1);
        assert_ne!(set(10, "only three words"), set(10, "only three"));
        assert_eq!(set(10, ""), ShingleSet::default());
        let nothing = Shared::of(&set(10, ""), &set(10, "1 2 3"));
        assert_eq!((nothing.resemblance(), nothing.a_in_b(), nothing.b_in_a()), (0.0, 0.0, 0.0));
    }

    #[test]
    fn a_shingle_of_no_tokens_is_refused() {
        let refused = Shingler::new(0).unwrap_err().to_string();
        assert_eq!(refused, "tokens of a shingle is 0: expected 1 to 100");
    }

    proptest! {
        #[test]
        fn rolling_is_the_definition(tokens: Vec<u64>, k in 1u32..12) {
            let mut rolled = Vec::new();
            Shingler::new(k).unwrap().for_each(&tokens, |shingle| rolled.push(shingle));
            let whole = if tokens.is_empty() { vec![] } else { vec![rabin::of_words(&tokens)] };
            let windows: Vec<u64> = tokens.windows(k as usize).map(rabin::of_words).collect();
            prop_assert_eq!(rolled, if windows.is_empty() { whole } else { windows });
        }

        /// Against the sets of the runs of words themselves, without fingerprints.
        #[test]
        fn resemblance_and_containment_are_those_of_the_runs(
            a in prop::collection::vec(0u64..3, 4..60), b in prop::collection::vec(0u64..3, 4..60),
        ) {
            let shingler = Shingler::new(4).unwrap();
            let shared = Shared::of(&shingler.set(&a), &shingler.set(&b));
            let runs = |tokens: &[u64]| tokens.windows(4).map(<[u64]>::to_vec).collect::<BTreeSet<_>>();
            let (a, b) = (runs(&a), runs(&b));
            let (both, either) = (a.intersection(&b).count(), a.union(&b).count());
            prop_assert_eq!(shared.resemblance(), both as f64 / either as f64);
            prop_assert_eq!(shared.a_in_b(), both as f64 / a.len() as f64);
            prop_assert_eq!(shared.b_in_a(), both as f64 / b.len() as f64);
        }
    }
}
