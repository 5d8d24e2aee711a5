//! The core of pagekin: everything that is a function of bytes and values.
//!
//! pagekin finds the pages of a web site that have a text, or are like it or like a given page. This crate holds the whole
//! way of the data, for the native build and for the browser alike, in the order in which it flows:
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | [`page`] | a parsed document | title, language, text |
//! | [`links`] | a parsed document | that, its links and the text they stand in |
//! | [`anchor`] | a link in a text | its anchor window |
//! | [`terms`] | text | stems without stop words |
//! | [`vocabulary`] | document frequencies | the terms that count, weighed |
//! | [`bag`] | term frequencies | whole copies of terms |
//! | [`minhash`] | a bag | its MH-signature |
//! | [`lsh`] | a signature | the keys of its buckets |
//! | [`center`] | pairs of pages | clusters |
//! | [`similarity`] | two bags | their bag Jaccard, exactly |
//! | [`bm25`] | how often a page has a term | how much that says |
//! | [`near`] | texts | which of them nearly copy one another |
//! | [`shard`] | all of that | the bytes of the static index, and back |
//! | [`index`], [`lookup`] | a text or an address, and bytes of shards | its kin, and what they cost |
//! | [`excerpt`] | a text, and that of a page | where in the page it is found |
//!
//! Nothing here does I/O, reads a clock, starts a thread, draws a random number or asks what machine it
//! runs on: the same input gives the same bits natively and in WebAssembly.
//!
//! # Example
//!
//! An index is opened and asked. The caller fetches what the lookup wants: here from a folder, in a browser from a host.
//!
//! ```
//! use std::{fs, path::Path};
//!
//! use pagekin_core::shard::{FORMAT_VERSION, MANIFEST_NAME};
//! use pagekin_core::{Index, Lookup, LookupOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = Path::new("../../tests/formats").join(FORMAT_VERSION.to_string());
//! let mut index = Index::open(&fs::read(folder.join(MANIFEST_NAME))?)?;
//!
//! let text = "feed a sourdough starter in the evening";
//! let mut lookup = Lookup::of_text(&index, text, "en", LookupOptions::default())?;
//! let answer = loop {
//!     for name in lookup.wanted(&mut index)? {
//!         lookup.supply(&mut index, &name, &fs::read(folder.join(&name))?)?;
//!     }
//!     if let Some(answer) = lookup.answer() {
//!         break answer;
//!     }
//! };
//! assert_eq!(answer.results[0].title, "Sourdough loaf - Shed Door Notes");
//! # Ok(())
//! # }
//! ```
//!
//! # Quirks
//!
//! 1. A bag holds at most [`bag::BagRules::max_terms`] terms: of a long page only the heaviest count.
//! 2. A lookup is approximate in whom it finds, and exact in how similar they are.

pub mod address;
pub mod anchor;
pub mod bag;
pub mod bm25;
pub mod center;
pub mod excerpt;
pub mod hash;
pub mod index;
pub mod links;
pub mod lookup;
pub mod lsh;
pub mod minhash;
pub mod near;
pub mod page;
pub mod params;
pub mod shard;
pub mod similarity;
mod sort;
pub mod terms;
pub mod vocabulary;

pub use index::{Cost, Index};
pub use lookup::{Answer, Candidates, Kin, Lookup, LookupOptions, QueryError, RankedBy};
pub use params::{DEFAULT_SEED, IndexParams, Preset};
pub use shard::ReadError;
