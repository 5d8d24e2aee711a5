//! The core of pagekin: everything that is a function of bytes and values.
//!
//! pagekin finds the pages of a web site that contain or resemble a text or another page. This
//! crate holds the whole data flow, for the native build and the browser alike, in order:
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | [`page`] | a parsed document | title, language, text |
//! | [`links`] | a parsed document | that, its links and the text they stand in |
//! | [`anchor`] | a link in a text | its anchor window |
//! | [`terms`] | text | stems without stop words |
//! | [`vocabulary`] | document frequencies | the terms of bags, with weights |
//! | [`bag`] | term frequencies | whole copies of terms |
//! | [`qgrams`] | a string of DNA or text | the bag of its q-grams |
//! | [`minhash`] | a bag | its MH-signature |
//! | [`lsh`] | a signature | the keys of its buckets |
//! | [`center`] | pairs of pages | clusters |
//! | [`similarity`] | two bags | their exact bag Jaccard |
//! | [`bm25`] | a term's frequency on a page | its BM25 weight |
//! | [`near`] | texts | near-duplicates |
//! | [`shard`] | all of that | the bytes of the static index, and back |
//! | [`index`], [`lookup`] | a text or an address, and bytes of shards | the matching pages, and the cost |
//! | [`excerpt`] | a text and a page's text | the best passage of the page |
//!
//! Nothing here does I/O, reads a clock, starts a thread, draws random numbers or depends on the
//! machine: the same input gives the same bits natively and in WebAssembly.
//!
//! # Example
//!
//! An index is opened and asked. The caller reads what the lookup wants: here from a folder. In a
//! browser, which fetches and does not wait, it calls [`Lookup::wanted`] and [`Lookup::supply`]
//! itself.
//!
//! ```
//! use std::{error::Error, fs, path::Path};
//!
//! use pagekin_core::shard::{FORMAT_VERSION, MANIFEST_NAME};
//! use pagekin_core::{Index, Lookup, LookupOptions};
//!
//! # fn main() -> Result<(), Box<dyn Error>> {
//! let folder = Path::new("../../tests/formats").join(FORMAT_VERSION.to_string());
//! let mut index = Index::open(&fs::read(folder.join(MANIFEST_NAME))?)?;
//!
//! let text = "feed a sourdough starter in the evening";
//! let lookup = Lookup::of_text(&index, text, "en", LookupOptions::default())?;
//! let read = |name: &str| Ok::<_, Box<dyn Error>>(fs::read(folder.join(name))?);
//! let answer = lookup.drive(&mut index, read)?;
//! assert_eq!(answer.results[0].title, "Sourdough loaf - Shed Door Notes");
//! # Ok(())
//! # }
//! ```
//!
//! # Quirks
//!
//! 1. A bag holds at most [`bag::BagRules::max_terms`] terms: the heaviest ones of a long page.
//! 2. A lookup may miss pages, but the scores of its results are exact.

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
pub mod qgrams;
pub mod shard;
pub mod similarity;
pub mod sort;
pub mod terms;
pub mod vocabulary;

pub use index::{Cost, Index};
pub use lookup::{Answer, Candidates, Kin, Lookup, LookupOptions, QueryError, RankedBy};
pub use params::{DEFAULT_SEED, IndexParams, Preset};
pub use shard::ReadError;
