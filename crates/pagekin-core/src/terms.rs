//! Text into terms: words, stop words, stems.
//!
//! After Haveliwala, Gionis and Indyk (2000, section 2.1): what is not alphabetic separates words,
//! stop words are dropped, endings are removed by a stemmer (there Porter's, here Snowball's of the
//! page's language). A stop list is data, not code: the build takes it from a library and puts the
//! lists of the site's languages into the index, so a browser drops exactly what the build dropped.
//!
//! Differences: 1) scripts that do not put spaces between words (Han, Kana, Thai, Lao, Khmer,
//! Myanmar) give overlapping pairs of characters; 2) words of one letter, and of more than 40, are
//! dropped; 3) technical texts are searched by their *identifiers*: `pg_dump`, `AH01630` and
//! `std::vec` are terms beside the words they are made of, and so are the parts of `HashMap`
//! ([`for_each_compound`]).
//!
//! # Quirks
//!
//! 1. `don't` is `don` and `t`; so are the entries of the stop lists.
//! 2. Text is not normalised: a letter followed by a combining accent is another letter than the
//!    precomposed one.

use std::borrow::Cow;
use std::mem::take;
use std::ops::Range;

use litemap::LiteMap;
use rust_stemmers::{Algorithm, Stemmer};

use crate::sort;
use crate::vocabulary::{TermId, term_id};

/// The fewest and the most characters of a word that counts.
const WORD_CHARS: std::ops::RangeInclusive<usize> = 2..=40;

/// Calls `each` with every word of `text`, in lower case, in order. Linear in the text.
pub fn for_each_word(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut n_chars = 0;
    // The last character, if it is of a script without spaces: the next one makes a pair with it.
    let mut before: Option<char> = None;
    for c in text.chars() {
        if is_unspaced(c) {
            end_word(&mut word, &mut n_chars, &mut each);
            if let Some(before) = before {
                word.push(before);
                word.push(c);
                each(&word);
                word.clear();
            }
            before = Some(c);
            continue;
        }
        before = None;
        if c.is_ascii_alphabetic() {
            word.push(c.to_ascii_lowercase());
            n_chars += 1;
        } else if c.is_alphabetic() {
            word.extend(c.to_lowercase());
            n_chars += 1;
        } else if n_chars > 0 {
            end_word(&mut word, &mut n_chars, &mut each);
        }
    }
    end_word(&mut word, &mut n_chars, &mut each);
}

/// The words of a text, cut once for all that is asked of them.
#[derive(Debug, Clone)]
pub struct Words<'a> {
    text: &'a str,
    /// One behind another.
    words: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl<'a> Words<'a> {
    /// Those that [`for_each_word`] gives. Linear in the text.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        let (mut words, mut ends) = (String::new(), Vec::new());
        for_each_word(text, |word| {
            words.push_str(word);
            ends.push(words.len());
        });
        Self { text, words, ends }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The words, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.words[std::mem::replace(&mut start, end)..end])
    }
}

fn end_word(word: &mut String, n_chars: &mut usize, each: &mut impl FnMut(&str)) {
    if WORD_CHARS.contains(n_chars) {
        each(word);
    }
    word.clear();
    *n_chars = 0;
}

/// Where the words of [`for_each_word`] stand in `text`, in bytes. Starts and ends ascend; a pair
/// of characters shares one with the pair before it. Linear in the text.
///
/// `for_each_word` is not asked itself: it makes strings, and places would make it larger in
/// browsers, which look for them in few texts.
#[must_use]
pub fn word_places(text: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let (mut start, mut n_chars) = (0, 0);
    // Where the last character begins, if it is of a script without spaces.
    let mut before = None;
    // What is behind the text ends a word too.
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let unspaced = is_unspaced(c);
        if !unspaced && c.is_alphabetic() {
            if n_chars == 0 {
                start = at;
            }
            n_chars += 1;
            before = None;
            continue;
        }
        if WORD_CHARS.contains(&n_chars) {
            places.push(start..at);
        }
        n_chars = 0;
        if let Some(before) = before.filter(|_| unspaced) {
            places.push(before..at + c.len_utf8());
        }
        before = unspaced.then_some(at);
    }
    places
}

