//! Compares the spelling of typed words with that of the words of a site.

/// Maximum number of letters that a word has beyond an incomplete word with a typo.
const MAX_EXTRA_LETTERS: usize = 3;
/// Minimum numbers of characters of a word with one edit and with two. A letter changed in a short
/// word gives another word.
const MIN_REPAIRED: usize = 4;
const MIN_REPAIRED_TWICE: usize = 7;
/// Numbers of characters of a word whose other spellings are tried.
const MIN_RESPELLED: usize = 5;
const MAX_RESPELLED: usize = 24;
/// Minimum number of characters of each part of a word that is split.
const MIN_PART: usize = 2;

/// Returns the number of edits, 1 or 2, that turn `typed` into `word`, if there are no more. An
/// edit adds, removes or replaces a letter, or swaps two neighbors. Two are only recognizable in
/// longer words. Of an `is_open` word, up to three letters may be missing at the end.
pub(super) fn edits(typed: &str, word: &str, is_open: bool) -> Option<usize> {
    let typed: Vec<char> = typed.chars().collect();
    let word: Vec<char> = word.chars().collect();
    let extra = if is_open { MAX_EXTRA_LETTERS } else { 0 };
    let most = if typed.len() >= MIN_REPAIRED_TWICE { 2 } else { 1 };
    if typed.len() < MIN_REPAIRED || word.len() > typed.len() + most + extra {
        return None;
    }
    (1..=most).find(|&n| is_within(&typed, &word, n, extra))
}

/// Whether at most `edits` edits turn `typed` into `word` without at most `extra` letters at its
/// end.
fn is_within(typed: &[char], word: &[char], edits: usize, extra: usize) -> bool {
    let same = typed.iter().zip(word).take_while(|(a, b)| a == b).count();
    let (typed, word) = (&typed[same..], &word[same..]);
    if typed.is_empty() && word.len() <= edits + extra {
        return true;
    }
    if edits == 0 {
        return false;
    }
    let is_rest_within = |typed: &[char], word: &[char]| is_within(typed, word, edits - 1, extra);
    match (typed, word) {
        ([], [_, word @ ..]) => is_rest_within(&[], word),
        ([_, typed @ ..], []) => is_rest_within(typed, &[]),
        ([a, typed_rest @ ..], [b, word_rest @ ..]) => {
            let is_swapped =
                matches!((typed_rest, word_rest), ([c, ..], [d, ..]) if a == d && b == c);
            is_rest_within(typed_rest, word_rest)
                || is_rest_within(typed_rest, word)
                || is_rest_within(typed, word_rest)
                || is_swapped && is_rest_within(&typed_rest[1..], &word_rest[1..])
        }
        ([], []) => true,
    }
}

/// Returns all words that differ from a typed word by one edit, with these letters, but for edits
/// of the first letter other than a swap. None for a word that is too short or too long.
pub(super) fn respellings(typed: &str, letters: &[char]) -> Vec<String> {
    let mut all = Vec::new();
    let mut own: Vec<char> = typed.chars().take(MAX_RESPELLED + 1).collect();
    if !(MIN_RESPELLED..=MAX_RESPELLED).contains(&own.len()) {
        return all;
    }
    for at in 1..=own.len() {
        let mut add = |letter: Option<&char>, rest: &[char]| {
            all.push(own[..at].iter().chain(letter).chain(rest).collect());
        };
        letters.iter().for_each(|letter| add(Some(letter), &own[at..]));
        if at < own.len() {
            let rest = &own[at + 1..];
            [None].into_iter().chain(letters.iter().map(Some)).for_each(|it| add(it, rest));
            own.swap(at - 1, at);
            all.push(own.iter().collect());
            own.swap(at - 1, at);
        }
    }
    all
}

