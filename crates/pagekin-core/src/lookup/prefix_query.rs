//! Turns words as they are typed into a search box into terms and alternatives.
//!
//! The last word may be incomplete. Any word may have a typo, if the site does not seem to contain
//! it. The shards of completions contain the words of the site, with how likely each is meant. All
//! fitting words are searched as *alternatives*: on a page only the best of them counts, and a word
//! as typed fits better than its alternatives.

use std::cmp::Reverse;

use super::pairs::Pairs;
use super::query::{
    ALONE, QueryError, Subject, SubjectTerm, TextLanguage, WHOLE, analyzer, language_of,
};
use super::score::MAX_GROUPS;
use crate::index::{Index, Shard, ShardId, ShardMap};
use crate::shard::{Completion, CompletionShard, Manifest};
use crate::sort;
use crate::terms::{Analyzer, Compound, Words, for_each_compound, for_each_word_at, lower_case};
use crate::vocabulary::{TermId, is_identifier, term_id};

/// Maximum number of bytes that are read. The text of a search box is shorter.
const MAX_QUERY_BYTES: usize = 512;
/// Maximum number of shards of completions that are read for an incomplete word. Very many words
/// begin with a few letters, and more letters follow.
const MAX_SHARDS: u32 = 3;
/// Maximum numbers of words for an incomplete word and for a word with a typo.
const MAX_COMPLETIONS: usize = 4;
const MAX_CORRECTIONS: usize = 2;
/// Maximum number of words that are checked for typos, and minimum length of each in characters. A
/// letter changed in a short word gives another word.
const MAX_CORRECTED: usize = 4;
const MIN_REPAIRED: usize = 4;
/// Maximum number of letters that a word has beyond an incomplete word with a typo.
const MAX_EXTRA_LETTERS: usize = 3;
/// The weights of a completion and of a correction, in [`WHOLE`]ths of that of a word as typed.
const COMPLETED: u8 = 6;
const CORRECTED: u8 = 5;

/// A typed word, and the words of the site that are searched instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Correction {
    /// The typed word, in lower case: incomplete, or with a typo.
    pub from: String,
    /// The words of the site, likeliest first.
    pub to: Vec<String>,
}

/// A typed word that may have alternatives.
#[derive(Debug)]
struct Doubtful {
    /// In lower case.
    word: String,
    /// Its index among the terms, if it is one.
    term: Option<usize>,
    /// Whether it is the last, with nothing after it, so that it may be incomplete.
    is_open: bool,
}

/// The typed words.
#[derive(Debug)]
pub(super) struct PrefixQuery {
    pub(super) language: Option<TextLanguage>,
    /// The terms of the words as typed, ordered by id.
    terms: Vec<SubjectTerm>,
    doubtful: Vec<Doubtful>,
}

impl PrefixQuery {
    /// Reads the first 512 bytes of a text.
    pub(super) fn new(index: &Index, text: &str, lang: &str) -> Result<Self, QueryError> {
        let text = &text[..text.floor_char_boundary(MAX_QUERY_BYTES)];
        let words = Words::new(text);
        let language = language_of(index, &words, lang);
        let manifest = index.manifest();
        let terms = analyzer(index, language.as_ref()).counts(&words, manifest.texts);
        let terms: Vec<_> = terms.into_iter().map(SubjectTerm::from_text).collect();
        let mut typed = Self { language, terms, doubtful: Vec::new() };
        if manifest.completions.shards > 0 {
            typed.collect_doubtful(manifest, text);
        }
        if typed.terms.is_empty() && typed.doubtful.is_empty() {
            return Err(QueryError::empty(text));
        }
        Ok(typed)
    }

    /// Collects the words that may have alternatives.
    fn collect_doubtful(&mut self, manifest: &Manifest, text: &str) {
        let open = beginning(text);
        let is_open = |word: &str| open.as_deref() == Some(word);
        let mut corrected = 0;
        for (at, term) in self.terms.iter().enumerate() {
            let word: String = lower_case(term.word.as_deref().unwrap_or_default()).collect();
            let is_known = manifest.vocabulary.idf(term.id).is_some();
            if is_open(&word) || is_known || corrected == MAX_CORRECTED || !is_correctable(&word) {
                continue;
            }
            // The parts of an identifier are not words of their own.
            corrected += 1;
            self.doubtful.push(Doubtful { word, term: Some(at), is_open: false });
        }
        let Some(word) = open else { return };
        let id = term_id(&word);
        let is_it = |term: &SubjectTerm| {
            let is_word = |one: &str| lower_case(one).eq(word.chars());
            term.id == id || term.word.as_deref().is_some_and(is_word)
        };
        let term = self.terms.iter().position(is_it);
        // A word on many pages is complete, and if it is not, the next letter shows it.
        let is_known = |at: usize| manifest.vocabulary.idf(self.terms[at].id).is_some();
        if !term.is_some_and(is_known) {
            self.doubtful.push(Doubtful { word, term, is_open: true });
        }
    }

