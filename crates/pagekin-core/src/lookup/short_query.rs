//! Turns a few words into terms and alternatives.
//!
//! The words are typed into a search box, where the last may be incomplete, or are a short text.
//! The shards of completions contain the words of the site, with how likely each is meant. They
//! show whether the site has a word, and which of its words are meant by one that is incomplete,
//! plainly typed, misspelled, or in another language than assumed. All these are searched as
//! *alternatives*: on a page only the best of them counts, and a word as typed fits better than its
//! alternatives.

use std::cmp::Reverse;
use std::ops::Range;

use super::pairs::Pairs;
use super::query::{
    ALONE, Correction, LanguageBy, QueryError, Subject, SubjectTerm, TextLanguage, WHOLE, analyzer,
    language_of, other_analyzers, pairs_of, terms_of, title_kinds,
};
use super::score::MAX_GROUPS;
use super::spelling::{edits, splits};
use crate::index::{Index, Shard, ShardId, ShardMap};
use crate::near::sketch::KnownShingles;
use crate::shard::{Completion, Manifest, is_completion};
use crate::sort;
use crate::terms::{
    Analyzer, Compound, Words, folded, for_each_compound, for_each_word_at, lower_case,
    other_folded, second_of_pair,
};
use crate::vocabulary::{TermId, is_identifier, term_id};

/// Maximum number of bytes that are read. The text of a search box is shorter.
const MAX_QUERY_BYTES: usize = 512;
/// A text with more words than this is not a short query: a passage has a context.
pub(super) const MAX_WORDS: usize = 7;
/// Maximum number of shards of completions that are read for an incomplete word, and for another.
/// Very many words begin with a few letters, and more letters follow.
const MAX_SHARDS: usize = 3;
const MAX_SHARDS_OF_COMPLETE: usize = 2;
/// An index with at most this number of shards of completions is small enough to read all of them
/// for a word that it may lack. So the word is also found within longer words.
const FEW_SHARDS: u32 = 4;
/// Maximum number of words that are checked. All words of a query with at most `FEW_WORDS` are;
/// of longer ones those outside the vocabulary, which the site may lack.
const MAX_DOUBTFUL: usize = MAX_GROUPS;
const FEW_WORDS: usize = 2;
/// Maximum numbers of alternatives: words that begin with an incomplete word, the same if the site
/// has that word itself, and other words.
const MAX_COMPLETIONS: usize = 4;
const MAX_LONGER: usize = 2;
const MAX_OTHERS: usize = 2;
/// Minimum number of characters of a complete word that is found at the beginning or end of longer
/// words.
const MIN_WITHIN: usize = 4;
/// Maximum number of characters of articles and prepositions that Hebrew and Arabic write onto a
/// word, and minimum number of characters of the word.
const MAX_PREFIX: usize = 3;
const MIN_PREFIXED: usize = 3;
/// The weights of alternatives, in [`WHOLE`]ths of that of a word as typed: words with the same
/// letters but for marks, words that begin with an incomplete word, words that contain the word or
/// are a few letters off, and words that begin with a word that the site has, too.
const FOLDED: u8 = 7;
const COMPLETED: u8 = 6;
const CORRECTED: u8 = 5;
const LONGER: u8 = 4;

/// How the words of a short query were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// Into a search box: the last word may be incomplete.
    Typed,
    /// As a text.
    Text,
}

/// A word that may have alternatives.
#[derive(Debug)]
struct Doubtful {
    /// In lower case.
    word: String,
    /// Its folded form, and the other forms that may be meant.
    keys: Vec<String>,
    /// Its index among the terms, if it is one.
    term: Option<usize>,
    /// Whether it is the last, with nothing after it, so that it may be incomplete.
    is_open: bool,
}

/// The words of a short query.
#[derive(Debug)]
pub(super) struct ShortQuery {
    pub(super) language: Option<TextLanguage>,
    writing: Writing,
    /// The terms of the words as typed, ordered by id.
    terms: Vec<SubjectTerm>,
    /// The words in lower case, in order.
    words: Vec<String>,
    doubtful: Vec<Doubtful>,
    /// Whether it has only stop words and short names, which are searched in titles.
    has_stop_words_alone: bool,
    pairs: Pairs,
    known: Option<KnownShingles>,
}

