//! Files into an output that is swapped in whole.

pub(crate) mod error;
pub mod file_list;
pub mod files;
pub(crate) mod part;
pub mod staging;
pub mod temporary;
