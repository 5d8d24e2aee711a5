//! Finds the words of the site that a typed word may stand for.

use std::cmp::Reverse;
use std::ops::Range;

use super::query::{LanguageBy, TextLanguage, WHOLE, analyzer, other_analyzers};
use super::spelling::{edits, respellings, splits};
use crate::index::{Index, Shard, ShardId, ShardMap};
use crate::shard::{Completion, Manifest, is_completion};
use crate::sort;
use crate::terms::{Analyzer, folded, other_folded, second_of_pair};
use crate::vocabulary::{TermId, is_identifier, term_id};

/// Maximum number of shards of completions that are read for an incomplete word, and for another.
/// Very many words begin with a few letters, and more letters follow.
const MAX_SHARDS: usize = 3;
const MAX_SHARDS_OF_COMPLETE: usize = 2;
/// Maximum number of shards with the same beginning that are read in addition for a word with a
/// typo.
const MAX_NEAR_SHARDS: usize = 6;
/// Maximum numbers of alternatives: words that begin with an incomplete word, the same if the site
/// has that word itself, and other words.
const MAX_COMPLETIONS: usize = 4;
const MAX_LONGER: usize = 2;
const MAX_OTHERS: usize = 2;
/// Maximum number of letters that are tried instead of another.
const MAX_LETTERS: usize = 64;
/// Minimum number of characters of a complete word that is found at the beginning or end of longer
/// words.
const MIN_WITHIN: usize = 4;
/// Minimum number of bytes of the word after one with a typo. Shorter ones are endings by chance.
const MIN_BESIDE_TYPO: usize = 3;
/// Maximum number of characters of articles and prepositions that Hebrew and Arabic write onto a
/// word, and minimum number of characters of the word.
const MAX_PREFIX: usize = 3;
const MIN_PREFIXED: usize = 3;
/// The weights of alternatives, in [`WHOLE`]ths of that of a word as typed: words with the same
/// letters but for marks, words that begin with an incomplete word, words that contain the word or
/// are a few letters off, words that begin with a word that the site has, too, and the two that it
/// consists of.
const FOLDED: u8 = 7;
pub(super) const COMPLETED: u8 = 6;
pub(super) const CORRECTED: u8 = 5;
const LONGER: u8 = 4;
pub(super) const CONTAINED: u8 = 2;

/// A word that may have alternatives.
#[derive(Debug)]
pub(super) struct Doubtful {
    /// In lower case.
    pub(super) word: String,
    /// Its folded form, and the other forms that may be meant.
    pub(super) keys: Vec<String>,
    /// Number of characters at its beginning that its stem keeps.
    pub(super) kept: usize,
    /// Its index among the terms, if it is one.
    pub(super) term: Option<usize>,
    /// Whether it is the last, with nothing after it, so that it may be incomplete.
    pub(super) is_open: bool,
}

impl Doubtful {
    pub(super) fn new(word: String, stem: Option<&str>, term: Option<usize>) -> Self {
        let keys = [folded(&word)].into_iter().chain(other_folded(&word)).collect();
        let stem = stem.unwrap_or(&word);
        let kept = word.chars().zip(stem.chars()).take_while(|(a, b)| a == b).count();
        Self { word, keys, kept, term, is_open: false }
    }

    /// Returns the number of edits that turn it into a word of the site, if there are few.
    fn edits(&self, word: &str) -> Option<usize> {
        let key = &self.keys[0];
        if has_same_number(key, word) { edits(key, word, self.is_open) } else { None }
    }

    /// Returns the shards of the words that may have the stem of a key. Stems keep most of a word.
    fn around(&self, manifest: &Manifest, key: &str) -> Range<u32> {
        let kept = self.kept.min(key.chars().count() * 2 / 3);
        let end = key.char_indices().nth(kept).map_or(key.len(), |(at, _)| at);
        manifest.completion_shards(&key[..end])
    }

    /// Adds the shards of the words with the same beginning.
    pub(super) fn add_shards(&self, manifest: &Manifest, to: &mut Vec<ShardId>) {
        let most = if self.is_open { MAX_SHARDS } else { MAX_SHARDS_OF_COMPLETE };
        for key in &self.keys {
            let mut range = self.around(manifest, key);
            if range.len() > most {
                // Of too many, the one where the word itself belongs.
                range = manifest.completion_shards(key);
            }
            to.extend(range.take(most).map(ShardId::Completions));
        }
    }

