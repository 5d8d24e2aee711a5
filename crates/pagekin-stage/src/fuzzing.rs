//! Readers of untrusted bytes that are not part of the API, for the fuzz targets in `tests/fuzz`.

pub use crate::trials::{packed, some_pages, takers};
