//! Numbers and records in files that may be larger than memory.

pub mod columns;
pub mod partitions;
pub mod records;
