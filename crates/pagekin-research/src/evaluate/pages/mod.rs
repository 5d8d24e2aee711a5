//! Reads a site's folder as pages: their words in order, and the positions of links, blocks, lists
//! and headings.
//!
//! ```text
//! marked_text   a parsed document -> the text that a build reads, with marks
//! lexicon       words -> numbers
//! page          a text with marks -> words with positions
//! read          a folder -> its pages
//! ```

pub(crate) mod lexicon;
pub(crate) mod marked_text;
pub(crate) mod page;
pub(crate) mod read;
