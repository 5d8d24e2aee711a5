//! Signatures into pairs of similar URLs, in order.

pub(crate) mod by_similarity;
pub(crate) mod candidate_files;
pub mod external_sort;
pub mod rules;
