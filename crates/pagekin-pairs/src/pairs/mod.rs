//! Finds similar pairs by signatures, tables and bags.
//!
//! ```text
//! exact_join, verify           bags -> all similar pairs; candidates -> similar pairs
//! choose_tables                a sample of signatures -> k and l
//! table_order                  tables -> the order in which they are processed
//! bucket_join, large_buckets   the buckets of a table -> pairs
//! extract                      all tables -> pairs, without duplicates
//! ```

pub mod bucket_join;
pub mod choose_tables;
pub mod exact_join;
pub mod extract;
pub(crate) mod large_buckets;
pub mod table_order;
pub mod verify;
