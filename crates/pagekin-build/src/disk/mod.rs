//! Numbers and records in files that are larger than memory.

pub(crate) mod columns;
pub(crate) mod partitions;
pub(crate) mod records;
