//! Counts the terms of texts.

use std::cmp::Reverse;

use pagekin_core::near::shingles;
use pagekin_core::terms::{
    Analyzer, Language, StopLists, for_each_compound, for_each_short_name, for_each_word,
};
use pagekin_core::vocabulary::{TermId, term_id};
use rustc_hash::FxHashMap;

use crate::site::markup::ONE;

/// Counts the terms of texts, and caches words: stemming words repeatedly would take most of the
/// time.
pub struct Counter<'a> {
    stop: &'a StopLists,
    /// Returns the id of a stem.
    id_of: fn(&str) -> TermId,
    /// The cached words of each language.
    words: FxHashMap<Language, FxHashMap<Box<str>, WordEntry>>,
    /// The cached compounds of each language, as written, with their terms.
    compounds: FxHashMap<Language, FxHashMap<Box<str>, Option<TermId>>>,
    /// The stem of each term, of several the first in alphabetical order, and the number of texts
    /// with it.
    pub stems: FxHashMap<TermId, (Box<str>, u32)>,
    /// The word of each term that a field has but no text so far, of several the first in
    /// alphabetical order.
    pub(crate) of_fields: FxHashMap<TermId, Box<str>>,
}

/// A term of a text some of which has a weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WeightedTerm {
    pub id: TermId,
    /// Its frequency.
    pub tf: u32,
    /// The sum of the weights of its occurrences, in hundredths.
    pub weight: u32,
}

impl WeightedTerm {
    /// The factor by which the term counts more or less than without weights.
    #[must_use]
    pub fn factor(self) -> f64 {
        f64::from(self.weight) / (f64::from(self.tf) * f64::from(ONE))
    }

    /// The weighted frequency of a term.
    #[must_use]
    pub fn frequency(self) -> f64 {
        f64::from(self.weight) / f64::from(ONE)
    }
}

/// The term of a word, or `None` for a stop word, and its frequency.
struct WordEntry {
    term: Option<TermId>,
    /// Its [`word_tokens`](pagekin_core::near::shingles::word_tokens) value.
    token: u64,
    count: u64,
}

impl<'a> Counter<'a> {
    /// Creates a counter with the ids of an index.
    pub(crate) fn new(stop: &'a StopLists) -> Self {
        Self::with_ids(stop, term_id)
    }

    pub fn with_ids(stop: &'a StopLists, id_of: fn(&str) -> TermId) -> Self {
        Self {
            stop,
            id_of,
            words: FxHashMap::default(),
            compounds: FxHashMap::default(),
            stems: FxHashMap::default(),
            of_fields: FxHashMap::default(),
        }
    }

    /// Returns the number of cached words and compounds.
    pub fn cached_words(&self) -> usize {
        let words = self.words.values().map(FxHashMap::len);
        words.chain(self.compounds.values().map(FxHashMap::len)).sum()
    }

    /// Returns the terms of the words of a text in ascending order, with their frequencies.
    pub fn count(&mut self, language: &Language, text: &str) -> Vec<(TermId, u32)> {
        let mut counts = FxHashMap::default();
        self.count_words(language, text, &mut counts, |_| {});
        self.finish(counts)
    }

    /// Calls `each` with the terms of a few words of a page, in order, without counting them.
    pub(crate) fn terms_of(
        &mut self,
        language: &Language,
        text: &str,
        mut each: impl FnMut(TermId),
    ) {
        let analyzer = Analyzer::new(language, self.stop);
        let words = self.words.entry(language.clone()).or_default();
        let of_fields = &mut self.of_fields;
        for_each_word(text, |word| match words.get(word) {
            Some(entry) => entry.term.into_iter().for_each(&mut each),
            None => {
                if let Some(stem) = analyzer.term(word) {
                    let id = (self.id_of)(&stem);
                    keep_first(of_fields, id, word);
                    each(id);
                }
            }
        });
        let compounds = self.compounds.entry(language.clone()).or_default();
        for_each_compound(text, |compound| match compounds.get(compound.written()) {
            Some(term) => term.iter().copied().for_each(&mut each),
            None => {
                if let Some(stem) = analyzer.compound(compound) {
                    let id = (self.id_of)(&stem);
                    keep_first(of_fields, id, &compound.written().to_ascii_lowercase());
                    each(id);
                }
            }
        });
    }

    /// Calls `each` with the terms of the short names of a heading, in order.
    pub(crate) fn short_names_of(&self, text: &str, mut each: impl FnMut(TermId)) {
        for_each_short_name(text, |name| each((self.id_of)(&name.to_ascii_lowercase())));
    }

    /// Returns the terms of a text, including its compounds, in ascending order with their
    /// frequencies. Calls `each_token` with each token of the text, in order.
    pub fn count_all(
        &mut self,
        language: &Language,
        text: &str,
        each_token: impl FnMut(u64),
    ) -> Vec<(TermId, u32)> {
        let mut counts = FxHashMap::default();
        self.count_words(language, text, &mut counts, each_token);
        self.count_compounds(language, text, &mut counts);
        self.finish(counts)
    }

