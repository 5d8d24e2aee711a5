//! Whether a text stands on a page word for word, however short it is.
//!
//! Sketches are of pages, and tell of texts of about 150 words or more. What people paste is often
//! a line of a log. The page that has this line contains it also by shingles of two words only, but
//! for those of a file or a number that is another; a page that has its words here and there does
//! not.

use super::shingles::{Shared, Shingler, word_tokens};

/// The tokens of a shingle.
const TOKENS: u32 = 2;
/// Of fewer shingles nothing is said: their words stand next to one another by chance.
const MIN_SHINGLES: u64 = 3;
/// Of the shingles of a text that a page has, it has so many hundredths.
const MIN_PERCENT: u64 = 80;

/// Whether a page has a text word for word, but for a few words: its containment in the page, by
/// shingles of two words, is at least 0.8, and there are at least three.
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
    fn a_line_is_on_the_page_that_has_it_with_another_number() {
        assert!(has_verbatim(PAGE, "the server says: bind failed, address already in use (98)"));
        assert!(has_verbatim(PAGE, "Server says\nbind failed: Address already in use (48)"));
        assert!(has_verbatim(PAGE, "address  already in use"));
    }

    #[test]
    fn words_that_stand_elsewhere_or_are_too_few_are_no_line() {
        assert!(!has_verbatim(PAGE, "use another address if the port failed already"));
        assert!(!has_verbatim(PAGE, "failed: address already taken in another use"));
        assert!(!has_verbatim(PAGE, "already in use"), "two pairs");
        assert!(!has_verbatim(PAGE, "in use in use in use"));
        assert!(!has_verbatim("", PAGE) && !has_verbatim(PAGE, ""));
    }
}
