//! Signatures in columns, by which pages are paired, in memory and on disk, and groups of pages
//! with equal signatures.
