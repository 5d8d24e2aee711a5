//! Signatures, tables and bags into pairs that are similar.
//!
//! ```text
//! exact_join, verify           bags into all pairs that are similar, and pairs into those that are
//! choose_tables                a sample of signatures into k and l
//! table_order                  the tables in the order in which they are made
//! bucket_join, large_buckets   the buckets of a table into pairs
//! extract                      all tables into pairs, each once
//! ```

pub mod bucket_join;
pub mod choose_tables;
pub mod exact_join;
pub mod extract;
pub(crate) mod large_buckets;
pub mod table_order;
pub mod verify;
