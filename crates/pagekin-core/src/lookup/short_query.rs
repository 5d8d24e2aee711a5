//! Turns a few words into terms and alternatives.
//!
//! The words are typed into a search box, where the last may be incomplete, or are a short text.
//! The shards of completions contain the words of the site, with how likely each is meant. They
//! show whether the site has a word, and which of its words are meant by one that is incomplete,
//! plainly typed, misspelled, or in another language than assumed ([`site_words`]). All these are
//! searched as *alternatives*: on a page only the best of them counts, and a word as typed fits
//! better than its alternatives.
//!
//! [`site_words`]: super::site_words

use std::borrow::Cow;
use std::ops::Range;

use super::pairs::Pairs;
use super::query::{
    ALONE, Correction, QueryError, Subject, SubjectTerm, TextLanguage, analyzer, language_of,
    pairs_of, terms_of, title_kinds,
};
use super::score::MAX_GROUPS;
use super::site_words::{
    Alternative, COMPLETED, CONTAINED, CORRECTED, Doubtful, Found, Parts, SiteWords,
    has_completions,
};
use crate::index::{Index, ShardId, ShardMap};
use crate::near::sketch::KnownShingles;
use crate::shard::Manifest;
use crate::sort;
use crate::terms::{
    Compound, TextTerm, Words, for_each_compound, for_each_word_at, lower_case, second_of_pair,
};
use crate::vocabulary::{TermId, is_identifier, term_id};

/// Maximum number of bytes that are read. The text of a search box is shorter.
const MAX_QUERY_BYTES: usize = 512;
/// A text with more words than this is not a short query: a passage has a context.
pub(super) const MAX_WORDS: usize = 7;
/// An index with at most this number of shards of completions is small enough to read all of them
/// for a word that it may lack. So the word is also found within longer words.
const FEW_SHARDS: u32 = 4;
/// Maximum number of words that are checked. All words of a query with at most `FEW_WORDS` are;
/// of longer ones those outside the vocabulary, which the site may lack.
const MAX_DOUBTFUL: usize = MAX_GROUPS;
const FEW_WORDS: usize = 2;

/// How the words of a short query were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// Into a search box: the last word may be incomplete.
    Typed,
    /// As a text.
    Text,
}

