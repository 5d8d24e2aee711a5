//! Features of texts into pairs of texts: near-duplicates and quotations.

pub(crate) mod candidates;
pub(crate) mod exact_join;
pub mod quotations;
