//! Compares the spelling of typed words with that of the words of a site.

/// Maximum number of letters that a word has beyond an incomplete word with a typo.
const MAX_EXTRA_LETTERS: usize = 3;
/// Minimum numbers of characters of a word with one edit and with two. A letter changed in a short
/// word gives another word.
const MIN_REPAIRED: usize = 4;
const MIN_REPAIRED_TWICE: usize = 7;
/// Minimum number of characters of each part of a word that is split.
const MIN_PART: usize = 3;

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

/// Returns the two parts of a word at each place where it can be split.
pub(super) fn splits(word: &str) -> impl Iterator<Item = (&str, &str)> {
    let n = word.chars().count();
    let places = word
        .char_indices()
        .enumerate()
        .filter(move |&(before, _)| before >= MIN_PART && n - before >= MIN_PART);
    places.map(|(_, (at, _))| word.split_at(at))
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
    fn words_are_split_into_parts_of_three_letters() {
        let parts: Vec<_> = splits("äußerst").collect();
        assert_eq!(parts, [("äuß", "erst"), ("äuße", "rst")]);
        assert_eq!(splits("apple").count() + splits("").count(), 0);
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

    proptest! {
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
