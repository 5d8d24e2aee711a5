//! The shard of the words to show for terms.
//!
//! The number of terms; their stems, ordered by their bytes, each front-coded against the previous
//! one; their words, each front-coded against its stem. A query by text has words of its own. Only
//! a query by page fetches this shard, because records contain ids.

use super::sealed::open;
use super::wire::{Damaged, Reader, Writer, read_whole};
use super::{Kind, ReadError};
use crate::sort;
use crate::vocabulary::{TermId, term_id};

/// The words to show for the terms of a vocabulary: for each the most frequent word with its stem
/// on the site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordShard {
    /// The stem and the word of each term, one after the other, ordered by stem.
    text: String,
    /// The ends of each stem and of its word in `text`.
    ends: Vec<(u32, u32)>,
    /// Ascending, with the indexes of their stems.
    ids: Vec<(TermId, u32)>,
}

impl WordShard {
    /// Creates the shard from stems and their words, in any order. If terms have the same id, one
    /// is kept.
    #[must_use]
    pub fn new(mut terms: Vec<(String, String)>) -> Self {
        terms.sort_unstable();
        terms.dedup_by(|other, kept| other.0 == kept.0);
        let mut shard = Self::default();
        for (stem, word) in &terms {
            shard.push(stem, word);
        }
        sort::by_key(&mut shard.ids, |&id| id);
        shard
    }

    fn push(&mut self, stem: &str, word: &str) {
        self.ids.push((term_id(stem), self.ends.len() as u32));
        self.text.push_str(stem);
        let end = self.text.len() as u32;
        self.text.push_str(word);
        self.ends.push((end, self.text.len() as u32));
    }

    /// Returns the number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no terms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the word for a term, if there is one.
    #[must_use]
    pub fn word(&self, id: TermId) -> Option<&str> {
        let at = self.ids.partition_point(|&(of, _)| of < id);
        let &(_, place) = self.ids.get(at).filter(|&&(of, _)| of == id)?;
        let (stem_end, end) = self.ends[place as usize];
        Some(&self.text[stem_end as usize..end as usize])
    }

    /// Returns the stems, ascending, with their words.
    fn terms(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |&(stem_end, end)| {
            let stem = &self.text[start..stem_end as usize];
            start = end as usize;
            (stem, &self.text[stem_end as usize..start])
        })
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.text.len() + size_of_val(&*self.ends) + size_of_val(&*self.ids)
    }

    /// Returns the payload.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.varint(self.ends.len() as u32);
        let mut before = "";
        for (stem, _) in self.terms() {
            writer.front_coded(before, stem);
            before = stem;
        }
        for (stem, word) in self.terms() {
            writer.front_coded(stem, word);
        }
        writer.finish()
    }

    /// Reads the shard, sealed by `generation`.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub fn decode(name: &str, generation: u64, bytes: &[u8]) -> Result<Self, ReadError> {
        let (_, payload) = open(name, Kind::Words, Some(generation), bytes)?;
        read_whole(name, &payload, Self::read)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        let n = reader.count("the number of terms")?;
        let mut stems: Vec<String> = Vec::with_capacity(n);
        let mut stem = String::new();
        for _ in 0..n {
            reader.front_coded(&mut stem, "a stem")?;
            if stems.last().is_some_and(|last| *last >= stem) {
                return Err(Damaged("stems in ascending order"));
            }
            stems.push(stem.clone());
        }
        let mut shard = Self::default();
        for stem in &stems {
            let mut word = stem.clone();
            reader.front_coded(&mut word, "a word")?;
            shard.push(stem, &word);
        }
        sort::by_key(&mut shard.ids, |&id| id);
        Ok(shard)
    }
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_found_by_the_ids_of_stems() {
        let terms = [("memori", "memory"), ("bake", "baking"), ("pg_dump", "pg_dump")];
        let shard = WordShard::new(terms.map(|(a, b)| (a.into(), b.into())).into());
        for (stem, word) in terms {
            assert_eq!(shard.word(term_id(stem)), Some(word));
        }
        assert_eq!(shard.word(term_id("memory")), None);
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(terms: std::collections::BTreeMap<String, String>) {
            let letters: usize = terms.iter().map(|(stem, word)| stem.len() + word.len()).sum();
            let shard = WordShard::new(terms.into_iter().collect());
            prop_assert!(shard.memory() >= letters + 16 * shard.len());
            let bytes = seal(Kind::Words, 1, &shard.encode());
            prop_assert_eq!(WordShard::decode("x", 1, &bytes), Ok(shard));
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            let _ = WordShard::decode("x", 1, &seal(Kind::Words, 1, &payload));
        }
    }
}
