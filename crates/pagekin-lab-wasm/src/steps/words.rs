//! How each word of a text is treated on its way into the bag.

use std::cmp::Reverse;
use std::ops::Range;

use pagekin_core::Index;
use pagekin_core::bag::{Bag, BagRules};
use pagekin_core::lookup::{TextLanguage, analyzer, language_of};
use pagekin_core::sort;
use pagekin_core::terms::{TermKinds, TextTerm, Words, word_places};
use pagekin_core::vocabulary::{TermId, is_identifier, term_id};

/// How a word, or its term, is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// A stop word, which every page contains.
    Stop,
    /// On too many pages of the site to distinguish them.
    Common,
    /// On no other page of the site, so it cannot make two pages similar.
    Lone,
    /// Counts, but enough other terms have a higher weight.
    Light,
    /// In the bag.
    InBag,
}

impl Fate {
    /// Returns the name for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Common => "common",
            Self::Lone => "lone",
            Self::Light => "light",
            Self::InBag => "bag",
        }
    }
}

/// A term of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FatedTerm {
    /// Id of the term.
    pub id: TermId,
    /// First word with this term in the text.
    pub word: String,
    /// Stem of all its words.
    pub stem: String,
    /// Number of occurrences in the text.
    pub tf: u32,
    /// Rarity on this site, even if it is too common for bags; 255 if no other page contains it.
    pub idf: u8,
    /// Weight on this site, by rarity; 0 if it does not count.
    pub weight: u8,
    /// Frequency times rarity, in 256ths, before the bag is scaled to its size.
    pub product: u64,
    /// Count in the bag.
    pub copies: u16,
    /// How the term is treated.
    pub fate: Fate,
}

/// The words and terms of a text, and its bag.
#[derive(Debug, Clone)]
pub struct Fates {
    /// Language of the text, if it is a language of the site.
    pub language: Option<TextLanguage>,
    /// Byte range of each word, with the index of its term in [`terms`](Self::terms); `None` for a
    /// stop word.
    pub words: Vec<(Range<usize>, Option<usize>)>,
    /// Terms, highest count first, then highest weight.
    pub terms: Vec<FatedTerm>,
    /// Sum of the [`product`](FatedTerm::product) of all terms that the bag has room for: the norm.
    pub total: u64,
    /// Bag of the text.
    pub bag: Bag,
}

/// Analyzes the words of a text in the language `lang`, like
/// [`bag_of_text`](pagekin_core::lookup::bag_of_text), and builds a bag by `rules`. A text without
/// words has an empty bag.
#[must_use]
pub fn fates(index: &Index, text: &str, lang: &str, rules: &BagRules) -> Fates {
    let manifest = index.manifest();
    let cut = Words::new(text);
    let language = language_of(index, &cut, lang);
    let analyzer = analyzer(index, language.as_ref());
    let counts =
        analyzer.counts(&cut, if manifest.texts { TermKinds::Text } else { TermKinds::Words });
    let vocabulary = &manifest.vocabulary;
    let weighted: Vec<(TermId, u32)> = counts.iter().map(|term| (term.id, term.tf)).collect();
    let bag = Bag::weigh(&weighted, vocabulary, rules);
    let in_bag = vocabulary.weights_in(&weighted);
    let mut terms: Vec<FatedTerm> = counts
        .into_iter()
        .filter(|term| !is_identifier(term.id))
        .map(|TextTerm { id, tf, word, .. }| {
            let (weight, copies) = (in_bag(id), bag.count(id));
            let (fate, idf) = match (weight, copies, vocabulary.idf(id)) {
                (0, _, Some(idf)) => (Fate::Common, idf),
                (0, _, None) => (Fate::Lone, u8::MAX),
                (_, 0, _) => (Fate::Light, weight),
                _ => (Fate::InBag, weight),
            };
            let stem = analyzer.term(&word).unwrap_or_default().into_owned();
            let product = rules.term_weight(tf, weight);
            FatedTerm { id, word, stem, tf, idf, weight, product, copies, fate }
        })
        .collect();
    sort::by(&mut terms, |a, b| {
        let key = |term: &FatedTerm| (Reverse(term.copies), Reverse(term.weight), Reverse(term.tf));
        (key(a), &a.stem) < (key(b), &b.stem)
    });
    let mut by_id: Vec<(TermId, usize)> = terms.iter().map(|term| term.id).zip(0..).collect();
    sort::by_key(&mut by_id, |&entry| entry);
    let place = |word: &str| {
        let id = term_id(&analyzer.term(word)?);
        let at = by_id.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        Some(by_id[at].1)
    };
    let words = word_places(text).into_iter().zip(cut.iter().map(place)).collect();
    let mut products: Vec<u64> = terms.iter().map(|term| term.product).collect();
    sort::by_key(&mut products, |&product| Reverse(product));
    let total = products.iter().take(rules.max_terms.into()).sum();
    Fates { language, words, terms, total, bag }
}

