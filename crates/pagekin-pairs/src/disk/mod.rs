//! Numbers and records in files that are larger than memory.

pub mod columns;
pub mod partitions;
pub mod records;
