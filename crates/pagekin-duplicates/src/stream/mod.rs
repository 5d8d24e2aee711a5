//! Finds pages that repeat earlier ones, as they are published.
//!
//! | module | input | output |
//! | --- | --- | --- |
//! | `vector` | the terms of a page | a vector of whole numbers |
//! | `rule` | a horizon and a threshold | the condition for a pair, and bounds for it |
//! | `order` | earlier pages | an order of terms, rarest first |
//! | `lists` | postings | lists of postings by bucket of terms |
//! | `l2_index` | the pages of a time span | the pages that form a pair with another page |
//! | `streaming` | a stream of vectors | its pairs, immediately |
//! | `watch` | pages with their URLs | the earlier pages that each repeats |
//! | `terms`, `published` | a line | the terms of its page, and its time |
//! | `leaps` | pages with their times | the pages whose times are plausible |
//! | `output` | lines of pairs | a file, and whether it is the expected one |
//! | `journal` | processed pages | a checkpoint, and the reverse |
//! | `lines` | an input | its lines that have not been processed |
//! | `run` | lines as they arrive | lines of pairs |

pub(crate) mod clock;
pub(crate) mod error;
pub(crate) mod journal;
pub(crate) mod l2_index;
pub(crate) mod leaps;
pub(crate) mod lines;
pub(crate) mod lists;
pub(crate) mod order;
pub(crate) mod output;
pub(crate) mod published;
pub(crate) mod rule;
pub(crate) mod run;
pub(crate) mod streaming;
pub(crate) mod terms;
pub(crate) mod vector;
pub(crate) mod watch;

pub use crate::stream::clock::TooLate;
pub use crate::stream::error::StreamError;
pub use crate::stream::l2_index::Work;
pub use crate::stream::rule::Rule;
pub use crate::stream::run::{StreamOptions, StreamSummary, follow};
pub use crate::stream::streaming::{Match, Streaming};
pub use crate::stream::terms::{PageTerms, stop_lists};
pub use crate::stream::vector::Vector;
pub use crate::stream::watch::{MAX_REPORTED, Repeat, Watch};

#[cfg(test)]
mod tests;
