//! The static index as bytes: each kind of shard written and read side by side.
//!
//! A shard is fetched whole: a header of 24 bytes, then a payload. The manifest is the only one at
//! a fixed address; all others are in a folder named after the generation that wrote them, a hash
//! of all its payloads, so a host and a browser may keep them for ever and two generations never
//! mix. A shard is a file, or stands in its slot of a pack.
//!
//! ```text
//! offset  0   4  magic "PGKN"
//!         4   2  format version, 8
//!         6   1  kind of shard
//!         7   1  coding of the payload: 0 as it is, 1 deflated, 2 its head deflated
//!         8   8  generation
//!        16   4  bytes of the payload as it is stored
//!        20   4  checksum: the low half of XXH64 over bytes 0 to 19 and the payload
//!        24      payload
//! ```
//!
//! A deflated payload begins with the number of its bytes when inflated (u32); what follows is raw
//! DEFLATE. It is part of the format, so a host need not compress anything, and one that does
//! changes nothing.
//!
//! Numbers are little-endian. FORMAT.md in this crate describes every payload. Reading never
//! panics, and allocates no more than its bytes allow: 32 for each and 64 KiB for the payload, 8
//! for each of that and 64 KiB for its texts, and 64 postings or terms for each stored byte and
//! 65,536. A shard has at most 1 MiB, and a manifest and any payload 2 MiB.

mod addresses;
mod coded;
mod coder;
mod completions;
mod generation;
mod inflate;
mod list_contexts;
mod lists;
pub(crate) mod manifest;
mod page_contexts;
mod page_terms;
mod pages;
mod read_error;
mod sample;
mod sealed;
mod shards;
mod sketches;
mod slots;
mod stop;
mod tables;
mod terms;
pub(crate) mod wire;
mod words;

pub use addresses::AddressShard;
pub use coded::Coded;
pub use coder::{Counts, Model};
pub use completions::{Completion, CompletionShard, completion_weight};
pub use generation::GenerationHasher;
pub use lists::{Posting, PostingsShard, TermList};
pub(crate) use manifest::MAX_READ_WHOLE;
pub use manifest::{
    FOLDER_FILES, MANIFEST_NAME, MAX_REVISED, Manifest, file_and_range, max_bytes, shard_of_list,
};
pub use page_terms::PageTerm;
pub use pages::{
    MAX_TERMS_OF_PAGE, PageBlock, PageRecord, WrittenBlock, WrittenPage, group_number,
    group_of_copies,
};
pub use read_error::ReadError;
pub use sample::PageSample;
pub use sealed::{
    FORMAT_VERSION, Kind, MAX_MANIFEST_BYTES, MAX_PAYLOAD_BYTES, MAX_SHARD_BYTES,
    OLDEST_FORMAT_VERSION, open, seal,
};
pub use shards::{PACK_BYTES, PACK_UNIT, Shards};
pub use sketches::SketchShard;
pub use tables::TableShard;
pub use words::WordShard;
