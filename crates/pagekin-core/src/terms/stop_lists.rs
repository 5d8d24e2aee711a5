//! Stop lists, and language detection with them.

use litemap::LiteMap;

use super::language::Language;
use super::words::{Words, for_each_word};
use crate::sort;

/// The stop words of each language of a site, in lower case, as [`for_each_word`] returns them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopLists(LiteMap<Language, Vec<String>>);

impl StopLists {
    /// Creates an empty set of lists.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the list of `language` to the words of `entries`.
    pub fn insert<'a>(&mut self, language: Language, entries: impl IntoIterator<Item = &'a str>) {
        let mut words = Vec::new();
        for entry in entries {
            for_each_word(entry, |word| words.push(word.to_owned()));
        }
        sort::by(&mut words, |a, b| a < b);
        words.dedup();
        self.0.insert(language, words);
    }

    /// Returns the languages and their words, both sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&Language, &[String])> {
        self.0.iter().map(|(language, words)| (language, words.as_slice()))
    }

    /// Returns the sorted list of `language`, or an empty one.
    pub(super) fn of(&self, language: &Language) -> &[String] {
        self.0.get(language).map_or(&[], Vec::as_slice)
    }

    /// Counts the stop words of `language` in `words`.
    #[must_use]
    pub fn count(&self, words: &Words<'_>, language: &Language) -> usize {
        let stop = self.of(language);
        words.iter().filter(|word| contains(stop, word)).count()
    }

    /// Returns the language with the most stop words in `words`, or `None` if there are no stop
    /// words. The first of several equal languages in `among` wins.
    #[must_use]
    pub fn guess<'a>(
        &self,
        words: &Words<'_>,
        among: impl IntoIterator<Item = &'a Language>,
    ) -> Option<&'a Language> {
        let mut best = (0, None);
        for language in among {
            let hits = self.count(words, language);
            if hits > best.0 {
                best = (hits, Some(language));
            }
        }
        best.1
    }
}

pub(super) fn contains(list: &[String], word: &str) -> bool {
    list.binary_search_by(|entry| entry.as_str().cmp(word)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_detected_by_its_stop_words() {
        let (en, de) = (Language::english(), Language::from_tag("de-CH").unwrap());
        let mut stop = StopLists::new();
        stop.insert(en.clone(), ["the", "and", "in"]);
        stop.insert(de.clone(), ["der", "und", "in"]);
        let among = [en, de];
        assert_eq!(stop.guess(&Words::new("Brot und Salz in der Pfanne"), &among), Some(&among[1]));
        assert_eq!(stop.guess(&Words::new("in in in"), &among), Some(&among[0]));
        assert_eq!(stop.guess(&Words::new("zzz"), &among), None);
    }
}