/// What [`for_each_compound`] finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compound<'a> {
    /// A word within a word of [`for_each_word`]: `Hash` and `Map` of `HashMap`.
    Part(&'a str),
    /// An identifier or a number, whole.
    Identifier(&'a str),
}

/// The fewest and the most bytes of an identifier.
const IDENTIFIER_BYTES: std::ops::RangeInclusive<usize> = 2..=64;
/// The fewest and the most digits of a number.
const NUMBER_DIGITS: std::ops::RangeInclusive<usize> = 3..=8;

/// Calls `each` with what technical texts are searched by and [`for_each_word`] takes apart or
/// leaves together, as it is written, in order.
///
/// An *atom* is a maximal run of ASCII letters, digits and underscores that no other letter
/// touches. It is an identifier if it has letters and besides them a digit or an inner underscore,
/// and a number if it has 3 to 8 digits and nothing else. Two atoms with `::` or one `.` between
/// them, neither of which begins with a digit, are an identifier together:
/// `std::collections::HashMap` gives `std::collections` and `collections::HashMap`, so that each of
/// its forms shares one with the others. Within an atom, words are parts that begin where a capital
/// follows a small letter, or is followed by one after capitals: `HTTPServer` gives `HTTP` and
/// `Server`.
///
/// Linear in the text.
pub fn for_each_compound<'a>(text: &'a str, mut each: impl FnMut(Compound<'a>)) {
    let bytes = text.as_bytes();
    let is_atomic =
        |at: usize| bytes.get(at).is_some_and(|&b| b.is_ascii_alphanumeric() || b == b'_');
    // Beside what is of ASCII alone, a character begins.
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    // Where the atom before begins, if what is behind it joins it to the next.
    let mut joined: Option<usize> = None;
    let mut at = 0;
    while at < bytes.len() {
        if !is_atomic(at) {
            at += 1;
            continue;
        }
        let start = at;
        while is_atomic(at) {
            at += 1;
        }
        let before = joined.take();
        if is_letter(text[at..].chars().next()) || is_letter(text[..start].chars().next_back()) {
            continue;
        }
        let begins_with_digit = bytes[start].is_ascii_digit();
        if let Some(before) = before.filter(|_| !begins_with_digit) {
            identifier(&text[before..at], &mut each);
        }
        atom(&text[start..at], &mut each);
        let joint = match &bytes[at..] {
            [b':', b':', ..] => 2,
            [b'.', ..] => 1,
            _ => 0,
        };
        if joint > 0 && !begins_with_digit && is_atomic(at + joint) {
            joined = Some(start);
            at += joint;
        }
    }
}

fn identifier<'a>(text: &'a str, each: &mut impl FnMut(Compound<'a>)) {
    if IDENTIFIER_BYTES.contains(&text.len()) {
        each(Compound::Identifier(text));
    }
}

/// An atom, whole if it is an identifier or a number, and the parts of its words.
fn atom<'a>(atom: &'a str, each: &mut impl FnMut(Compound<'a>)) {
    let bytes = atom.as_bytes();
    let (mut letters, mut digits, mut turns) = (0, 0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        letters += usize::from(byte.is_ascii_alphabetic());
        digits += usize::from(byte.is_ascii_digit());
        turns += usize::from(at > 0 && byte.is_ascii_uppercase());
    }
    let bare = atom.trim_matches('_');
    if letters == 0 {
        if NUMBER_DIGITS.contains(&digits) && digits == bytes.len() {
            each(Compound::Identifier(atom));
        }
        return;
    }
    if digits > 0 || bare.contains('_') {
        identifier(bare, each);
    }
    if turns == 0 {
        return;
    }
    for word in bare.split(|c: char| !c.is_ascii_alphabetic()) {
        parts(word, each);
    }
}

/// The parts of a word of ASCII letters, if it has several.
fn parts<'a>(word: &'a str, each: &mut impl FnMut(Compound<'a>)) {
    let bytes = word.as_bytes();
    let begins = |at: usize| {
        bytes[at].is_ascii_uppercase()
            && (bytes[at - 1].is_ascii_lowercase()
                || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase))
    };
    let mut start = 0;
    for at in 1..=bytes.len() {
        let end = at == bytes.len();
        // A word that is one part is no part.
        if (end && start > 0) || (!end && begins(at)) {
            if WORD_CHARS.contains(&(at - start)) {
                each(Compound::Part(&word[start..at]));
            }
            start = at;
        }
    }
}

