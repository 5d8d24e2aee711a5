//! Vectors of words, from a table in this crate or from a file.

use pagekin_core::terms::{Analyzer, Language};
use pagekin_core::vocabulary::{TermId, term_id};
use rustc_hash::FxHashMap;

/// The table of English words, if it is built in. `cargo xtask vectors` makes it.
#[cfg(feature = "english")]
const ENGLISH: &[u8] = include_bytes!("../../../english/english.vectors");
#[cfg(not(feature = "english"))]
const ENGLISH: &[u8] = &[];
const MAGIC: &[u8] = b"pkvec001";

/// Vectors of words with equally many elements, by the terms of the words.
#[derive(Debug, Default)]
pub(crate) struct WordVectors {
    pub(crate) dimensions: usize,
    places: FxHashMap<TermId, u32>,
    elements: Vec<f32>,
}

impl WordVectors {
    /// Returns the table of a language, if it is built in. Its words are stemmed like those of
    /// pages, by the analyzer of the language.
    pub(crate) fn of_language(language: &Language, analyzer: &Analyzer<'_>) -> Option<Self> {
        let is_there = language.code() == "en" && !ENGLISH.is_empty();
        is_there.then(|| {
            let read = Self::read(ENGLISH, analyzer);
            read.expect("the table in this crate is complete")
        })
    }

    /// Reads a table: the magic bytes; the number of words and of elements of each, which is even
    /// (u32); then for each word the number of bytes that it shares with the previous word, the
    /// number and the bytes of the rest, and its elements, two in a byte, the first in the lower
    /// half. Returns `None` if the table is damaged.
    fn read(table: &[u8], analyzer: &Analyzer<'_>) -> Option<Self> {
        let mut rest = table.strip_prefix(MAGIC)?;
        let mut take = |n: usize| {
            let (taken, after) = rest.split_at_checked(n)?;
            rest = after;
            Some(taken)
        };
        let mut number = || Some(u32::from_le_bytes(take(4)?.try_into().ok()?));
        let (words, dimensions) = (number()?, number()? as usize);
        let mut vectors = Self::new(dimensions);
        let mut word = String::new();
        for _ in 0..words {
            let &[shared, n] = take(2)? else { return None };
            word.truncate(shared.into());
            word.push_str(std::str::from_utf8(take(n.into())?).ok()?);
            let nibbles = take(dimensions / 2)?;
            let Some(stem) = analyzer.term(&word) else { continue };
            let halves = nibbles.iter().flat_map(|&both| [(both << 4) as i8 >> 4, both as i8 >> 4]);
            vectors.add(term_id(&stem), halves.map(f32::from));
        }
        Some(vectors)
    }

    /// Creates vectors of no term, with a number of elements.
    pub(crate) fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    /// Adds the vector of a term that has none.
    pub(crate) fn add(&mut self, term: TermId, vector: impl Iterator<Item = f32>) {
        let next = self.places.len() as u32;
        if next == *self.places.entry(term).or_insert(next) {
            self.elements.extend(vector);
        }
    }

    /// Returns the vector of a term.
    pub(crate) fn get(&self, term: TermId) -> Option<&[f32]> {
        let start = *self.places.get(&term)? as usize * self.dimensions;
        Some(&self.elements[start..start + self.dimensions])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::terms::StopLists;

    #[test]
    fn a_table_is_read_and_a_damaged_one_is_not() {
        let (language, stop) = (Language::english(), StopLists::new());
        let analyzer = Analyzer::new(&language, &stop);
        let mut table = MAGIC.to_vec();
        table.extend([3u32, 4].iter().flat_map(|number| number.to_le_bytes()));
        table.extend(b"\x00\x04oven\x21\xf8");
        // `ovens` has the stem of `oven`, whose vector it does not replace.
        table.extend(b"\x04\x01s\x11\x11");
        table.extend(b"\x00\x03rye\x70\x0f");
        let vectors = WordVectors::read(&table, &analyzer).unwrap();
        let of = |word: &str| vectors.get(term_id(&analyzer.term(word).unwrap()));
        assert_eq!(of("ovens"), Some(&[1.0, 2.0, -8.0, -1.0][..]));
        assert_eq!(of("rye"), Some(&[0.0, 7.0, -1.0, 0.0][..]));
        assert_eq!(of("oat"), None);
        for n in 0..table.len() {
            assert!(WordVectors::read(&table[..n], &analyzer).is_none(), "{n} bytes");
        }
    }

    #[test]
    #[cfg(feature = "english")]
    fn the_english_table_knows_what_belongs_together() {
        let (language, stop) = (Language::english(), StopLists::new());
        let analyzer = Analyzer::new(&language, &stop);
        let vectors = WordVectors::of_language(&language, &analyzer).unwrap();
        let of = |word: &str| vectors.get(term_id(&analyzer.term(word).unwrap())).unwrap();
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let cosine = |a: &str, b: &str| {
            let (a, b) = (of(a), of(b));
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        for (word, near, far) in [
            ("refund", "money", "forest"),
            ("delete", "remove", "river"),
            ("crash", "error", "bread"),
        ] {
            assert!(cosine(word, near) > cosine(word, far) + 0.1, "{word}");
        }
        assert!(WordVectors::of_language(&Language::from_tag("de").unwrap(), &analyzer).is_none());
    }
}
