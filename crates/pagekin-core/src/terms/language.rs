//! Languages and their stemmers.

use rust_stemmers::{Algorithm, Stemmer};

/// A language, identified by the primary subtag of its tag: `en` for `en-GB`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(String);

impl Language {
    /// Returns the language of a tag as in `lang` (`en-GB`, `de`, `PT_br`), or `None` unless its
    /// primary subtag consists of 2 to 8 Latin letters.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        let usable = (2..=8).contains(&primary.len())
            && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
        usable.then(|| Self(primary.to_ascii_lowercase()))
    }

    /// Returns English, the default language of a page.
    #[must_use]
    pub fn english() -> Self {
        Self("en".to_owned())
    }

    /// Returns the undetermined language, whose words are not stemmed or dropped.
    #[must_use]
    pub fn undetermined() -> Self {
        Self("und".to_owned())
    }

    /// Returns the code in lower case, such as `en`.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.0
    }

    /// Returns whether the language has a stemmer that needs the feature `all-languages`: any
    /// stemmer except the English one.
    #[must_use]
    pub fn needs_all_languages(&self) -> bool {
        !matches!(self.algorithm(), None | Some(Algorithm::English))
    }

    /// Returns whether this build treats words of the language as every other build does: it has
    /// the stemmer, or there is none.
    pub(crate) fn is_built_in(&self) -> bool {
        cfg!(feature = "all-languages") || !self.needs_all_languages()
    }

    pub(super) fn stemmer(&self) -> Option<Stemmer> {
        let algorithm = self.algorithm()?;
        if cfg!(feature = "all-languages") {
            return Some(Stemmer::create(algorithm));
        }
        // A constant, so that the code and tables of the other stemmers are not linked.
        (algorithm == Algorithm::English).then(|| Stemmer::create(Algorithm::English))
    }

    /// Returns the stemmer of the language, even if it is not built in.
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
