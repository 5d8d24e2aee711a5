//! Files into an output, a folder or one file, that is swapped in whole.

pub(crate) mod error;
pub mod file_list;
pub mod files;
pub mod output_file;
pub(crate) mod part;
pub mod staging;
pub mod temporary;
