//! Languages by their tags, and which have a stemmer.

use rust_stemmers::{Algorithm, Stemmer};

/// A language by the primary part of its tag: `en` for `en-GB`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(String);

impl Language {
    /// The language of a tag as in `lang` (`en-GB`, `de`, `PT_br`), or `None` if it is not of 2 to
    /// 8 Latin letters.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        let usable = (2..=8).contains(&primary.len())
            && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
        usable.then(|| Self(primary.to_ascii_lowercase()))
    }

    /// English, the language of a page that names none.
    #[must_use]
    pub fn english() -> Self {
        Self("en".to_owned())
    }

    /// No language: no words are stemmed or dropped.
    #[must_use]
    pub fn undetermined() -> Self {
        Self("und".to_owned())
    }

    /// The code in lower case: `en`.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.0
    }

    /// Whether its words are stemmed by another stemmer than English's, so only with the feature
    /// `all-languages`.
    #[must_use]
    pub fn needs_all_languages(&self) -> bool {
        !matches!(self.algorithm(), None | Some(Algorithm::English))
    }

    /// Whether this program treats its words as every other does: has its stemmer, if there is one.
    pub(crate) fn is_built_in(&self) -> bool {
        cfg!(feature = "all-languages") || !self.needs_all_languages()
    }

    pub(super) fn stemmer(&self) -> Option<Stemmer> {
        let algorithm = self.algorithm()?;
        if cfg!(feature = "all-languages") {
            return Some(Stemmer::create(algorithm));
        }
        // By a constant, so that the code and the tables of the others are not linked.
        (algorithm == Algorithm::English).then(|| Stemmer::create(Algorithm::English))
    }

    /// The stemmer of the language, whether it is built in or not.
    fn algorithm(&self) -> Option<Algorithm> {
        Some(match self.code() {
            "ar" => Algorithm::Arabic,
            "da" => Algorithm::Danish,
            "nl" => Algorithm::Dutch,
            "en" => Algorithm::English,
            "fi" => Algorithm::Finnish,
            "fr" => Algorithm::French,
            "de" => Algorithm::German,
            "el" => Algorithm::Greek,
            "hu" => Algorithm::Hungarian,
            "it" => Algorithm::Italian,
            "no" | "nb" | "nn" => Algorithm::Norwegian,
            "pt" => Algorithm::Portuguese,
            "ro" => Algorithm::Romanian,
            "ru" => Algorithm::Russian,
            "es" => Algorithm::Spanish,
            "sv" => Algorithm::Swedish,
            "ta" => Algorithm::Tamil,
            "tr" => Algorithm::Turkish,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_give_their_primary_language() {
        assert_eq!(Language::from_tag(" PT_br ").unwrap().code(), "pt");
        assert_eq!(Language::from_tag("x"), None);
        assert_eq!(Language::from_tag("日本"), None);
    }
}
