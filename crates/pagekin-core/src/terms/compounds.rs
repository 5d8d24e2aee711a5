//! Identifiers, and parts of words, as additional terms of technical texts.

use super::characters::{Kind, is_in_spaced_word, kind};
use super::words::{SKIPS_USUAL_WORDS, WORD_CHARS};

/// A result of [`for_each_compound`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compound<'a> {
    /// A word within a word of [`for_each_word`](super::for_each_word): `Hash` and `Map` of
    /// `HashMap`.
    Part(&'a str),
    /// An identifier or a number, whole.
    Identifier(&'a str),
}

impl<'a> Compound<'a> {
    /// Returns the compound as written in the text. No string is both a part and an identifier.
    #[must_use]
    pub fn written(self) -> &'a str {
        let (Self::Part(written) | Self::Identifier(written)) = self;
        written
    }
}

/// Minimum and maximum number of bytes of an identifier.
const IDENTIFIER_BYTES: std::ops::RangeInclusive<usize> = 2..=64;
/// Minimum and maximum number of digits of a number.
const NUMBER_DIGITS: std::ops::RangeInclusive<usize> = 3..=8;
/// Maximum number of digits of a part of a number with dots.
const MAX_PART_DIGITS: usize = 4;
/// Maximum number of letters or digits of each part of `AT&T` and `3/2021`.
const MAX_JOINED: usize = 4;
/// Maximum number of letters before the signs of a name: `Notepad++`.
const MAX_SIGNED_LETTERS: usize = 10;

/// Calls `each` with the compounds of `text`, as written, in order: identifiers and numbers, which
/// [`for_each_word`](super::for_each_word) splits or drops, and parts of words, which it does not
/// split.
///
/// An *atom* is a maximal run of ASCII letters, digits and underscores that is not adjacent to
/// another letter, except those of scripts without spaces. An atom is
///
/// - an identifier if it has letters and also a digit or an inner underscore;
/// - a number if it consists of 3 to 8 digits.
///
/// Several atoms are an identifier, too:
///
/// - two atoms separated by `::` or one `.`, neither of which starts with a digit:
///   `std::collections::HashMap` gives `std::collections` and `collections::HashMap`, so that all
///   its forms share an identifier;
/// - digits followed by atoms that start with a digit, each after one `.`, none of more than
///   4 digits: `2.14.3`, `10.0.0.1`, `3.12rc1`. A `v` before the digits does not belong to them,
///   and neither do their atoms count;
/// - a date: `2024-03-05`;
/// - at most 10 letters, `-` or `/`, and an atom that starts with a digit, which others may follow
///   after `-` or `.`: `UTF-8`, `HTTP/1.1`, `CVE-2024-1234`;
/// - short runs of letters, at least one of them a single letter, joined by `&` or `/`, and short
///   numbers joined by `/` or `:`, other than in paths and addresses: `AT&T`, `I/O`, `24/7`,
///   `07:15`;
/// - a number whose thousands are separated, with and without its decimals: `1,299.00`.
///
/// So are at most 10 letters and `++` or `#`, such as `C++` and `C#`, and an atom of letters after
/// a `.` that begins a word, such as `.NET`.
///
/// A part of a word starts at a capital that follows a small letter, or that follows a capital and
/// precedes a small letter: `HTTPServer` gives `HTTP` and `Server`.
///
/// Linear in the text.
pub fn for_each_compound<'a>(text: &'a str, mut each: impl FnMut(Compound<'a>)) {
    compounds(text, &mut each);
}

fn is_atomic(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the end of the atom that starts at `at`, which is `at` if there is none.
fn atom_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|&&byte| is_atomic(byte)).count()
}

