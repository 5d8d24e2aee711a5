//! Signatures in columns, in memory and on disk, and groups of pages with equal signatures.

pub mod columns;
pub mod equal;
pub mod file;
