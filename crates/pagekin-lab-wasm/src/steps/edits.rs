//! Edits of a text with a known effect on near-duplicate detection.

use pagekin_core::near::passages::tokens_with_places;
use pagekin_core::sort;
use pagekin_core::terms::lower_case;

/// An edit of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// Replaces the word in the middle.
    OneWord,
    /// Replaces two words, at one quarter and at three quarters.
    TwoWords,
    /// Swaps the halves.
    SwapHalves,
    /// Sorts all words alphabetically and drops the text between them.
    SortWords,
    /// Removes the second half.
    FirstHalf,
    /// Repeats the text.
    Twice,
}

impl Edit {
    /// All edits, in the order in which the lab explains them.
    pub const ALL: [Self; 6] = [
        Self::OneWord,
        Self::TwoWords,
        Self::SwapHalves,
        Self::SortWords,
        Self::FirstHalf,
        Self::Twice,
    ];

    /// Returns the name for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OneWord => "word",
            Self::TwoWords => "two",
            Self::SwapHalves => "swap",
            Self::SortWords => "sort",
            Self::FirstHalf => "half",
            Self::Twice => "twice",
        }
    }

    /// Returns the edit with a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|edit| edit.name() == name)
    }

    /// Applies the edit. Its words are those of shingles, numbers and single letters included. A
    /// text without words stays unchanged.
    #[must_use]
    pub fn apply(self, text: &str) -> String {
        let (_, places) = tokens_with_places(text);
        let n = places.len();
        let Some(middle) = places.get(n / 2).map(|place| place.start) else {
            return text.to_owned();
        };
        let replaced = |at: &[usize]| {
            let (mut edited, mut end) = (String::new(), 0);
            for &at in at {
                edited.push_str(&text[end..places[at].start]);
                edited.push_str(stranger(&text[places[at].clone()]));
                end = places[at].end;
            }
            edited + &text[end..]
        };
        match self {
            Self::OneWord => replaced(&[n / 2]),
            Self::TwoWords if n > 1 => replaced(&[n / 4, n / 4 + n / 2]),
            Self::TwoWords => replaced(&[n / 4]),
            Self::SwapHalves => format!("{} {}", &text[middle..], text[..middle].trim_end()),
            Self::SortWords => {
                let mut words: Vec<String> =
                    places.iter().map(|place| lower_case(&text[place.clone()]).collect()).collect();
                sort::by(&mut words, |a, b| a < b);
                words.join(" ")
            }
            Self::FirstHalf => text[..middle].trim_end().to_owned(),
            Self::Twice => format!("{text} {text}"),
        }
    }
}

/// Returns a replacement for a word, which is always another word.
fn stranger(word: &str) -> &'static str {
    if word.eq_ignore_ascii_case("zebra") { "giraffe" } else { "zebra" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_keeps_all_words() {
        let text = "A loaf, 2 days old: is it a loaf of 2024, or 1.5 of B's?";
        let sorted = |text: &str| {
            let (mut tokens, _) = tokens_with_places(text);
            tokens.sort_unstable();
            tokens
        };
        for text in [text, "東京都に住む人は 2024 年の雨を知る。"] {
            assert_eq!(sorted(&Edit::SortWords.apply(text)), sorted(text));
        }
    }

    #[test]
    fn edits_change_the_text_as_documented() {
        let text = "One two, three four. Five six zebra eight!";
        let edited = Edit::ALL.map(|edit| edit.apply(text));
        assert_eq!(
            edited,
            [
                "One two, three four. zebra six zebra eight!",
                "One two, zebra four. Five six giraffe eight!",
                "Five six zebra eight! One two, three four.",
                "eight five four one six three two zebra",
                "One two, three four.",
                "One two, three four. Five six zebra eight! One two, three four. Five six zebra eight!",
            ]
        );
        for edit in Edit::ALL {
            assert_eq!(edit.apply("… "), "… ");
            assert_eq!(Edit::from_name(edit.name()), Some(edit));
            let _ = edit.apply("word");
        }
        assert_eq!(Edit::from_name("none"), None);
    }
}
