//! An index in a folder, or published: reading it, and asking it as a browser does.
//!
//! ```text
//! error           why it could not answer
//! related_shard   the shards of related pages, beside the index: their names, and what they hold
//! by_address      the page with an address, wherever the files are
//! folder          all of an index in a folder
//! published       an index on a host, asked over HTTPS
//! ```

pub(crate) mod by_address;
pub(crate) mod error;
pub(crate) mod folder;
#[cfg(feature = "https")]
pub(crate) mod published;
pub(crate) mod related_shard;
