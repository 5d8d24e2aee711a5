//! Pages into bags of terms, by what is said on them and about them.
//!
//! ```text
//! bags      pages with terms and their frequencies, in one vector
//! windows   a link into the words around it
//! assemble  what a setting takes of a page, into one bag
//! mentions  whose title a page has in its text
//! ```

pub(crate) mod assemble;
pub(crate) mod bags;
pub(crate) mod mentions;
pub(crate) mod windows;