impl ShortQuery {
    /// Reads the first 512 bytes of a text.
    pub(super) fn new(
        index: &Index,
        text: &str,
        lang: &str,
        writing: Writing,
    ) -> Result<Self, QueryError> {
        let text = &text[..text.floor_char_boundary(MAX_QUERY_BYTES)];
        let words = Words::new(text);
        let language = language_of(index, &words, lang);
        let manifest = index.manifest();
        let terms = analyzer(index, language.as_ref()).counts(&words, title_kinds(manifest));
        let pairs = pairs_of(index, &words, language.as_ref());
        let mut query = Self {
            language,
            writing,
            terms: terms.into_iter().map(SubjectTerm::from_text).collect(),
            words: words.iter().map(str::to_owned).collect(),
            doubtful: Vec::new(),
            has_stop_words_alone: false,
            pairs,
            known: None,
        };
        if manifest.completions.shards > 0 {
            query.collect_doubtful(manifest, text);
        }
        if query.terms.is_empty() && query.doubtful.is_empty() {
            return Err(QueryError::empty(text));
        }
        query.has_stop_words_alone =
            !query.terms.is_empty() && terms_of(index, &words, query.language.as_ref()).is_err();
        Ok(query)
    }

    /// Adds the shingles of a text.
    pub(super) fn with_known(self, known: Option<KnownShingles>) -> Self {
        Self { known, ..self }
    }

    /// Collects the words that may have alternatives.
    fn collect_doubtful(&mut self, manifest: &Manifest, text: &str) {
        let open = beginning(text).filter(|_| self.writing == Writing::Typed);
        let is_open = |word: &str| open.as_deref() == Some(word);
        let is_few = self.terms.len() <= FEW_WORDS;
        let mut of_vocabulary = Vec::new();
        for (at, term) in self.terms.iter().enumerate() {
            let word: String = lower_case(term.word.as_deref().unwrap_or_default()).collect();
            // The parts of an identifier are not words of their own.
            let is_word = term.at != usize::MAX || is_identifier(term.id);
            if is_open(&word) || !is_word || !has_completions(&word) {
                continue;
            }
            if manifest.vocabulary.idf(term.id).is_none() {
                self.doubtful.push(Doubtful::new(word, Some(at), false));
            } else if is_few {
                of_vocabulary.push(Doubtful::new(word, Some(at), false));
            }
        }
        self.doubtful.extend(of_vocabulary);
        self.doubtful.truncate(MAX_DOUBTFUL - 1);
        let Some(word) = open else { return };
        let id = term_id(&word);
        let is_it = |term: &SubjectTerm| {
            let is_word = |one: &str| lower_case(one).eq(word.chars());
            term.id == id || term.word.as_deref().is_some_and(is_word)
        };
        let term = self.terms.iter().position(is_it);
        self.doubtful.push(Doubtful::new(word, term, true));
    }

    /// Returns the shards of completions for these words.
    pub(super) fn shards(&self, manifest: &Manifest) -> Vec<ShardId> {
        let is_unknown = |doubtful: &Doubtful| match doubtful.term {
            Some(at) => manifest.vocabulary.idf(self.terms[at].id).is_none(),
            None => true,
        };
        let all = manifest.completions.shards;
        if all <= FEW_SHARDS && self.doubtful.iter().any(is_unknown) {
            return (0..all).map(ShardId::Completions).collect();
        }
        let shards = self.doubtful.iter().flat_map(|doubtful| doubtful.shards(manifest));
        shards.map(ShardId::Completions).collect()
    }