/// Calls `each` with the two parts of a word at each place where it can be split, and returns its
/// first result.
pub(super) fn splits<T>(word: &str, each: &dyn Fn(&str, &str) -> Option<T>) -> Option<T> {
    let n = word.chars().count();
    for (before, (at, _)) in word.char_indices().enumerate() {
        if before >= MIN_PART && n - before >= MIN_PART {
            let (a, b) = word.split_at(at);
            if let Some(found) = each(a, b) {
                return Some(found);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_letter_may_be_wrong() {
        for typed in ["migrtion", "migrattion", "migratoin", "migretion", "mgiration", "igrations"]
        {
            assert_eq!(edits(typed, "migrations", true), Some(1), "{typed}");
        }
        assert_eq!(edits("xilophone", "xylophone", false), Some(1));
        assert_eq!(edits("xilofone", "xylophone", false), None, "three edits");
        assert_eq!(
            [edits("migrtion", "migrations", false), edits("mache", "machinery", false)],
            [Some(2), None]
        );
        assert_eq!([edits("cat", "cut", false), edits("mi", "migrations", true)], [None; 2]);
        assert_eq!(
            [edits("forms", "fonts", false), edits("forms", "form", false)],
            [None, Some(1)]
        );
    }

    #[test]
    fn words_are_split_into_parts_of_two_letters() {
        let all = |word: &str| {
            let parts = std::cell::RefCell::new(Vec::new());
            let found = splits(word, &|a, b| {
                parts.borrow_mut().push(format!("{a} {b}"));
                None::<()>
            });
            assert_eq!(found, None);
            parts.into_inner()
        };
        assert_eq!(all("äußerst"), ["äu ßerst", "äuß erst", "äuße rst", "äußer st"]);
        assert_eq!([all("ape"), all("")], [[""; 0]; 2]);
        assert_eq!(splits("multitool", &|a, _| (a.len() > 4).then_some(a.len())), Some(5));
    }

    /// Returns the minimum number of letters added, removed, replaced, or swapped with the next,
    /// with no letter edited twice.
    fn distance(a: &[char], b: &[char]) -> usize {
        match (a, b) {
            ([], rest) | (rest, []) => rest.len(),
            ([x, a_rest @ ..], [y, b_rest @ ..]) => {
                let exchanged = distance(a_rest, b_rest) + usize::from(x != y);
                let mut least = exchanged.min(1 + distance(a_rest, b)).min(1 + distance(a, b_rest));
                if let ([c, d, a_rest @ ..], [e, f, b_rest @ ..]) = (a, b)
                    && (c, d) == (f, e)
                {
                    least = least.min(1 + distance(a_rest, b_rest));
                }
                least
            }
        }
    }

    #[test]
    fn other_spellings_keep_the_first_letter_or_swap_it() {
        let all: Vec<String> = respellings("taels", &['b', 'é']);
        for one in ["tales", "atels", "taes", "table", "tabels", "taélbs", "taels\u{e9}"] {
            assert_eq!(all.contains(&one.to_owned()), one != "table" && one != "taélbs", "{one}");
        }
        for none in ["eels", "", &"e".repeat(25)] {
            assert_eq!(respellings(none, &['b']).len(), 0, "{none}");
        }
    }

    proptest! {
        #[test]
        fn respellings_are_all_words_one_edit_off(
            typed in "[ab]{5,7}",
            other in "[ab]{4,8}",
        ) {
            let is_there = respellings(&typed, &['a', 'b']).contains(&other);
            let (a, b): (Vec<char>, Vec<char>) = (typed.chars().collect(), other.chars().collect());
            let is_swapped = a[..2] == [b[1], b[0]] && a[2..] == b[2..];
            if a[0] == b[0] && a != b {
                prop_assert_eq!(is_there, distance(&a, &b) == 1);
            } else if a[0] != b[0] {
                prop_assert_eq!(is_there, is_swapped);
            }
        }

        #[test]
        fn edits_are_the_distance(typed in "[abc]{0,8}", word in "[abc]{0,9}", is_open: bool) {
            let [a, b]: [Vec<char>; 2] = [&typed, &word].map(|text| text.chars().collect());
            let extra = if is_open { MAX_EXTRA_LETTERS } else { 0 };
            let beginnings = (b.len().saturating_sub(extra)..=b.len()).map(|n| distance(&a, &b[..n]));
            let least = beginnings.min().expect("at least the word itself").max(1);
            let most = if a.len() >= MIN_REPAIRED_TWICE { 2 } else { 1 };
            let expected = (a.len() >= MIN_REPAIRED && least <= most).then_some(least);
            prop_assert_eq!(edits(&typed, &word, is_open), expected);
        }
    }
}
