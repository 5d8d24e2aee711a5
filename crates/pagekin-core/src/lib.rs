//! The core of pagekin: all computation, without I/O.
//!
//! pagekin finds the pages of a web site that contain or resemble a text or another page. The
//! native build and the browser share this crate. It does no I/O, reads no clock, starts no
//! threads, draws no random numbers and does not depend on the machine: the same input gives the
//! same bits natively and in WebAssembly.
//!
//! # Querying an index
//!
//! [`Lookup::drive`] reads files with a closure, here from a folder. A caller that cannot block,
//! such as a browser, calls [`Lookup::wanted`] and [`Lookup::supply`] instead.
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
//! An answer may miss pages, but the scores of its results are exact. [`passage_of_text`] finds the
//! passage of a page that matches a text.
//!
//! # Comparing texts
//!
//! [`compare`] measures how much text two texts share, word by word, and returns the shared
//! passages. [`Overlap`] compares two bags of words. To compare many bags, use MinHash signatures
//! ([`Family`]).
//!
//! # Modules
//!
//! The root exports the public API. The modules are internal to the workspace, whose crates are
//! released together. They are hidden from this documentation, and any version may change them.
//!
//! The modules, each of which needs only those above it:
//!
//! ```text
//! address      URLs of pages in normal form, and the file with a page's similar pages
//! center       pairs of pages -> clusters around centers
//! hash, sort   the hash function, pseudorandom numbers, and a sort in few bytes of code
//! page         a parsed document -> title, language and text
//! links        a parsed document -> the same, with links and their surrounding text
//! vocabulary   document frequencies -> terms of bags and their weights
//! terms        text -> words -> stems without stop words
//! anchor       a link in a text -> the words around it
//! bag          term frequencies -> integer counts of terms
//! qgrams       a string of DNA or text -> the bag of its q-grams
//! similarity   two bags -> their exact bag Jaccard
//! embedding    the vectors of the words of a text and of a page -> how near their meanings are
//! fit          frequency and fields of a term on a page -> how well the page matches the term
//! minhash      a bag -> its MinHash signature
//! lsh          a signature -> the keys of its buckets
//! params       parameters of bags, signatures and keys
//! near         near-duplicate texts: shingles, projections, passages, sketches
//! page_set     sets of pages, as ranges of their numbers
//! shard        the files of an index: encoders and decoders
//! index        a manifest and the shards read so far
//! lookup       a text or a URL, and bytes of shards -> matching pages and the cost
//! excerpt      a text and the text of a page -> the best passage of the page
//! ```

// Internal to the workspace, whose crates are released together. Not part of the stable API.
#[doc(hidden)]
pub mod address;
#[doc(hidden)]
pub mod anchor;
#[doc(hidden)]
pub mod bag;
#[doc(hidden)]
pub mod center;
#[doc(hidden)]
pub mod embedding;
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
#[doc(hidden)]
pub mod page_set;
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
    Answer, Confidence, Filter, FilterCounts, Found, LanguageBy, Lookup, LookupOptions, QueryError,
    RankedBy, Refinement, SearchResult, SortBy, TextLanguage, bag_of_text,
};
pub use minhash::{Family, Signature, SignatureParams};
pub use near::comparison::{Comparison, compare};
pub use near::shingles::Shared;
pub use near::sketch::{Nearness, SharedSample};
pub use params::{DEFAULT_SEED, IndexParams, Preset};
pub use shard::{FORMAT_VERSION, MANIFEST_NAME, ReadError, file_and_range};
pub use similarity::Overlap;
pub use terms::Language;
