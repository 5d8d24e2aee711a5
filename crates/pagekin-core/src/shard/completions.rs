//! A shard of the words that typed words are completed or corrected to.
//!
//! The words of a site are ordered by their [folded forms](crate::terms::folded), words with the
//! same one by their bytes, and cut into shards. So the completions of an incomplete word are in
//! one shard or in a few adjacent ones, whether or not its marks were typed, and so are most
//! corrections of one typo. A shard contains the number of its words, and the words with their
//! [weights](Completion::weight): each as the number of bytes that it shares with the previous
//! word, and its other bytes up to a 0, which the range coder writes in the context of the byte
//! before. The manifest contains the model of these contexts and the beginnings of the shards
//! ([`Manifest::completion_starts`](super::Manifest::completion_starts)).

use super::coded::Coded;
use super::coder::{Bits, Counts, Decoder, Encoder};
use super::completion_contexts::{
    BYTE_BITS, CONTEXTS, MAX_SHARED, SHARED_BITS, WEIGHT_AT, WEIGHT_BITS, first_at, next_at,
    shared_at,
};
use super::sealed::open;
use super::wire::{Damaged, Reader, TEXT_FACTOR, TEXT_FREE, Writer, read_whole};
use super::{Kind, Manifest, ReadError};
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

/// Maximum number of words of a shard. Real shards have about 512.
const MAX_WORDS: usize = 1 << 19;
/// Returns the minimum number of coded bytes of `words` words with `text` bytes, so that readers
/// can refuse more.
fn min_coded(words: usize, text: usize) -> usize {
    words.max(text.saturating_sub(TEXT_FREE).div_ceil(TEXT_FACTOR))
}

/// Words, ordered by their folded forms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompletionShard(pub Vec<Completion>);

impl CompletionShard {
    /// Returns the payload, in the index of `manifest`.
    #[must_use]
    pub fn encode(&self, manifest: &Manifest) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.varint(self.0.len() as u32);
        let mut encoder = Encoder::new(&manifest.completion_model);
        self.write(&mut encoder);
        let text = self.0.iter().map(|one| one.word.len()).sum();
        writer.bytes(&encoder.finish(min_coded(self.0.len(), text)));
        writer.finish()
    }

    fn write(&self, bits: &mut impl Bits) {
        let (mut before, mut shared): (&[u8], usize) = (&[], 0);
        for Completion { word, weight } in &self.0 {
            let word = word.as_bytes();
            let same = before.iter().zip(word).take_while(|(a, b)| a == b).count().min(MAX_SHARED);
            bits.symbol(shared_at(shared), SHARED_BITS, same as u32);
            let mut at = first_at(before, same);
            for &byte in word[same..].iter().chain(&[0]) {
                bits.symbol(at, BYTE_BITS, byte.into());
                at = next_at(byte);
            }
            bits.symbol(WEIGHT_AT, WEIGHT_BITS, (*weight).into());
            (before, shared) = (word, same);
        }
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.0.iter().map(|one| size_of_val(one) + one.word.len()).sum()
    }

    /// Reads a shard of the index of `manifest`, sealed by `generation`.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    pub fn decode(
        name: &str,
        generation: u64,
        manifest: &Manifest,
        bytes: &[u8],
    ) -> Result<Self, ReadError> {
        let (_, payload) = open(name, Kind::Completions, Some(generation), bytes)?;
        read_whole(name, &payload, |reader| Self::read(reader, manifest))
    }

    fn read(reader: &mut Reader<'_>, manifest: &Manifest) -> Result<Self, Damaged> {
        let n = reader.count("the number of words")?;
        if n > MAX_WORDS {
            return Err(Damaged("a sensible number of words"));
        }
        let coded = reader.bytes(reader.rest().len(), "coded words")?;
        let mut decoder = Decoder::new(&manifest.completion_model, coded);
        let mut words = Vec::new();
        let (mut word, mut shared): (Vec<u8>, usize) = (Vec::new(), 0);
        let max_text = TEXT_FACTOR * coded.len() + TEXT_FREE;
        let mut left = max_text;
        for _ in 0..n {
            shared = decoder.symbol(shared_at(shared), SHARED_BITS) as usize;
            let mut at = first_at(&word, shared);
            if shared > word.len() {
                return Err(Damaged("a word that shares bytes with the previous one"));
            }
            word.truncate(shared);
            loop {
                let byte = decoder.symbol(at, BYTE_BITS) as u8;
                if byte == 0 {
                    break;
                }
                word.push(byte);
                if word.len() > left {
                    break;
                }
                at = next_at(byte);
            }
            let Some(rest) = left.checked_sub(word.len()) else {
                return Err(Damaged("words of a sensible length"));
            };
            left = rest;
            let weight = decoder.symbol(WEIGHT_AT, WEIGHT_BITS) as u8;
            let word = std::str::from_utf8(&word).map_err(|_| Damaged("a word"))?.to_owned();
            words.push(Completion { word, weight });
        }
        if !decoder.is_at_end(min_coded(n, max_text - left)) {
            return Err(Damaged("as many words as it says"));
        }
        Ok(Self(words))
    }
}

