//! Finds pairs of similar URLs by signatures, and sorts them.

pub(crate) mod by_similarity;
pub(crate) mod candidate_files;
pub mod external_sort;
pub mod rules;
