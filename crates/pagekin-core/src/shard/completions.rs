//! A shard of the words that typed words are completed or corrected to.
//!
//! The words of a site are ordered by their [folded forms](crate::terms::folded), words with the
//! same one by their bytes, and cut into shards. So the completions of an incomplete word are in
//! one shard or in a few adjacent ones, whether or not its marks were typed, and so are most
//! corrections of one typo. A shard contains the number of its words; the words, each front-coded
//! against the previous one; and the [weight](Completion::weight) of each. The manifest contains
//! the beginnings of the shards
//! ([`Manifest::completion_starts`](super::Manifest::completion_starts)).

use super::sealed::open;
use super::wire::{Damaged, Reader, Writer, read_whole};
use super::{Kind, ReadError};
use crate::vocabulary::{is_identifier, term_id};

/// A word to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The word in lower case, as the site writes it: the most common one of those with the same
    /// stem.
    pub word: String,
    /// How likely it is meant: see [`completion_weight`].
    pub weight: u8,
}

/// Maximum number of bytes of an identifier that is a completion. Longer ones are mostly hashes and
/// paths, which nobody types, and would take most of the space.
const MAX_IDENTIFIER_BYTES: usize = 20;

/// Returns whether completions contain a word of the site: all words, but not numbers, single
/// characters, and long identifiers, and only some pairs of characters.
#[must_use]
pub fn is_completion(word: &str) -> bool {
    word.chars().nth(1).is_some()
        && word.bytes().any(|byte| !byte.is_ascii_digit())
        && (word.len() <= MAX_IDENTIFIER_BYTES || !is_identifier(term_id(word)))
}

/// Returns how likely a word is meant that is on `pages` pages, on `titles` of them in the title or
/// a heading: `log2(1 + pages + 8 titles)`, rounded down, at most 15.
#[must_use]
pub fn completion_weight(pages: u32, titles: u32) -> u8 {
    (u64::from(pages) + 8 * u64::from(titles) + 1).ilog2().min(15) as u8
}

/// Words, ordered by their folded forms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompletionShard(pub Vec<Completion>);

impl CompletionShard {
    /// Returns the payload of ordered words.
    #[must_use]
    pub fn encode(words: &[Completion]) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.varint(words.len() as u32);
        let mut before = "";
        for Completion { word, .. } in words {
            writer.front_coded(before, word);
            before = word;
        }
        for one in words {
            writer.u8(one.weight);
        }
        writer.finish()
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.0.iter().map(|one| size_of_val(one) + one.word.len()).sum()
    }

    /// Reads the shard, sealed by `generation`.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    pub fn decode(name: &str, generation: u64, bytes: &[u8]) -> Result<Self, ReadError> {
        let (_, payload) = open(name, Kind::Completions, Some(generation), bytes)?;
        read_whole(name, &payload, Self::read)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        let n = reader.count("the number of words")?;
        let mut words: Vec<Completion> = Vec::new();
        let mut word = String::new();
        for _ in 0..n {
            reader.front_coded(&mut word, "a word")?;
            words.push(Completion { word: word.clone(), weight: 0 });
        }
        for one in &mut words {
            one.weight = reader.u8("the weight of a word")?;
        }
        Ok(Self(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shard::seal;
    use proptest::prelude::*;

    #[test]
    fn weights_are_those_of_the_formula() {
        let weights = [(0, 0), (1, 0), (2, 0), (3, 0), (1, 1), (500, 0), (u32::MAX, u32::MAX)];
        let weights = weights.map(|(pages, titles)| completion_weight(pages, titles));
        assert_eq!(weights, [0, 1, 1, 2, 3, 8, 15]);
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(
            words in prop::collection::btree_map("[a-cé]{0,4}", any::<u8>(), 0..40),
        ) {
            let words = words.into_iter().map(|(word, weight)| Completion { word, weight });
            let words: Vec<_> = words.collect();
            let bytes = seal(Kind::Completions, 1, &CompletionShard::encode(&words));
            let shard = CompletionShard::decode("x", 1, &bytes).expect("it was written");
            prop_assert_eq!(&shard.0, &words);
        }

        #[test]
        fn any_bytes_are_read_or_refused(payload: Vec<u8>) {
            let _ = CompletionShard::decode("x", 1, &seal(Kind::Completions, 1, &payload));
        }
    }
}
