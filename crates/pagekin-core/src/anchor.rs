//! Anchor windows: the words in and around a link, which describe the page that it leads to.
//!
//! From Haveliwala, Gionis and Indyk (2000, section 2.2): "the anchor text of the url's link, as
//! well as a window of words immediately preceding and immediately following the link", of 8 words
//! each. Words are those of [`terms`](crate::terms), including stop words, in document order and
//! across the boundaries of elements.
//!
//! # Quirks
//!
//! 1. A word that only starts or ends in the link (`<a>Hash</a>Map`) belongs to its anchor text.
//! 2. An anchor text of more than [`MAX_ANCHOR_WORDS`] words indicates a link without an end tag.
//!    Only its first words are used, without the words after it. Words of more than 1,024 bytes are
//!    skipped. So a window never exceeds about 120 kB, regardless of the page.

use std::ops::Range;

use crate::terms::word_places;

/// Number of words before and after a link in its window, as in the paper.
pub const WINDOW_WORDS: usize = 8;

/// Maximum number of words of an anchor text.
pub const MAX_ANCHOR_WORDS: usize = 100;

/// Maximum number of bytes of a word in a window, including ignored characters such as soft
/// hyphens.
const MAX_WORD_BYTES: usize = 1_024;

/// A text split into words, from which windows are extracted.
#[derive(Debug, Clone)]
pub struct AnchorWindows<'a> {
    text: &'a str,
    /// Byte ranges of the words. Starts and ends ascend.
    words: Vec<Range<usize>>,
}

impl<'a> AnchorWindows<'a> {
    /// Splits `text` into words. Linear in the text, with 16 bytes of memory per word.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let mut words = word_places(text);
        words.retain(|word| word.len() <= MAX_WORD_BYTES);
        Self { text, words }
    }

    /// Returns the window of the link whose text has the byte range `anchor`: its words, and up to
    /// `around` words before and after it, as written in the text, separated by one space.
    ///
    /// [`for_each_word`](crate::terms::for_each_word) finds exactly these words in it. The cost is
    /// logarithmic in the text and linear in the window.
    #[must_use]
    pub fn of(&self, anchor: &Range<usize>, around: usize) -> String {
        let first = self.words.partition_point(|word| word.end <= anchor.start);
        let end = self.words.partition_point(|word| word.start < anchor.end).max(first);
        let last = if end - first > MAX_ANCHOR_WORDS {
            first + MAX_ANCHOR_WORDS
        } else {
            self.words.len().min(end.saturating_add(around))
        };
        let mut window = String::new();
        // End of the text copied so far. A pair of characters shares one with the pair before it.
        let mut copied = 0;
        for word in &self.words[first.saturating_sub(around)..last] {
            if word.start >= copied && !window.is_empty() {
                window.push(' ');
            }
            window.push_str(&self.text[word.start.max(copied)..word.end]);
            copied = word.end;
        }
        window
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::for_each_word;
    use proptest::prelude::*;

    fn words_of(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let (start, end) = (text.find('[').unwrap(), text.find(']').unwrap() - 1);
        let text = text.replace(['[', ']'], "");
        assert_eq!(AnchorWindows::new(&text).of(&(start..end), 2), expected);
    }

    #[test]
    fn a_window_contains_the_anchor_and_the_words_around_it() {
        check(
            "One two, three 4 [five: six] -- seven\n eight nine",
            "two three five six seven eight",
        );
        check("[Home] page", "Home page");
        check("a b [] c d", "");
        check("aa bb [] cc dd", "aa bb cc dd");
        check("aa [Hash]Map bb cc dd", "aa HashMap bb cc");
        check("[]", "");
    }

    #[test]
    fn pairs_of_characters_stay_whole() {
        check("パンの[東京都]です。また", "パンの東京都です また");
    }

    #[test]
    fn words_with_too_many_bytes_are_skipped() {
        let text = format!("aa b{}b cc [dd] ee", "\u{ad}".repeat(1_000));
        check(&text, "aa cc dd ee");
    }

    #[test]
    fn an_anchor_that_is_never_closed_is_truncated() {
        let text = format!("aa bb {} cc", "word ".repeat(500));
        let window = AnchorWindows::new(&text).of(&(6..text.len() - 3), 1);
        assert_eq!(window, format!("bb{}", " word".repeat(MAX_ANCHOR_WORDS)));
    }

    fn texts() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "rye",
            "Bread",
            "ÜBER",
            "x",
            " ",
            ", ",
            "42",
            "\n",
            "東",
            "京",
            "都",
            "ก",
            "İ",
            "don't",
            "averyveryveryveryveryveryveryveryverylongword",
        ]);
        prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// A slow implementation for comparison: the document as a list of words.
        #[test]
        fn windows_match_those_of_a_list_of_words(
            words in prop::collection::vec("[a-z]{2,5}", 1..40), from in 0usize..40, n in 0usize..9, around in 0usize..10,
        ) {
            let (from, to) = (from.min(words.len()), (from + n).min(words.len()));
            let to = to.max(from);
            let start = words[..from].iter().map(|word| word.len() + 1).sum::<usize>();
            let end = start + words[from..to].iter().map(|word| word.len() + 1).sum::<usize>();
            let text = words.iter().map(|word| format!("{word} ")).collect::<String>();
            let expected = &words[from.saturating_sub(around)..(to + around).min(words.len())];
            prop_assert_eq!(AnchorWindows::new(&text).of(&(start..end), around), expected.join(" "));
        }

        #[test]
        fn the_words_of_a_window_are_words_of_the_text(text in texts(), a: prop::sample::Index, b: prop::sample::Index, around in 0usize..5) {
            let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (a, b) = (*a.get(&borders), *b.get(&borders));
            let anchor = a.min(b)..a.max(b);
            let all = words_of(&text);
            let places = word_places(&text);
            prop_assert_eq!(places.len(), all.len());
            let within: Vec<usize> = (0..all.len())
                .filter(|&at| places[at].start < anchor.end && places[at].end > anchor.start)
                .collect();
            let before = (0..all.len()).filter(|&at| places[at].end <= anchor.start).count();
            let first = within.first().copied().unwrap_or(before);
            let end = within.last().map_or(first, |last| last + 1);
            let expected = &all[first.saturating_sub(around)..(end + around).min(all.len())];
            prop_assert_eq!(words_of(&AnchorWindows::new(&text).of(&anchor, around)), expected);
        }

        #[test]
        fn words_are_at_their_ranges(text in texts()) {
            let found: Vec<_> = word_places(&text).into_iter().flat_map(|at| words_of(&text[at])).collect();
            prop_assert_eq!(found, words_of(&text));
        }

        #[test]
        fn words_of_any_text_are_found(text: String) {
            let found: Vec<_> = word_places(&text).into_iter().flat_map(|at| words_of(&text[at])).collect();
            prop_assert_eq!(found, words_of(&text));
        }
    }
}
