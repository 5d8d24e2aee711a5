//! Looks up the pages that match a text or a page of the site. A lookup is a state machine: it
//! names the shards that it needs, is supplied with their bytes, and answers. It does no I/O, so
//! the browser, the command line and the tests run the same code and get the same answer at the
//! same cost.
//!
//! ```text
//! a text           -> terms, bag -> lists, tables -> candidates -> blocks, sketches -> ranked
//! a page's URL     -> address shard -> its block -> terms, bag -> (as above)
//! a few words      -> completions -> terms and alternatives -> lists -> blocks -> ranked
//! a filter         -> its pages, before any of the above, or alone -> blocks -> listed
//! ```
//!
//! | module | task |
//! | --- | --- |
//! | `query` | turns a text into terms and a bag |
//! | `filter` | combines the values of filters |
//! | `refine` | keeps the pages of a filter, counts values, and sorts |
//! | `pairs` | finds neighboring pairs of characters in scripts without spaces |
//! | `score` | computes the parts of a score that do not depend on the fit of a term |
//! | `candidates` | chooses the blocks to read, by the lists of terms |
//! | `tables` | chooses the blocks to read, by pages that share a bucket |
//! | `title_match` | compares titles with the text |
//! | `meaning` | decides how much the meaning of pages counts in their order |
//! | `grade` | says how good a match is |
//! | `ranking` | ranks the pages of these blocks |
//! | `shared_words` | turns shared terms into words to show |
//! | `neighborhood` | turns the pages read into a map of similar pages and clusters |
//! | `machine` | runs a lookup from state to state |
//! | `near` | compares the best pages with the query word for word, by their sketches |
//! | `spelling` | compares the spelling of typed words with that of the words of a site |
//! | `site_words` | finds the words of the site that a typed word may stand for |
//! | `short_query` | turns a few words, as they are typed or as a text, into terms and alternatives |
//! | `drive` | runs a lookup to its answer, for callers with blocking I/O |
//!
//! The index of a small site is read whole, except that sketches are read only for the best pages,
//! and lists, which have only embeddings, for questions. So its answers miss nothing. If the query
//! is a page of the site, its own block has been read already, so its neighbors in that block are
//! compared too.

mod answer;
mod candidates;
mod drive;
mod filter;
mod grade;
mod machine;
mod meaning;
mod near;
mod neighborhood;
mod options;
mod pairs;
mod query;
mod ranking;
mod refine;
mod score;
mod shared_words;
mod short_query;
mod site_words;
mod spelling;
mod tables;
mod title_match;

#[cfg(test)]
mod tests;

pub use answer::Answer;
pub use candidates::unknown_idf;
pub use filter::Filter;
pub use grade::{Confidence, RankedBy};
pub use machine::{Lookup, MAX_TEXT_BYTES};
pub use neighborhood::{Cluster, Neighbor, NeighborLink, Neighborhood};
pub use options::{Candidates, LookupOptions, Surroundings};
pub use query::{
    Correction, LanguageBy, QueryError, TextLanguage, analyzer, bag_of_text, language_of,
};
pub use ranking::{MAX_COPIES, SearchResult};
pub use refine::{FilterCounts, Found, Refinement, SortBy, filters_of};
pub use shared_words::{MAX_MISSING_TERMS, MAX_SHARED_TERMS};
pub use tables::MAX_BLOCKS;
