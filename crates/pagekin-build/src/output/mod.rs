//! Files into an output that is swapped in whole.

pub(crate) mod error;
pub(crate) mod files;
pub(crate) mod part;
pub(crate) mod staging;
pub(crate) mod temporary;
