//! Readers of untrusted bytes that are no part of the API, as functions of bytes, for the fuzz
//! targets in `tests/fuzz`.

use std::path::Path;

use pagekin_core::ReadError;

pub use crate::input::in_memory::{answer_of_server, pages, unpacked};
use crate::output::file_list::FileList;
pub use crate::site::canonical::{is_other_page, redirects_elsewhere};
use crate::site::class_file;
use crate::site::error::SiteError;
use crate::site::html;

/// The steps that the parser takes for a page of HTML.
#[must_use]
pub fn parser_steps(html: &[u8]) -> u64 {
    html::steps_of(html)
}

/// A `pagekin.files` that was read, as it would be written.
///
/// # Errors
///
/// If it is damaged.
pub fn file_list(bytes: &[u8]) -> Result<String, ReadError> {
    FileList::decode(bytes).map(|list| list.encode())
}

/// The URLs of a file of classes, each with its class.
///
/// # Errors
///
/// If it is no such file.
pub fn classes(csv: &[u8]) -> Result<Vec<(String, String)>, SiteError> {
    let mut classes = Vec::new();
    class_file::read_from(csv, Path::new("-"), |url, class| {
        classes.push((url.to_owned(), class.to_owned()));
    })?;
    Ok(classes)
}
