//! Splits text into words.

use std::ops::Range;

use super::characters::{Kind, composed, is_digit, joins_next, kind, may_compose, of_usual_width};
use super::lower_case::lower;

/// Minimum and maximum number of characters of a word.
pub(super) const WORD_CHARS: std::ops::RangeInclusive<usize> = 2..=40;

/// Whether usual words are taken at once, without trying all rules. A build reads gigabytes. A
/// browser reads little, and does without the code.
pub(super) const SKIPS_USUAL_WORDS: bool = cfg!(not(target_arch = "wasm32"));

/// Maximum number of bytes of a character with its marks in a script without spaces. Further marks
/// are dropped, so that the length of pairs is bounded, too.
const MAX_UNIT_BYTES: usize = 64;

/// Calls `each` with every word of `text`, in lower case, in order. Linear in the text.
pub fn for_each_word(text: &str, mut each: impl FnMut(&str)) {
    for_each_word_at(text, &mut |_, word| each(word));
}

/// Calls `each` with every word and its byte range in `text`. Starts and ends ascend. A pair of
/// characters shares one with the pair before it.
pub(crate) fn for_each_word_at(text: &str, each: &mut dyn FnMut(Range<usize>, &str)) {
    Cut::default().cut(text, each);
}

/// Calls `each` with every token of `text` and its byte range, in order: words as of
/// [`for_each_word`] but of any length, single characters of scripts without spaces, and numbers,
/// which are runs of digits of any script ([`is_number`]). A word longer than the maximum of
/// [`for_each_word`] is split. Linear in the text.
pub fn for_each_token_at(text: &str, each: &mut dyn FnMut(Range<usize>, &str)) {
    Cut { all: true, ..Cut::default() }.cut(text, each);
}

/// Returns whether a token of [`for_each_token_at`] is a number.
#[must_use]
pub fn is_number(token: &str) -> bool {
    token.chars().next().is_some_and(is_digit)
}

/// Returns whether a token of [`for_each_token_at`] is a number or a single character: what
/// distinguishes releases, sizes, or annexes.
#[must_use]
pub fn is_number_or_letter(token: &str) -> bool {
    is_number(token) || token.chars().nth(1).is_none()
}

/// The current word or number; in a script without spaces, up to two characters with their marks.
#[derive(Default)]
struct Cut {
    /// Whether to report numbers, and words of any length.
    all: bool,
    /// Whether the current token is a number.
    in_number: bool,
    word: String,
    place: Range<usize>,
    /// Number of characters in a script with spaces.
    chars: usize,
    /// Number of characters in a script without spaces, without marks.
    units: usize,
    /// Start of the second of these, in the word and in the text.
    second: (usize, usize),
    /// Start of the last letter in the word.
    letter: usize,
}

impl Cut {
    fn cut(&mut self, text: &str, each: &mut dyn FnMut(Range<usize>, &str)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(written) = text[at..].chars().next() {
            let mut end = at + written.len_utf8();
            if SKIPS_USUAL_WORDS && self.word.is_empty() && written.is_ascii() {
                if let Some(end_of_word) = ascii_word_end(bytes, at) {
                    end = end_of_word;
                    self.word.push_str(&text[at..end]);
                    self.word.make_ascii_lowercase();
                    (self.place, self.chars) = (at..end, end - at);
                    self.end(each);
                } else if written.is_ascii_alphanumeric() {
                    self.push(at, written, each);
                }
            } else {
                self.push(at, written, each);
            }
            at = end;
        }
        self.end(each);
    }

