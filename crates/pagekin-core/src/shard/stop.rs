//! The shard of stop lists.
//!
//! The number of languages, then for each its code, the number of its words, and the words in order, each
//! front-coded against the one before.

use super::wire::{Reader, Writer};
use super::{Kind, ReadError, open};
use crate::terms::{Language, StopLists};

pub(crate) fn encode(stop: &StopLists) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.varint(stop.iter().count() as u32);
    for (language, words) in stop.iter() {
        writer.text(language.code());
        writer.varint(words.len() as u32);
        let mut before = "";
        for word in words {
            writer.front_coded(before, word);
            before = word;
        }
    }
    writer.finish()
}

pub(crate) fn decode(name: &str, generation: u64, bytes: &[u8]) -> Result<StopLists, ReadError> {
    let (_, payload) = open(name, Kind::Stop, Some(generation), bytes)?;
    let mut reader = Reader::new(name, &payload);
    let mut stop = StopLists::new();
    for _ in 0..reader.count("the number of languages")? {
        let language = Language::from_tag(reader.text("a language")?)
            .ok_or_else(|| reader.damaged("a language"))?;
        let mut words = Vec::new();
        let mut word = String::new();
        for _ in 0..reader.count("the number of stop words")? {
            reader.front_coded(&mut word, "a stop word")?;
            words.push(word.clone());
        }
        stop.insert(language, words.iter().map(String::as_str));
    }
    reader.end()?;
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_is_read() {
        let mut stop = StopLists::new();
        stop.insert(Language::english(), ["the", "then", "don't"]);
        stop.insert(Language::from_tag("ru").unwrap(), ["и", "или"]);
        let bytes = seal(Kind::Stop, 1, &encode(&stop));
        assert_eq!(decode("x", 1, &bytes), Ok(stop));
    }

    proptest! {
        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            let _ = decode("x", 1, &seal(Kind::Stop, 1, &payload));
        }
    }
}
