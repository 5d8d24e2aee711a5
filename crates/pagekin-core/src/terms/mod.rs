//! Text to terms: words, stop words, stems.
//!
//! Follows Haveliwala, Gionis and Indyk (2000, section 2.1): characters that are not alphabetic
//! separate words, stop words are dropped, and a stemmer removes endings (Porter's there, here
//! Snowball's for the language of the page). A stop list is data, not code: the build takes it from
//! a library and stores the lists of the site's languages in the index, so that a browser drops
//! exactly the same words.
//!
//! Differences from the paper:
//!
//! 1. Scripts without spaces between words (Han, Kana, Thai, Lao, Khmer, Myanmar) give overlapping
//!    pairs of characters, each with its marks. So does Hangul, within its words: they carry
//!    particles that no stemmer removes.
//! 2. Words of one letter, and of more than 40, are dropped. In titles, headings and short queries,
//!    letters and numbers that stand alone are terms ([`for_each_short_name`]).
//! 3. Marks belong to their letters. A letter with marks is the same in any Unicode normalization
//!    form.
//! 4. Technical texts are searched by their *identifiers*: `pg_dump`, `AH01630`, `std::vec`,
//!    `2.14.3`
//!    and `C++` are terms in addition to their words, and so are the parts of `HashMap`
//!    ([`for_each_compound`]).
//!
//! | module | contents |
//! | --- | --- |
//! | `characters` | the kind of a character in a word; composition of letters and marks |
//! | `lower_case` | lower case |
//! | `words`, `compounds` | words of a text; identifiers and parts of words |
//! | `folded` | words without the marks of their letters |
//! | `language`, `script` | languages by tag; languages written in the script of a text |
//! | `stop_lists` | stop words; the language with the most stop words in a text |
//!
//! # Quirks
//!
//! 1. `don't` is the words `don` and `t`; UAX #29 has one word. Entries of stop lists are split
//!    too.
//! 2. Compatibility characters differ from their equivalents, except Latin letters of full width
//!    and
//!    Katakana of half width.

mod characters;
mod compounds;
mod folded;
mod language;
mod lower_case;
mod script;
mod stop_lists;
mod words;

pub use compounds::{Compound, for_each_compound, for_each_short_name};
pub use folded::{folded, other_folded};
pub use language::Language;
pub use lower_case::lower_case;
pub use script::languages_of_script;
pub use stop_lists::StopLists;
pub(crate) use words::for_each_word_at;
pub use words::{
    Words, for_each_token_at, for_each_word, is_number, is_number_or_letter, second_of_pair,
    word_places,
};

use std::borrow::Cow;
use std::mem::take;

use rust_stemmers::Stemmer;

use crate::sort;
use crate::vocabulary::{TermId, term_id};
use stop_lists::contains;

/// Converts the words of one language to terms.
pub struct Analyzer<'a> {
    stemmer: Option<Stemmer>,
    stop: &'a [String],
}

impl<'a> Analyzer<'a> {
    /// Creates the analyzer of `language`. Without a stemmer for the language, each word is its own
    /// stem. Without a stop list, no word is dropped.
    #[must_use]
    pub fn new(language: &Language, stop: &'a StopLists) -> Self {
        Self { stemmer: language.stemmer(), stop: stop.of(language) }
    }

    /// Returns the term of a compound from [`for_each_compound`]. A part gives the term of its
    /// word, or `None` for a stop word. An identifier in lower case is a term.
    #[must_use]
    pub fn compound(&self, compound: Compound<'_>) -> Option<String> {
        let lower = compound.written().to_ascii_lowercase();
        match compound {
            Compound::Part(_) => self.term(&lower).map(Cow::into_owned),
            Compound::Identifier(_) => Some(lower),
        }
    }

    /// Returns the term of a word from [`for_each_word`], or `None` for a stop word.
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

    /// Counts the terms of `words` and of their text. The result is sorted by id.
    #[must_use]
    pub fn counts(&self, words: &Words<'_>, kinds: TermKinds) -> Vec<TextTerm> {
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
        // The Who: if all words are stop words, they are what is meant.
        if kinds == TermKinds::Names && words.iter().all(|word| contains(self.stop, word)) {
            for (at, word) in words.iter().enumerate() {
                add(word, Cow::Borrowed(word), at);
            }
        }
        if kinds == TermKinds::Names {
            let text = words.text();
            for_each_short_name(text, |name| {
                add(&name.to_ascii_lowercase(), Cow::Borrowed(name), usize::MAX);
            });
        }
        if kinds != TermKinds::Words {
            for_each_compound(words.text(), |compound| {
                let Some(stem) = self.compound(compound) else { return };
                let word = match compound {
                    Compound::Part(part) => Cow::Owned(part.to_ascii_lowercase()),
                    Compound::Identifier(name) => Cow::Borrowed(name),
                };
                add(&stem, word, usize::MAX);
            });
        }
        // Also by position, so that the first word of each term comes first.
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

/// Which terms of a text are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermKinds {
    /// Those of words other than stop words.
    Words,
    /// Also those of [compounds](for_each_compound).
    Text,
    /// Also [short names](for_each_short_name), and stop words if the text consists of them. For
    /// titles, headings and short queries.
    Names,
}

/// A term of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTerm {
    /// The id of the term.
    pub id: TermId,
    /// Number of occurrences.
    pub tf: u32,
    /// The first word with this term.
    pub word: String,
    /// Index of that word in [`Words`], or `usize::MAX` for a compound.
    pub at: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::is_identifier;

    #[test]
    fn identifiers_are_terms() {
        let stop = StopLists::new();
        let analyzer = Analyzer::new(&Language::english(), &stop);
        let terms = |kinds| {
            let mut words: Vec<_> = analyzer
                .counts(&Words::new("pg_dump of HashMaps"), kinds)
                .into_iter()
                .map(|term| (term.word, is_identifier(term.id)))
                .collect();
            words.sort();
            words
        };
        let word = |word: &str| (word.to_owned(), false);
        let words = [word("dump"), word("hashmaps"), word("of"), word("pg")];
        assert_eq!(terms(TermKinds::Words), words);
        let mut all = words.to_vec();
        all.extend([word("hash"), word("maps"), ("pg_dump".to_owned(), true)]);
        all.sort();
        assert_eq!(terms(TermKinds::Text), all);
    }

    #[test]
    fn names_are_short_or_stop_words() {
        let mut stop = StopLists::new();
        stop.insert(Language::english(), ["the", "who", "of"]);
        let analyzer = Analyzer::new(&Language::english(), &stop);
        let names = |text: &str| {
            let terms = analyzer.counts(&Words::new(text), TermKinds::Names);
            let mut names: Vec<_> = terms.into_iter().map(|term| term.word).collect();
            names.sort();
            names.join(" ")
        };
        assert_eq!(names("The Who"), "the who");
        assert_eq!(names("the minutes of R and C"), "C R and minutes");
    }

    #[test]
    fn terms_are_stems_without_stop_words() {
        let mut stop = StopLists::new();
        stop.insert(Language::english(), ["the", "don't"]);
        let terms = Analyzer::new(&Language::english(), &stop)
            .counts(&Words::new("The loaves, a loaf don't bake: BAKING bakes"), TermKinds::Text);
        let mut terms: Vec<_> =
            terms.iter().map(|term| (term.word.as_str(), term.tf, term.id)).collect();
        terms.sort_unstable();
        let stems = ["bake", "loaf", "loav"].map(term_id);
        assert_eq!(terms, [("bake", 3, stems[0]), ("loaf", 1, stems[1]), ("loaves", 1, stems[2])]);
    }
}
