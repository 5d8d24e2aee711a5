//! What has a key or a rare term in common, brought together, and how far two rows of bytes agree:
//! similarity joins.

pub mod agreement;
pub mod by_key;
pub mod by_prefix;
pub(crate) mod radix_groups;
