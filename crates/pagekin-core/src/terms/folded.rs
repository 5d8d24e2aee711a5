//! Folded forms: words without the marks of their letters, as people type them.
//!
//! Words with the same folded form are one word to somebody whose keyboard lacks their letters:
//! `lodz` and `łódź`, `елка` and `ёлка`. Folding removes the marks of letters that have a
//! precomposed form, and replaces letters that have none but are typed as others. It never affects
//! terms. It orders [completions](crate::shard::Completion), so that a plain prefix leads to the
//! words of a site.

use super::characters::without_mark;

/// Letters without a precomposed form, and what is typed for them.
const TYPED: &[(char, &str)] = &[
    ('ß', "ss"),
    ('æ', "ae"),
    ('ð', "d"),
    ('ø', "o"),
    ('þ', "th"),
    ('đ', "d"),
    ('ħ', "h"),
    ('ı', "i"),
    ('ĳ', "ij"),
    ('ĸ', "k"),
    ('ł', "l"),
    ('ŋ', "n"),
    ('œ', "oe"),
    ('ŧ', "t"),
    ('ſ', "s"),
    ('ƒ', "f"),
    ('ə', "e"),
    ('ς', "σ"),
    ('ґ', "г"),
    ('є', "е"),
    ('і', "и"),
    ('ة', "ه"),
    ('ى', "ي"),
    ('ک', "ك"),
    ('ی', "ي"),
    ('ﬀ', "ff"),
    ('ﬁ', "fi"),
    ('ﬂ', "fl"),
    ('ﬃ', "ffi"),
    ('ﬄ', "ffl"),
    ('ﬅ', "st"),
    ('ﬆ', "st"),
];

/// Returns the folded form of a word in lower case. The folded form of a folded form is the same.
/// Takes as long as reading a thousand letters for each letter beyond ASCII.
#[must_use]
pub fn folded(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    for c in word.chars() {
        fold(c, &mut plain);
    }
    plain
}

fn fold(c: char, plain: &mut String) {
    if is_loose_mark(c) {
        return;
    }
    if c.is_ascii() {
        plain.push(c);
    } else if let Some(letter) = without_mark(c) {
        fold(letter, plain);
    } else if let Some((_, typed)) = TYPED.iter().find(|(letter, _)| *letter == c) {
        plain.push_str(typed);
    } else {
        plain.push(c);
    }
}

/// Whether a mark after a letter with which it has no precomposed form is dropped, too.
fn is_loose_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// The letters that some languages also write as two, and the two.
const DIGRAPHS: &[(char, &str)] =
    &[('ä', "ae"), ('ö', "oe"), ('ü', "ue"), ('å', "aa"), ('ø', "oe")];

/// Returns what else may be meant by a typed word in lower case: the [folded forms](folded) of the
/// word with its umlauts written as two letters, and with its two letters read as umlauts. `müller`
/// gives `mueller`, and `mueller` gives `muller`.
#[must_use]
pub fn other_folded(word: &str) -> Vec<String> {
    let own = folded(word);
    let (mut written, mut read) = (String::new(), String::new());
    for c in word.chars() {
        match DIGRAPHS.iter().find(|&&(one, _)| one == c) {
            Some(&(_, two)) => written.push_str(two),
            None => fold(c, &mut written),
        }
    }
    let mut before = None;
    for c in own.chars() {
        let is_second = matches!((before, c), (Some('a' | 'o' | 'u'), 'e') | (Some('a'), 'a'));
        before = (!is_second).then_some(c);
        if !is_second {
            read.push(c);
        }
    }
    let mut others = vec![written, read];
    others.retain(|other| *other != own);
    others.dedup();
    others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::lower_case;
    use proptest::prelude::*;

    #[test]
    fn letters_are_folded_to_what_is_typed() {
        let words =
            "Œuvre cœur Łódź smørrebrød cài đặt Straße Müller naïve ёлка Ελλάδα İstanbul ısı";
        let typed =
            "oeuvre coeur lodz smorrebrod cai dat strasse muller naive елка ελλαδα istanbul isi";
        let words: String = lower_case(words).collect();
        assert_eq!(folded(&words), typed);
        assert_eq!(folded("q\u{306}"), "q", "a mark without a precomposed form");
        assert_eq!(folded("日本 서울"), "日本 서울");
    }

    #[test]
    fn umlauts_are_two_letters() {
        assert_eq!(other_folded("mueller"), ["muller"]);
        assert_eq!(other_folded("müller"), ["mueller"]);
        assert_eq!(other_folded("blue"), ["blu"]);
        assert!(other_folded("bread").is_empty());
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(word in "\\PC{0,12}") {
            let once = folded(&word);
            prop_assert_eq!(folded(&once), once);
        }
    }
}