    /// Returns the subject, with the alternatives from the available shards.
    ///
    /// # Errors
    ///
    /// [`QueryError::EmptyQuery`] if the query has only stop words and no title has them.
    pub(super) fn subject(
        mut self,
        index: &Index,
        shards: &ShardMap,
    ) -> Result<Subject, QueryError> {
        let site = self.site_words(index, shards);
        let doubtful = std::mem::take(&mut self.doubtful);
        let own = |doubtful: &Doubtful| doubtful.term.map(|at| self.terms[at].id);
        let found: Vec<Found> = doubtful.iter().map(|one| site.find(one, own(one))).collect();
        // In a query of words that the site mostly lacks, another language perhaps, similar words
        // are not what is meant.
        let is_missing = |found: &&Found| found.is_absent && found.alternatives.is_empty();
        let absent = found.iter().filter(is_missing).count();
        let repairs = absent <= 1 || 2 * absent <= self.words.len();
        let mut splits = Vec::new();
        for ((group, doubtful), found) in (0..).zip(&doubtful).zip(found) {
            let mut alternatives = found.alternatives;
            if alternatives.is_empty() && found.is_absent && repairs {
                alternatives = site.repaired(doubtful);
            }
            if let Some(at) = doubtful.term {
                self.terms[at].is_absent = found.is_absent;
                self.terms[at].group = if alternatives.is_empty() { ALONE } else { group };
            }
            if alternatives.is_empty() && found.is_absent && repairs {
                splits.extend(self.split(doubtful, &site));
            }
            if let Some(first) = alternatives.first() {
                self.complete_part(doubtful, &first.word, &site, first.share);
            }
            for one in alternatives {
                self.add(&doubtful.word, one, group);
            }
        }
        splits.extend(self.join(&site));
        if self.has_stop_words_alone && self.terms.iter().all(|term| term.is_absent) {
            return Err(QueryError::empty("stop words"));
        }
        sort::by_key(&mut self.terms, |term| term.id);
        let mut subject = Subject::from_text(index, self.terms, self.pairs, self.known);
        subject.is_typed = self.writing == Writing::Typed;
        subject.is_long = false;
        subject.is_short = true;
        subject.splits = splits;
        Ok(subject)
    }

    /// Returns the words of the available shards.
    fn site_words<'a>(&self, index: &'a Index, shards: &'a ShardMap) -> SiteWords<'a> {
        let manifest = index.manifest();
        let mut completions: Vec<(&Completion, String)> = Vec::new();
        let mut is_read = vec![false; manifest.completions.shards as usize];
        for (&id, shard) in shards.iter() {
            if let (ShardId::Completions(number), Shard::Completions(shard)) = (id, shard) {
                completions.extend(shard.0.iter().map(|one| (one, folded(&one.word))));
                is_read[number as usize] = true;
            }
        }
        SiteWords {
            manifest,
            completions,
            is_read,
            own: analyzer(index, self.language.as_ref()),
            others: other_analyzers(index, self.language.as_ref()).collect(),
            is_assumed: self.language.as_ref().is_none_or(|known| known.by != LanguageBy::Given),
        }
    }

    /// Adds an alternative of a word.
    fn add(&mut self, typed: &str, one: Alternative, group: u8) {
        let Alternative { id, word, share } = one;
        if self.terms.iter().all(|term| term.id != id) {
            let typed = Some(typed.to_owned());
            let term = SubjectTerm::new(id, 1, Some(word));
            self.terms.push(SubjectTerm { group, share, typed, ..term });
        }
    }

    /// Completes the last part of an incomplete identifier, which is as incomplete as the whole.
    fn complete_part(&mut self, of: &Doubtful, first: &str, site: &SiteWords<'_>, share: u8) {
        let [part, last] = [&of.word, first].map(letters_at_end);
        if !of.is_open || part.len() == of.word.len() || part.is_empty() {
            return;
        }
        let part = site.own_id(part);
        self.terms.retain(|term| Some(term.id) != part);
        if let Some(id) = site.own_id(last) {
            let word = last.to_owned();
            self.add(&of.word, Alternative { id, word, share }, ALONE);
        }
    }

    /// Replaces a word that the site lacks by two that it has, if a space is missing: `cherrypick`.
    fn split(&mut self, of: &Doubtful, site: &SiteWords<'_>) -> Option<Correction> {
        let parts = site.parts(&of.word)?;
        for (id, word) in &parts {
            let one = Alternative { id: *id, word: word.clone(), share: CORRECTED };
            self.add(&of.word, one, ALONE);
        }
        let [(_, a), (_, b)] = &parts;
        Some(Correction { from: of.word.clone(), to: vec![spaced(a, b)] })
    }

    /// Adds the words of the site that consist of two adjacent words: `multi tool`. Returns those
    /// that replace words of which the site lacks one.
    fn join(&mut self, site: &SiteWords<'_>) -> Vec<Correction> {
        let mut joined = Vec::new();
        for at in 1..self.words.len() {
            let [a, b] = [at - 1, at].map(|at| self.words[at].clone());
            let mut word = a.clone();
            word.push_str(&b);
            if second_of_pair(&word).is_some() || !site.has_exactly(&word) {
                continue;
            }
            let Some(id) = site.own_id(&word) else { continue };
            let is_absent = |one: &String| {
                self.terms.iter().any(|term| term.is_absent && term.word.as_ref() == Some(one))
            };
            if is_absent(&a) || is_absent(&b) {
                joined.push(Correction { from: spaced(&a, &b), to: vec![word.clone()] });
            }
            self.add(&word.clone(), Alternative { id, word, share: COMPLETED }, ALONE);
        }
        joined
    }
}

