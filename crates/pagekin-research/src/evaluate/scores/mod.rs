//! A measure's order, held against the truth.
//!
//! ```text
//! gamma     pairs of pages in the order of a measure and in that of a hierarchy
//! answers   the first answers, and which of them are right
//! ```

pub(crate) mod answers;
pub(crate) mod gamma;
