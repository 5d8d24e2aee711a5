//! Pages in their places into the payloads of shards, and these into files.
//!
//! ```text
//! models     shards into the probabilities that they are coded by
//! postings   pages into the lists of their terms
//! buckets    signatures into the buckets of the LSH tables
//! encode     pages into blocks, and all of these into payloads
//! write      payloads into files, or those of a previous index
//! ```

pub(crate) mod buckets;
pub(crate) mod encode;
pub(crate) mod models;
pub(crate) mod postings;
pub(crate) mod write;
