//! The number of shards, and the place of each page.
//!
//! ```text
//! shard_plan   numbers of shards, from the size of a site
//! records      records of pages, and blocks of records
//! placement    the block and slot of each page, new or as in a previous index
//! previous     the index of the last build, which a new one can reuse
//! ```

pub(crate) mod placement;
pub(crate) mod previous;
pub(crate) mod records;
pub(crate) mod shard_plan;
