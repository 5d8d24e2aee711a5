//! Encodes placed pages as shards, and writes these to files.
//!
//! ```text
//! models     the probabilities with which shards are coded
//! postings   the lists of terms
//! buckets    the buckets of the LSH tables
//! filters    the filters and sort keys of pages
//! encode     all shards of an index, as payloads
//! write      payloads to files, reusing those of a previous index
//! ```

pub(crate) mod buckets;
pub(crate) mod encode;
pub(crate) mod filters;
pub(crate) mod models;
pub(crate) mod postings;
pub(crate) mod write;