impl Doubtful {
    fn new(word: String, term: Option<usize>, is_open: bool) -> Self {
        let keys = [folded(&word)].into_iter().chain(other_folded(&word)).collect();
        Self { word, keys, term, is_open }
    }

    /// Returns the shards of the words with the same beginning.
    fn shards(&self, manifest: &Manifest) -> impl Iterator<Item = u32> {
        let most = if self.is_open { MAX_SHARDS } else { MAX_SHARDS_OF_COMPLETE };
        let of = move |key: &String| {
            let around = around(manifest, key, self.is_open);
            let is_few = around.len() <= most;
            // Of too many, the one where the word itself belongs.
            let whole = manifest.completion_shards(key);
            let range = if is_few { around } else { whole };
            range.take(most)
        };
        self.keys.iter().flat_map(of)
    }
}

/// Returns the shards of the words that begin with an open key, or that may have the stem of a
/// complete one: stems keep most of a word.
fn around(manifest: &Manifest, key: &str, is_open: bool) -> Range<u32> {
    let kept = if is_open { key.chars().count() } else { key.chars().count() * 2 / 3 };
    let end = key.char_indices().nth(kept).map_or(key.len(), |(at, _)| at);
    manifest.completion_shards(&key[..end])
}

/// What the site has for a doubtful word.
struct Found {
    alternatives: Vec<Alternative>,
    /// Whether it is certain that the site does not have the word.
    is_absent: bool,
}

/// A word of the site.
struct Alternative {
    id: TermId,
    word: String,
    share: u8,
}

/// The words of the site, as far as they were read.
struct SiteWords<'a> {
    manifest: &'a Manifest,
    /// The completions with their folded forms.
    completions: Vec<(&'a Completion, String)>,
    /// Whether each shard of completions was read.
    is_read: Vec<bool>,
    /// That of the language of the query, and those of the site's other languages.
    own: Analyzer<'a>,
    others: Vec<Analyzer<'a>>,
    /// Whether nobody named the language of the query.
    is_assumed: bool,
}

