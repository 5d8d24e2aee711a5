//! What lookups in an index find and what they cost, for the benches and for `tests/costs.rs`.
//!
//! | module | has |
//! | --- | --- |
//! | [`queries`] | texts of pages of an index, without a part of their terms |
//! | [`asking`] | an index that is asked, and a tally of what was read |
//! | [`exact`] | the exact truth about the queries, by brute force |
//! | [`quality`] | how good answers are beside the truth |
//! | [`spread`] | how many at the middle, at nine tenths and at most |

pub mod asking;
pub mod exact;
pub mod quality;
pub mod queries;
pub mod spread;

/// Whatever went wrong: it ends the measuring.
pub type Failure = Box<dyn std::error::Error>;
