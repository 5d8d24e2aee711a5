//! An index in a folder: reading it, and asking it as a browser does.
//!
//! ```text
//! error           why it could not answer
//! related_shard   the shards of related pages, beside the index: their names, and what they hold
//! folder          all of it
//! ```

pub(crate) mod error;
pub(crate) mod folder;
pub(crate) mod related_shard;