    /// Returns the shards of completions for these words.
    pub(super) fn shards(&self, manifest: &Manifest) -> Vec<ShardId> {
        let of = |doubtful: &Doubtful| {
            let shards = manifest.completion_shards(&doubtful.word);
            let most = if doubtful.is_open { MAX_SHARDS } else { 1 };
            shards.take(most as usize).map(ShardId::Completions)
        };
        self.doubtful.iter().flat_map(of).collect()
    }

    /// Returns the subject, with the alternatives from the available shards.
    pub(super) fn subject(mut self, index: &Index, shards: &ShardMap) -> Subject {
        let analyzer = analyzer(index, self.language.as_ref());
        for (group, doubtful) in (0..).zip(std::mem::take(&mut self.doubtful)) {
            let numbers = index.manifest().completion_shards(&doubtful.word);
            let there =
                numbers.filter_map(|number| match shards.get(&ShardId::Completions(number)) {
                    Some(Shard::Completions(shard)) => Some(&**shard),
                    _ => None,
                });
            let own = doubtful.term.map(|at| self.terms[at].id);
            let alternatives = doubtful.alternatives(&there.collect::<Vec<_>>(), own, &analyzer);
            let [(first, share), ..] = *alternatives else { continue };
            if let Some(at) = doubtful.term {
                self.terms[at].group = group;
            }
            for (one, share) in alternatives {
                self.add(&doubtful, &one.word, &analyzer, group, share);
            }
            // The last part of an identifier is as incomplete as the whole.
            let [part, last] = [&doubtful.word, &first.word].map(|word| letters_at_end(word));
            if doubtful.is_open && part.len() < doubtful.word.len() {
                let part = id_of(part, &analyzer);
                self.terms.retain(|term| Some(term.id) != part);
                self.add(&doubtful, last, &analyzer, ALONE, share);
            }
        }
        sort::by_key(&mut self.terms, |term| term.id);
        let mut subject = Subject::from_text(index, self.terms, Pairs::default(), None);
        subject.is_typed = true;
        subject.is_long = false;
        subject
    }

    /// Adds an alternative of a word.
    fn add(&mut self, of: &Doubtful, word: &str, analyzer: &Analyzer<'_>, group: u8, share: u8) {
        let Some(id) = id_of(word, analyzer) else { return };
        if self.terms.iter().all(|term| term.id != id) {
            let (word, typed) = (Some(word.to_owned()), Some(of.word.clone()));
            self.terms.push(SubjectTerm { id, tf: 1, word, at: usize::MAX, group, share, typed });
        }
    }
}

impl Doubtful {
    /// Returns the alternatives of a word, each with its share, unless the shards contain the word
    /// itself, whose id is `own`: the words that begin with it, or else those that differ by one
    /// letter.
    fn alternatives<'a>(
        &self,
        shards: &[&'a CompletionShard],
        own: Option<TermId>,
        analyzer: &Analyzer<'_>,
    ) -> Vec<(&'a Completion, u8)> {
        let all: Vec<&Completion> = shards.iter().flat_map(|shard| &shard.0).collect();
        let is_it = |one: &&Completion| {
            one.word == self.word || own.is_some() && id_of(&one.word, analyzer) == own
        };
        if all.iter().any(is_it) {
            return Vec::new();
        }
        let those = |fits: &dyn Fn(&str) -> bool, most: usize, share: u8| {
            let fitting = all.iter().filter(|one| fits(&one.word)).map(|&one| (one, share));
            let mut found: Vec<(&Completion, u8)> = fitting.collect();
            let key = |one: &Completion| (Reverse(one.weight), one.word.len());
            sort::by(&mut found, |(a, _), (b, _)| (key(a), &a.word) < (key(b), &b.word));
            found.truncate(most);
            found
        };
        let mut found = Vec::new();
        if self.is_open {
            found = those(&|word| word.starts_with(&*self.word), MAX_COMPLETIONS, COMPLETED);
        }
        if found.is_empty() && is_correctable(&self.word) {
            found = those(&|word| begins_with_typo(&self.word, word), MAX_CORRECTIONS, CORRECTED);
        }
        found
    }
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
/// typed, or else a word. Returns `None` if the text ends in white space, a mark, or a single
/// letter.
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
    (!open.is_empty()).then_some(open)
}

/// Whether a word is long enough that a typo leaves it recognizable.
fn is_correctable(word: &str) -> bool {
    word.chars().count() >= MIN_REPAIRED
}

