//! Pages as they are published into those that repeat one another, at once.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | `vector` | the terms of a page | a vector in whole numbers |
//! | `rule` | a horizon and a threshold | what makes a pair, and bounds for it |
//! | `order` | pages that came before | an order of terms, the rarest first |
//! | `lists` | postings | lists of them, by buckets of terms |
//! | `l2_index` | the pages of a span of time | those that make a pair with another |
//! | `streaming` | a stream of vectors | its pairs, at once |
//! | `watch` | pages with their addresses | what each repeats |
//! | `terms`, `published` | a line | the terms of its page, and its time |
//! | `leaps` | pages with their times | those whose times are believed |
//! | `output` | lines with a pair each | a file, and whether it is the same one |
//! | `journal` | pages that were taken | a checkpoint, and back |
//! | `lines` | an input | the lines of it that were not taken |
//! | `run` | lines as they come | lines with a pair each |

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
