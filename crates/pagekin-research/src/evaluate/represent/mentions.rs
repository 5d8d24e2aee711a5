//! Finds the pages whose title occurs in the text of a page.

use pagekin_index::measured::Mentions;

use crate::evaluate::pages::lexicon::WordId;
use crate::evaluate::pages::page::{EvaluatedPage, Written};
use crate::evaluate::represent::assemble::Recipe;
use crate::evaluate::terms::Terms;

/// Returns the mentions of pages, by the terms of a recipe.
pub(crate) fn mentions_of(pages: &[EvaluatedPage], terms: &Terms, recipe: Recipe) -> Mentions {
    let distinct = |words: &[WordId], compounds: &mut dyn Iterator<Item = WordId>| {
        let of_words = words.iter().filter_map(|&word| terms.of_word(word));
        let compounds = compounds.filter_map(|word| terms.of_compound(word, recipe.identifiers));
        let mut all: Vec<u32> = of_words.chain(compounds).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let title = |page: &EvaluatedPage| {
        let Written { words, compounds } = &page.title_words;
        distinct(words, &mut compounds.iter().copied())
    };
    let text = |page: &EvaluatedPage| {
        distinct(&page.words, &mut page.compounds.iter().map(|&(_, word)| word)).into_iter()
    };
    Mentions::new(pages.iter().map(title).collect(), pages.iter().map(text))
}
