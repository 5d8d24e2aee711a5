//! Readers of untrusted bytes that are no part of the API, as functions of bytes, for the fuzz
//! targets in `tests/fuzz`.

pub use crate::trials::{packed, some_pages, takers};
