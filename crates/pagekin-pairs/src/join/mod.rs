//! Similarity joins: bring together what shares a key or a rare term, and count how many bytes of
//! two rows agree.

pub(crate) mod agreement;
pub mod by_key;
pub mod by_prefix;
pub(crate) mod radix_groups;