/// Letters of scripts that are written without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}'   // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Myanmar
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3040}'..='\u{30ff}' // Hiragana, Katakana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3134f}' // Han
    ) && c.is_alphabetic()
}

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

    fn stemmer(&self) -> Option<Stemmer> {
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

/// The stop words of each language of a site: words in lower case, as [`for_each_word`] gives them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopLists(LiteMap<Language, Vec<String>>);

impl StopLists {
    /// No lists.
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

    /// The languages and their words, both in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Language, &[String])> {
        self.0.iter().map(|(language, words)| (language, words.as_slice()))
    }

    /// The list of `language`, in order; empty if it has none.
    fn of(&self, language: &Language) -> &[String] {
        self.0.get(language).map_or(&[], Vec::as_slice)
    }

    /// The language whose stop words make up most of `words`, or `None` if no language's do.
    /// Languages are tried in the order of `among`; a later one must do better, not as well.
    #[must_use]
    pub fn guess<'a>(
        &self,
        words: &Words<'_>,
        among: impl IntoIterator<Item = &'a Language>,
    ) -> Option<&'a Language> {
        let mut hits: Vec<_> =
            among.into_iter().map(|language| (language, self.of(language), 0u32)).collect();
        for word in words.iter() {
            for (_, stop, hits) in &mut hits {
                *hits += u32::from(contains(stop, word));
            }
        }
        let mut best = (0, None);
        for (language, _, hits) in hits {
            if hits > best.0 {
                best = (hits, Some(language));
            }
        }
        best.1
    }
}

