//! The static index as bytes. Each module writes and reads one kind of shard.
//!
//! A shard is fetched as a whole: a header of 24 bytes, then a payload. Only the manifest has a
//! fixed name. All others are in a folder named after the generation that wrote them, a hash of all
//! its payloads. So hosts and browsers may keep them forever, and two generations never mix. A
//! shard is a file, or is in a slot of a pack.
//!
//! ```text
//! offset  0   4  magic "PGKN"
//!         4   2  format version, 1
//!         6   1  kind of shard
//!         7   1  coding of the payload: 0 as it is, 1 deflated, 2 its head deflated
//!         8   8  generation
//!        16   4  bytes of the payload as it is stored
//!        20   4  checksum: the low half of XXH64 over bytes 0 to 19 and the payload
//!        24      payload
//! ```
//!
//! A deflated payload begins with its inflated length in bytes (u32), followed by raw DEFLATE.
//! Deflation is part of the format, so a host does not need to compress anything, and one that does
//! changes nothing.
//!
//! Numbers are little-endian. FORMAT.md in this crate describes every payload. Reading never
//! panics, and its allocations are bounded by the bytes it reads: 32 bytes for each of them and 64
//! KiB for the payload; 8 for each byte of the payload and 64 KiB for its texts; and 64 postings or
//! terms for each stored byte and 65,536 more. A shard has at most 1 MiB, a manifest and any
//! payload 2 MiB.

mod addresses;
mod coded;
mod coder;
mod completion_contexts;
mod completions;
mod embeddings;
mod filters;
mod generation;
mod inflate;
mod list_contexts;
mod lists;
pub(crate) mod manifest;
mod page_contexts;
mod page_metadata;
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
pub use completions::{Completion, CompletionShard, completion_weight, is_completion};
pub(crate) use filters::FilterReader;
pub use filters::{FilterDirectory, FilterShard, FilterValue, ValuePages, WrittenFilters};
pub use generation::GenerationHasher;
pub use lists::{Posting, PostingsShard, TermList};
pub(crate) use manifest::MAX_READ_WHOLE;
pub use manifest::{
    FOLDER_FILES, MANIFEST_NAME, MAX_REVISED, Manifest, file_and_range, language_number, max_bytes,
    shard_of_list,
};
pub use page_metadata::{MAX_METADATA_BYTES, PageMetadata};
pub use page_terms::PageTerm;
pub use pages::{
    MAX_TERMS_OF_PAGE, PageBlock, PageRecord, WrittenBlock, WrittenPage, group_number,
    group_of_copies,
};
pub use read_error::ReadError;
pub use sample::PageSample;
pub use sealed::{
    FORMAT_VERSION, Kind, MAX_MANIFEST_BYTES, MAX_PAYLOAD_BYTES, MAX_SHARD_BYTES, open, seal,
};
pub use shards::{PACK_BYTES, PACK_UNIT, Shards};
pub use sketches::SketchShard;
pub use tables::TableShard;
pub use words::WordShard;
