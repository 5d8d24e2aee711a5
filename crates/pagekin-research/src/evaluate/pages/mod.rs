//! A site's folder into pages: their words in order, and where in them links, blocks, lists and
//! headings are.
//!
//! ```text
//! marked_text   a parsed document into the text that a build reads of it, with marks
//! lexicon       words into numbers
//! page          a text with marks into words with places
//! read          a folder into its pages
//! ```

pub(crate) mod lexicon;
pub(crate) mod marked_text;
pub(crate) mod page;
pub(crate) mod read;
