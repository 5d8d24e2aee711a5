//! Writes an output, a folder or a file, which is replaced atomically.

pub(crate) mod error;
pub mod file_list;
pub mod files;
pub mod output_file;
pub(crate) mod part;
pub mod staging;
pub mod temporary;
