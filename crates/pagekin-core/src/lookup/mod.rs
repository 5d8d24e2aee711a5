//! From a text or a page of the site to the matching pages: a state machine that names the shards
//! it wants, is supplied with their bytes, and answers. It does no I/O, so the browser, the command
//! line and tests run the same code and get the same answer at the same cost.
//!
//! ```text
//! a text           -> terms, bag -> lists, tables -> candidates -> blocks, sketches -> ranked
//! a page's address  -> address shard -> its block -> terms, bag -> (as above)
//! words as typed    -> completions -> terms and alternatives -> lists -> blocks -> ranked
//! ```
//!
//! | room | does |
//! | --- | --- |
//! | `query` | a text into terms and a bag |
//! | `pairs` | which pairs of characters of scripts without spaces are neighbors |
//! | `score` | what the scores of pages are made of, besides how well they fit each term |
//! | `candidates` | the lists of its terms into the blocks worth reading |
//! | `tables` | pages found in buckets into the same |
//! | `ranking` | the pages of these blocks into ranked results |
//! | `shared_words` | the terms that a result shares into words for people |
//! | `neighborhood` | what was read into a map of pages that are alike, and clusters |
//! | `machine` | a lookup from state to state, by all of these |
//! | `near` | the sketches of the best pages into what they share with the query word for word |
//! | `typed` | words of a search box into terms, and what they may be taken for |
//! | `drive` | a lookup into its answer, by a caller that waits for what it reads |
//!
//! The index of a small site has no lists and tables. It is read whole, except for sketches, which
//! are read for the best pages only, so an answer misses nothing. For a page of the site, its own
//! block has been read already, so its neighbors there are compared too.

mod answer;
mod candidates;
mod drive;
mod machine;
mod near;
mod neighborhood;
mod options;
mod pairs;
mod prefix_query;
mod query;
mod ranking;
mod score;
mod shared_words;
mod tables;

#[cfg(test)]
mod tests;

pub use answer::Answer;
pub(crate) use candidates::unknown_idf;
pub use machine::{Lookup, MAX_TEXT_BYTES};
pub use neighborhood::{Cluster, Neighbor, NeighborLink, Neighborhood};
pub use options::{Candidates, LookupOptions, Surroundings};
pub use prefix_query::Correction;
pub use query::{LanguageBy, QueryError, TextLanguage, analyzer, bag_of_text, language_of};
pub use ranking::{Confidence, MAX_COPIES, RankedBy, SearchResult};
pub use shared_words::{MAX_MISSING_TERMS, MAX_SHARED_TERMS};
pub use tables::MAX_BLOCKS;