impl SiteWords<'_> {
    /// Returns the id of a word in the language of the query, or `None` for a stop word.
    fn own_id(&self, word: &str) -> Option<TermId> {
        id_of(word, &self.own)
    }

    /// Returns the ids that a word of the site may have, in the language of the query or another:
    /// those of the vocabulary, or else all.
    fn ids(&self, word: &str) -> Vec<TermId> {
        let mut ids: Vec<TermId> = Vec::new();
        let all = [&self.own].into_iter().chain(&self.others);
        for id in all.filter_map(|analyzer| id_of(word, analyzer)) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let is_known = |id: &TermId| self.manifest.vocabulary.idf(*id).is_some();
        if ids.iter().any(is_known) {
            ids.retain(is_known);
        }
        ids.truncate(MAX_OTHERS);
        ids
    }

    fn has_exactly(&self, word: &str) -> bool {
        self.completions.iter().any(|(one, _)| one.word == word)
    }

    /// Returns whether the site has a word with the same stem in a language.
    fn has(&self, word: &str, analyzer: &Analyzer<'_>) -> bool {
        let stem = analyzer.term(word);
        self.completions
            .iter()
            .any(|(one, _)| one.word == word || stem.is_some() && analyzer.term(&one.word) == stem)
    }

    /// Returns the words that a doubtful word may stand for, with whether the site has the word.
    fn find(&self, of: &Doubtful, own: Option<TermId>) -> Found {
        let is_there = self.has(&of.word, &self.own);
        let mut found = Vec::new();
        if self.is_assumed || !is_there {
            for other in self.others.iter().filter(|other| self.has(&of.word, other)) {
                let id = id_of(&of.word, other);
                let word = of.word.clone();
                found.extend(id.map(|id| Alternative { id, word, share: WHOLE }));
            }
        }
        let same = |key: &str| of.keys.iter().any(|own| own == key);
        found.extend(self.best(MAX_OTHERS, FOLDED, &|word, key| same(key) && word != of.word));
        let is_there = is_there || !found.is_empty();
        if of.is_open || is_version(&of.word) {
            let (most, share) = match is_there {
                true => (MAX_LONGER, LONGER),
                false => (MAX_COMPLETIONS, COMPLETED),
            };
            let begins = |key: &str| of.keys.iter().any(|own| key.starts_with(own) && key != own);
            found.extend(self.best(most, share, &|_, key| begins(key)));
        }
        found.retain(|one| Some(one.id) != own);
        let is_absent = !is_there && own.is_some() && self.is_certain(of);
        Found { alternatives: found, is_absent }
    }

    /// Returns whether all shards were read that may have a word or its stem.
    fn is_certain(&self, of: &Doubtful) -> bool {
        let is_read = |number: u32| self.is_read.get(number as usize) == Some(&true);
        has_completions(&of.word)
            && of.keys.iter().all(|key| around(self.manifest, key, false).all(is_read))
    }

    /// Returns the words instead of one that the site lacks: those that contain it, or else those
    /// that are a few letters off.
    fn repaired(&self, of: &Doubtful) -> Vec<Alternative> {
        let key = &of.keys[0];
        let mut found = Vec::new();
        if key.chars().count() >= MIN_WITHIN {
            let is_part = |other: &str| {
                other.starts_with(&**key)
                    || has_same_number(key, other)
                        && (other.ends_with(&**key) || is_with_prefix(key, other))
            };
            found = self.best(MAX_OTHERS, CORRECTED, &|_, other| is_part(other));
        }
        for n in 1..=2 {
            if found.is_empty() {
                let is_off = |other: &str| {
                    has_same_number(key, other) && edits(key, other, of.is_open) == Some(n)
                };
                found = self.best(MAX_OTHERS, CORRECTED, &|_, other| is_off(other));
            }
        }
        found
    }

    /// Returns the likeliest words that fit, by the word and its folded form, with their ids.
    fn best(&self, most: usize, share: u8, fits: &dyn Fn(&str, &str) -> bool) -> Vec<Alternative> {
        let fitting = self.completions.iter().filter(|(one, key)| fits(&one.word, key));
        let mut fitting: Vec<&Completion> = fitting.map(|&(one, _)| one).collect();
        let key = |one: &Completion| (Reverse(one.weight), one.word.len());
        sort::by(&mut fitting, |a, b| (key(a), &a.word) < (key(b), &b.word));
        fitting.truncate(most);
        let alternatives = fitting.into_iter().flat_map(|one| {
            let word = |id| Alternative { id, word: one.word.clone(), share };
            self.ids(&one.word).into_iter().map(word)
        });
        alternatives.collect()
    }

    /// Returns two words of the site that a word consists of, the first perhaps with a typo.
    fn parts(&self, word: &str) -> Option<[(TermId, String); 2]> {
        let known = |part: &str| {
            let id = self.own_id(part)?;
            let is_there = self.manifest.vocabulary.idf(id).is_some() || self.has_exactly(part);
            is_there.then(|| (id, part.to_owned()))
        };
        let exact = splits(word).find_map(|(a, b)| Some([known(a)?, known(b)?]));
        let with_typo = || {
            splits(word).find_map(|(a, b)| {
                let b = known(b)?;
                let one = self.best(1, CORRECTED, &|_, key| edits(a, key, false) == Some(1));
                let Alternative { id, word, .. } = one.into_iter().next()?;
                Some([(id, word), b])
            })
        };
        exact.or_else(with_typo)
    }
}

/// Returns two words with a space between them.
fn spaced(a: &str, b: &str) -> String {
    let mut both = a.to_owned();
    both.push(' ');
    both.push_str(b);
    both
}

/// Returns whether the completions of a site contain such a word: all but numbers, letters and most
/// pairs of characters.
fn has_completions(word: &str) -> bool {
    second_of_pair(word).is_none() && is_completion(word)
}

