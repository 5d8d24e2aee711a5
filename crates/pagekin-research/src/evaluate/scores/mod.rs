//! Compares the order of a measure with the truth.
//!
//! ```text
//! gamma     agreement of the order of a measure with a hierarchy
//! answers   how many of the first answers are right
//! ```

pub(crate) mod answers;
pub(crate) mod gamma;
