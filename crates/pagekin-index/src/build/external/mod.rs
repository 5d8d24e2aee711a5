//! What files give pages that was computed elsewhere: terms to be found by, and vectors to be
//! related by. Each line is a JSON object and names a page.
//!
//! ```text
//! lines     a file into its lines, and the names in them into pages
//! terms     terms with weights
//! vectors   vectors, and which pages are nearest by them
//! ```

pub(crate) mod lines;
pub(crate) mod terms;
pub(crate) mod vectors;
