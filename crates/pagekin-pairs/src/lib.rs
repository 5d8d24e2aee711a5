//! Bags and rows into pairs of similar ones, and into trees: signatures, joins, LSH tables in
//! memory and on disk.
//!
//! Its rooms, each of which needs only those above it:
//!
//! ```text
//! error            why signatures or pairs were refused
//! threshold        from which similarity on two bags are similar
//! disk             numbers and records in files that are larger than memory
//! rows             sparse rows, such as pages with terms, and the same turned over
//! cosine           profiles, their cosines, and the nearest of one
//! minhash          signatures of copies, by the widest instructions
//! join             pairs of what shares a key or a rare term
//! signatures       signatures in columns, in memory and on disk, and groups of equal ones
//! pairs            columns, tables and bags into pairs that are similar
//! hierarchy        profiles, level upon level, into a tree with labels
//! ```

pub mod cosine;
pub mod disk;
mod error;
pub mod hierarchy;
pub mod join;
pub mod minhash;
pub mod pairs;
pub mod rows;
pub mod signatures;
mod threshold;

pub use error::PairsError;
pub use pairs::choose_tables::{Choice, CurvePoint};
pub use threshold::{Threshold, ThresholdError};
