//! Signatures in the form in which pages are paired, in memory and on disk, and groups of equal ones.

pub mod columns;
pub mod equal;
pub(crate) mod file;