/// Takes the closure as `&mut dyn` so that the browser downloads the code only once.
fn compounds<'a>(text: &'a str, each: &mut dyn FnMut(Compound<'a>)) {
    let bytes = text.as_bytes();
    // Atoms cover all of ASCII that they may have, so their ends are character boundaries.
    let is_letter = |c: Option<char>| c.is_some_and(is_in_spaced_word);
    // Start of the previous atom, if its separator joins it to the next atom.
    let mut joined: Option<usize> = None;
    let mut at = 0;
    while at < bytes.len() {
        if !is_atomic(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        at = atom_end(bytes, at);
        let before = joined.take();
        if SKIPS_USUAL_WORDS && before.is_none() && is_plain_word(bytes, start, at) {
            continue;
        }
        if is_letter(text[at..].chars().next()) || is_letter(text[..start].chars().next_back()) {
            continue;
        }
        joined_names(text, start, at, each);
        if before.is_none()
            && let Some((from, end)) = version(bytes, start, at)
        {
            identifier(&text[from..end], each);
            at = end;
            continue;
        }
        if let Some(end) = signed(bytes, start, at) {
            identifier(&text[start..end], each);
        }
        let is_dotted = bytes[..start].ends_with(b".")
            && bytes[start..at].iter().all(u8::is_ascii_alphabetic)
            && matches!(&bytes[..start - 1], [] | [.., b' ' | b'\n' | b'\t' | b'(' | b'"' | b'`']);
        if is_dotted {
            identifier(&text[start - 1..at], each);
        }
        let begins_with_digit = bytes[start].is_ascii_digit();
        if let Some(before) = before.filter(|_| !begins_with_digit) {
            identifier(&text[before..at], each);
        }
        atom(&text[start..at], each);
        let joint = match &bytes[at..] {
            [b':', b':', ..] => 2,
            [b'.', ..] => 1,
            _ => 0,
        };
        if joint > 0 && !begins_with_digit && bytes.get(at + joint).is_some_and(|&b| is_atomic(b)) {
            joined = Some(start);
            at += joint;
        }
    }
}

/// Whether nothing but an atom before it can make a compound of the atom from `start` to `end`.
/// Most words of a text are such, and are skipped several times faster than the rules are tried.
fn is_plain_word(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_joined = match bytes[end..] {
        [b'+' | b'#' | b'&' | b'/', ..] => true,
        [b'-', next, ..] => next.is_ascii_digit(),
        [b'.' | b':', next, ..] => next == b':' || is_atomic(next),
        _ => false,
    };
    bytes[start].is_ascii_alphabetic()
        && bytes[start + 1..end].iter().all(u8::is_ascii_lowercase)
        && !is_joined
        && !bytes[..start].ends_with(b".")
}

/// Reports the letters or numbers that start with an atom and that signs join.
fn joined_names<'a>(text: &'a str, start: usize, at: usize, each: &mut dyn FnMut(Compound<'a>)) {
    let bytes = text.as_bytes();
    if let Some(end) = joined_parts(bytes, start, at)
        && !text[end..].chars().next().is_some_and(is_in_spaced_word)
    {
        identifier(&text[start..end], each);
    }
    if let Some(end) = thousands(bytes, start, at) {
        identifier(&text[start..end], each);
        if let [b'.', digit, ..] = bytes[end..]
            && digit.is_ascii_digit()
            && bytes[end + 1..atom_end(bytes, end + 1)].iter().all(u8::is_ascii_digit)
        {
            identifier(&text[start..atom_end(bytes, end + 1)], each);
        }
    }
}

/// Returns the place of the number with dots that starts with the atom at `start`, which may begin
/// with a `v`.
fn version(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let from = start + usize::from(matches!(bytes[start], b'v' | b'V'));
    if from == end || !bytes[from..end].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let last = followers(bytes, end, b".");
    // The digits of a measured number are not a name.
    let is_long = |part: &[u8]| part.len() > MAX_PART_DIGITS && part.iter().all(u8::is_ascii_digit);
    let is_measured = bytes[from..last].split(|&byte| byte == b'.').any(is_long);
    (last > end && !is_measured).then_some((from, last))
}

/// Returns the end of the letters or numbers that start with the atom from `start` to `end` and
/// that one sign joins: `AT&T`, `24/7`.
fn joined_parts(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let is_number = bytes[start].is_ascii_digit();
    let (joins, is_of): (_, fn(&u8) -> bool) = match is_number {
        true => (b"/:", u8::is_ascii_digit),
        false => (b"&/", u8::is_ascii_alphabetic),
    };
    let sign = *bytes.get(end)?;
    let follows_path = bytes[..start].last().is_some_and(|byte| b"/&:.-=,\\?@%~#".contains(byte));
    if !joins.contains(&sign) || follows_path {
        return None;
    }
    let (mut at, mut last, mut has_letter) = (start, end, false);
    loop {
        let part = &bytes[at..last];
        if part.is_empty() || part.len() > MAX_JOINED || !part.iter().all(is_of) {
            return None;
        }
        has_letter |= part.len() == 1;
        if bytes.get(last) != Some(&sign) || !bytes.get(last + 1).is_some_and(|&b| is_atomic(b)) {
            break;
        }
        at = last + 1;
        last = atom_end(bytes, at);
    }
    let precedes_path = match bytes[last..] {
        [b'/' | b'&' | b'\\', ..] => true,
        [b'.' | b':' | b'=', next, ..] => is_atomic(next),
        _ => false,
    };
    let is_joined = last > end && (is_number || has_letter);
    (is_joined && !precedes_path).then_some(last)
}

/// Returns the end of the number with separated thousands that starts with the atom from `start` to
/// `end`, without its decimals: `1,299`.
fn thousands(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let is_first = end - start <= 3 && bytes[start..end].iter().all(u8::is_ascii_digit);
    if !is_first || bytes[..start].ends_with(b",") || bytes[..start].ends_with(b".") {
        return None;
    }
    let mut last = end;
    while bytes[last..].starts_with(b",")
        && atom_end(bytes, last + 1) == last + 4
        && bytes[last + 1..last + 4].iter().all(u8::is_ascii_digit)
    {
        last += 4;
    }
    (last > end).then_some(last)
}

/// Returns the end of the atoms after `end` that start with a digit, each after one of the
/// `separators`.
fn followers(bytes: &[u8], mut end: usize, separators: &[u8]) -> usize {
    while let [separator, digit, ..] = bytes[end..]
        && separators.contains(&separator)
        && digit.is_ascii_digit()
    {
        end = atom_end(bytes, end + 1);
    }
    end
}

/// Returns the end of the identifier that consists of an atom and signs: a date, a name with a
/// number after `-` or `/`, or a name with `++` or `#`.
fn signed(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let (atom, rest) = (&bytes[start..end], &bytes[end..]);
    if atom.len() == 4 && atom.iter().all(u8::is_ascii_digit) {
        let is_date = rest.len() >= 6
            && [0, 3].iter().all(|&at| rest[at] == b'-' && atom_end(rest, at + 1) == at + 3)
            && [1, 2, 4, 5].iter().all(|&at| rest[at].is_ascii_digit());
        return is_date.then_some(end + 6);
    }
    if atom.len() > MAX_SIGNED_LETTERS || !atom.iter().all(u8::is_ascii_alphabetic) {
        return None;
    }
    match rest {
        [b'+', b'+', ..] => Some(end + 2),
        [b'#', rest @ ..] if atom_end(rest, 0) == 0 => Some(end + 1),
        [b'-' | b'/', digit, ..] if digit.is_ascii_digit() => {
            Some(followers(bytes, atom_end(bytes, end + 1), b"-."))
        }
        _ => None,
    }
}

/// Calls `each` with the short names of `text`, as written, in order: letters, numbers of up to two
/// digits, and characters of scripts without spaces that stand alone. They are terms of titles and
/// headings and of short queries: the R of a title is a name, but letters of a text say nothing.
/// Vowels are not names, because they are words of many languages. Linear in the text.
pub fn for_each_short_name<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    let is_start = |c: Option<char>| {
        c.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '“' | '«' | '/' | '#'))
    };
    let is_end = |rest: &str| {
        let mut chars = rest.chars();
        let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        match chars.next() {
            Some('.' | '-') => is_blank(chars.next()),
            next => {
                is_blank(next)
                    || matches!(
                        next,
                        Some(',' | ';' | ':' | ')' | ']' | '"' | '”' | '»' | '?' | '!' | '/')
                    )
            }
        }
    };
    let is_name = |name: &str| match name.as_bytes() {
        [one] => one.is_ascii_alphanumeric() && !b"aeiouyAEIOUY".contains(one),
        [one, two] => one.is_ascii_digit() && two.is_ascii_digit(),
        _ => {
            let mut chars = name.chars();
            chars.next().is_some_and(|c| kind(c) == Kind::Unspaced) && chars.next().is_none()
        }
    };
    let mut before = None;
    for (at, c) in text.char_indices() {
        if is_start(before) {
            let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
            let end = at + digits.max(c.len_utf8());
            if is_name(&text[at..end]) && is_end(&text[end..]) {
                each(&text[at..end]);
            }
        }
        before = Some(c);
    }
}

