//! An index in a folder, or published: reading it, and asking it as a browser does.
//!
//! ```text
//! error           why an index in a folder could not answer
//! related_shard   the shards of related pages, beside the index: their names, and what they hold
//! by_address      the page with an address, wherever the files are
//! files           files of an index on a disk: no more of one than an index has
//! folder          all of an index in a folder
//! verify          whether all of an index in a folder fits together
//! published_error why a published index could not answer
//! call_end        when a call ends
//! host            the host of a published index, asked over HTTPS
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
