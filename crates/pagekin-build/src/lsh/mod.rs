//! What all joins by keys of signatures share: pages into groups of equal keys, and how far two rows of bytes agree.

pub(crate) mod agreement;
pub(crate) mod groups;
