//! The terms of all drafts into the vocabulary, and drafts into pages with bags.

use pagekin_core::bag::{Bag, BagRules};
use pagekin_core::vocabulary::{DfLimits, Term, TermId, Vocabulary, quantised_idf};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::observer::Observer;
use crate::reading::{Draft, Lexicon};

/// A page of the index before it has a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WeighedPage {
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) bag: Bag,
}

/// The vocabulary of a lexicon over `pages` pages, and the ids of its terms by hash.
pub(crate) fn vocabulary(
    lexicon: &Lexicon,
    pages: u32,
    limits: DfLimits,
) -> (Vocabulary, FxHashMap<u64, TermId>) {
    let mut terms: Vec<_> =
        lexicon.terms.iter().filter(|(_, term)| limits.allow(term.df, pages)).collect();
    terms.sort_unstable_by(|a, b| a.1.stem.cmp(&b.1.stem));
    let mut vocabulary = Vocabulary::new();
    let mut ids = FxHashMap::default();
    for (&hash, term) in terms {
        let idf = quantised_idf(term.df, pages);
        if vocabulary.push(Term { stem: &term.stem, word: &term.word.0, idf }) {
            ids.insert(hash, vocabulary.len() - 1);
        }
    }
    (vocabulary, ids)
}

/// The pages of drafts, in their order; a page whose bag is empty is `None`.
pub(crate) fn weigh(
    drafts: Vec<Draft>,
    vocabulary: &Vocabulary,
    ids: &FxHashMap<u64, TermId>,
    rules: &BagRules,
    observer: &dyn Observer,
) -> Vec<Option<WeighedPage>> {
    drafts
        .into_par_iter()
        .map(|draft| {
            let known = draft.terms.iter();
            let mut counts: Vec<(TermId, u32)> =
                known.filter_map(|(hash, tf)| ids.get(hash).map(|&id| (id, *tf))).collect();
            counts.sort_unstable();
            let bag = Bag::weigh(&counts, vocabulary, rules);
            observer.advance(1);
            (!bag.is_empty()).then_some(WeighedPage { url: draft.url, title: draft.title, bag })
        })
        .collect()
}