fn contains(list: &[String], word: &str) -> bool {
    list.binary_search_by(|entry| entry.as_str().cmp(word)).is_ok()
}

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
        let mut written: Vec<Cow<'_, str>> = Vec::new();
        let mut add = |stem: &str, word| {
            met.push((term_id(stem), written.len() as u32));
            written.push(word);
        };
        for word in words.iter() {
            if let Some(stem) = self.term(word) {
                add(&stem, Cow::Borrowed(word));
            }
        }
        if compounds {
            for_each_compound(words.text, |compound| match compound {
                Compound::Part(part) => {
                    let part = part.to_ascii_lowercase();
                    if let Some(stem) = self.term(&part) {
                        add(&stem, Cow::Owned(part.clone()));
                    }
                }
                Compound::Identifier(name) => add(&name.to_ascii_lowercase(), Cow::Borrowed(name)),
            });
        }
        // By place too, so that of each term the first word comes first.
        sort::by_key(&mut met, |&entry| entry);
        let mut terms: Vec<TextTerm> = Vec::new();
        for (id, at) in met {
            match terms.last_mut() {
                Some(term) if term.id == id => term.tf += 1,
                _ => {
                    let word = take(&mut written[at as usize]).into_owned();
                    terms.push(TextTerm { id, tf: 1, word });
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::is_identifier;
    use proptest::prelude::*;

    #[track_caller]
    fn check_words(text: &str, expected: &[&str]) {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_owned()));
        assert_eq!(words, expected);
        assert_eq!(Words::of(text).iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_is_not_alphabetic_separates_words() {
        check_words("Red-fox, 2nd_edition: don't X", &["red", "fox", "nd", "edition", "don"]);
        check_words("ÜBER straße 3ème", &["über", "straße", "ème"]);
        check_words("", &[]);
    }

    #[test]
    fn scripts_without_spaces_give_pairs() {
        check_words("東京都 a東京", &["東京", "京都", "東京"]);
    }

    #[test]
    fn very_long_words_are_no_words() {
        check_words(&format!("{} {}", "a".repeat(40), "b".repeat(41)), &["a".repeat(40).as_str()]);
    }

    #[track_caller]
    fn check_compounds(text: &str, parts: &str, identifiers: &str) {
        let (mut found_parts, mut found_identifiers) = (Vec::new(), Vec::new());
        for_each_compound(text, |compound| match compound {
            Compound::Part(part) => found_parts.push(part),
            Compound::Identifier(name) => found_identifiers.push(name),
        });
        assert_eq!((&*found_parts.join(" "), &*found_identifiers.join(" ")), (parts, identifiers));
    }

    #[test]
    fn identifiers_are_whole_and_words_have_parts() {
        check_compounds("run pg_dump --all", "", "pg_dump");
        check_compounds("AH01630: client denied", "", "AH01630");
        check_compounds("ConcurrentModificationException", "Concurrent Modification Exception", "");
        check_compounds("HTTPServer, HashMap2, XMLHTTP", "HTTP Server Hash Map", "HashMap2");
        check_compounds("__init__ _x", "", "");
        check_compounds("std::vec", "", "std::vec");
        let names = "std::collections collections::HashMap";
        check_compounds("std::collections::HashMap", "Hash Map", names);
        check_compounds("pg_hba.conf.", "", "pg_hba pg_hba.conf");
        check_compounds("in 2024, port 5432: 1.25 at 12", "", "2024 5432");
        check_compounds("end.Start 3.x v1.2", "", "end.Start v1");
        check_compounds("über_alles naïve2 été.fr", "", "");
        check_compounds("“pg_dump”\u{a0}x_y…", "", "pg_dump x_y");
        check_compounds("a..b a.:b x:::y", "", "");
    }

    proptest! {
        #[test]
        fn compounds_of_any_text_stand_in_it(text in "([a-zA-Z0-9_:.é ]|::){0,60}") {
            let mut last = 0;
            for_each_compound(&text, |compound| {
                let (Compound::Part(found) | Compound::Identifier(found)) = compound;
                let at = found.as_ptr() as usize - text.as_ptr() as usize;
                assert!(text[at..].starts_with(found) && at >= last.min(at));
                assert!(found.bytes().all(|b| b.is_ascii()) && found.len() <= 64);
                last = at;
            });
        }
    }

    #[test]
    fn terms_of_a_text_have_its_identifiers() {
        let stop = StopLists::new();
        let analyzer = Analyzer::new(&Language::english(), &stop);
        let terms = |compounds| {
            let mut words: Vec<_> = analyzer
                .counts(&Words::of("pg_dump of HashMaps"), compounds)
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
            .counts(&Words::of("The loaves, a loaf don't bake: BAKING bakes"), true);
        let mut terms: Vec<_> =
            terms.iter().map(|term| (term.word.as_str(), term.tf, term.id)).collect();
        terms.sort_unstable();
        let stems = ["bake", "loaf", "loav"].map(term_id);
        assert_eq!(terms, [("bake", 3, stems[0]), ("loaf", 1, stems[1]), ("loaves", 1, stems[2])]);
    }

    #[test]
    fn a_language_is_known_by_its_stop_words() {
        let (en, de) = (Language::english(), Language::from_tag("de-CH").unwrap());
        let mut stop = StopLists::new();
        stop.insert(en.clone(), ["the", "and", "in"]);
        stop.insert(de.clone(), ["der", "und", "in"]);
        let among = [en, de];
        assert_eq!(stop.guess(&Words::of("Brot und Salz in der Pfanne"), &among), Some(&among[1]));
        assert_eq!(stop.guess(&Words::of("in in in"), &among), Some(&among[0]));
        assert_eq!(stop.guess(&Words::of("zzz"), &among), None);
    }

    #[test]
    fn tags_give_their_primary_language() {
        assert_eq!(Language::from_tag(" PT_br ").unwrap().code(), "pt");
        assert_eq!(Language::from_tag("x"), None);
        assert_eq!(Language::from_tag("日本"), None);
    }
}
