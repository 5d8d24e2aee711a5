//! Finds pairs of similar bags, and builds trees of clusters: signatures, joins and LSH tables, in
//! memory and on disk.
//!
//! Find all similar pairs of some bags exactly:
//!
//! ```
//! use pagekin_core::bag::Bag;
//! use pagekin_pairs::{Threshold, join};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The terms of each page in ascending order, with their counts.
//! let rye = Bag::from_sorted(vec![(1, 2), (4, 1), (9, 1)])?;
//! let wheat = Bag::from_sorted(vec![(1, 2), (4, 1), (7, 1)])?;
//! let tea = Bag::from_sorted(vec![(2, 3)])?;
//! let pairs = join(&[(0, rye), (1, wheat), (2, tea)], Threshold::from_thousandths(500)?);
//! assert_eq!(pairs.len(), 1);
//! assert_eq!((pairs[0].u, pairs[0].v, pairs[0].thousandths()), (0, 1, 600));
//! # Ok(())
//! # }
//! ```
//!
//! For millions of bags, use signatures. A [`Signer`] computes them, [`SignatureColumns`] store
//! them, and [`collapse`] groups equal ones. [`Background`] and [`choose`] determine how many
//! tables are needed, [`extract()`] finds candidate pairs, and [`verify`] keeps those whose bags
//! are similar. [`Tree`] builds clusters of clusters.
//!
//! ```
//! use pagekin_core::bag::Bag;
//! use pagekin_core::lsh::{TableRules, Tables};
//! use pagekin_core::similarity::Overlap;
//! use pagekin_core::{DEFAULT_SEED, Preset};
//! use pagekin_pairs::{
//!     Algorithm, Background, ExtractOptions, SignatureBatch, SignatureColumns, SignedBy, Signer,
//!     Threshold, Requirements, choose, collapse, extract, verify,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bag = |page: u32| {
//!     let first = page / 2 * 50 + page % 2;
//!     Bag::from_sorted((first..first + 40).map(|term| (term, 3)).collect())
//! };
//! let bags: Vec<Bag> = (0..60).map(bag).collect::<Result<_, _>>()?;
//! let params = Preset::Web.params(DEFAULT_SEED);
//! let signer = Signer::new(Algorithm::Affine32, params.signature);
//! let signed_by = SignedBy {
//!     algorithm: Algorithm::Affine32.name().to_owned(),
//!     params: params.signature,
//!     scale: params.bag.sum,
//! };
//! let mut columns = SignatureColumns::new(signed_by.clone())?;
//! let rows = signer.rows(&bags);
//! columns.push(SignatureBatch { signed_by: &signed_by, first: 0, rows: &rows })?;
//!
//! let distinct = collapse(&columns).representatives();
//! let threshold = Threshold::from_thousandths(500)?;
//! let background = Background::sample(&columns, &distinct, DEFAULT_SEED);
//! let choice = choose(&background, &Requirements::new(threshold), params.signature.m)?;
//! let tables = TableRules::Independent { k: choice.k, l: choice.l };
//! let tables = Tables::new(tables, params.signature.m, DEFAULT_SEED)?;
//! let mut candidates = Vec::new();
//! let options = ExtractOptions { threshold, max_in_bucket: ExtractOptions::MAX_IN_BUCKET };
//! extract(&columns, &distinct, &tables, options, |batch| {
//!     candidates.extend(batch.pairs.iter().map(|pair| (pair.u, pair.v)));
//!     Ok::<(), pagekin_pairs::PairsError>(())
//! })?;
//! candidates.sort_unstable();
//! let overlap = |u: u32, v: u32| Overlap::between(&bags[u as usize], &bags[v as usize]);
//! let pairs = verify(&candidates, overlap, threshold)?;
//! assert_eq!(pairs.len(), 30);
//! # Ok(())
//! # }
//! ```
//!
//! The modules, each of which needs only those above it:
//!
//! ```text
//! threshold        the minimum similarity of a pair
//! disk             numbers and records in files that may be larger than memory
//! rows             sparse rows, such as pages with terms, and their transpose
//! cosine           profiles, their cosines, and the nearest profiles
//! minhash          signatures, computed with the widest instructions
//! error            errors of signatures and pairs
//! join             pairs of sets that share a key or a rare term
//! signatures       signatures in columns, in memory and on disk, and groups of equal ones
//! pairs            columns, tables and bags -> similar pairs
//! hierarchy        profiles -> a tree of clusters with labels
//! ```

mod error;
mod threshold;

// These modules are hidden and not part of the stable API. Crates of this workspace, which are
// released together with this one, use more of them than is exported below.
#[doc(hidden)]
pub mod cosine;
#[doc(hidden)]
pub mod disk;
#[doc(hidden)]
pub mod hierarchy;
#[doc(hidden)]
pub mod join;
#[doc(hidden)]
pub mod minhash;
#[doc(hidden)]
pub mod pairs;
#[doc(hidden)]
pub mod rows;
#[doc(hidden)]
pub mod signatures;

pub use crate::error::PairsError;
pub use crate::hierarchy::{Node, Tree, TreeCluster, TreeItems};
pub use crate::minhash::{Algorithm, SignedBy, Signer, SigningBuffers};
pub use crate::pairs::bucket_join::{AgreeingPair, ExtractOptions, ExtractReport};
pub use crate::pairs::choose_tables::{
    Background, Choice, CurvePoint, Requirements, choose, curve,
};
pub use crate::pairs::exact_join::join;
pub use crate::pairs::extract::{PairBatch, extract};
pub use crate::pairs::verify::{SimilarPair, verify};
pub use crate::rows::Rows;
pub use crate::signatures::columns::{SignatureBatch, SignatureColumns};
pub use crate::signatures::equal::{Deduplicated, GroupParts, NotLowest, collapse};
pub use crate::threshold::{Threshold, ThresholdError};