    /// Adds the shards of words that are one edit off, as far as they are few. Words with the same
    /// beginning are in few shards, so another letter is looked for near the end.
    pub(super) fn add_shards_of_typos(&self, manifest: &Manifest, to: &mut Vec<ShardId>) {
        let key = &self.keys[0];
        let others = respellings(key, &[]);
        if others.is_empty() {
            return;
        }
        let mut same = 0..0;
        for (at, _) in key.char_indices().skip(1) {
            let range = manifest.completion_shards(&key[..at]);
            if range.len() <= MAX_NEAR_SHARDS && range.len() > same.len() {
                same = range;
            }
        }
        to.extend(same.map(ShardId::Completions));
        for other in &others {
            to.push(ShardId::Completions(manifest.completion_shards(other).start));
        }
    }
}

/// What the site has for a doubtful word.
pub(super) struct Found {
    pub(super) alternatives: Vec<Alternative>,
    /// Whether it is certain that the site does not have the word.
    pub(super) is_absent: bool,
    /// Whether the site has the word, but not in its vocabulary.
    pub(super) is_rare: bool,
}

impl Found {
    /// Whether the site has neither the word nor one that it may stand for.
    pub(super) fn is_missing(&self) -> bool {
        self.is_absent && self.alternatives.is_empty()
    }
}

/// A word of the site.
pub(super) struct Alternative {
    pub(super) id: TermId,
    pub(super) word: String,
    pub(super) share: u8,
}

/// The words of the site, as far as they were read.
pub(super) struct SiteWords<'a> {
    pub(super) manifest: &'a Manifest,
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

impl<'a> SiteWords<'a> {
    /// Creates the words of the available shards.
    pub(super) fn new(
        index: &'a Index,
        language: Option<&TextLanguage>,
        shards: &'a ShardMap,
    ) -> Self {
        let manifest = index.manifest();
        let mut completions: Vec<(&Completion, String)> = Vec::new();
        let mut is_read = vec![false; manifest.completions.shards as usize];
        for (&id, shard) in shards.iter() {
            if let (ShardId::Completions(number), Shard::Completions(shard)) = (id, shard) {
                completions.extend(shard.0.iter().map(|one| (one, folded(&one.word))));
                is_read[number as usize] = true;
            }
        }
        Self {
            manifest,
            completions,
            is_read,
            own: analyzer(index, language),
            others: other_analyzers(index, language).collect(),
            is_assumed: language.is_none_or(|known| known.by != LanguageBy::Given),
        }
    }

    /// Returns the id of a word in the language of the query, or `None` for a stop word.
    pub(super) fn own_id(&self, word: &str) -> Option<TermId> {
        id_of(word, &self.own)
    }

    /// Returns the ids that a word of the site may have, in the language of the query or another:
    /// those of the vocabulary, or else all.
    fn ids(&self, word: &str) -> Vec<TermId> {
        let mut ids: Vec<TermId> = Vec::new();
        let mut add = |analyzer| {
            if let Some(id) = id_of(word, analyzer)
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        };
        add(&self.own);
        self.others.iter().for_each(add);
        let is_known = |id: &TermId| self.manifest.vocabulary.idf(*id).is_some();
        if ids.iter().any(is_known) {
            ids.retain(is_known);
        }
        ids.truncate(MAX_OTHERS);
        ids
    }

