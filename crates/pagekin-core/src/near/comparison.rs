//! Compares two whole texts exactly: how much they share, and where.

use super::passages::{SharedPassage, passages, tokens_with_places};
use super::shingles::{Shared, Shingler};

/// What a text and a page share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison<'a> {
    /// Their shingles, with the text as `a`.
    pub shared: Shared,
    /// The text in pieces: every second piece, starting with the second, is a shared passage. The
    /// others may be empty.
    pub text: Vec<&'a str>,
    /// The page in pieces, likewise.
    pub page: Vec<&'a str>,
    /// For each passage of the text, the index of the page's passage that contains its beginning.
    pub twins_of_text: Vec<u32>,
    /// For each passage of the page, the index of that of the text.
    pub twins_of_page: Vec<u32>,
}

/// Compares a text with the text of a page. The cost is sorting the shingles of both.
///
/// # Example
///
/// ```
/// use pagekin_core::compare;
///
/// let text = "As they say: feed the starter the evening before baking and let the dough rise.";
/// let page = "Feed the starter the evening before baking and let the dough rise. Then bake.";
/// let comparison = compare(text, page);
/// assert_eq!(
///     comparison.text[1],
///     "feed the starter the evening before baking and let the dough rise"
/// );
/// assert_eq!(comparison.shared.resemblance(), 0.375);
/// ```
#[must_use]
pub fn compare<'a>(text: &'a str, page: &'a str) -> Comparison<'a> {
    let shingler = Shingler::default();
    let (text_tokens, text_places) = tokens_with_places(text);
    let (page_tokens, page_places) = tokens_with_places(page);
    let (of_text, of_page) = passages(&text_tokens, &page_tokens, &shingler);
    let cut = |text: &'a str, passages: &[SharedPassage], places: &[_]| {
        let mut parts = Vec::with_capacity(2 * passages.len() + 1);
        let mut end = 0;
        for place in passages.iter().map(|passage| passage.place(places)) {
            parts.extend([&text[end..place.start], &text[place.clone()]]);
            end = place.end;
        }
        parts.push(&text[end..]);
        parts
    };
    let twins = |passages: &[SharedPassage]| passages.iter().map(|one| one.twin).collect();
    let set = |tokens| shingler.set_in_browser(tokens);
    Comparison {
        shared: Shared::between(&set(&text_tokens), &set(&page_tokens)),
        text: cut(text, &of_text, &text_places),
        page: cut(page, &of_page, &page_places),
        twins_of_text: twins(&of_text),
        twins_of_page: twins(&of_page),
    }
}

#[cfg(test)]
mod tests {
    use super::super::shingles::tokens;
    use super::*;
    use proptest::prelude::*;

    const SAID: &str =
        "feed the starter the evening before baking and let the dough rise in a basket";

    #[test]
    fn shared_passages_are_counted_and_marked() {
        let (text, page) = (format!("Mine. {SAID}."), format!("{SAID}! (More of theirs.)"));
        let found = compare(&text, &page);
        assert_eq!(found.text, ["Mine. ", SAID, "."]);
        assert_eq!(found.page, ["", SAID, "! (More of theirs.)"]);
        assert_eq!((found.twins_of_text, found.twins_of_page), (vec![0], vec![0]));
        let (a, b) = (tokens(&text).len() as u64 - 9, tokens(&page).len() as u64 - 9);
        assert_eq!(found.shared, Shared { both: 6, a, b });
    }

    #[test]
    fn empty_texts_share_nothing() {
        let found = compare("", SAID);
        assert_eq!((found.text, found.page), (vec![""], vec![SAID]));
        assert_eq!(found.shared.resemblance(), 0.0);
    }

    proptest! {
        #[test]
        fn it_is_what_the_sets_share_and_nothing_of_a_text_is_lost(
            a in "([ab]{2} ?){0,60}\\PC{0,9}", b in "([ab]{2} ?){0,60}\\PC{0,9}",
        ) {
            let found = compare(&a, &b);
            let shingler = Shingler::default();
            let [of_a, of_b] = [&a, &b].map(|text| shingler.set(&tokens(text)));
            prop_assert_eq!(found.shared, Shared::between(&of_a, &of_b));
            prop_assert_eq!((found.text.concat(), found.page.concat()), (a.clone(), b.clone()));
            prop_assert_eq!(found.twins_of_text.len(), found.text.len() / 2);
            prop_assert_eq!(found.twins_of_page.len(), found.page.len() / 2);
            prop_assert!(found.twins_of_text.iter().all(|&twin| (twin as usize) < found.twins_of_page.len()));
            prop_assert!(found.text.len() % 2 == 1 && found.page.len() % 2 == 1);
        }
    }
}
