//! Tests whether a page contains a text of any length word for word.
//!
//! Sketches describe pages and need texts of about 150 words or more. People often paste a line of
//! a log. The page with this line also contains most of its shingles of two words, except those
//! with another file name or number. A page that has its words in other places does not.

use super::shingles::{Shared, Shingler, word_tokens};

/// The number of tokens of a shingle.
const TOKENS: u32 = 2;
/// Minimum number of shingles. Fewer may be next to one another by chance.
const MIN_SHINGLES: u64 = 3;
/// Minimum share of the shingles of a text on a page, in percent.
const MIN_PERCENT: u64 = 80;

/// Maximum number of words of a text whose quotation marks enclose a phrase that the page must
/// contain. A longer text is a passage that quotes something.
const MAX_QUERY_WORDS: usize = 16;
/// Opening quotation marks, each with those that close it.
const QUOTATION_MARKS: [(char, &str); 7] =
    [('"', "\""), ('“', "”"), ('„', "“”"), ('«', "»"), ('»', "«"), ('「', "」"), ('『', "』")];

/// Whether a page contains a text word for word.
///
/// If a short text has phrases in quotation marks, the page must contain each of these exactly, and
/// the other words anywhere. Otherwise it must contain the text except for a few words: at least
/// 0.8 of its shingles of two words, and at least three.
#[must_use]
pub fn has_verbatim(page: &str, text: &str) -> bool {
    let phrases = phrases(text);
    if !phrases.is_empty() {
        let words = word_tokens(page);
        let is_on_page = |phrase: &Vec<u64>| words.windows(phrase.len()).any(|run| run == phrase);
        let others = word_tokens(text);
        return phrases.iter().all(is_on_page) && others.iter().all(|word| words.contains(word));
    }
    let shingler = Shingler::from_size(TOKENS);
    let set = |text| shingler.set_in_browser(&word_tokens(text));
    let shared = Shared::between(&set(text), &set(page));
    shared.a >= MIN_SHINGLES && shared.both * 100 >= shared.a * MIN_PERCENT
}

/// Whether a text is short and has a phrase of at least two words in quotation marks.
#[must_use]
pub fn has_phrase(text: &str) -> bool {
    !phrases(text).is_empty()
}

/// Returns the words of each phrase in quotation marks, of at least two words, if the text is
/// short.
fn phrases(text: &str) -> Vec<Vec<u64>> {
    let mut phrases = Vec::new();
    if word_tokens(text).len() > MAX_QUERY_WORDS {
        return phrases;
    }
    let mut rest = text;
    while let Some(start) = rest.find(|mark| closing(mark).is_some()) {
        let mut chars = rest[start..].chars();
        let marks = chars.next().and_then(closing).unwrap_or_default();
        let Some((phrase, after)) = chars.as_str().split_once(|mark| marks.contains(mark)) else {
            break;
        };
        let words = word_tokens(phrase);
        if words.len() > 1 {
            phrases.push(words);
        }
        rest = after;
    }
    phrases
}

/// Returns the marks that close a quotation which this one opens.
fn closing(mark: char) -> Option<&'static str> {
    QUOTATION_MARKS.iter().find(|(open, _)| *open == mark).map(|&(_, marks)| marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "If the port is taken, the server says: bind failed, Address already in \
                        use (98). Choose another port.";

    #[test]
    fn a_line_with_another_number_is_verbatim() {
        assert!(has_verbatim(PAGE, "the server says: bind failed, address already in use (98)"));
        assert!(has_verbatim(PAGE, "Server says\nbind failed: Address already in use (48)"));
        assert!(has_verbatim(PAGE, "address  already in use"));
    }

    #[test]
    fn a_phrase_in_quotation_marks_is_on_the_page_as_it_is() {
        for text in ["\"port is taken\"", "port “server says”", "«address already» „in use“"]
        {
            assert!(has_verbatim(PAGE, text) && has_phrase(text), "{text}");
        }
        for text in ["\"taken port\"", "kiosk \"port is taken\"", "“server says” “use in”"]
        {
            assert!(!has_verbatim(PAGE, text), "{text}");
        }
        // One word, no end, and quotations in a passage.
        for text in ["\"port\"", "\"port is taken", "port \""] {
            assert!(!has_verbatim(PAGE, text) && !has_phrase(text), "{text}");
        }
        assert!(has_verbatim(PAGE, &format!("{PAGE} It says: \"other port\".")));
    }

    #[test]
    fn scattered_or_too_few_words_are_not_verbatim() {
        assert!(!has_verbatim(PAGE, "use another address if the port failed already"));
        assert!(!has_verbatim(PAGE, "failed: address already taken in another use"));
        assert!(!has_verbatim(PAGE, "already in use"), "two pairs");
        assert!(!has_verbatim(PAGE, "in use in use in use"));
        assert!(!has_verbatim("", PAGE) && !has_verbatim(PAGE, ""));
    }
}
