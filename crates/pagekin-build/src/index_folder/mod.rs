//! An index in a folder: reading it, and asking it as a browser does.

pub(crate) mod error;
pub(crate) mod file_list;
pub(crate) mod read;
pub(crate) mod related_shard;

pub use error::FolderError;
pub use read::{Folder, PageView, Soundness};
