//! Pages as they are published into those that repeat one another, at once.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | `vector` | the terms of a page | a vector in whole numbers |
//! | `rule` | a horizon and a threshold | what makes a pair, and bounds for it |
//! | `order` | pages that came before | an order of terms, the rarest first |
//! | `lists` | postings | lists of them, by buckets of terms |
//! | `l2_index` | the pages of a span of time | those that make a pair with another |
//! | `streaming`, `mini_batch` | a stream of vectors | its pairs, at once or a batch at a time |
//! | `watch` | pages with their addresses | what each repeats |
//! | `terms`, `published` | a line | the terms of its page, and its time |
//! | `journal` | pages that were taken | a checkpoint, and back |
//! | `run` | lines as they come | lines with a pair each |

mod clock;
mod error;
mod journal;
mod l2_index;
mod lists;
mod mini_batch;
mod order;
mod published;
mod rule;
mod run;
mod streaming;
mod terms;
mod vector;
mod watch;

pub use clock::TooLate;
pub use error::StreamError;
pub use l2_index::Work;
pub use mini_batch::MiniBatch;
pub use rule::Rule;
pub use run::{StreamOptions, StreamSkip, StreamSummary, follow};
pub use streaming::{Match, Streaming};
pub use terms::{PageTerms, stop_lists};
pub use vector::Vector;
pub use watch::{Repeat, Watch};

#[cfg(test)]
mod tests;
