//! The words that people are shown for what a page shares with the subject.
//!
//! A term is shown as one of its words. In scripts without spaces terms are pairs of characters,
//! which are no words: neighbouring pairs that the page has too are joined, as far as they seem to
//! be one word. Where two words meet is not known, but a pair that lies across is rarer than those
//! within words on both its sides, if the site is large enough to tell. In Japanese a word begins
//! where Hiragana end; and a pair that shares a character with a stop word is none.

use std::cmp::Reverse;
use std::ops::Range;

use super::pairs::Pairs;
use super::query::Subject;
use crate::index::Index;
use crate::shard::PageRecord;
use crate::sort;
use crate::terms::second_of_pair;
use crate::vocabulary::{IDF_STEPS, TermId};

/// Maximum number of shared terms of a result.
pub const MAX_SHARED_TERMS: usize = 10;
/// The most pairs that are joined: where nothing tells words apart, about as many characters as
/// can be taken in.
const MOST_JOINED: usize = 11;

/// What the words of a result are chosen by.
pub(super) struct Sharing<'a> {
    pub(super) index: &'a Index,
    pub(super) subject: &'a Subject,
    /// The inverse document frequencies of its terms.
    pub(super) idfs: &'a [u8],
    pub(super) record: &'a PageRecord,
}

impl<'a> Sharing<'a> {
    /// The words of these terms, the heaviest first.
    pub(super) fn words(&self, mut terms: Vec<(TermId, u64)>) -> Vec<String> {
        sort::by_key(&mut terms, |&(id, weight)| (Reverse(weight), id));
        let chained;
        let pairs = if self.subject.page.is_some() {
            chained = self.chained();
            &chained
        } else {
            &self.subject.pairs
        };
        let (mut words, mut shown) = (Vec::new(), Vec::new());
        for (id, _) in terms {
            if words.len() == MAX_SHARED_TERMS {
                break;
            }
            let word = match self.place_of(pairs, id) {
                Some(at) => self.joined(pairs, at, &mut shown),
                None => self.subject.word(id, self.index).map(str::to_owned),
            };
            words.extend(word.filter(|word| !words.contains(word)));
        }
        words
    }

    /// Of a page: the pairs among the terms that it shares.
    fn chained(&self) -> Pairs {
        let shared = self.subject.terms.iter().filter(|term| self.has(term.id));
        let words =
            shared.filter_map(|term| Some((term.id, self.subject.word(term.id, self.index)?)));
        Pairs::chained(&words.collect::<Vec<_>>())
    }

    fn has(&self, id: TermId) -> bool {
        self.record.class(id).is_some()
    }

    /// Where a pair stands that has neighbours.
    fn place_of(&self, pairs: &Pairs, id: TermId) -> Option<usize> {
        let at = if self.subject.page.is_some() {
            pairs.position(id)?
        } else {
            let term = self.subject.terms.binary_search_by_key(&id, |term| term.id).ok()?;
            self.subject.terms[term].at
        };
        (pairs.term(at) == Some(id) && pairs.neighbours(at) != [None, None]).then_some(at)
    }

    /// The pair with those beside it that are of the same word; `None` if it lies across two, or is
    /// shown already.
    fn joined(&self, pairs: &Pairs, at: usize, shown: &mut Vec<Range<usize>>) -> Option<String> {
        let is_shown = |at: usize, shown: &[Range<usize>]| shown.iter().any(|of| of.contains(&at));
        let goes_on = |at: &usize| {
            let id = pairs.term(*at);
            id.is_some_and(|id| self.has(id))
                && !self.lies_across(pairs, *at)
                && !is_shown(*at, shown)
        };
        if is_shown(at, shown) || self.lies_across(pairs, at) {
            return None;
        }
        let (mut first, mut last) = (at, at);
        while last - first < MOST_JOINED {
            let [_, after] = pairs.neighbours(last);
            if let Some(after) = after.filter(goes_on) {
                last = after;
                continue;
            }
            let [before, _] = pairs.neighbours(first);
            match before.filter(goes_on) {
                Some(before) => first = before,
                None => break,
            }
        }
        // What is left over between others.
        let beside = pairs.neighbours(at);
        if first == last && beside.into_iter().flatten().any(|at| is_shown(at, shown)) {
            return None;
        }
        shown.push(first..last + 1);
        let mut words =
            (first..=last).filter_map(|at| self.subject.word(pairs.term(at)?, self.index));
        let mut joined = words.next()?.to_owned();
        for word in words {
            joined.push_str(second_of_pair(word)?);
        }
        Some(joined)
    }

    /// Whether a pair is of the end of a word and the begin of the next.
    fn lies_across(&self, pairs: &Pairs, at: usize) -> bool {
        let Some(own) = pairs.term(at) else { return false };
        let word = self.subject.word(own, self.index).unwrap_or_default();
        let is_hiragana = |part: Option<&str>| {
            part.is_some_and(|part| part.starts_with(|c| matches!(c, '\u{3041}'..='\u{309f}')))
        };
        if is_hiragana(Some(word)) && !is_hiragana(second_of_pair(word)) {
            return true;
        }
        let neighbours = pairs.neighbours(at);
        let terms = neighbours.map(|at| at.map(|at| pairs.term(at)));
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