    fn count_words(
        &mut self,
        language: &Language,
        text: &str,
        counts: &mut FxHashMap<TermId, u32>,
        mut each_token: impl FnMut(u64),
    ) {
        let analyzer = Analyzer::new(language, self.stop);
        let words = self.words.entry(language.clone()).or_default();
        for_each_word(text, |word| {
            let (term, token) = match words.get_mut(word) {
                Some(entry) => {
                    entry.count += 1;
                    (entry.term, entry.token)
                }
                None => {
                    let term =
                        analyzer.term(word).map(|stem| term_of(&mut self.stems, self.id_of, &stem));
                    let token = shingles::token(word);
                    words.insert(word.into(), WordEntry { term, token, count: 1 });
                    (term, token)
                }
            };
            each_token(token);
            if let Some(term) = term {
                *counts.entry(term).or_default() += 1;
            }
        });
    }

    fn count_compounds(
        &mut self,
        language: &Language,
        text: &str,
        counts: &mut FxHashMap<TermId, u32>,
    ) {
        let analyzer = Analyzer::new(language, self.stop);
        let compounds = self.compounds.entry(language.clone()).or_default();
        for_each_compound(text, |compound| {
            // No string is both a part and an identifier.
            let term = match compounds.get(compound.written()) {
                Some(term) => *term,
                None => {
                    let term = analyzer
                        .compound(compound)
                        .map(|stem| term_of(&mut self.stems, self.id_of, &stem));
                    compounds.insert(compound.written().into(), term);
                    term
                }
            };
            if let Some(term) = term {
                *counts.entry(term).or_default() += 1;
            }
        });
    }

    /// Returns the sorted terms of a text, and counts the text for each.
    fn finish(&mut self, counts: FxHashMap<TermId, u32>) -> Vec<(TermId, u32)> {
        let mut terms: Vec<_> = counts.into_iter().collect();
        terms.sort_unstable();
        for (id, _) in &terms {
            if let Some((_, texts)) = self.stems.get_mut(id) {
                *texts += 1;
            }
        }
        terms
    }
}

/// Keeps a word of a term, if it is the first in alphabetical order.
pub(crate) fn keep_first(words: &mut FxHashMap<TermId, Box<str>>, id: TermId, word: &str) {
    let kept = words.entry(id).or_insert_with(|| word.into());
    if *word < **kept {
        *kept = word.into();
    }
}

/// Returns the term of a stem, and remembers the stem.
fn term_of(
    stems: &mut FxHashMap<TermId, (Box<str>, u32)>,
    id_of: fn(&str) -> TermId,
    stem: &str,
) -> TermId {
    let term = id_of(stem);
    let (first, _) = stems.entry(term).or_insert_with(|| (stem.into(), 0));
    if *stem < **first {
        *first = stem.into();
    }
    term
}

/// Returns how often each word has each term. In another language, the same word may have another
/// stem.
pub fn counted_words<'a>(
    counters: impl IntoIterator<Item = Counter<'a>>,
) -> FxHashMap<(Box<str>, TermId), u64> {
    let mut counts: FxHashMap<(Box<str>, TermId), u64> = FxHashMap::default();
    for (_, known) in counters.into_iter().flat_map(|counter| counter.words) {
        for (word, entry) in known {
            if let Some(term) = entry.term {
                *counts.entry((word, term)).or_default() += entry.count;
            }
        }
    }
    counts
}

/// Returns the most frequent word of each term, with its frequency. Of equally frequent words, the
/// first in alphabetical order is used.
pub fn most_frequent_words(
    counts: FxHashMap<(Box<str>, TermId), u64>,
) -> FxHashMap<TermId, (Box<str>, u64)> {
    let mut most_frequent: FxHashMap<TermId, (Box<str>, u64)> = FxHashMap::default();
    for ((word, term), count) in counts {
        let best = most_frequent.entry(term).or_default();
        if (count, Reverse(&word)) > (best.1, Reverse(&best.0)) {
            *best = (word, count);
        }
    }
    most_frequent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stem_of_an_id_is_kept() {
        for stems in [["b", "a", "c"], ["a", "c", "b"], ["c", "b", "a"]] {
            let mut kept = FxHashMap::default();
            for stem in stems {
                assert_eq!(term_of(&mut kept, |_| 7, stem), 7);
            }
            assert_eq!(&*kept[&7].0, "a");
        }
    }

    #[test]
    fn terms_of_equals_count_all_with_any_cache() {
        let (stop, language) = (StopLists::default(), Language::english());
        let few = "AuthName mod_authz_host the redirecting";
        let mut counter = Counter::new(&stop);
        let terms = |counter: &mut Counter<'_>| {
            let mut terms = Vec::new();
            counter.terms_of(&language, few, |term| terms.push((term, 1)));
            terms.sort_unstable();
            terms
        };
        let uncached = terms(&mut counter);
        assert_eq!(counter.count_all(&language, few, |_| {}), uncached);
        assert_eq!(terms(&mut counter), uncached);
    }
}
