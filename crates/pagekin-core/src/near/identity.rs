//! Hashes of all tokens of a text. They show whether two texts have the same words in the same
//! order, with or without their numbers.
//!
//! A sketch contains only a part of the runs of words of a page, and no numbers. So two pages with
//! the same sketch may be different releases, or differ in a word.

use crate::hash::{GOLDEN, mix};
use crate::near::shingles::token;
use crate::terms::{for_each_token_at, is_number};

/// Hashes of the tokens of a text, in their order.
///
/// Two different texts have the same hash of all tokens with a probability of 2^-32, and the same
/// hash of their words with a probability of 2^-16.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The hash of the tokens that are not numbers.
    pub words: u16,
    /// The hash of all tokens.
    pub all: u32,
}

impl Identity {
    /// Hashes a text. Linear in its length.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let mut tokens = IdentityHasher::default();
        for_each_token_at(text, &mut |_, word| tokens.push(token(word), is_number(word)));
        tokens.finish()
    }
}

/// Hashes tokens one at a time.
#[derive(Debug, Clone, Copy, Default)]
pub struct IdentityHasher {
    words: u64,
    all: u64,
}

impl IdentityHasher {
    /// Adds the next token.
    pub fn push(&mut self, token: u64, is_number: bool) {
        let add = |hash: u64| mix(hash.wrapping_mul(GOLDEN).wrapping_add(token));
        self.all = add(self.all);
        if !is_number {
            self.words = add(self.words);
        }
    }

    /// Returns the whole hash of the tokens that are not numbers, or 0 if all are numbers.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.words
    }

    /// Returns the identity that an index stores: the last bits of the hashes.
    #[must_use]
    pub fn finish(&self) -> Identity {
        Identity { words: self.words as u16, all: self.all as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn punctuation_and_capitals_do_not_count() {
        let known = Identity::from_text("abc a1 abc bread");
        assert_eq!(known, Identity::from_text("Abc (a-1): abc, BREAD!"));
        // Computed independently, from FORMAT.md.
        assert_eq!(known, Identity { words: 19_336, all: 1_173_101_551 });
        assert_eq!(Identity::from_text("..."), Identity::default());
    }

    proptest! {
        /// Compares with the tokens themselves.
        #[test]
        fn equal_tokens_are_equal_hashes(a in "([ab1] ){0,4}", b in "([ab1] ){0,4}") {
            let of = |text: &str, keep: fn(&&str) -> bool| text.split_whitespace().filter(keep).map(str::to_owned).collect::<Vec<_>>();
            let (x, y) = (Identity::from_text(&a), Identity::from_text(&b));
            prop_assert_eq!(x.all == y.all, of(&a, |_| true) == of(&b, |_| true));
            prop_assert_eq!(x.words == y.words, of(&a, |token| *token != "1") == of(&b, |token| *token != "1"));
        }
    }
}
