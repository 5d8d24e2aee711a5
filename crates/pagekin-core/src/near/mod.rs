//! Near-duplicates: finds pages that are nearly copies of each other, by the two algorithms that
//! search engines used.
//!
//! | module | from | to |
//! | --- | --- | --- |
//! | [`shingles`] | a text | tokens, shingles; for two pages, their exact resemblance and containment |
//! | [`passages`] | the tokens of two texts | the passages that both contain |
//! | [`comparison`] | two texts | how much they share, and both with their passages |
//! | [`verbatim`] | a page and a text of any length | whether the page contains the text word for word |
//! | [`megashingles`] | shingles | minvalues, supershingles, megashingles: Alg. B, by `rabin` |
//! | [`projection`] | tokens | a projection sketch and its subsketches: Alg. C |
//! | [`identity`] | a text | hashes that show which texts are equal, with or without their numbers |
//! | [`sketch`] | shingles | the few that an index stores for a page, and what a text shares with it |
//!
//! Alg. B (Broder) uses the set of runs of k words, Alg. C (Charikar) the frequency of each word on
//! a page. Both give pages with the same words in the same order the same sketch. A sketch gives an
//! estimate; the resemblance of [`shingles`] is exact.
//!
//! # Source
//!
//! Henzinger, *Combinatorial Algorithms for Web Search Engines: Three Success Stories* (SODA 2007),
//! section 3.

pub mod comparison;
pub mod identity;
pub mod megashingles;
pub mod passages;
pub mod projection;
mod rabin;
pub mod shingles;
pub mod sketch;
pub mod verbatim;

/// A parameter is out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {found}: expected {expected}")]
pub struct ParameterError {
    /// The name of the parameter.
    pub name: &'static str,
    /// The range.
    pub expected: &'static str,
    /// The value.
    pub found: u32,
}
