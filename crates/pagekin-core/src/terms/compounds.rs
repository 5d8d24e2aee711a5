//! Identifiers, and parts of words, as additional terms of technical texts.

use super::characters::is_in_spaced_word;
use super::words::WORD_CHARS;

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
/// Two atoms separated by `::` or one `.`, neither of which starts with a digit, are also an
/// identifier: `std::collections::HashMap` gives `std::collections` and `collections::HashMap`, so
/// that all its forms share an identifier. A part of a word starts at a capital that follows a
/// small letter, or that follows a capital and precedes a small letter: `HTTPServer` gives `HTTP`
/// and `Server`.
///
/// Linear in the text.
pub fn for_each_compound<'a>(text: &'a str, mut each: impl FnMut(Compound<'a>)) {
    compounds(text, &mut each);
}

/// Takes the closure as `&mut dyn` so that the browser downloads the code only once.
fn compounds<'a>(text: &'a str, each: &mut dyn FnMut(Compound<'a>)) {
    let bytes = text.as_bytes();
    let is_atomic =
        |at: usize| bytes.get(at).is_some_and(|&b| b.is_ascii_alphanumeric() || b == b'_');
    // `is_atomic` covers all of ASCII, so these positions are character boundaries.
    let is_letter = |c: Option<char>| c.is_some_and(is_in_spaced_word);
    // Start of the previous atom, if its separator joins it to the next atom.
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
            identifier(&text[before..at], each);
        }
        atom(&text[start..at], each);
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
        check_compounds("in 2024, port 5432: 1.25 at 12", "", "2024 5432");
        check_compounds("end.Start 3.x v1.2", "", "end.Start v1");
        check_compounds("über_alles naïve2 été.fr", "", "");
        check_compounds("“pg_dump”\u{a0}x_y…", "", "pg_dump x_y");
        check_compounds("使用pg_dump导出。ใช้pg_dumpกับ", "", "pg_dump pg_dump");
        check_compounds("nai\u{308}ve2 e\u{301}x_y", "", "");
        check_compounds("a..b a.:b x:::y", "", "");
    }

    proptest! {
        #[test]
        fn compounds_are_substrings_of_the_text(text in "([a-zA-Z0-9_:.é ]|::){0,60}") {
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
