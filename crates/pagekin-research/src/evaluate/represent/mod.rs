//! Represents pages as bags of terms, from their own text and from links to them.
//!
//! ```text
//! bags      pages with terms and their frequencies, in one vector
//! windows   a link -> the words around it
//! assemble  a page and a setting -> a bag
//! mentions  pages -> whose titles their texts contain
//! ```

pub(crate) mod assemble;
pub(crate) mod bags;
pub(crate) mod mentions;
pub(crate) mod windows;
