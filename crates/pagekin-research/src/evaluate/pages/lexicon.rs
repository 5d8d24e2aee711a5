//! Numbers the words of a site.

use pagekin_core::terms::Language;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// The number of a word in a [`Lexicon`].
pub(crate) type WordId = u32;

/// A word of a language, or an identifier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Word {
    /// The index in [`Lexicon::languages`]; identifiers have none.
    pub(crate) language: u16,
    /// In lower case.
    pub(crate) text: Box<str>,
}

impl Word {
    /// Returns whether it is a complete identifier or number.
    pub(crate) fn is_identifier(&self) -> bool {
        self.language == NO_LANGUAGE
    }
}

/// All words of a site.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    /// Sorted, so that the order does not depend on threads.
    pub(crate) languages: Vec<Language>,
    /// Sorted, by number.
    pub(crate) words: Vec<Word>,
}

/// The words seen by one thread, numbered in order of their first occurrence.
#[derive(Debug, Default)]
pub(crate) struct SeenWords {
    languages: Vec<Language>,
    /// The words of each language.
    words: Vec<FxHashMap<Box<str>, WordId>>,
    identifiers: FxHashMap<Box<str>, WordId>,
    count: WordId,
}

/// The language of identifiers.
const NO_LANGUAGE: u16 = u16::MAX;

impl SeenWords {
    pub(crate) fn language(&mut self, language: &Language) -> u16 {
        if let Some(at) = self.languages.iter().position(|known| known == language) {
            return at as u16;
        }
        self.languages.push(language.clone());
        self.words.push(FxHashMap::default());
        (self.languages.len() - 1) as u16
    }

    /// Returns the number of a word of a language. The word must be in lower case.
    pub(crate) fn word(&mut self, language: u16, text: &str) -> WordId {
        number_in(&mut self.words[usize::from(language)], text, &mut self.count)
    }

    /// Returns the number of an identifier, which must be in lower case.
    pub(crate) fn identifier(&mut self, text: &str) -> WordId {
        number_in(&mut self.identifiers, text, &mut self.count)
    }

    /// Returns all words with their numbers.
    fn iter(&self) -> impl Iterator<Item = (u16, &str, WordId)> {
        let words = self.words.iter().zip(0..).chain([(&self.identifiers, NO_LANGUAGE)]);
        words.flat_map(|(words, language)| {
            words.iter().map(move |(text, &number)| (language, &**text, number))
        })
    }
}

fn number_in(words: &mut FxHashMap<Box<str>, WordId>, text: &str, count: &mut WordId) -> WordId {
    if let Some(&number) = words.get(text) {
        return number;
    }
    let number = *count;
    words.insert(text.into(), number);
    *count += 1;
    number
}

/// Combines the words of several threads. Also returns the number in the lexicon for each number of
/// each thread.
pub(crate) fn combine(seen: &[SeenWords]) -> (Lexicon, Vec<Vec<WordId>>) {
    let mut languages: Vec<Language> =
        seen.iter().flat_map(|seen| seen.languages.iter().cloned()).collect();
    languages.sort();
    languages.dedup();
    let place = |language: &Language| languages.binary_search(language).unwrap_or_default() as u16;
    let named = |seen: &SeenWords, language: u16, text: &str| Word {
        language: seen.languages.get(usize::from(language)).map_or(NO_LANGUAGE, place),
        text: text.into(),
    };
    let all =
        |seen| SeenWords::iter(seen).map(move |(language, text, _)| named(seen, language, text));
    let mut words: Vec<Word> = seen.iter().flat_map(all).collect();
    words.par_sort_unstable();
    words.dedup();
    let numbers = seen
        .par_iter()
        .map(|seen| {
            let mut numbers = vec![0; seen.count as usize];
            for (language, text, own) in seen.iter() {
                let found = words.binary_search(&named(seen, language, text));
                numbers[own as usize] = found.unwrap_or_default() as WordId;
            }
            numbers
        })
        .collect();
    (Lexicon { languages, words }, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_one_number_across_threads() {
        let (de, en) = (Language::from_tag("de").unwrap(), Language::english());
        let (mut a, mut b) = (SeenWords::default(), SeenWords::default());
        let in_a = a.language(&en);
        let seen_by_a = [a.word(in_a, "rye"), a.word(in_a, "art"), a.word(in_a, "rye")];
        let (de_in_b, en_in_b) = (b.language(&de), b.language(&en));
        let seen_by_b = [b.word(de_in_b, "art"), b.word(en_in_b, "art")];
        let (lexicon, numbers) = combine(&[a, b]);
        let named = |of: usize, seen: &[WordId]| -> Vec<String> {
            let word = |&own: &WordId| &lexicon.words[numbers[of][own as usize] as usize];
            let code =
                |word: &Word| lexicon.languages[usize::from(word.language)].code().to_owned();
            seen.iter().map(word).map(|word| format!("{} {}", code(word), word.text)).collect()
        };
        assert_eq!(named(0, &seen_by_a), ["en rye", "en art", "en rye"]);
        assert_eq!(named(1, &seen_by_b), ["de art", "en art"]);
        assert_eq!(lexicon.words.len(), 3);
    }
}
