//! Maps words to terms.

use pagekin_core::terms::{Analyzer, StopLists};
use pagekin_pages::site::languages;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::evaluate::pages::lexicon::{Lexicon, WordId};
use crate::evaluate::settings::setting::{Identifiers, Stemming};

/// The value for words without a term.
const NOTHING: u32 = u32::MAX;

/// The term of each word of a lexicon.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    /// The term of each word.
    of_words: Vec<u32>,
    identifiers: Vec<bool>,
    /// The name of each term.
    pub(crate) names: Vec<Box<str>>,
}

impl Terms {
    pub(crate) fn new(lexicon: &Lexicon, stemming: Stemming) -> Self {
        let lists = languages::only(lexicon.languages.iter().cloned());
        let no_lists = StopLists::new();
        let analyzers: Vec<_> = lexicon
            .languages
            .iter()
            .map(|language| (Analyzer::new(language, &lists), Analyzer::new(language, &no_lists)))
            .collect();
        let by_stem = matches!(stemming, Stemming::StopStem | Stemming::StemStop);
        let stop_stems: Vec<FxHashSet<Box<str>>> = lexicon
            .languages
            .iter()
            .zip(&analyzers)
            .map(|(language, (_, stemmer))| {
                let of_language = lists.iter().filter(|(listed, _)| *listed == language);
                let words = of_language.flat_map(|(_, words)| words).filter(|_| by_stem);
                words.filter_map(|word| Some(stemmer.term(word)?.into())).collect()
            })
            .collect();
        let mut numbers: FxHashMap<Box<str>, u32> = FxHashMap::default();
        let mut terms = Self::default();
        for word in &lexicon.words {
            let language = usize::from(word.language);
            let term = if word.is_identifier() {
                Some(word.text.clone())
            } else {
                let (stopping, stemmer) = &analyzers[language];
                stopping.term(&word.text).and_then(|_| {
                    let stem: Box<str> = stemmer.term(&word.text)?.into();
                    let stop = by_stem && stop_stems[language].contains(&stem);
                    let stemmed = matches!(stemming, Stemming::Stem | Stemming::StemStop);
                    (!stop).then(|| if stemmed { stem } else { word.text.clone() })
                })
            };
            terms.identifiers.push(word.is_identifier());
            terms.of_words.push(term.map_or(NOTHING, |term| {
                let next = terms.names.len() as u32;
                *numbers.entry(term).or_insert_with_key(|term| {
                    terms.names.push(term.clone());
                    next
                })
            }));
        }
        terms
    }

    /// Returns the term of a word, if it has one.
    pub(crate) fn of_word(&self, word: WordId) -> Option<u32> {
        Some(self.of_words[word as usize]).filter(|&term| term != NOTHING)
    }

    /// Returns the term of a compound, if it has one and such compounds count.
    pub(crate) fn of_compound(&self, word: WordId, identifiers: Identifiers) -> Option<u32> {
        let counts = match identifiers {
            Identifiers::No => false,
            Identifiers::Parts => !self.identifiers[word as usize],
            Identifiers::Whole => true,
        };
        if counts { self.of_word(word) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::pages::lexicon::{SeenWords, combine};
    use pagekin_core::terms::Language;

    #[test]
    fn words_are_stemmed_and_stopped_in_four_ways() {
        let mut seen = SeenWords::default();
        let en = seen.language(&Language::english());
        let words = ["the", "having", "haves", "loaves", "loaf", "baking", "bakes"];
        let seen_words = words.map(|word| seen.word(en, word));
        let identifier = seen.identifier("pg_dump");
        let (lexicon, numbers) = combine(&[seen]);
        let number = |own: WordId| numbers[0][own as usize];
        let terms = |stemming| {
            let terms = Terms::new(&lexicon, stemming);
            let name = |&own: &WordId| match terms.of_word(number(own)) {
                Some(term) => terms.names[term as usize].to_string(),
                None => "-".to_owned(),
            };
            seen_words.iter().map(name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(terms(Stemming::None), "- - haves loaves loaf baking bakes");
        assert_eq!(terms(Stemming::StopStem), "- - - loaves loaf baking bakes");
        assert_eq!(terms(Stemming::Stem), "- - have loav loaf bake bake");
        assert_eq!(terms(Stemming::StemStop), "- - - loav loaf bake bake");
        let terms = Terms::new(&lexicon, Stemming::Stem);
        let whole = terms.of_compound(number(identifier), Identifiers::Whole).unwrap();
        assert_eq!(&*terms.names[whole as usize], "pg_dump");
        assert_eq!(terms.of_compound(number(identifier), Identifiers::Parts), None);
        assert!(terms.of_compound(number(seen_words[3]), Identifiers::Parts).is_some());
        assert_eq!(terms.of_compound(number(seen_words[3]), Identifiers::No), None);
    }
}