/// What follows once the completions of a short query are available.
#[derive(Debug)]
pub(super) enum Next {
    Compare(Subject),
    /// These shards are needed, too.
    Read(ShortQuery, Vec<ShardId>),
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
    /// Whether the shards of words with typos were requested.
    has_read_typos: bool,
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
            terms: without_parts(terms).into_iter().map(SubjectTerm::from_text).collect(),
            words: words.iter().map(str::to_owned).collect(),
            doubtful: Vec::new(),
            has_stop_words_alone: false,
            pairs,
            known: None,
            has_read_typos: false,
        };
        if manifest.completions.shards > 0 {
            query.collect_doubtful(index, text);
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
    fn collect_doubtful(&mut self, index: &Index, text: &str) {
        let manifest = index.manifest();
        let analyzer = analyzer(index, self.language.as_ref());
        let doubtful = |word: String, term| {
            let stem = analyzer.term(&word).map(Cow::into_owned);
            Doubtful::new(word, stem.as_deref(), term)
        };
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
                self.doubtful.push(doubtful(word, Some(at)));
            } else if is_few {
                of_vocabulary.push(doubtful(word, Some(at)));
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
        self.doubtful.push(Doubtful { is_open: true, ..doubtful(word, term) });
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
        let mut shards = Vec::new();
        self.doubtful.iter().for_each(|doubtful| doubtful.add_shards(manifest, &mut shards));
        shards
    }

    /// Returns the subject, with the alternatives from the available shards, or further shards to
    /// read before.
    ///
    /// # Errors
    ///
    /// [`QueryError::EmptyQuery`] if the query has only stop words and no title has them.
    pub(super) fn next(mut self, index: &Index, shards: &ShardMap) -> Result<Next, QueryError> {
        let site = SiteWords::new(index, self.language.as_ref(), shards);
        let find = |of: &Doubtful| site.find(of, of.term.map(|at| self.terms[at].id));
        let found: Vec<Found> = self.doubtful.iter().map(find).collect();
        // In a query of words that the site mostly lacks, another language perhaps, similar words
        // are not what is meant. An identifier and its parts are one word.
        let missing = self.doubtful.iter().zip(&found).filter(|(_, found)| found.is_missing());
        let missing: Vec<&str> = missing.map(|(one, _)| one.word.as_str()).collect();
        let is_whole =
            |one: &&&str| !missing.iter().any(|it| it.len() > one.len() && it.contains(**one));
        let missing = missing.iter().filter(is_whole).count();
        let repairs = missing <= 1 || 2 * missing <= self.words.len();
        if repairs && !self.has_read_typos {
            self.has_read_typos = true;
            let mut needed = Vec::new();
            for (one, found) in self.doubtful.iter().zip(&found) {
                if found.is_missing() && site.near(one).is_empty() {
                    one.add_shards_of_typos(index.manifest(), &mut needed);
                }
            }
            if !needed.is_empty() {
                needed.extend(shards.keys());
                return Ok(Next::Read(self, needed));
            }
        }
        self.subject(index, &site, found, repairs).map(Next::Compare)
    }

    /// Returns the subject, with what was found for its doubtful words, and whether missing words
    /// are repaired.
    fn subject(
        mut self,
        index: &Index,
        site: &SiteWords<'_>,
        found: Vec<Found>,
        repairs: bool,
    ) -> Result<Subject, QueryError> {
        let doubtful = std::mem::take(&mut self.doubtful);
        let mut splits = Vec::new();
        for ((group, doubtful), found) in (0..).zip(&doubtful).zip(found) {
            let mut alternatives = found.alternatives;
            let mut split = None;
            if alternatives.is_empty() && found.is_absent && repairs {
                (alternatives, split) = site.repaired(doubtful);
            } else if found.is_rare && repairs {
                split = site.parts(&doubtful.word);
            }
            if let Some(at) = doubtful.term {
                self.terms[at].is_absent = found.is_absent;
                self.terms[at].group = if alternatives.is_empty() { ALONE } else { group };
            }
            if let Some(parts) = split {
                let is_there = site.has_exactly(&doubtful.word);
                let share = if is_there { CONTAINED } else { CORRECTED };
                let correction = self.split(doubtful, &parts, share);
                splits.extend(Some(correction).filter(|_| !is_there));
            }
            if let Some(first) = alternatives.first() {
                self.complete_part(doubtful, &first.word, site, first.share);
            }
            for one in alternatives {
                self.add(&doubtful.word, one, group);
            }
        }
        let groups = doubtful.len() as u8..MAX_GROUPS as u8;
        splits.extend(self.join(site, groups));
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

    /// Adds two words of the site that a word consists of, in case a space is missing:
    /// `cherrypick`.
    fn split(&mut self, of: &Doubtful, parts: &Parts, share: u8) -> Correction {
        for (id, word) in parts {
            let one = Alternative { id: *id, word: word.clone(), share };
            self.add(&of.word, one, ALONE);
        }
        let [(_, a), (_, b)] = parts;
        Correction { from: of.word.clone(), to: vec![spaced(a, b)] }
    }

    /// Adds the words of the site that consist of two adjacent words: `multi tool`. They replace
    /// words of which the site lacks one, and are alternatives of the rarer one of others: a page
    /// that contains all three must not gain. Returns those that replace.
    fn join(&mut self, site: &SiteWords<'_>, mut groups: Range<u8>) -> Vec<Correction> {
        let mut joined = Vec::new();
        for at in 1..self.words.len() {
            let [a, b] = [at - 1, at].map(|at| self.words[at].clone());
            let mut word = a.clone();
            word.push_str(&b);
            if second_of_pair(&word).is_some() || !site.has_exactly(&word) {
                continue;
            }
            let Some(id) = site.own_id(&word) else { continue };
            let is_part = |term: &&mut SubjectTerm| term.is_word(&a) || term.is_word(&b);
            let parts = self.terms.iter_mut().filter(is_part);
            let idf = |id| site.manifest.vocabulary.idf(id).unwrap_or(u8::MAX);
            let rarer = parts.max_by_key(|term| (term.is_absent, idf(term.id)));
            let mut group = ALONE;
            if rarer.as_ref().is_some_and(|rarer| rarer.is_absent) {
                joined.push(Correction { from: spaced(&a, &b), to: vec![word.clone()] });
            } else if let Some(rarer) = rarer {
                if rarer.group == ALONE {
                    let Some(free) = groups.next() else { continue };
                    rarer.group = free;
                }
                group = rarer.group;
            }
            self.add(&word.clone(), Alternative { id, word, share: COMPLETED }, group);
        }
        joined
    }
}

/// Returns two words with a space between them.
fn spaced(a: &str, b: &str) -> String {
    let mut both = a.to_owned();
    both.push(' ');
    both.push_str(b);
    both
}

/// Drops the numbers that are parts of a joined number. Those of at most two digits, such as the 22
/// of 22/4, are names of other pages alone; the 299 and 299.00 of 1,299.00 mean nothing.
fn without_parts(mut terms: Vec<TextTerm>) -> Vec<TextTerm> {
    let mut parts: Vec<String> = Vec::new();
    for term in terms.iter().filter(|term| term.word.starts_with(|c: char| c.is_ascii_digit())) {
        let of_thousands = term.word.split(',').skip(1);
        let short = term.word.split(['/', ':', ',']).filter(|part| {
            *part != term.word && part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit())
        });
        parts.extend(short.chain(of_thousands).map(str::to_owned));
    }
    terms.retain(|term| !parts.contains(&term.word));
    terms
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
            && identifier.is_none_or(|other: &str| name.len() > other.len())
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
    let mut all: Vec<Correction> = corrections.into_iter().map(|(_, one)| one).collect();
    for split in &subject.splits {
        match all.iter_mut().find(|one| one.from == split.from) {
            Some(one) => one.to.extend(split.to.iter().cloned()),
            None => all.push(split.clone()),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::{Analyzer, Language, StopLists, TermKinds};

    #[test]
    fn parts_of_a_joined_number_are_no_names() {
        let stop = StopLists::new();
        let analyzer = Analyzer::new(&Language::english(), &stop);
        let words = |text: &str| {
            let terms = without_parts(analyzer.counts(&Words::new(text), TermKinds::Names));
            let mut words: Vec<String> = terms.into_iter().map(|term| term.word).collect();
            words.sort();
            words.join(" ")
        };
        assert_eq!(words("motion 22/4"), "22/4 motion");
        assert_eq!(words("at 07:15, 1,299.00"), "07:15 1,299 1,299.00 at");
        assert_eq!(words("HTTP/2 4"), "2 4 HTTP/2 http");
    }

    #[test]
    fn the_last_word_is_an_identifier_or_letters() {
        let open = |text: &str| beginning(text).unwrap_or_default();
        assert_eq!([open("Rye lo"), open("rye "), open("loaf, ")], ["lo", "", ""]);
        assert_eq!([open("run PG_du"), open("run pg_"), open("os.pa")], ["pg_du", "pg_", "os.pa"]);
        assert_eq!([open("(Über"), open("x = a"), open("")], ["über", "", ""]);
        assert_eq!([open("for 1,299"), open("a.b.c")], ["1,299", "b.c"]);
        assert_eq!([open("python 3.1"), open("茶"), open("日本 茶")], ["3.1", "茶", "茶"]);
    }
}
