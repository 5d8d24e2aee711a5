//! The vocabulary's shard.
//!
//! The number of terms, then each term in the order of its stem: the stem front-coded against the one
//! before, the word front-coded against its stem, and its weight, one byte.

use super::wire::{Reader, Writer};
use super::{Kind, ReadError, open};
use crate::vocabulary::{Term, Vocabulary};

pub(crate) fn encode(vocabulary: &Vocabulary) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.varint(vocabulary.len());
    let mut before = "";
    for term in vocabulary.iter() {
        writer.front_coded(before, term.stem);
        writer.front_coded(term.stem, term.word);
        writer.u8(term.idf);
        before = term.stem;
    }
    writer.finish()
}

pub(crate) fn decode(name: &str, generation: u64, bytes: &[u8]) -> Result<Vocabulary, ReadError> {
    let (_, payload) = open(name, Kind::Terms, Some(generation), bytes)?;
    let mut reader = Reader::new(name, &payload);
    let n = reader.count("the number of terms")?;
    let mut vocabulary = Vocabulary::new();
    let (mut stem, mut word) = (String::new(), String::new());
    for _ in 0..n {
        reader.front_coded(&mut stem, "a stem")?;
        word.clone_from(&stem);
        reader.front_coded(&mut word, "a word")?;
        let idf = reader.u8("a weight")?;
        if !vocabulary.push(Term { stem: &stem, word: &word, idf }) {
            return Err(reader.damaged("stems in ascending order"));
        }
    }
    reader.end()?;
    Ok(vocabulary)
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(terms: std::collections::BTreeMap<String, (String, u8)>) {
            let mut vocabulary = Vocabulary::new();
            for (stem, (word, idf)) in &terms {
                let pushed = vocabulary.push(Term { stem, word, idf: *idf });
                prop_assert!(pushed);
            }
            let bytes = seal(Kind::Terms, 1, &encode(&vocabulary));
            prop_assert_eq!(decode("x", 1, &bytes), Ok(vocabulary));
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            let _ = decode("x", 1, &seal(Kind::Terms, 1, &payload));
        }
    }
}
