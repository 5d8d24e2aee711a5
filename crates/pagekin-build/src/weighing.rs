//! The terms of all drafts into the vocabulary, and drafts into pages with bags.

use pagekin_core::bag::{Bag, BagRules};
use pagekin_core::near::sketch::Sketch;
use pagekin_core::vocabulary::{DfLimits, Term, Vocabulary, VocabularyBuilder, quantised_idf};
use rayon::prelude::*;

use crate::observer::Observer;
use crate::reading::{Draft, Lexicon, LexiconTerm};

/// A page of the index before it has a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WeighedPage {
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) bag: Bag,
    /// Of no shingles if its text was not at hand.
    pub(crate) sketch: Sketch,
}

/// Which terms get a weight of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct VocabularyRules {
    /// Which count.
    pub(crate) limits: DfLimits,
    /// The most terms. If more count, only the commonest of them are in the vocabulary, and all rarer ones, even those
    /// below the lowest df, share one weight: who has the vocabulary only cannot tell them apart.
    pub(crate) most: usize,
    /// Terms of more pages make no keys.
    pub(crate) key_df: u32,
}

/// The vocabulary of a lexicon over `pages` pages.
pub(crate) fn vocabulary(lexicon: &Lexicon, pages: u32, rules: VocabularyRules) -> Vocabulary {
    let limits = rules.limits;
    let met = || lexicon.terms.values().filter(|term| term.df > 0);
    let mut own: Vec<(&LexiconTerm, u8)> = met()
        .filter(|term| limits.allow(term.df, pages))
        .map(|term| (term, quantised_idf(term.df, pages)))
        .collect();
    let mut rare_weight = 0;
    if own.len() > rules.most {
        own.sort_unstable_by(|(a, _), (b, _)| b.df.cmp(&a.df).then(a.stem.cmp(&b.stem)));
        let rare = own.split_off(rules.most);
        let below = met().filter(|term| term.df < limits.min);
        let below = below.map(|term| (term, quantised_idf(term.df, pages)));
        // The mean over all places where a rare term stands.
        let (mut places, mut total) = (0u64, 0u64);
        for (term, weight) in rare.into_iter().chain(below) {
            places += u64::from(term.df);
            total += u64::from(term.df) * u64::from(weight);
        }
        rare_weight = ((2 * total + places) / (2 * places)).clamp(1, 255) as u8;
        let too_common =
            met().filter(|term| term.df >= limits.min && !limits.allow(term.df, pages));
        own.extend(too_common.map(|term| (term, 0)));
    }
    own.sort_unstable_by(|(a, _), (b, _)| a.stem.cmp(&b.stem));
    let mut builder = VocabularyBuilder::default();
    for (term, idf) in own {
        // Terms that do not count are never shown.
        let word = if idf == 0 { &term.stem } else { &term.word.0 };
        builder.push(Term { stem: &term.stem, word, idf });
    }
    let key_weight = if rules.key_df < pages { quantised_idf(rules.key_df, pages) } else { 0 };
    builder.finish(rare_weight).with_key_weight(key_weight)
}

/// The pages of drafts, in their order; a page whose bag is empty is `None`.
pub(crate) fn weigh(
    drafts: Vec<Draft>,
    vocabulary: &Vocabulary,
    rules: &BagRules,
    observer: &dyn Observer,
) -> Vec<Option<WeighedPage>> {
    drafts
        .into_par_iter()
        .map(|draft| {
            let Draft { url, title, terms, sketch, .. } = draft;
            let bag = Bag::weigh(&terms, vocabulary, rules);
            observer.advance(1);
            (!bag.is_empty()).then_some(WeighedPage { url, title, bag, sketch })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::vocabulary::term_id;

    fn lexicon(dfs: &[(&str, u32)]) -> Lexicon {
        let term = |stem: &str, df| LexiconTerm { stem: stem.into(), df, word: (stem.into(), 1) };
        Lexicon { terms: dfs.iter().map(|&(stem, df)| (term_id(stem), term(stem, df))).collect() }
    }

    fn weights(most: usize) -> Vec<u8> {
        let stems = ["all", "ten", "two", "too", "one"];
        let lexicon = lexicon(&[("all", 90), ("ten", 10), ("two", 2), ("too", 2), ("one", 1)]);
        let limits = DfLimits { min: 2, max_percent: 20.0, never_too_high: 0 };
        let vocabulary = vocabulary(&lexicon, 100, VocabularyRules { limits, most, key_df: 25 });
        stems.map(|stem| vocabulary.weight(term_id(stem))).to_vec()
    }

    #[test]
    fn terms_of_too_many_pages_make_no_keys() {
        let limits = DfLimits { min: 1, max_percent: 100.0, never_too_high: 0 };
        let key_weight = |key_df| {
            let rules = VocabularyRules { limits, most: 10, key_df };
            vocabulary(&lexicon(&[("ten", 10)]), 100, rules).key_weight()
        };
        assert_eq!([key_weight(25), key_weight(99), key_weight(100)], [24, 1, 0]);
    }

    #[test]
    fn a_vocabulary_that_holds_all_that_counts_gives_the_rest_no_weight() {
        assert_eq!(weights(3), [0, 40, 68, 68, 0]);
    }

    #[test]
    fn of_too_many_terms_the_rarer_share_a_weight() {
        // "two" and "one" are rare: 2 places of 68 and one of 80.
        assert_eq!(weights(2), [0, 40, 72, 68, 72]);
    }
}
