//! The core of pagekin: everything that is a function of bytes and values.
//!
//! pagekin finds the pages of a web site that contain or resemble a text or another page. This
//! crate holds the whole data flow, for the native build and the browser alike. Nothing here does
//! I/O, reads a clock, starts a thread, draws random numbers or depends on the machine: the same
//! input gives the same bits natively and in WebAssembly.
//!
//! # Asking an index
//!
//! An index is opened and asked. The caller reads what the lookup wants: here from a folder. In a
//! browser, which fetches and does not wait, it calls [`Lookup::wanted`] and [`Lookup::supply`]
//! itself.
//!
//! ```
//! use std::{error::Error, fs, path::Path};
//!
//! use pagekin_core::{Index, Lookup, LookupOptions, MANIFEST_NAME};
//!
//! # fn main() -> Result<(), Box<dyn Error>> {
//! # let formats = Path::new("../../tests/formats");
//! # let site = formats.join(pagekin_core::FORMAT_VERSION.to_string());
//! let mut index = Index::open(&fs::read(site.join(MANIFEST_NAME))?)?;
//!
//! let text = "feed a sourdough starter in the evening";
//! let lookup = Lookup::from_text(&index, text, "en", LookupOptions::default())?;
//! let read = |name: &str| Ok::<_, Box<dyn Error>>(fs::read(site.join(name))?);
//! let answer = lookup.drive(&mut index, read)?;
//! assert_eq!(answer.results[0].title, "Sourdough loaf");
//! # Ok(())
//! # }
//! ```
//!
//! An answer may miss pages, but the scores of its results are exact. [`passage_of_text`] finds
//! where in the text of such a page a text stands.
//!
//! # Comparing texts
//!
//! [`compare`] tells how much two texts share word by word, and where. Bags of words are compared
//! by [`Overlap`], or, if there are many, by signatures ([`Family`]).
//!
//! # Rooms
//!
//! What users of this library need is at its root. Its rooms are for the other crates of pagekin,
//! which are released together with it: they have no page here, and any version may change them.
//! These are they, each of which needs only those above it:
//!
//! ```text
//! address      the ways to write an address of the site, and which file its kin are in
//! center       pairs of pages into clusters around centers
//! hash, sort   the one hash, random numbers by it, and a sort in few bytes of code
//! page         a parsed document into title, language and text
//! links        a parsed document into that, its links and the text they stand in
//! vocabulary   document frequencies into the terms of bags, with weights
//! terms        text into words, and these into stems without stop words
//! anchor       a link in a text into the words around it
//! bag          term frequencies into whole copies of terms
//! qgrams       a string of DNA or text into the bag of its q-grams
//! similarity   two bags into their exact bag Jaccard
//! fit          a term's frequency and places on a page into how well the page answers to it
//! minhash      a bag into its MH-signature
//! lsh          a signature into the keys of its buckets
//! params       what bags, signatures and keys depend on besides the site
//! near         texts into near-duplicates: shingles, projections, passages, sketches
//! shard        all of that into the bytes of the static index, and back
//! index        a manifest and the shards that were read
//! lookup       a text or an address, and bytes of shards, into the matching pages and the cost
//! excerpt      a text and a page's text into the best passage of the page
//! ```

// For the crates of this workspace, which are released together: no promise to others.
#[doc(hidden)]
pub mod address;
#[doc(hidden)]
pub mod anchor;
#[doc(hidden)]
pub mod bag;
#[doc(hidden)]
pub mod center;
#[doc(hidden)]
pub mod excerpt;
#[doc(hidden)]
pub mod fit;
#[doc(hidden)]
pub mod hash;
mod index;
#[doc(hidden)]
pub mod links;
#[doc(hidden)]
pub mod lookup;
#[doc(hidden)]
pub mod lsh;
#[doc(hidden)]
pub mod minhash;
#[doc(hidden)]
pub mod near;
#[doc(hidden)]
pub mod page;
mod params;
#[doc(hidden)]
pub mod qgrams;
#[doc(hidden)]
pub mod shard;
#[doc(hidden)]
pub mod similarity;
#[doc(hidden)]
pub mod sort;
#[doc(hidden)]
pub mod terms;
#[doc(hidden)]
pub mod vocabulary;

pub use bag::Bag;
pub use excerpt::{Passage, passage_of_page, passage_of_text};
pub use index::{Cost, Index};
#[doc(hidden)]
pub use lookup::Candidates;
pub use lookup::{
    Answer, Confidence, LanguageBy, Lookup, LookupOptions, QueryError, RankedBy, SearchResult,
    TextLanguage, bag_of_text,
};
pub use minhash::{Family, Signature, SignatureParams};
pub use near::comparison::{Comparison, compare};
pub use near::shingles::Shared;
pub use near::sketch::{Nearness, SharedSample};
pub use params::{DEFAULT_SEED, IndexParams, Preset};
pub use shard::{FORMAT_VERSION, MANIFEST_NAME, ReadError, file_and_range};
pub use similarity::Overlap;
pub use terms::Language;
