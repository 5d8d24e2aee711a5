//! Chooses the words that show what a page shares with the subject.
//!
//! A term is shown as one of its words. In scripts without spaces, terms are pairs of characters,
//! which are not words. Neighboring pairs that the page also has are joined as far as they seem to
//! be one word. The boundary of two words is not known, but on a site that is large enough a pair
//! across it is rarer than the pairs on both its sides. In Japanese a word begins where Hiragana
//! end, and a pair that shares a character with a stop word is not a word. In Thai and similar
//! scripts, a pair without neighbors is shown only if there is nothing else.

use std::cmp::Reverse;
use std::ops::Range;

use super::pairs::Pairs;
use super::query::{Subject, SubjectTerm};
use crate::shard::PageRecord;
use crate::sort;
use crate::terms::second_of_pair;
use crate::vocabulary::{IDF_STEPS, TermId};

/// Maximum number of shared terms of a result.
pub const MAX_SHARED_TERMS: usize = 10;
/// Maximum number of missing terms of a result.
pub const MAX_MISSING_TERMS: usize = 6;
/// Maximum number of pairs that are joined, where nothing separates words: about as many characters
/// as a reader takes in.
const MAX_JOINED: usize = 11;

/// The data that the words of a result are chosen from.
pub(super) struct Sharing<'a> {
    pub(super) subject: &'a Subject,
    /// The inverse document frequencies of its terms.
    pub(super) idfs: &'a [u8],
    pub(super) record: &'a PageRecord,
}

impl<'a> Sharing<'a> {
    /// Returns the words of these terms, heaviest first.
    pub(super) fn words(&self, mut terms: Vec<(TermId, u64)>) -> Vec<String> {
        sort::by_key(&mut terms, |&(id, weight)| (Reverse(weight), id));
        let chained;
        let pairs = if self.subject.page.is_some() {
            chained = self.chained();
            &chained
        } else {
            &self.subject.pairs
        };
        let (mut words, mut shards, mut shown) = (Vec::new(), Vec::new(), Vec::new());
        for (id, _) in terms {
            if words.len() == MAX_SHARED_TERMS {
                break;
            }
            let Some(place) = self.place_of(pairs, id) else {
                let word = self.subject.word(id).map(str::to_owned);
                words.extend(word.filter(|word| !words.contains(word)));
                continue;
            };
            let Some(joined) = self.joined(pairs, place, &shown) else { continue };
            let Some(word) = self.joined_text(pairs, joined.clone()) else { continue };
            let of =
                if joined.len() == 1 && is_of_syllables(&word) { &mut shards } else { &mut words };
            if !of.contains(&word) {
                of.push(word);
            }
            shown.push(joined);
        }
        if words.is_empty() {
            shards.truncate(MAX_SHARED_TERMS);
            return shards;
        }
        words
    }

    /// Returns the words of a text that the page does not contain, heaviest first. Words on no page
    /// of the site are omitted, and so are scripts without spaces, as it is not known which pairs
    /// are words. Neighboring pairs of typed words follow, joined.
    pub(super) fn missing(&self, unmatched: &[TermId]) -> Vec<String> {
        if self.subject.page.is_some() {
            return Vec::new();
        }
        let all = self.subject.terms.iter().zip(self.idfs);
        let is_missing = |term: &SubjectTerm| {
            !self.has_any(term) && !unmatched.contains(&term.id) && term.typed.is_none()
        };
        let (mut terms, mut pairs) = (Vec::new(), Vec::new());
        for (term, &idf) in all.filter(|(term, _)| is_missing(term)) {
            match self.place_of(&self.subject.pairs, term.id) {
                None => terms.push((Reverse(term.weight(idf)), term.id)),
                Some(_) => pairs.push(term),
            }
        }
        sort::by_key(&mut terms, |&term| term);
        terms.truncate(MAX_MISSING_TERMS);
        let word = |(_, id)| self.subject.word(id).map(str::to_owned);
        let mut words: Vec<String> = terms.into_iter().filter_map(word).collect();
        if self.subject.is_typed {
            words.append(&mut in_order(self.subject, pairs));
        }
        words.truncate(MAX_MISSING_TERMS);
        words
    }

    /// Returns the pairs among the terms shared by a page of the site and this page.
    fn chained(&self) -> Pairs {
        let shared = self.subject.terms.iter().filter(|term| self.has(term.id));
        let words = shared.filter_map(|term| Some((term.id, self.subject.word(term.id)?)));
        Pairs::chained(&words.collect::<Vec<_>>())
    }

