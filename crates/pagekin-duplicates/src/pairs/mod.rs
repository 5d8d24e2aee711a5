//! Finds pairs of texts by their features: near-duplicates and quotations.

pub(crate) mod candidates;
pub(crate) mod exact_join;
pub mod quotations;
