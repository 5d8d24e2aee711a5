//! What a lookup answers.

use super::neighborhood::Neighborhood;
use super::prefix_query::Correction;
use super::query::TextLanguage;
use super::ranking::{RankedBy, SearchResult};
use crate::index::Cost;

/// The answer of a lookup.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The best first; ties in the order of the index.
    pub results: Vec<SearchResult>,
    /// The score that the results are ranked by.
    pub ranked_by: RankedBy,
    /// The pages ranked by the other score, if that says more than the results: those like a text
    /// whose results have it, those that have one whose results are like it. Of a few words and of
    /// a page of the site there are none.
    pub other_results: Vec<SearchResult>,
    /// Words of a text that no page has, as far as that is known: their lists were asked for, or
    /// the site was read whole.
    pub unmatched: Vec<String>,
    /// Words of a search box that were taken for others, in their order.
    pub corrections: Vec<Correction>,
    /// The language that a text was read in. `None` for a page of the site, and for a text in a
    /// script that no language of the site is written in: no word of it is stemmed or dropped.
    pub language: Option<TextLanguage>,
    /// What is around the results, if it was asked for: for the map of the demo.
    #[doc(hidden)]
    pub neighborhood: Option<Neighborhood>,
    /// What was read for the answer.
    pub cost: Cost,
}

impl Answer {
    /// The list by a score, or the results if they say it all.
    #[must_use]
    pub fn by(&self, score: RankedBy) -> &[SearchResult] {
        if score == self.ranked_by || self.other_results.is_empty() {
            &self.results
        } else {
            &self.other_results
        }
    }
}
