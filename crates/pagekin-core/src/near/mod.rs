//! Near-duplicates: which pages nearly copy one another, by both algorithms that search engines
//! used.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | [`shingles`] | a text | tokens, shingles; of two pages, their exact resemblance and containment |
//! | [`passages`] | the tokens of two texts | the passages that both have |
//! | [`comparison`] | two texts | how much they share, and both with their passages |
//! | [`verbatim`] | a page and a text, however short | whether it has the text word for word |
//! | [`megashingles`] | shingles | minvalues, supershingles, megashingles: Alg. B, by `rabin` |
//! | [`projection`] | tokens | a projection sketch and its subsketches: Alg. C |
//! | [`identity`] | a text | hashes by which texts are equal, with their numbers or without |
//! | [`sketch`] | shingles | the few that an index keeps of a page, and what a text shares with it |
//!
//! Alg. B (Broder) looks at the set of the runs of k words, Alg. C (Charikar) at how often which
//! word stands on a page. Both give pages with the same words in the same order the same sketch.
//! What a sketch finds is an estimate; the resemblance of [`shingles`] is the truth.
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

/// A parameter is out of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {found}: expected {expected}")]
pub struct ParameterError {
    /// What it is called.
    pub name: &'static str,
    /// Its range.
    pub expected: &'static str,
    /// What was given.
    pub found: u32,
}
