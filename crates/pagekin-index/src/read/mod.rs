//! An index in a folder: reading it, and asking it as a browser does.

pub(crate) mod error;
pub(crate) mod read;
pub(crate) mod related_shard;

pub use crate::read::error::FolderError;
pub use crate::read::read::{Folder, PageView, Soundness};