    /// Whether the page contains a term or one of its alternatives.
    fn has_any(&self, term: &SubjectTerm) -> bool {
        self.subject.alternatives(term).any(|one| self.has(one.id))
    }

    fn has(&self, id: TermId) -> bool {
        self.record.term(id).is_some()
    }

    /// Returns the position of a pair that has neighbors.
    fn place_of(&self, pairs: &Pairs, id: TermId) -> Option<usize> {
        let at = if self.subject.page.is_some() {
            pairs.position(id)?
        } else {
            let term = self.subject.terms.binary_search_by_key(&id, |term| term.id).ok()?;
            self.subject.terms[term].at
        };
        (pairs.term(at) == Some(id) && pairs.neighbors(at) != [None, None]).then_some(at)
    }

    /// Returns the pair, joined with neighbors of the same word. Returns `None` if the pair crosses
    /// a word boundary, or is part of a word that is shown already.
    fn joined(&self, pairs: &Pairs, at: usize, shown: &[Range<usize>]) -> Option<Range<usize>> {
        let is_shown = |at: usize| shown.iter().any(|joined| joined.contains(&at));
        let is_free = |at: usize| {
            !is_shown(at)
                && !pairs.neighbors(at).into_iter().flatten().any(is_shown)
                && !self.crosses_words(pairs, at)
        };
        let goes_on = |at: &usize| pairs.term(*at).is_some_and(|id| self.has(id)) && is_free(*at);
        if !is_free(at) {
            return None;
        }
        let (mut first, mut last) = (at, at);
        while last - first < MAX_JOINED {
            let ([before, _], [_, after]) = (pairs.neighbors(first), pairs.neighbors(last));
            match (after.filter(goes_on), before.filter(goes_on)) {
                (Some(after), _) => last = after,
                (None, Some(before)) => first = before,
                (None, None) => break,
            }
        }
        Some(first..last + 1)
    }

    /// Returns the text of joined pairs.
    fn joined_text(&self, pairs: &Pairs, joined: Range<usize>) -> Option<String> {
        let mut words = joined.filter_map(|at| self.subject.word(pairs.term(at)?));
        let mut joined_text = words.next()?.to_owned();
        for word in words {
            joined_text.push_str(second_of_pair(word)?);
        }
        Some(joined_text)
    }

    /// Whether a pair consists of the end of one word and the beginning of the next.
    fn crosses_words(&self, pairs: &Pairs, at: usize) -> bool {
        let Some(own) = pairs.term(at) else { return false };
        let word = self.subject.word(own).unwrap_or_default();
        let is_hiragana = |part: Option<&str>| {
            part.is_some_and(|part| part.starts_with(|c| matches!(c, '\u{3041}'..='\u{309f}')))
        };
        if is_hiragana(Some(word)) && !is_hiragana(second_of_pair(word)) {
            return true;
        }
        let neighbors = pairs.neighbors(at);
        let terms = neighbors.map(|at| at.map(|at| pairs.term(at)));
        if terms.contains(&Some(None)) {
            return true;
        }
        let rarity = |id: TermId| {
            let at = self.subject.terms.binary_search_by_key(&id, |term| term.id);
            at.map_or(0, |at| u32::from(self.idfs[at]))
        };
        let [Some(Some(before)), Some(Some(after))] = terms else { return false };
        rarity(own) >= rarity(before).max(rarity(after)) + u32::from(IDF_STEPS)
    }
}

/// Returns the words of terms of a text, in its order. Neighboring pairs of characters are joined.
pub(super) fn in_order(subject: &Subject, mut terms: Vec<&SubjectTerm>) -> Vec<String> {
    sort::by_key(&mut terms, |term| term.at);
    let (mut words, mut last): (Vec<String>, _) = (Vec::new(), None);
    for term in terms {
        let Some(word) = term.word.as_deref() else { continue };
        let is_pair = subject.pairs.term(term.at) == Some(term.id);
        let before = if is_pair { subject.pairs.neighbors(term.at)[0] } else { None };
        match (words.last_mut(), second_of_pair(word)) {
            (Some(joined), Some(second)) if before.is_some() && before == last => {
                joined.push_str(second);
            }
            _ => words.push(word.to_owned()),
        }
        last = Some(term.at);
    }
    words
}

/// Whether the characters of a pair's script are syllables or parts of syllables, so that two are
/// seldom a word. In Chinese and Japanese they often are.
fn is_of_syllables(pair: &str) -> bool {
    pair.chars().next().is_some_and(|c| c < '\u{3000}')
}
