//! The stop lists, a section of the manifest.
//!
//! The number of languages, then for each its code, the number of its words, and the words in
//! order, each front-coded against the previous one.

use super::wire::{Damaged, Reader, Writer};
use crate::terms::{Language, StopLists};

/// Maximum number of words of all lists. The lists of all languages together have a sixth of it.
const MAX_WORDS: usize = 1 << 16;

pub(super) fn write(writer: &mut Writer, stop: &StopLists) {
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
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<StopLists, Damaged> {
    let mut stop = StopLists::new();
    let mut left = MAX_WORDS;
    for _ in 0..reader.count("the number of languages")? {
        let language =
            Language::from_tag(reader.text("a language")?).ok_or(Damaged("a language"))?;
        let mut words = Vec::new();
        let mut word = String::new();
        let n = reader.count("the number of stop words")?;
        left = left.checked_sub(n).ok_or(Damaged("a sensible number of stop words"))?;
        for _ in 0..n {
            reader.front_coded(&mut word, "a stop word")?;
            words.push(word.clone());
        }
        stop.insert(language, words.iter().map(String::as_str));
    }
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn written_values_are_read_back() {
        let mut stop = StopLists::new();
        stop.insert(Language::english(), ["the", "then", "don't"]);
        stop.insert(Language::from_tag("ru").unwrap(), ["и", "или"]);
        let mut writer = Writer::new();
        write(&mut writer, &stop);
        assert_eq!(read(&mut Reader::new(&writer.finish())), Ok(stop));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = read(&mut Reader::new(&bytes));
        }
    }
}