impl Coded for CompletionShard {
    const CONTEXTS: usize = CONTEXTS;

    fn count(&self, counts: &mut Counts, _: &Manifest) {
        self.write(counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Preset;
    use crate::shard::seal;
    use proptest::prelude::*;

    #[test]
    fn weights_are_those_of_the_formula() {
        let weights = [(0, 0), (1, 0), (2, 0), (3, 0), (1, 1), (500, 0), (u32::MAX, u32::MAX)];
        let weights = weights.map(|(pages, titles)| completion_weight(pages, titles));
        assert_eq!(weights, [0, 1, 1, 2, 3, 8, 15]);
    }

    /// The model of no words, or of these.
    fn manifest(learned: &[Completion]) -> Manifest {
        let mut manifest = crate::shard::manifest::tests::manifest(Preset::Web);
        let mut counts = Counts::for_coded::<CompletionShard>();
        CompletionShard(learned.to_vec()).count(&mut counts, &manifest);
        manifest.completion_model = counts.model();
        manifest
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(
            words in prop::collection::btree_map("[a-c_5.é犬]{0,40}", 0u8..16, 0..40),
            learned: bool,
        ) {
            let words = words.into_iter().map(|(word, weight)| Completion { word, weight });
            let words: Vec<_> = words.collect();
            let manifest = manifest(if learned { &words } else { &[] });
            let shard = CompletionShard(words);
            let bytes = seal(Kind::Completions, 1, &shard.encode(&manifest));
            prop_assert_eq!(CompletionShard::decode("x", 1, &manifest, &bytes), Ok(shard));
        }

        #[test]
        fn any_bytes_are_read_or_refused(payload: Vec<u8>) {
            let manifest = manifest(&[]);
            let _ = CompletionShard::decode("x", 1, &manifest, &seal(Kind::Completions, 1, &payload));
        }
    }

    /// Words of which each shares most with the previous one take hardly any bits.
    #[test]
    fn few_bytes_of_much_text_are_padded() {
        let word = |at: usize| Completion { word: "a".repeat(at), weight: 0 };
        let words: Vec<_> = (0..1_000).map(word).collect();
        let manifest = manifest(&words);
        let mut payload = CompletionShard(words.clone()).encode(&manifest);
        assert_eq!(payload.len(), 2 + min_coded(1_000, 1_000 * 999 / 2));
        let read = |payload: &[u8]| {
            CompletionShard::decode("x", 1, &manifest, &seal(Kind::Completions, 1, payload))
        };
        assert_eq!(read(&payload).unwrap().0, words);
        payload.push(0);
        assert!(read(&payload).is_err());
        payload.truncate(10_000);
        assert!(read(&payload).is_err());
    }
}
