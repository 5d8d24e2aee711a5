//! A link into its anchor window: the words that say what the page it leads to is about.
//!
//! After Haveliwala, Gionis and Indyk (2000, section 2.2): "the anchor text of the url's link, as
//! well as a window of words immediately preceding and immediately following the link", of 8 words
//! each. Words are those of [`terms`](crate::terms), stop words among them, in the order of the
//! document, over the borders of its elements.
//!
//! # Quirks
//!
//! 1. A word that only begins or ends in the link (`<a>Hash</a>Map`) is of its anchor text.
//! 2. An anchor text of more than [`MAX_ANCHOR_WORDS`] words is one that somebody forgot to close:
//!    its first words count, and nothing behind them. Words of more than 1,024 bytes are in no
//!    window. So a window is never larger than about 120 kB, whatever the page.

use std::ops::Range;

use crate::terms::word_places;

/// The words before a link and behind it that are of its window: the paper's.
pub const WINDOW_WORDS: usize = 8;

/// The most words of an anchor text that count.
pub const MAX_ANCHOR_WORDS: usize = 100;

/// Maximum number of bytes of a word with what is ignored in it, such as soft hyphens, for it to be
/// in a window.
const MAX_WORD_BYTES: usize = 1_024;

/// A text cut into words, to take windows out of.
#[derive(Debug, Clone)]
pub struct AnchorWindows<'a> {
    text: &'a str,
    /// Where the words stand, in bytes. Starts and ends ascend.
    words: Vec<Range<usize>>,
}

impl<'a> AnchorWindows<'a> {
    /// Cuts `text` into its words. Linear in the text, with 16 bytes of memory a word.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let mut words = word_places(text);
        words.retain(|word| word.len() <= MAX_WORD_BYTES);
        Self { text, words }
    }

    /// The window of the link whose text stands at `anchor`: its words, `around` words before and
    /// as many behind, as they are in the text, with one space between them.
    ///
    /// [`for_each_word`](crate::terms::for_each_word) finds just these words in it. Cost:
    /// logarithmic in the text, linear in the window.
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
        // What is taken already: a pair of characters shares one with the pair before it.
        let mut taken = 0;
        for word in &self.words[first.saturating_sub(around)..last] {
            if word.start >= taken && !window.is_empty() {
                window.push(' ');
            }
            window.push_str(&self.text[word.start.max(taken)..word.end]);
            taken = word.end;
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
    fn a_window_is_the_anchor_and_the_words_around_it() {
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
    fn a_word_with_very_much_in_it_is_in_no_window() {
        let text = format!("aa b{}b cc [dd] ee", "\u{ad}".repeat(1_000));
        check(&text, "aa cc dd ee");
    }

    #[test]
    fn an_anchor_that_is_never_closed_is_cut() {
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
        /// The slow twin: the document as a list of words, the window by their numbers.
        #[test]
        fn windows_are_those_of_a_list_of_words(
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
        fn words_stand_where_they_are_said_to(text in texts()) {
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
