//! Signatures into pairs of similar URLs, in order.

pub(crate) mod bucket_join;
pub(crate) mod by_similarity;
pub mod calibrate;
pub(crate) mod candidate_files;
pub mod choose_tables;
pub(crate) mod error;
pub mod exact_join;
pub mod external_sort;
pub mod extract;
pub(crate) mod large_buckets;
pub(crate) mod rules;
pub(crate) mod table_order;
pub mod verify;