    /// Adds the character at a place of the text.
    fn push(&mut self, at: usize, written: char, each: &mut dyn FnMut(Range<usize>, &str)) {
        let c = of_usual_width(written);
        let kind = kind(c);
        if self.is_full(kind) {
            if !self.all || kind != Kind::Letter {
                return;
            }
            self.end(each);
        }
        match kind {
            Kind::Letter => {
                if self.units > 0 || self.in_number {
                    self.end(each);
                }
                if self.word.is_empty() {
                    self.place.start = at;
                }
                if c.is_ascii() {
                    self.letter = self.word.len();
                    self.word.push(c.to_ascii_lowercase());
                    self.chars += 1;
                } else {
                    self.letter(lower(c));
                }
            }
            Kind::Unspaced => self.unspaced(at, c, each),
            Kind::Mark | Kind::Ignored if self.word.is_empty() => return,
            Kind::Mark => self.mark(c),
            Kind::Ignored => _ = self.compose(c),
            Kind::Other if self.all && is_digit(c) => {
                if !self.in_number {
                    self.end(each);
                    (self.place.start, self.in_number) = (at, true);
                }
                self.letter = self.word.len();
                self.word.push(c);
            }
            Kind::Other => {
                self.end(each);
                return;
            }
        }
        self.place.end = at + written.len_utf8();
    }

    /// Returns whether a character of this kind is dropped because the word is too long already.
    #[inline]
    fn is_full(&self, kind: Kind) -> bool {
        match kind {
            // Such a word is dropped, whatever follows.
            Kind::Letter => self.chars > *WORD_CHARS.end(),
            Kind::Mark | Kind::Ignored => self.chars > *WORD_CHARS.end() || self.is_full_unit(),
            Kind::Unspaced | Kind::Other => false,
        }
    }

    fn is_full_unit(&self) -> bool {
        let start = if self.units == 2 { self.second.0 } else { 0 };
        self.units > 0 && self.word.len() - start >= MAX_UNIT_BYTES
    }

    /// Adds a letter of a script with spaces, which may also be a mark.
    fn letter(&mut self, c: char) {
        if !self.compose(c) {
            self.letter = self.word.len();
            self.word.push(c);
            self.chars += 1;
        }
    }

    fn mark(&mut self, c: char) {
        if !self.compose(c) {
            self.word.push(c);
            self.chars += usize::from(self.units == 0);
        }
    }

    fn unspaced(&mut self, at: usize, c: char, each: &mut dyn FnMut(Range<usize>, &str)) {
        if self.units == 0 {
            self.end(each);
            self.place.start = at;
        } else if self.word.chars().next_back().is_some_and(joins_next) && !self.is_full_unit() {
            self.letter = self.word.len();
            self.word.push(c);
            return;
        } else {
            if self.units == 2 {
                each(self.place.clone(), &self.word);
                self.word = self.word.split_off(self.second.0);
                self.place.start = self.second.1;
            }
            self.second = (self.word.len(), at);
        }
        self.units = 2.min(self.units + 1);
        self.letter = self.word.len();
        self.word.push(c);
    }

    /// Composes a mark with the character before it, or else with the last letter. Returns false if
    /// neither is possible.
    fn compose(&mut self, mark: char) -> bool {
        if !may_compose(mark) {
            return false;
        }
        let last = self.word.char_indices().next_back().map_or(0, |(at, _)| at);
        for at in [last, self.letter] {
            let Some(letter) = self.word[at..].chars().next() else { return false };
            // The dot of a decomposed `İ`.
            if (letter, mark) == ('i', '\u{307}') {
                return true;
            }
            if let Some(whole) = composed(letter, mark) {
                let rest = self.word.split_off(at + letter.len_utf8());
                self.word.truncate(at);
                self.word.push(whole);
                self.word.push_str(&rest);
                return true;
            }
        }
        false
    }

    fn end(&mut self, each: &mut dyn FnMut(Range<usize>, &str)) {
        let is_word = self.units == 2 || (self.units == 0 && WORD_CHARS.contains(&self.chars));
        if is_word || (self.all && !self.word.is_empty()) {
            each(self.place.clone(), &self.word);
        }
        self.word.clear();
        (self.chars, self.units, self.in_number) = (0, 0, false);
    }
}

/// Returns the end of the word of ASCII letters that starts at `at`, if it is not too long and no
/// mark can follow it. Most words are such, and are read whole.
fn ascii_word_end(bytes: &[u8], at: usize) -> Option<usize> {
    let n = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_usual = (1..=*WORD_CHARS.end()).contains(&n);
    (is_usual && bytes.get(at + n).is_none_or(u8::is_ascii)).then_some(at + n)
}