/// Returns whether a word is a number with dots, whose first parts name all versions with them.
fn is_version(word: &str) -> bool {
    word.contains('.') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Returns whether the digits and dots of two words are the same: another number is no typo, but
/// another version or code.
fn has_same_number(a: &str, b: &str) -> bool {
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    a.bytes().filter(is_of_number).eq(b.bytes().filter(is_of_number))
}

/// Returns whether a typed Hebrew or Arabic word is `word` with an article or a preposition, which
/// are written onto the word.
fn is_with_prefix(typed: &str, word: &str) -> bool {
    let is_one = |prefix: &str| {
        let n = prefix.chars().count();
        (1..=MAX_PREFIX).contains(&n) && prefix.chars().all(|c| matches!(c, '\u{5d0}'..='\u{64a}'))
    };
    word.chars().count() >= MIN_PREFIXED && typed.strip_suffix(word).is_some_and(is_one)
}

/// Returns the id of a word of the site, or `None` for a stop word.
fn id_of(word: &str, analyzer: &Analyzer<'_>) -> Option<TermId> {
    let id = term_id(word);
    if is_identifier(id) { Some(id) } else { analyzer.term(word).map(|stem| term_id(&stem)) }
}

/// Returns the longest end of a text whose bytes all match, which must be ASCII.
fn end_of(text: &str, is_such: impl Fn(u8) -> bool) -> &str {
    let at = text.bytes().rposition(|byte| !is_such(byte) || !byte.is_ascii());
    &text[at.map_or(0, |at| at + 1)..]
}

fn letters_at_end(text: &str) -> &str {
    end_of(text, |byte| byte.is_ascii_alphabetic())
}

/// Returns the incomplete word at the end of a text, in lower case: an identifier as far as it is
/// typed, or else a word, or a character of a script without spaces that stands alone. Returns
/// `None` if the text ends in white space, a mark, or a single letter.
fn beginning(text: &str) -> Option<String> {
    let (mut identifier, mut word) = (None, String::new());
    for_each_compound(text, |compound| {
        if let Compound::Identifier(name) = compound
            && text.ends_with(name)
        {
            identifier = Some(name);
        }
    });
    for_each_word_at(text, &mut |place, last| {
        if place.end == text.len() {
            last.clone_into(&mut word);
        }
    });
    // `pg_` and `a.` are not identifiers yet.
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:".contains(&byte);
    let token = end_of(text, is_part).trim_start_matches(['_', '.', ':']);
    let is_unfinished = token.len() > 1 && word.is_empty();
    let open = match identifier.or(is_unfinished.then_some(token)) {
        Some(name) => name.to_ascii_lowercase(),
        None => word,
    };
    if open.is_empty() {
        let mut last = text.chars().rev();
        let alone = last.next().filter(|c| !c.is_ascii());
        let is_alone = last.next().is_none_or(char::is_whitespace);
        return alone.filter(|_| is_alone).map(String::from);
    }
    Some(open)
}

/// Returns the corrections of a subject: words that are completed or corrected to words of the
/// site. `is_unmatched` returns whether no page contains a term.
pub(super) fn corrections(
    subject: &Subject,
    is_unmatched: impl Fn(TermId) -> bool,
) -> Vec<Correction> {
    let mut corrections: Vec<(u8, Correction)> = Vec::new();
    let of_group = |group: u8| subject.terms.iter().filter(move |term| term.group == group);
    for term in &subject.terms {
        let (Some(typed), Some(word)) = (&term.typed, &term.word) else { continue };
        if term.group == ALONE || typed == word {
            continue;
        }
        let own = of_group(term.group).find(|term| term.typed.is_none());
        // Nothing is corrected in a word that the site contains.
        let is_there = own.is_some_and(|own| !own.is_absent && !is_unmatched(own.id));
        if is_unmatched(term.id) || is_there {
            continue;
        }
        let at = corrections.iter().position(|&(group, _)| group == term.group);
        let at = at.unwrap_or_else(|| {
            let correction = Correction { from: typed.clone(), to: Vec::new() };
            corrections.push((term.group, correction));
            corrections.len() - 1
        });
        if !corrections[at].1.to.contains(word) {
            corrections[at].1.to.push(word.clone());
        }
    }
    sort::by_key(&mut corrections, |&(group, _)| group);
    let of_groups = corrections.into_iter().map(|(_, correction)| correction);
    of_groups.chain(subject.splits.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_is_an_identifier_or_letters() {
        let open = |text: &str| beginning(text).unwrap_or_default();
        assert_eq!([open("Rye lo"), open("rye "), open("loaf, ")], ["lo", "", ""]);
        assert_eq!([open("run PG_du"), open("run pg_"), open("os.pa")], ["pg_du", "pg_", "os.pa"]);
        assert_eq!([open("(Über"), open("x = a"), open("")], ["über", "", ""]);
        assert_eq!([open("python 3.1"), open("茶"), open("日本 茶")], ["3.1", "茶", "茶"]);
    }
}