/// Whether `word`, or its beginning without at most three letters, is `typed` with one letter
/// added, removed, replaced, or swapped with its neighbor.
fn begins_with_typo(typed: &str, word: &str) -> bool {
    let typed: Vec<char> = typed.chars().collect();
    let word: Vec<char> = word.chars().collect();
    if word.len() + 1 < typed.len() || word.len() > typed.len() + 1 + MAX_EXTRA_LETTERS {
        return false;
    }
    let same = typed.iter().zip(&word).take_while(|(a, b)| a == b).count();
    let (typed, word) = (&typed[same..], &word[same..]);
    match (typed, word) {
        ([], _) => true,
        ([_, rest @ ..], _) if word.starts_with(rest) => true,
        (_, [_, tail @ ..]) if tail.starts_with(typed) => true,
        ([_, rest @ ..], [_, tail @ ..]) if tail.starts_with(rest) => true,
        ([a, b, rest @ ..], [c, d, tail @ ..]) => a == d && b == c && tail.starts_with(rest),
        _ => false,
    }
}

/// Returns the corrections of a typed subject: words that are completed or corrected to words of
/// the site. `is_unmatched` returns whether no page contains a term.
pub(super) fn corrections(
    subject: &Subject,
    is_unmatched: impl Fn(TermId) -> bool,
) -> Vec<Correction> {
    let mut corrections: Vec<(u8, Correction)> = Vec::new();
    let of_group = |group: u8| subject.terms.iter().filter(move |term| term.group == group);
    for term in &subject.terms {
        let (Some(typed), Some(word)) = (&term.typed, &term.word) else { continue };
        if term.group == ALONE {
            continue;
        }
        let own = of_group(term.group).find(|term| term.typed.is_none());
        // A typo is corrected only in a word that the site does not contain.
        let is_there = own.is_some_and(|own| !is_unmatched(own.id));
        if is_unmatched(term.id) || is_there && term.share == CORRECTED {
            continue;
        }
        let at = corrections.iter().position(|&(group, _)| group == term.group);
        let at = at.unwrap_or_else(|| {
            let correction = Correction { from: typed.clone(), to: Vec::new() };
            corrections.push((term.group, correction));
            corrections.len() - 1
        });
        corrections[at].1.to.push(word.clone());
    }
    sort::by_key(&mut corrections, |&(group, _)| group);
    corrections.into_iter().map(|(_, correction)| correction).collect()
}

const _: () = assert!(COMPLETED <= WHOLE && MAX_CORRECTED < MAX_GROUPS, "and the open word");

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_word_is_an_identifier_or_letters() {
        let open = |text: &str| beginning(text).unwrap_or_default();
        assert_eq!([open("Rye lo"), open("rye "), open("loaf, ")], ["lo", "", ""]);
        assert_eq!([open("run PG_du"), open("run pg_"), open("os.pa")], ["pg_du", "pg_", "os.pa"]);
        assert_eq!([open("(Über"), open("x = a"), open("")], ["über", "", ""]);
    }

    #[test]
    fn one_letter_may_be_wrong() {
        for typed in ["migrtion", "migrattion", "migratoin", "migretion", "mgiration", "igrations"]
        {
            assert!(begins_with_typo(typed, "migrations"), "{typed}");
        }
        for typed in ["migrtoin", "mi", "emigrationss", "igratoins"] {
            assert!(!begins_with_typo(typed, "migrations"), "{typed}");
        }
    }

    /// Returns the minimum number of letters added, removed, replaced, or swapped with the next,
    /// with no letter edited twice.
    fn distance(a: &[char], b: &[char]) -> usize {
        match (a, b) {
            ([], rest) | (rest, []) => rest.len(),
            ([x, a_rest @ ..], [y, b_rest @ ..]) => {
                let exchanged = distance(a_rest, b_rest) + usize::from(x != y);
                let mut least = exchanged.min(1 + distance(a_rest, b)).min(1 + distance(a, b_rest));
                if let ([c, d, a_rest @ ..], [e, f, b_rest @ ..]) = (a, b)
                    && (c, d) == (f, e)
                {
                    least = least.min(1 + distance(a_rest, b_rest));
                }
                least
            }
        }
    }

    proptest! {
        #[test]
        fn a_typo_is_one_of_distance_one(typed in "[abc]{0,6}", word in "[abc]{0,7}") {
            let [a, b]: [Vec<char>; 2] = [&typed, &word].map(|text| text.chars().collect());
            let is_near = b.len() + 1 >= a.len() && b.len() <= a.len() + 1 + MAX_EXTRA_LETTERS;
            let beginnings = (0..=b.len()).map(|n| &b[..n]);
            let expected = is_near && beginnings.into_iter().any(|b| distance(&a, b) <= 1);
            prop_assert_eq!(begins_with_typo(&typed, &word), expected);
        }
    }
}
