//! Data about pages that was computed elsewhere: terms that pages are found by, and vectors that
//! decide which pages are related. Each line of a file is a JSON object and names a page.
//!
//! ```text
//! lines     reads files of JSON lines, and matches page names to pages terms     terms with
//! weights vectors   vectors, and the pages nearest by them
//! ```

pub(crate) mod lines;
pub(crate) mod terms;
pub(crate) mod vectors;