impl Fates {
    /// Returns the number of words, and of those that are not stop words.
    #[must_use]
    pub fn words_and_kept(&self) -> (usize, usize) {
        (self.words.len(), self.words.iter().filter(|(_, term)| term.is_some()).count())
    }

    /// Returns the number of terms that count on this site.
    #[must_use]
    pub fn weighty(&self) -> usize {
        self.terms.iter().filter(|term| term.weight > 0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::tests::manifest;
    use pagekin_core::lookup::bag_of_text;
    use pagekin_core::shard::Manifest;
    use pagekin_core::terms::{Language, StopLists};
    use pagekin_core::vocabulary::Vocabulary;
    use pagekin_core::{DEFAULT_SEED, Preset};
    use proptest::prelude::*;

    /// A site with the terms `flour` and `rye`, where `water` is too common.
    fn index() -> Index {
        let terms = [("flour", 40), ("rye", 60), ("water", 5)];
        let vocabulary = Vocabulary::new(terms.map(|(stem, idf)| (term_id(stem), idf)), 0);
        let mut stop = StopLists::new();
        stop.insert(Language::english(), ["the", "and"]);
        let vocabulary = vocabulary.with_min_weight(20);
        let languages = vec![(Language::english(), 9)];
        let manifest = Manifest { vocabulary, stop, languages, ..manifest() };
        Index::open(&manifest.encode()).unwrap()
    }

    fn rules() -> BagRules {
        Preset::Web.params(DEFAULT_SEED).bag
    }

    #[test]
    fn every_word_has_a_fate() {
        let text = "The rye and the Rye flours, water, mortar.";
        let found = fates(&index(), text, "en", &rules());
        let named: Vec<_> = found
            .words
            .iter()
            .map(|(place, term)| {
                let fate = term.map_or(Fate::Stop, |at| found.terms[at].fate);
                (&text[place.clone()], fate.name())
            })
            .collect();
        assert_eq!(
            named,
            [
                ("The", "stop"),
                ("rye", "bag"),
                ("and", "stop"),
                ("the", "stop"),
                ("Rye", "bag"),
                ("flours", "bag"),
                ("water", "common"),
                ("mortar", "lone"),
            ]
        );
        let first = &found.terms[0];
        assert_eq!((first.word.as_str(), first.tf, first.weight), ("rye", 2, 60));
        let idfs: Vec<_> = found.terms.iter().map(|term| (&*term.word, term.idf)).collect();
        assert_eq!(idfs, [("rye", 60), ("flours", 40), ("mortar", 255), ("water", 5)]);
        assert_eq!(found.words_and_kept(), (8, 5));
        assert_eq!((found.terms.len(), found.weighty()), (4, 2));
    }

    #[test]
    fn terms_with_too_low_weights_are_reported() {
        let few = BagRules { max_terms: 1, ..rules() };
        let found = fates(&index(), "rye rye flour", "en", &few);
        let stems: Vec<_> = found.terms.iter().map(|term| (&*term.stem, term.fate)).collect();
        assert_eq!(stems, [("rye", Fate::InBag), ("flour", Fate::Light)]);
    }

    proptest! {
        #[test]
        fn the_bag_matches_that_of_a_lookup(text in "((the|rye|flour|water|std::vec|Rye_2|Brot) ?){0,30}") {
            let index = index();
            let found = fates(&index, &text, "", &rules());
            let expected = bag_of_text(&index, &text, "").unwrap_or_default();
            prop_assert_eq!(&found.bag, &expected);
            let size: u32 = found.terms.iter().map(|term| u32::from(term.copies)).sum();
            prop_assert_eq!(size, expected.size());
        }
    }
}
