//! Readers of untrusted bytes that are not part of the API, for the fuzz targets in `tests/fuzz`.

use std::path::Path;

use pagekin_core::ReadError;

pub use crate::input::in_memory::{answer_of_server, pages, unpacked};
use crate::output::file_list::FileList;
pub use crate::site::canonical::{is_other_page, redirects_elsewhere};
use crate::site::class_file;
use crate::site::error::SiteError;
use crate::site::html;

/// Returns the number of steps of the parser for an HTML page.
#[must_use]
pub fn parser_steps(html: &[u8]) -> u64 {
    html::steps_of(html)
}

/// Decodes a `pagekin.files` and encodes it again.
///
/// # Errors
///
/// Returns an error if it is damaged.
pub fn file_list(bytes: &[u8]) -> Result<String, ReadError> {
    FileList::decode(bytes).map(|list| list.encode())
}

/// Returns the URLs of a class file, each with its class.
///
/// # Errors
///
/// Returns an error if it is not a class file.
pub fn classes(csv: &[u8]) -> Result<Vec<(String, String)>, SiteError> {
    let mut classes = Vec::new();
    class_file::read_from(csv, Path::new("-"), |url, class| {
        classes.push((url.to_owned(), class.to_owned()));
    })?;
    Ok(classes)
}
