//! Readers of untrusted bytes that are no part of the API, as functions of bytes, for the fuzz
//! targets in `tests/fuzz`.

use pagekin_core::ReadError;

pub use crate::input::in_memory::{answer_of_server, pages, unpacked};
use crate::output::file_list::FileList;
pub use crate::site::canonical::{is_other_page, redirects_elsewhere};

/// A `pagekin.files` that was read, as it would be written.
///
/// # Errors
///
/// If it is damaged.
pub fn file_list(bytes: &[u8]) -> Result<String, ReadError> {
    FileList::decode(bytes).map(|list| list.encode())
}
