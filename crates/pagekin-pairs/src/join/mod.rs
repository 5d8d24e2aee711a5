//! What has a key or a rare term in common, brought together, and how far two rows of bytes agree:
//! similarity joins.

pub(crate) mod agreement;
pub mod by_key;
pub mod by_prefix;
pub(crate) mod radix_groups;
