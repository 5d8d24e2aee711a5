//! The vocabulary, a section of the manifest.
//!
//! The weight of rare terms; the least weight of terms that count in bags; that of terms that make
//! keys; the number of terms; the stems in order, each front-coded against the one before; their
//! words, each front-coded against its stem; their weights, one byte each.

use super::wire::{Damaged, Reader, Writer};
use crate::vocabulary::{Term, Vocabulary, VocabularyBuilder};

pub(super) fn write(writer: &mut Writer, vocabulary: &Vocabulary) {
    writer.u8(vocabulary.rare_weight());
    writer.u8(vocabulary.least_weight());
    writer.u8(vocabulary.key_weight());
    writer.varint(vocabulary.len());
    let mut before = "";
    for term in vocabulary.iter() {
        writer.front_coded(before, term.stem);
        before = term.stem;
    }
    for term in vocabulary.iter() {
        writer.front_coded(term.stem, term.word);
    }
    for term in vocabulary.iter() {
        writer.u8(term.idf);
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Vocabulary, Damaged> {
    let rare_weight = reader.u8("the weight of rare terms")?;
    let least_weight = reader.u8("the weight of terms that count")?;
    let key_weight = reader.u8("the weight of terms that make keys")?;
    let n = reader.count("the number of terms")?;
    let mut stems = Vec::with_capacity(n);
    let mut stem = String::new();
    for _ in 0..n {
        reader.front_coded(&mut stem, "a stem")?;
        stems.push(stem.clone());
    }
    let mut words = Vec::with_capacity(n);
    for stem in &stems {
        let mut word = stem.clone();
        reader.front_coded(&mut word, "a word")?;
        words.push(word);
    }
    let mut builder = VocabularyBuilder::default();
    for (stem, word) in stems.iter().zip(&words) {
        let idf = reader.u8("a weight")?;
        if !builder.push(Term { stem, word, idf }) {
            return Err(Damaged("stems in ascending order"));
        }
    }
    let vocabulary = builder.finish(rare_weight);
    Ok(vocabulary.with_least_weight(least_weight).with_key_weight(key_weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            terms: std::collections::BTreeMap<String, (String, u8)>, rare_weight: u8, least_weight: u8,
            key_weight: u8,
        ) {
            let mut builder = VocabularyBuilder::default();
            for (stem, (word, idf)) in &terms {
                let pushed = builder.push(Term { stem, word, idf: *idf });
                prop_assert!(pushed);
            }
            let vocabulary = builder.finish(rare_weight).with_least_weight(least_weight);
            let vocabulary = vocabulary.with_key_weight(key_weight);
            let mut writer = Writer::new();
            write(&mut writer, &vocabulary);
            let bytes = writer.finish();
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(read(&mut reader), Ok(vocabulary));
            prop_assert_eq!(reader.end(), Ok(()));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = read(&mut Reader::new(&bytes));
        }
    }
}
