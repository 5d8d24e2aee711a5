//! Data that was computed elsewhere: terms that pages are found by, and vectors of pages and words.
//! Each line of a file is a JSON object and names a page or a word.
//!
//! ```text
//! lines         reads files of JSON lines, and matches page names to pages
//! terms         terms with weights
//! word_vectors  vectors of words
//! vectors       vectors of pages and words, and the pages nearest by them
//! ```

pub(crate) mod lines;
pub(crate) mod terms;
pub(crate) mod vectors;
pub(crate) mod word_vectors;
