//! Text into terms: words, stop words, stems.
//!
//! After Haveliwala, Gionis and Indyk (2000, section 2.1): what is not alphabetic separates words,
//! stop words are dropped, endings are removed by a stemmer (there Porter's, here Snowball's of the
//! page's language). A stop list is data, not code: the build takes it from a library and puts the
//! lists of the site's languages into the index, so a browser drops exactly what the build dropped.
//!
//! Differences: 1) scripts that do not put spaces between words (Han, Kana, Thai, Lao, Khmer,
//! Myanmar) give overlapping pairs of characters, each with its marks; 2) words of one letter, and
//! of more than 40, are dropped; 3) marks belong to their letters, and a letter with marks is the
//! same in any form of normalization; 4) technical texts are searched by their *identifiers*:
//! `pg_dump`, `AH01630` and `std::vec` are terms beside the words they are made of, and so are the
//! parts of `HashMap` ([`for_each_compound`]).
//!
//! | room | has |
//! | --- | --- |
//! | `characters` | what a character is in a word; letters joined with their marks |
//! | `lower_case` | small letters |
//! | `words`, `compounds` | a text into words; into identifiers and parts of words |
//! | `language`, `script` | languages by their tags; those that are written as a text is |
//! | `stop_lists` | the words that are dropped; the language that a text has most of them of |
//!
//! # Quirks
//!
//! 1. `don't` is `don` and `t`, where UAX #29 has one word; so are the entries of the stop lists.
//! 2. Characters that Unicode has for compatibility, such as letters of full width, are others.

mod characters;
mod compounds;
mod language;
mod lower_case;
mod script;
mod stop_lists;
mod words;

pub use compounds::{Compound, for_each_compound};
pub use language::Language;
pub use lower_case::lower_case;
pub use script::of_script;
pub use stop_lists::StopLists;
pub(crate) use words::for_each_word_at;
pub use words::{Words, for_each_token_at, for_each_word, is_number, second_of_pair, word_places};

use std::borrow::Cow;
use std::mem::take;

use rust_stemmers::Stemmer;

use crate::sort;
use crate::vocabulary::{TermId, term_id};
use stop_lists::contains;

/// Turns the words of one language into terms.
pub struct Analyzer<'a> {
    stemmer: Option<Stemmer>,
    stop: &'a [String],
}

impl<'a> Analyzer<'a> {
    /// For `language`. Without a stemmer for it, words are their own stems; without a stop list, no
    /// word is dropped.
    #[must_use]
    pub fn new(language: &Language, stop: &'a StopLists) -> Self {
        Self { stemmer: language.stemmer(), stop: stop.of(language) }
    }

    /// The term of what [`for_each_compound`] gives: of a part that of the word, or `None` for a
    /// stop word; an identifier is one, in lower case.
    #[must_use]
    pub fn compound(&self, compound: Compound<'_>) -> Option<String> {
        let lower = compound.written().to_ascii_lowercase();
        match compound {
            Compound::Part(_) => self.term(&lower).map(Cow::into_owned),
            Compound::Identifier(_) => Some(lower),
        }
    }

    /// The term of a word given by [`for_each_word`], or `None` for a stop word.
    #[must_use]
    pub fn term<'w>(&self, word: &'w str) -> Option<Cow<'w, str>> {
        if contains(self.stop, word) {
            return None;
        }
        Some(match &self.stemmer {
            Some(stemmer) => stemmer.stem(word),
            None => Cow::Borrowed(word),
        })
    }

    /// The terms of a text by its `words`, in the order of their ids; of its compounds too if
    /// `compounds`.
    #[must_use]
    pub fn counts(&self, words: &Words<'_>, compounds: bool) -> Vec<TextTerm> {
        let mut met: Vec<(TermId, u32)> = Vec::new();
        let mut written: Vec<(Cow<'_, str>, usize)> = Vec::new();
        let mut add = |stem: &str, word, at| {
            met.push((term_id(stem), written.len() as u32));
            written.push((word, at));
        };
        for (at, word) in words.iter().enumerate() {
            if let Some(stem) = self.term(word) {
                add(&stem, Cow::Borrowed(word), at);
            }
        }
        if compounds {
            for_each_compound(words.text(), |compound| {
                let Some(stem) = self.compound(compound) else { return };
                let word = match compound {
                    Compound::Part(part) => Cow::Owned(part.to_ascii_lowercase()),
                    Compound::Identifier(name) => Cow::Borrowed(name),
                };
                add(&stem, word, usize::MAX);
            });
        }
        // By place too, so that of each term the first word comes first.
        sort::by_key(&mut met, |&entry| entry);
        let mut terms: Vec<TextTerm> = Vec::new();
        for (id, at) in met {
            match terms.last_mut() {
                Some(term) if term.id == id => term.tf += 1,
                _ => {
                    let (word, at) = take(&mut written[at as usize]);
                    terms.push(TextTerm { id, tf: 1, word: word.into_owned(), at });
                }
            }
        }
        terms
    }
}

/// A term as it occurs in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTerm {
    /// The term.
    pub id: TermId,
    /// How often it occurs.
    pub tf: u32,
    /// The first word that stands for it.
    pub word: String,
    /// Which of the [`Words`] that is; `usize::MAX` of a compound.
    pub at: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::is_identifier;

    #[test]
    fn terms_of_a_text_have_its_identifiers() {
        let stop = StopLists::new();
        let analyzer = Analyzer::new(&Language::english(), &stop);
        let terms = |compounds| {
            let mut words: Vec<_> = analyzer
                .counts(&Words::new("pg_dump of HashMaps"), compounds)
                .into_iter()
                .map(|term| (term.word, is_identifier(term.id)))
                .collect();
            words.sort();
            words
        };
        let word = |word: &str| (word.to_owned(), false);
        let words = [word("dump"), word("hashmaps"), word("of"), word("pg")];
        assert_eq!(terms(false), words);
        let mut all = words.to_vec();
        all.extend([word("hash"), word("maps"), ("pg_dump".to_owned(), true)]);
        all.sort();
        assert_eq!(terms(true), all);
    }

    #[test]
    fn terms_are_stems_without_stop_words() {
        let mut stop = StopLists::new();
        stop.insert(Language::english(), ["the", "don't"]);
        let terms = Analyzer::new(&Language::english(), &stop)
            .counts(&Words::new("The loaves, a loaf don't bake: BAKING bakes"), true);
        let mut terms: Vec<_> =
            terms.iter().map(|term| (term.word.as_str(), term.tf, term.id)).collect();
        terms.sort_unstable();
        let stems = ["bake", "loaf", "loav"].map(term_id);
        assert_eq!(terms, [("bake", 3, stems[0]), ("loaf", 1, stems[1]), ("loaves", 1, stems[2])]);
    }
}
