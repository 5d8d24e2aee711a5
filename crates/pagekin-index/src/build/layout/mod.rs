//! How many shards there are, and where each page is stored.
//!
//! ```text
//! shard_plan   sizes into the numbers of shards
//! records      pages into records, and these into blocks
//! placement    the order into blocks and slots, or those of a previous index
//! previous     the index of the last build, which a new one can follow
//! ```

pub(crate) mod placement;
pub(crate) mod previous;
pub(crate) mod records;
pub(crate) mod shard_plan;
