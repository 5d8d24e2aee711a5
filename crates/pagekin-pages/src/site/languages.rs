//! Languages from tags, languages of pages without a tag, and stop lists from a library.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pagekin_core::terms::{Language, StopLists, Words, languages_of_script};

use crate::error::OptionError;

/// Returns the stop lists of all languages that have one.
pub fn all() -> StopLists {
    // Longer names there are not codes of languages.
    let codes = stop_words::available_languages().iter().filter(|code| code.len() <= 3);
    only(codes.filter_map(|code| Language::from_tag(code)))
}

/// Returns the stop lists of some languages.
///
/// A list of a script without spaces contains words, but terms are pairs of characters. The pairs
/// of longer words also occur in other words, so only words of two characters are used. An entry
/// with a space is a phrase, whose words are not necessarily stop words.
pub fn only(languages: impl IntoIterator<Item = Language>) -> StopLists {
    let mut lists = StopLists::new();
    for language in languages {
        // The library has one code for both written forms of Norwegian.
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

/// Returns the language of a tag, such as that of an option.
pub fn named(tag: &str) -> Result<Language, OptionError> {
    Language::from_tag(tag).ok_or_else(|| OptionError {
        option: "lang",
        expected: "a language tag such as en or pt-BR",
        found: format!("{tag:?}"),
    })
}

/// Returns languages without duplicates, those with the most pages first.
pub fn most_common_first(
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

/// The language of a page that does not declare one.
#[derive(Debug, Clone)]
pub enum Undeclared {
    /// A given language.
    Is(Language),
    /// A given language, also of pages that declare another.
    Forced(Language),
    /// The language of the page's script, among these.
    OfScript(Vec<Language>),
}

/// The language of each script that most web pages use.
///
/// Stop words do not distinguish languages of one script reliably enough: on a German site without
/// tags, only half of the pages contain enough prose, and pages read in two languages match worse
/// than pages that are all read in the wrong one.
const OF_SCRIPTS: &[&str] = &[
    "en", "ru", "ar", "hi", "zh", "ja", "ko", "he", "el", "th", "am", "bn", "bo", "dv", "gu", "hy",
    "ka", "km", "kn", "lo", "ml", "my", "or", "pa", "si", "ta", "te",
];
/// Number of bytes of a page used to find its script.
const READ_BYTES: usize = 4_000;
/// Languages whose words have other stems if they are read in another language.
const WITH_STEMS: &[&str] = &[
    "en", "de", "fr", "es", "it", "pt", "nl", "ru", "sv", "nb", "da", "fi", "hu", "ro", "tr", "ar",
    "el", "ta",
];
/// A text resembles a language if this share of its words are stop words of it, at least twice as
/// many as of the language in which it is read. Of English prose about a third are.
const MIN_STOP_SHARE: f64 = 0.2;
/// Number of bytes that are read to tell, and minimum number of words in them.
const TELLING_BYTES: usize = 1_200;
const TELLING_WORDS: usize = 50;

impl Undeclared {
    /// Uses the language of the tag, or, without one, that of a page's script.
    pub fn new(tag: Option<&str>) -> Result<Self, OptionError> {
        let Some(tag) = tag else {
            let known = OF_SCRIPTS.iter().filter_map(|code| Language::from_tag(code));
            return Ok(Self::OfScript(known.collect()));
        };
        named(tag).map(Self::Is)
    }

    /// Uses the language of the tag for all pages, whatever they declare.
    pub fn forced(tag: &str) -> Result<Self, OptionError> {
        named(tag).map(Self::Forced)
    }

    /// Returns the language of a page that declares this tag, if it has one.
    pub(crate) fn declared(&self, tag: &str) -> Option<Language> {
        match self {
            Self::Forced(language) => Some(language.clone()),
            Self::Is(_) | Self::OfScript(_) => Language::from_tag(tag),
        }
    }

    /// Returns the language of a page with this text, or the undetermined one if no language of its
    /// script is known.
    pub(crate) fn language_of(&self, text: &str) -> Language {
        let known = match self {
            Self::Is(language) | Self::Forced(language) => return language.clone(),
            Self::OfScript(known) => known,
        };
        let words = Words::new(&text[..text.floor_char_boundary(READ_BYTES)]);
        languages_of_script(&words, known)
            .first()
            .map_or_else(Language::undetermined, |&of| of.clone())
    }

    /// Returns the language that a page without a tag resembles by its stop words, if it is clearly
    /// another than the one in which the page is `read`, and this one was only assumed. A warning
    /// follows: see [`OF_SCRIPTS`].
    pub(crate) fn resembled(
        &self,
        text: &str,
        read: &Language,
        stop: &StopLists,
    ) -> Option<Language> {
        if !matches!(self, Self::OfScript(_)) {
            return None;
        }
        let words = Words::new(&text[..text.floor_char_boundary(TELLING_BYTES)]);
        let count = words.iter().count();
        let least = (MIN_STOP_SHARE * count as f64) as usize;
        let of_read = stop.count(&words, read);
        if count < TELLING_WORDS || of_read >= least {
            return None;
        }
        let others = WITH_STEMS.iter().filter_map(|code| Language::from_tag(code));
        let others = others.filter(|other| other != read);
        let counted = others.map(|other| (stop.count(&words, &other), other));
        let (hits, other) = counted.max_by_key(|&(hits, _)| hits)?;
        (hits >= least.max(2 * of_read)).then_some(other)
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
    fn stop_lists_are_available() {
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
    fn a_page_without_a_tag_gets_a_language_of_its_script() {
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
    fn a_text_resembles_another_language_by_its_stop_words() {
        let (stop, undeclared) = (all(), Undeclared::new(None).unwrap());
        let resembled = |text: &str| {
            let text = text.repeat(8);
            let read = undeclared.language_of(&text);
            undeclared.resembled(&text, &read, &stop).map(|other| other.code().to_owned())
        };
        let of = |code: &str| Some(code.to_owned());
        assert_eq!(resembled("Das Brot wird in der Pfanne mit dem Salz gebacken. "), of("de"));
        assert_eq!(resembled("Le pain est cuit dans le four avec du sel et de l'eau. "), of("fr"));
        assert_eq!(resembled("El pan se hace en el horno con la sal y el agua. "), of("es"));
        assert_eq!(resembled("The bread is baked in the oven with salt and water. "), None);
        assert_eq!(resembled("fn main() { let der = parse(text); } "), None);
        assert_eq!(resembled("pg_dump createdb dropdb vacuumdb reindexdb initdb "), None);
        let given = Undeclared::new(Some("en")).unwrap();
        let german = "Das Brot wird in der Pfanne mit dem Salz gebacken. ".repeat(8);
        assert_eq!(given.resembled(&german, &Language::english(), &stop), None);
    }

    #[test]
    fn a_given_language_is_used() {
        let undeclared = Undeclared::new(Some("de")).unwrap();
        assert_eq!(undeclared.language_of("Хлеб").code(), "de");
        assert!(Undeclared::new(Some("x")).is_err());
        assert_eq!(undeclared.declared("pt-BR").unwrap().code(), "pt");
        assert_eq!(undeclared.declared("x"), None);
        let forced = Undeclared::forced("de").unwrap();
        assert_eq!(forced.declared("pt-BR").unwrap().code(), "de");
        assert_eq!(forced.language_of("Хлеб").code(), "de");
    }
}
