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

/// Whether a page contains a text word for word, except for a few words: at least 0.8 of its
/// shingles of two words, and at least three.
#[must_use]
pub fn has_verbatim(page: &str, text: &str) -> bool {
    let shingler = Shingler::from_size(TOKENS);
    let set = |text| shingler.set_in_browser(&word_tokens(text));
    let shared = Shared::between(&set(text), &set(page));
    shared.a >= MIN_SHINGLES && shared.both * 100 >= shared.a * MIN_PERCENT
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
    fn scattered_or_too_few_words_are_not_verbatim() {
        assert!(!has_verbatim(PAGE, "use another address if the port failed already"));
        assert!(!has_verbatim(PAGE, "failed: address already taken in another use"));
        assert!(!has_verbatim(PAGE, "already in use"), "two pairs");
        assert!(!has_verbatim(PAGE, "in use in use in use"));
        assert!(!has_verbatim("", PAGE) && !has_verbatim(PAGE, ""));
    }
}