/// Returns the second character of a pair, with its marks, or `None` if `word` is not a pair.
#[must_use]
pub fn second_of_pair(word: &str) -> Option<&str> {
    let mut before = None;
    for (at, c) in word.char_indices() {
        match (kind(c), before) {
            (Kind::Unspaced, Some(before)) if !joins_next(before) => return Some(&word[at..]),
            (Kind::Unspaced, _) | (Kind::Mark, Some(_)) => before = Some(c),
            _ => return None,
        }
    }
    None
}

/// Returns the byte ranges of the words of [`for_each_word`] in `text`. Linear in the text.
#[must_use]
pub fn word_places(text: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for_each_word_at(text, &mut |place, _| places.push(place));
    places
}

/// The words of a text, split once.
#[derive(Debug, Clone)]
pub struct Words<'a> {
    text: &'a str,
    /// The words, concatenated.
    words: String,
    /// The end of each word.
    ends: Vec<usize>,
    /// Whether each word is a pair that shares a character with the one before.
    overlaps: Vec<bool>,
}

impl<'a> Words<'a> {
    /// Splits `text` with [`for_each_word`]. Linear in the text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let (mut words, mut ends, mut overlaps) = (String::new(), Vec::new(), Vec::new());
        let mut before = 0;
        for_each_word_at(text, &mut |place, word| {
            words.push_str(word);
            ends.push(words.len());
            overlaps.push(place.start < before);
            before = place.end;
        });
        Self { text, words, ends, overlaps }
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns all words, concatenated. Overlapping pairs are complete.
    pub(super) fn letters(&self) -> &str {
        &self.words
    }

