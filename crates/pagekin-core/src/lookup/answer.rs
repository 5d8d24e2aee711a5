//! The answer of a lookup.

use super::grade::RankedBy;
use super::neighborhood::Neighborhood;
use super::query::{Correction, TextLanguage};
use super::ranking::SearchResult;
use super::refine::Found;
use crate::index::Cost;

/// The answer of a lookup.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The matching pages, best first. Ties are in the order of the index.
    pub results: Vec<SearchResult>,
    /// The score that ranks `results`.
    pub ranked_by: RankedBy,
    /// The pages ranked by the other score, if this adds something: the pages similar to the text
    /// if `results` contain it, or those that contain it if `results` are similar. Empty for a few
    /// words and for a page of the site.
    pub other_results: Vec<SearchResult>,
    /// Words of the text that no page contains, as far as that is known: their lists were read, or
    /// the whole site was.
    pub unmatched: Vec<String>,
    /// The words of a short query that were completed or corrected, in their order.
    pub corrections: Vec<Correction>,
    /// The number of results, if the lookup was [refined](super::Lookup::refine).
    pub found: Option<Found>,
    /// The language that the text was read in. `None` for a page of the site, and for a text in a
    /// script that no language of the site uses. Words of such a text are neither stemmed nor
    /// dropped.
    pub language: Option<TextLanguage>,
    /// The neighborhood of the results, if requested. Used by the map of the demo.
    #[doc(hidden)]
    pub neighborhood: Option<Neighborhood>,
    /// What the lookup read.
    pub cost: Cost,
}

impl Answer {
    /// Returns the list ranked by `score`, or `results` if there is only one list.
    #[must_use]
    pub fn by(&self, score: RankedBy) -> &[SearchResult] {
        if score == self.ranked_by || self.other_results.is_empty() {
            &self.results
        } else {
            &self.other_results
        }
    }
}
