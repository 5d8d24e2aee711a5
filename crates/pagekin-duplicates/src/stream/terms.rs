//! Pages into their terms, by the language pipeline of the core.

use pagekin_core::terms::{Language, StopLists};
use pagekin_core::vocabulary::TermId;
use pagekin_pages::CrawlPage;
use pagekin_pages::site::languages;
use pagekin_pages::site::term_counts::Counter;
use pagekin_pages::site::word_ids::word_id;

use crate::stream::error::StreamError;

/// Words that are remembered at most, with what they stand for.
const REMEMBERED: usize = 1 << 19;

/// Counts the terms of pages.
pub struct PageTerms<'a> {
    default_language: Language,
    stop: &'a StopLists,
    counter: Counter<'a>,
}

/// The stop lists of all languages.
#[must_use]
pub fn stop_lists() -> StopLists {
    languages::all()
}

impl<'a> PageTerms<'a> {
    /// `lang` is the language of pages that name none.
    ///
    /// # Errors
    ///
    /// If `lang` is no tag of a language.
    pub fn new(lang: &str, stop: &'a StopLists) -> Result<Self, StreamError> {
        let counter = Counter::with_ids(stop, word_id);
        Ok(Self { default_language: languages::named(lang)?, stop, counter })
    }

    /// The terms of a page's title and text, ascending, with their frequencies: the same as of an
    /// index, identifiers such as `ipv6` too.
    pub fn count(&mut self, page: &CrawlPage) -> Vec<(TermId, u32)> {
        if self.counter.words_met() > REMEMBERED {
            self.counter = Counter::with_ids(self.stop, word_id);
        }
        let language =
            Language::from_tag(&page.lang).unwrap_or_else(|| self.default_language.clone());
        self.counter.count_all(&language, &format!("{}\n{}", page.title, page.text), |_| {})
    }
}