    /// Returns the words, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.words[std::mem::replace(&mut start, end)..end])
    }

    /// Returns for each word whether it is a pair of characters whose first is the second of the
    /// previous word.
    #[must_use]
    pub fn overlaps(&self) -> &[bool] {
        &self.overlaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    fn words_of(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words_of(text), expected);
        assert_eq!(Words::new(text).iter().collect::<Vec<_>>(), expected);
        let (nfc, nfd) = (text.nfc().collect::<String>(), text.nfd().collect::<String>());
        assert_eq!(words_of(&nfc), expected, "composed");
        assert_eq!(words_of(&nfd), expected, "decomposed");
    }

    #[test]
    fn nonalphabetic_characters_separate_words() {
        check("Red-fox, 2nd_edition: don't X", &["red", "fox", "nd", "edition", "don"]);
        check("ÜBER straße 3ème", &["über", "straße", "ème"]);
        check("İstanbul I\u{307}stanbul DİKKAT", &["istanbul", "istanbul", "dikkat"]);
        check("", &[]);
    }

    fn tokens_of(text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        for_each_token_at(text, &mut |_, token| tokens.push(token.to_owned()));
        tokens
    }

    #[test]
    fn all_apostrophes_separate_words() {
        for apostrophe in ['\'', '\u{2019}', '\u{2bc}'] {
            check(&format!("п{apostrophe}ять об{apostrophe}єктів"), &["ять", "об", "єктів"]);
        }
    }

    #[test]
    fn numbers_and_words_of_any_length_are_tokens() {
        let long = "a".repeat(41);
        for (text, expected) in [
            (
                "Size S, 2nd edition: $1,200.50",
                &["size", "s", "2", "nd", "edition", "1", "200", "50"][..],
            ),
            ("v1.9 x86_64", &["v", "1", "9", "x", "86", "64"]),
            ("٣٤ पृष्ठ १२", &["٣٤", "पृष्ठ", "१२"]),
            ("第12章 水", &["第", "12", "章", "水"]),
            ("½ cup, m²", &["½", "cup", "m", "²"]),
            ("น้ำ ๕", &["น้ำ", "๕"]),
            ("- . \u{301} !", &[]),
            (&long, &[&long]),
        ] {
            assert_eq!(tokens_of(text), expected, "{text}");
        }
        assert!(["1", "²", "๕"].into_iter().all(is_number));
        assert!(!["a1", "第", ""].into_iter().any(is_number));
    }

    #[test]
    fn very_long_words_are_dropped() {
        check(&format!("{} {}", "a".repeat(40), "b".repeat(41)), &["a".repeat(40).as_str()]);
    }

    /// Returns the maximum number of bytes of a word while `text` is split.
    fn max_word_bytes(text: &str) -> usize {
        let mut max = 0;
        let mut cut = Cut::default();
        cut.cut(text, &mut |_, word| max = max.max(word.len()));
        max.max(cut.word.capacity())
    }

    #[test]
    fn the_length_of_words_is_bounded() {
        let marks = "\u{301}\u{320}\u{345}".repeat(10_000);
        let parts = "\u{1100}\u{1161}\u{11a8}".repeat(10_000);
        let vowels = "\u{e40}".repeat(10_000);
        for text in [
            format!("a{marks}"),
            format!("か{marks}"),
            format!("か東{marks}京"),
            parts,
            format!("\u{1100}{}", "\u{1161}".repeat(10_000)),
            format!("{vowels}ก"),
            format!("กก{vowels}ก"),
            "é".repeat(10_000),
        ] {
            let start: String = text.chars().take(4).collect();
            assert!(max_word_bytes(&text) <= 1_024, "{start:?}: {}", max_word_bytes(&text));
        }
        // A character that ends a word that is too long starts the next one.
        check(&format!("a{marks}東京 ab"), &["東京", "ab"]);
        check(&format!("{} ab", "ж".repeat(41)), &["ab"]);
        let longest = format!("か{}", "\u{320}".repeat(31));
        let word = format!("{longest}東");
        assert_eq!(words_of(&format!("か{}東", "\u{320}".repeat(99)))[0].len(), 64 + 1 + 3);
        assert_eq!(words_of(&word), [&*word]);
    }

    #[test]
    fn marks_stay_with_their_letters() {
        check("हिन्दी में रोटी पढ़ना", &["हिन्दी", "में", "रोटी", "प\u{95d}ना"]);
        check("தமிழ் மொழி கொள்கை", &["தமிழ்", "மொழி", "கொள்கை"]);
        check("Tiếng Việt, Ǹǹ x̂y á̱b", &["tiếng", "việt", "ǹǹ", "x̂y", "á\u{331}b"]);
        check("ё́лка й Ελλάδα", &["ё́лка", "ελλάδα"]);
        check("\u{301} \u{301}ab \u{94d}", &["ab"]);
    }

    #[test]
    fn optional_marks_are_dropped() {
        check("שָׁלוֹם", &["שלום"]);
        check("كِتَابٌ أُمّ العـــربية", &["كتاب", "أم", "العربية"]);
        check("Silben\u{ad}trennung \u{200e}ab\u{200e}", &["silbentrennung", "ab"]);
        check("می\u{200c}خواهم क्\u{200d}ष", &["میخواهم", "क्ष"]);
        check("ab\u{200b}cd", &["ab", "cd"]);
    }

    #[test]
    fn scripts_without_spaces_give_pairs() {
        check("東京都 a東京", &["東京", "京都", "東京"]);
        check("부산까지 서울", &["부산", "산까", "까지", "서울"]);
        check("\u{1107}\u{116e}\u{1109}\u{1161}\u{11ab}", &["부산"]);
        check("ｻｰﾊﾞｰ ＡＰＩ", &["サー", "ーバ", "バー", "api"]);
        check("人々がが", &["人々", "々が", "がが"]);
        check("น้ำที่เก่า", &["น้ำที่", "ที่เก่า"]);
        check("ภาษาไทย แ", &["ภาษา", "ษาไท", "ไทย"]);
        check("ພາສາລາວ", &["ພາສາ", "ສາລາ", "ລາວ"]);
        check("ភាសាខ្មែរ", &["ភាសា", "សាខ្មែ", "ខ្មែរ"]);
        check("ဗမာစာ", &["ဗမာ", "မာစာ"]);
        check("水。火", &[]);
    }

    #[test]
    fn pairs_have_a_second_character() {
        assert_eq!(second_of_pair("น้ำเก่า"), Some("เก่า"));
        assert_eq!(second_of_pair("เก่านึ"), Some("นึ"));
        assert_eq!(second_of_pair("เก่า"), None);
        assert_eq!(second_of_pair("東京"), Some("京"));
        assert_eq!(second_of_pair("ab"), None);
    }

    #[test]
    fn ranges_of_words_include_marks() {
        let text = "cafe\u{301}, น้ำที่นี่ नमस्ते 3";
        let places = word_places(text);
        let found: Vec<_> = places.into_iter().map(|place| &text[place]).collect();
        assert_eq!(found, ["cafe\u{301}", "น้ำที่", "ที่นี่", "नमस्ते"]);
        assert_eq!(Words::new(text).overlaps(), [false, false, true, false]);
    }

    /// Returns whether `c` canonically decomposes into one other character or into marks only, or
    /// is a presentation form.
    fn is_equivalent_to_another(c: char) -> bool {
        let whole: Vec<char> = std::iter::once(c).nfc().collect();
        matches!(*whole, [other] if other != c)
            || matches!(c, '\u{344}' | '\u{f73}' | '\u{f75}' | '\u{f81}' | '\u{fb1d}'..='\u{fb4f}')
    }

    #[test]
    fn a_letter_is_the_same_in_any_normalization_form() {
        for c in ('\u{80}'..='\u{ffff}').filter(|&c| !is_equivalent_to_another(c)) {
            let text = format!("xx{c}xx {c}{c}");
            let decomposed: String = text.nfd().collect();
            assert_eq!(words_of(&text), words_of(&decomposed), "{c:?} U+{:04X}", u32::from(c));
        }
    }

    proptest! {
        /// Compares with adding one character at a time.
        #[test]
        fn words_that_are_read_whole_are_the_same(text in "([a-cA-C]{0,5}[_1é\u{301}\u{ad}東ａ. -]?|[a-z]{38,43}){0,12}", all: bool) {
            let new = || Cut { all, ..Cut::default() };
            let (mut whole, mut slow) = (Vec::new(), Vec::new());
            new().cut(&text, &mut |place, token| whole.push((place, token.to_owned())));
            let each = &mut |place: Range<usize>, token: &str| slow.push((place, token.to_owned()));
            let mut cut = new();
            text.char_indices().for_each(|(at, c)| cut.push(at, c, each));
            cut.end(each);
            prop_assert_eq!(whole, slow);
        }

        /// Words are the tokens that are not numbers and not too short or too long.
        #[test]
        fn words_are_tokens(text in "[a-c1٣½東京กงé .\u{301}\u{ad}]{0,60}") {
            let mut tokens = tokens_of(&text);
            tokens.retain(|token| {
                let is_pair = second_of_pair(token).is_some();
                let is_word = !token.starts_with(['東', '京', 'ก', 'ง']) && WORD_CHARS.contains(&token.chars().count());
                !is_number(token) && (is_pair || is_word)
            });
            prop_assert_eq!(tokens, words_of(&text));
        }

        #[test]
        fn a_text_is_the_same_in_any_normalization_form(text in "[a-zé\u{300}-\u{345}אבגดกงต้ำहिन्दी가각각がかー東京 .]{0,40}") {
            let (nfc, nfd): (String, String) = (text.nfc().collect(), text.nfd().collect());
            assert_eq!(words_of(&nfc), words_of(&nfd));
            let places = word_places(&text);
            assert_eq!(places.len(), words_of(&text).len());
            assert!(places.is_sorted_by(|a, b| a.start < b.start && a.end < b.end));
            for (place, word) in places.into_iter().zip(words_of(&text)) {
                assert_eq!(words_of(&text[place]), [word]);
            }
        }
    }
}
