//! The words of a site, each written once and known by a number.

use pagekin_core::terms::Language;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// A word of a [`Lexicon`] by its number.
pub(crate) type WordId = u32;

/// A word of a language, or an identifier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Word {
    /// Its place among [`Lexicon::languages`]; identifiers are of none.
    pub(crate) language: u16,
    /// In lower case.
    pub(crate) text: Box<str>,
}

impl Word {
    /// Whether it is an identifier or a number, whole.
    pub(crate) fn is_identifier(&self) -> bool {
        self.language == NO_LANGUAGE
    }
}

/// All words of a site.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    /// In their order, which does not depend on who read what.
    pub(crate) languages: Vec<Language>,
    /// By their numbers, in their order.
    pub(crate) words: Vec<Word>,
}

/// The words that one thread met, by numbers in the order in which it met them.
#[derive(Debug, Default)]
pub(crate) struct Met {
    languages: Vec<Language>,
    /// Per language.
    words: Vec<FxHashMap<Box<str>, WordId>>,
    identifiers: FxHashMap<Box<str>, WordId>,
    count: WordId,
}

/// Stands for the language of identifiers.
const NO_LANGUAGE: u16 = u16::MAX;

impl Met {
    pub(crate) fn language(&mut self, language: &Language) -> u16 {
        if let Some(at) = self.languages.iter().position(|known| known == language) {
            return at as u16;
        }
        self.languages.push(language.clone());
        self.words.push(FxHashMap::default());
        (self.languages.len() - 1) as u16
    }

    /// The number of a word of a language that was met, in lower case.
    pub(crate) fn word(&mut self, language: u16, text: &str) -> WordId {
        number_in(&mut self.words[usize::from(language)], text, &mut self.count)
    }

    /// The number of an identifier, in lower case.
    pub(crate) fn identifier(&mut self, text: &str) -> WordId {
        number_in(&mut self.identifiers, text, &mut self.count)
    }

    /// All words, each with its number.
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

/// The words that several threads met, and of each thread its numbers in terms of the lexicon's.
pub(crate) fn combine(met: &[Met]) -> (Lexicon, Vec<Vec<WordId>>) {
    let mut languages: Vec<Language> =
        met.iter().flat_map(|met| met.languages.iter().cloned()).collect();
    languages.sort();
    languages.dedup();
    let place = |language: &Language| languages.binary_search(language).unwrap_or_default() as u16;
    let named = |met: &Met, language: u16, text: &str| Word {
        language: met.languages.get(usize::from(language)).map_or(NO_LANGUAGE, place),
        text: text.into(),
    };
    let all = |met| Met::iter(met).map(move |(language, text, _)| named(met, language, text));
    let mut words: Vec<Word> = met.iter().flat_map(all).collect();
    words.par_sort_unstable();
    words.dedup();
    let numbers = met
        .par_iter()
        .map(|met| {
            let mut numbers = vec![0; met.count as usize];
            for (language, text, own) in met.iter() {
                let found = words.binary_search(&named(met, language, text));
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
    fn words_have_one_number_whoever_met_them() {
        let (de, en) = (Language::from_tag("de").unwrap(), Language::english());
        let (mut a, mut b) = (Met::default(), Met::default());
        let in_a = a.language(&en);
        let met_by_a = [a.word(in_a, "rye"), a.word(in_a, "art"), a.word(in_a, "rye")];
        let (de_in_b, en_in_b) = (b.language(&de), b.language(&en));
        let met_by_b = [b.word(de_in_b, "art"), b.word(en_in_b, "art")];
        let (lexicon, numbers) = combine(&[a, b]);
        let named = |of: usize, met: &[WordId]| -> Vec<String> {
            let word = |&own: &WordId| &lexicon.words[numbers[of][own as usize] as usize];
            let code =
                |word: &Word| lexicon.languages[usize::from(word.language)].code().to_owned();
            met.iter().map(word).map(|word| format!("{} {}", code(word), word.text)).collect()
        };
        assert_eq!(named(0, &met_by_a), ["en rye", "en art", "en rye"]);
        assert_eq!(named(1, &met_by_b), ["de art", "en art"]);
        assert_eq!(lexicon.words.len(), 3);
    }
}