fn identifier<'a>(text: &'a str, each: &mut dyn FnMut(Compound<'a>)) {
    if IDENTIFIER_BYTES.contains(&text.len()) {
        each(Compound::Identifier(text));
    }
}

/// Reports the atom if it is an identifier or a number, and the parts of its words.
fn atom<'a>(atom: &'a str, each: &mut dyn FnMut(Compound<'a>)) {
    let bytes = atom.as_bytes();
    let (mut letters, mut digits, mut capitals) = (0, 0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        letters += usize::from(byte.is_ascii_alphabetic());
        digits += usize::from(byte.is_ascii_digit());
        capitals += usize::from(at > 0 && byte.is_ascii_uppercase());
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
    if capitals == 0 {
        return;
    }
    for word in bare.split(|c: char| !c.is_ascii_alphabetic()) {
        parts(word, each);
    }
}

/// Reports the parts of a word of ASCII letters if there are several.
fn parts<'a>(word: &'a str, each: &mut dyn FnMut(Compound<'a>)) {
    let bytes = word.as_bytes();
    let begins = |at: usize| {
        bytes[at].is_ascii_uppercase()
            && (bytes[at - 1].is_ascii_lowercase()
                || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase))
    };
    let mut start = 0;
    for at in 1..=bytes.len() {
        let end = at == bytes.len();
        // The whole word is not a part.
        if (end && start > 0) || (!end && begins(at)) {
            if WORD_CHARS.contains(&(at - start)) {
                each(Compound::Part(&word[start..at]));
            }
            start = at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
    fn identifiers_and_parts_are_found() {
        check_compounds("run pg_dump --all", "", "pg_dump");
        check_compounds("AH01630: client denied", "", "AH01630");
        check_compounds("ConcurrentModificationException", "Concurrent Modification Exception", "");
        check_compounds("HTTPServer, HashMap2, XMLHTTP", "HTTP Server Hash Map", "HashMap2");
        check_compounds("printURL", "print URL", "");
        check_compounds("__init__ _x", "", "");
        check_compounds("std::vec", "", "std::vec");
        let names = "std::collections collections::HashMap";
        check_compounds("std::collections::HashMap", "Hash Map", names);
        check_compounds("pg_hba.conf.", "", "pg_hba pg_hba.conf");
        check_compounds("in 2024, port 5432: 1.25 at 12", "", "2024 5432 1.25");
        check_compounds("end.Start 3.x v1.2", "", "end.Start 1.2");
        check_compounds("über_alles naïve2 été.fr", "", "");
        check_compounds("“pg_dump”\u{a0}x_y…", "", "pg_dump x_y");
        check_compounds("使用pg_dump导出。ใช้pg_dumpกับ", "", "pg_dump pg_dump");
        check_compounds("nai\u{308}ve2 e\u{301}x_y", "", "");
        check_compounds("a..b a.:b x:::y", "", "");
    }

    #[test]
    fn names_with_signs_and_numbers_are_identifiers() {
        check_compounds("Python 3.12, v2.14.3. At 10.0.0.1.", "", "3.12 2.14.3 10.0.0.1");
        check_compounds("on 2024-03-05; 1990-2000", "", "2024-03-05 2024 1990 2000");
        check_compounds("C++, C# and F#: c++11 page#top", "", "C++ C# F# c++");
        check_compounds("in .NET (.bashrc) end.Net", "", ".NET .bashrc end.Net");
        check_compounds("UTF-8, HTTP/1.1 and/or C-8", "", "UTF-8 HTTP/1.1 1.1 C-8");
        check_compounds("CVE-2024-1234: 3.12rc1", "", "CVE-2024-1234 2024 1234 3.12rc1");
        check_compounds("a.b2.3 1..2 v é1.2", "", "a.b2 b2");
        check_compounds("80.778275 at 0.9430", "", "778275 0.9430");
    }

    #[test]
    fn signs_join_short_names_and_numbers() {
        check_compounds("R&D, AT&T; H&M. (I/O) Q&A", "", "R&D AT&T H&M I/O Q&A");
        check_compounds("I/O-bound S/M/L A&B&", "", "I/O S/M/L");
        check_compounds(
            "24/7 on 22/4, 3/2021, at 07:15: 16:9.",
            "",
            "24/7 22/4 3/2021 2021 07:15 16:9",
        );
        check_compounds("and/or /a/b a/b.c x=1&y=2 a/b/ ?a&b R&Dé", "", "b.c");
        check_compounds("1/2.5 2001:12345 at 10:00: in 24: 5/ x/", "", "2.5 2001 12345 10:00");
        check_compounds("1,299.00 or 12,345 of 1,23", "", "1,299 1,299.00 299.00 12,345 345");
    }

    #[test]
    fn short_names_stand_alone() {
        let check = |text: &str, expected: &str| {
            let mut found = Vec::new();
            for_each_short_name(text, |name| found.push(name));
            assert_eq!(found.join(" "), expected, "{text}");
        };
        check("Minutes of session 7", "7");
        check("R, C and 42. C++ C# x-1 3.5 don't l'eau", "R C 42");
        check("A page for 100 people: 茶 / 日本 (7)", "茶 7");
        check("", "");
    }

    proptest! {
        /// Tries all rules on the words that are skipped.
        #[test]
        fn plain_words_make_no_compounds(text in "([a-cA-Cv1é]{0,4}[-_.:+#&/, ]{0,2}){0,8}") {
            let bytes = text.as_bytes();
            let starts = (0..bytes.len()).filter(|&at| is_atomic(bytes[at]) && (at == 0 || !is_atomic(bytes[at - 1])));
            for (start, end) in starts.map(|start| (start, atom_end(bytes, start))).filter(|&(start, end)| is_plain_word(bytes, start, end)) {
                let mut found = Vec::new();
                let each = &mut |compound: Compound<'_>| found.push(compound.written().to_owned());
                joined_names(&text, start, end, each);
                atom(&text[start..end], each);
                prop_assert!(found.is_empty(), "{:?}", found);
                prop_assert_eq!((version(bytes, start, end), signed(bytes, start, end)), (None, None));
                prop_assert!(!bytes[..start].ends_with(b"."));
                let rest = &bytes[end..];
                let joint = if rest.starts_with(b"::") { 2 } else { usize::from(rest.starts_with(b".")) };
                prop_assert!(joint == 0 || !rest.get(joint).is_some_and(|&byte| is_atomic(byte)));
            }
        }

        #[test]
        fn compounds_are_substrings_of_the_text(text in "([a-zA-Z0-9_:.,#+&/é -]|::){0,60}") {
            let mut last = 0;
            for_each_compound(&text, |compound| {
                let found = compound.written();
                let at = found.as_ptr() as usize - text.as_ptr() as usize;
                assert!(text[at..].starts_with(found) && at >= last.min(at));
                assert!(found.bytes().all(|b| b.is_ascii()) && found.len() <= 64);
                last = at;
            });
        }
    }
}
