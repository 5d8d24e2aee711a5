//! Counts the terms of pages, with the language pipeline of the core.

use pagekin_core::terms::{Language, StopLists, for_each_token_at, is_number_or_letter};
use pagekin_core::vocabulary::TermId;
use pagekin_pages::CrawlPage;
use pagekin_pages::site::languages;
use pagekin_pages::site::term_counts::Counter;
use pagekin_pages::site::word_ids::word_id;
use pagekin_pairs::rows::add_up;

use crate::stream::error::StreamError;

/// Maximum number of words whose terms are cached.
const MAX_CACHED: usize = 1 << 19;

/// Counts the terms of pages.
pub struct PageTerms<'a> {
    default_language: Language,
    stop: &'a StopLists,
    counter: Counter<'a>,
}

/// Returns the stop lists of all languages.
#[must_use]
pub fn stop_lists() -> StopLists {
    languages::all()
}

impl<'a> PageTerms<'a> {
    /// Creates a counter. `lang` is the language of pages that do not name one.
    ///
    /// # Errors
    ///
    /// Returns an error if `lang` is not a language tag.
    pub fn new(lang: &str, stop: &'a StopLists) -> Result<Self, StreamError> {
        let counter = Counter::with_ids(stop, word_id);
        Ok(Self { default_language: languages::named(lang)?, stop, counter })
    }

    /// Returns the terms of a page's title and text, ascending, with their frequencies. They are
    /// the terms of an index, including identifiers such as `ipv6`, and also numbers and words of
    /// one letter, which distinguish releases and offers.
    pub fn count(&mut self, page: &CrawlPage) -> Vec<(TermId, u32)> {
        if self.counter.cached_words() > MAX_CACHED {
            self.counter = Counter::with_ids(self.stop, word_id);
        }
        let language =
            Language::from_tag(&page.lang).unwrap_or_else(|| self.default_language.clone());
        let text = format!("{}\n{}", page.title, page.text);
        let mut counts = self.counter.count_all(&language, &text, |_| {});
        for_each_token_at(&text, &mut |_, token| {
            if is_number_or_letter(token) {
                counts.push((word_id(token), 1));
            }
        });
        add_up(&mut counts);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::vector::Vector;

    #[test]
    fn numbers_and_single_letters_count() {
        let stop = stop_lists();
        let mut terms = PageTerms::new("en", &stop).unwrap();
        let mut vector = |text: &str| {
            let page = CrawlPage { text: text.to_owned(), ..CrawlPage::default() };
            Vector::from_counts(&terms.count(&page))
        };
        let of = vector("Release 3 of the kettle costs 20 euros in size S");
        assert_eq!(of.cosine(&vector("Release 3: of the kettle costs 20 euros; in size S!")), 1.0);
        for other in [
            "Release 4 of the kettle costs 20 euros in size S",
            "Release 3 of the kettle costs 20 euros in size M",
        ] {
            assert!((0.5..1.0).contains(&of.cosine(&vector(other))), "{other}");
        }
    }
}
