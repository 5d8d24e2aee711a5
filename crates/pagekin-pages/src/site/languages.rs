//! Languages by their tags or of pages that have none, and stop lists from the library that keeps
//! them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pagekin_core::terms::{Language, StopLists, Words, of_script};

use crate::error::OptionError;

/// The lists of all languages there are lists for.
pub fn all() -> StopLists {
    // What has a longer name there is no language with a code.
    let codes = stop_words::available_languages().iter().filter(|code| code.len() <= 3);
    only(codes.filter_map(|code| Language::from_tag(code)))
}

/// The lists of some languages.
///
/// Of scripts without spaces a list has words, but what is dropped are pairs of characters: those
/// of longer words stand in other words too, so only words of two characters count. What has a
/// space is a phrase, whose words are no stop words for that.
pub fn only(languages: impl IntoIterator<Item = Language>) -> StopLists {
    let mut lists = StopLists::new();
    for language in languages {
        // Both written norms of Norwegian are under one code there.
        let code = match language.code() {
            "nb" | "nn" => "no",
            code => code,
        };
        if let Some(words) = stop_words::lookup(code) {
            let is_word = |entry: &&str| {
                !entry.contains(char::is_whitespace)
                    && !Words::new(entry).overlaps().contains(&true)
            };
            lists.insert(language.clone(), words.iter().copied().filter(is_word));
        }
    }
    lists
}

/// The language of a tag, such as that of pages that name none.
pub fn named(tag: &str) -> Result<Language, OptionError> {
    Language::from_tag(tag).ok_or_else(|| OptionError {
        option: "lang",
        expected: "a language tag such as en or pt-BR",
        found: format!("{tag:?}"),
    })
}

/// Languages, each once, by the number of their pages.
pub fn commonest_first(
    languages: impl IntoIterator<Item = (Language, u32)>,
) -> Vec<(Language, u32)> {
    let mut pages_of: BTreeMap<Language, u32> = BTreeMap::new();
    for (language, pages) in languages {
        *pages_of.entry(language).or_default() += pages;
    }
    let mut languages: Vec<_> = pages_of.into_iter().collect();
    languages.sort_by_key(|&(_, pages)| Reverse(pages));
    languages
}

/// Which language a page is in that names none.
#[derive(Debug, Clone)]
pub enum Undeclared {
    /// This one.
    Is(Language),
    /// That of its script, of these.
    OfScript(Vec<Language>),
}

/// Of each script the language that most pages on the web are in.
///
/// Stop words do not tell languages of one script apart reliably enough: of a German site without
/// tags half of the pages have enough prose, and pages that are read in two languages match less
/// well than pages that are all read in a wrong one.
const OF_SCRIPTS: &[&str] = &[
    "en", "ru", "ar", "hi", "zh", "ja", "ko", "he", "el", "th", "am", "bn", "bo", "dv", "gu", "hy",
    "ka", "km", "kn", "lo", "ml", "my", "or", "pa", "si", "ta", "te",
];
/// So many bytes of a page are read for it.
const READ_BYTES: usize = 4_000;

impl Undeclared {
    /// The language of the tag; without one, that of a page's script.
    pub fn new(tag: Option<&str>) -> Result<Self, OptionError> {
        let Some(tag) = tag else {
            let known = OF_SCRIPTS.iter().filter_map(|code| Language::from_tag(code));
            return Ok(Self::OfScript(known.collect()));
        };
        named(tag).map(Self::Is)
    }

    /// The language of a page with this text: of a script with a language that is not known, none.
    pub(crate) fn language_of(&self, text: &str) -> Language {
        let known = match self {
            Self::Is(language) => return language.clone(),
            Self::OfScript(known) => known,
        };
        let words = Words::new(&text[..text.floor_char_boundary(READ_BYTES)]);
        of_script(&words, known).first().map_or_else(Language::undetermined, |&of| of.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(text: &str) -> String {
        let undeclared = Undeclared::new(None).unwrap();
        undeclared.language_of(text).code().to_owned()
    }

    #[test]
    fn every_language_that_has_a_list_is_known() {
        let lists = all();
        let codes: Vec<_> = lists.iter().map(|(language, _)| language.code()).collect();
        for code in ["ar", "bg", "bn", "cs", "de", "fa", "hi", "ja", "ko", "pl", "th", "uk", "zh"] {
            assert!(codes.contains(&code), "{code}");
        }
        assert!(codes.len() > 60, "{}", codes.len());
        assert!(!codes.contains(&"hinglish"));
        assert_eq!(only([Language::from_tag("nb").unwrap()]).iter().count(), 1);
    }

    #[test]
    fn lists_have_no_parts_of_words() {
        let lists = all();
        let of = |code: &str| {
            let (_, words) = lists.iter().find(|(language, _)| language.code() == code).unwrap();
            words
        };
        assert!(of("zh").contains(&"我们".to_owned()));
        assert!(of("zh").iter().all(|word| word.chars().count() <= 2));
        assert!(of("hi").contains(&"में".to_owned()), "{:?}", of("hi"));
        assert!(!of("vi").contains(&"chết".to_owned()));
    }

    #[test]
    fn a_page_without_a_tag_is_of_a_language_in_its_script() {
        assert_eq!(guessed("Das Brot wird in der Pfanne mit dem Salz gebacken"), "en");
        assert_eq!(guessed("Хлеб пекут в печи"), "ru");
        assert_eq!(guessed("នំប៉័ងត្រូវបានដុតនៅក្នុងឡ"), "km");
        assert_eq!(guessed("パンは窯で焼きます"), "ja");
        assert_eq!(guessed("fn main() { let der = 3; }"), "en");
        assert_eq!(guessed("The bread is baked in the oven with salt"), "en");
        assert_eq!(guessed("5432"), "en");
        assert_eq!(guessed("ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ"), "und");
    }

    #[test]
    fn a_language_that_is_given_is_not_guessed() {
        let undeclared = Undeclared::new(Some("de")).unwrap();
        assert_eq!(undeclared.language_of("Хлеб").code(), "de");
        assert!(Undeclared::new(Some("x")).is_err());
    }
}