    pub(super) fn has_exactly(&self, word: &str) -> bool {
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
    pub(super) fn find(&self, of: &Doubtful, own: Option<TermId>) -> Found {
        let is_common = || own.is_some_and(|id| self.manifest.vocabulary.idf(id).is_some());
        let is_there = self.has(&of.word, &self.own) || !self.is_certain(of) && is_common();
        let mut found = Vec::new();
        // The page on which a word is typed names its language, but the word may be of another one.
        // Then the site has the word, but not its stem in the language of the page.
        if self.is_assumed || !is_there || !is_common() {
            for other in self.others.iter().filter(|other| self.has(&of.word, other)) {
                let id = id_of(&of.word, other);
                let word = of.word.clone();
                found.extend(id.map(|id| Alternative { id, word, share: WHOLE }));
                // The other form may be of a page in any language.
                if !self.has_exactly(&of.word) {
                    let stem = other.term(&of.word);
                    found.extend(self.best(1, FOLDED, &|word, _| other.term(word) == stem));
                }
            }
        }
        let is_rare = is_there && !is_common();
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
        Found { alternatives: found, is_absent, is_rare }
    }

    /// Returns whether all shards were read that may have a word or its stem.
    fn is_certain(&self, of: &Doubtful) -> bool {
        let is_read = |number: u32| self.is_read.get(number as usize) == Some(&true);
        has_completions(&of.word)
            && of.keys.iter().all(|key| of.around(self.manifest, key).all(is_read))
    }

    /// Returns the words instead of one that the site lacks: those that contain it or are one edit
    /// off, or else the two that it consists of, or else those that are two edits off. Longer and
    /// rare words do not rule out the two: `cherrypicking` is not all that `cherrypick` may mean.
    pub(super) fn repaired(&self, of: &Doubtful) -> (Vec<Alternative>, Option<Parts>) {
        let mut others = self.near(of);
        let is_sure = |one: &Alternative| {
            let is_common = self.manifest.vocabulary.idf(one.id).is_some();
            is_common && !folded(&one.word).starts_with(&*of.keys[0])
        };
        if others.iter().any(is_sure) {
            return (others, None);
        }
        let mut parts = self.parts(&of.word);
        if others.is_empty() && parts.is_none() {
            others = self.best(MAX_OTHERS, CORRECTED, &|_, other| of.edits(other) == Some(2));
        }
        if parts.is_none() && !others.iter().any(is_sure) {
            parts = self.parts_with_typo(&of.word);
        }
        (others, parts)
    }

    /// Returns the words that contain one that the site lacks, or else those that are one edit off.
    pub(super) fn near(&self, of: &Doubtful) -> Vec<Alternative> {
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
        if found.is_empty() {
            found = self.best(MAX_OTHERS, CORRECTED, &|_, other| of.edits(other) == Some(1));
        }
        if found.is_empty() && !key.bytes().any(|byte| byte.is_ascii_digit()) {
            // The completions have one form of each word, and another may be meant.
            let forms = respellings(key, &self.letters());
            let stems: Vec<_> = forms.iter().filter_map(|form| self.own.term(form)).collect();
            let is_form = |word: &str| self.own.term(word).is_some_and(|it| stems.contains(&it));
            found = self.best(1, CORRECTED, &|word, _| is_form(word));
        }
        found
    }

    /// Returns the letters of the available words.
    fn letters(&self) -> Vec<char> {
        let mut letters: Vec<char> = ('a'..='z').collect();
        for (_, key) in &self.completions {
            for c in key.chars().filter(|c| c.is_alphabetic()) {
                if !letters.contains(&c) && letters.len() < MAX_LETTERS {
                    letters.push(c);
                }
            }
        }
        letters
    }

    /// Returns the likeliest words that fit, by the word and its folded form, with their ids.
    fn best(&self, most: usize, share: u8, fits: &dyn Fn(&str, &str) -> bool) -> Vec<Alternative> {
        let fitting = self.completions.iter().filter(|(one, key)| fits(&one.word, key));
        let mut fitting: Vec<&Completion> = fitting.map(|&(one, _)| one).collect();
        let key = |one: &Completion| (Reverse(one.weight), one.word.len());
        sort::by(&mut fitting, |a, b| (key(a), &a.word) < (key(b), &b.word));
        fitting.truncate(most);
        let mut alternatives = Vec::new();
        for Completion { word, .. } in fitting {
            for id in self.ids(word) {
                alternatives.push(Alternative { id, word: word.clone(), share });
            }
        }
        alternatives
    }

    /// Returns two words of the site that a word consists of.
    pub(super) fn parts(&self, word: &str) -> Option<Parts> {
        splits(word, &|a, b| Some([self.known(a)?, self.known(b)?]))
    }

    /// Returns two words of the site that a word consists of, the first with a typo.
    fn parts_with_typo(&self, word: &str) -> Option<Parts> {
        splits(word, &|a, b| {
            let b = self.known(b).filter(|_| b.len() >= MIN_BESIDE_TYPO)?;
            let one = self.best(1, CORRECTED, &|_, key| edits(a, key, false) == Some(1));
            let Alternative { id, word, .. } = one.into_iter().next()?;
            Some([(id, word), b])
        })
    }

    /// Returns a word that the site has.
    fn known(&self, word: &str) -> Option<(TermId, String)> {
        let id = self.own_id(word)?;
        let is_there = self.manifest.vocabulary.idf(id).is_some() || self.has_exactly(word);
        is_there.then(|| (id, word.to_owned()))
    }
}

/// Two words of the site.
pub(super) type Parts = [(TermId, String); 2];

/// Returns whether the completions of a site contain such a word: all but numbers, letters and most
/// pairs of characters.
pub(super) fn has_completions(word: &str) -> bool {
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
