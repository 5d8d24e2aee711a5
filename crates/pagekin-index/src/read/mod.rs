//! Reads local and published indexes, and queries them as a browser does.
//!
//! ```text
//! error           errors of a local index
//! related_shard   shards of related pages next to the index, and their entry
//! by_address      finding the page at a URL
//! files           bounded reading of local files
//! folder          an index in a folder
//! verify          consistency checks of an index in a folder
//! published_error errors of a published index
//! call_end        deadlines of calls
//! host            bounded requests to the host of a published index
//! published       an index on a host
//! ```

pub(crate) mod by_address;
#[cfg(feature = "https")]
pub(crate) mod call_end;
pub(crate) mod error;
mod files;
pub(crate) mod folder;
#[cfg(feature = "https")]
mod host;
#[cfg(feature = "https")]
pub(crate) mod published;
#[cfg(feature = "https")]
pub(crate) mod published_error;
pub(crate) mod related_shard;
pub(crate) mod verify;
