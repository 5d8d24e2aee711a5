//! Settings to compare, and grids of them.
//!
//! ```text
//! setting   how to represent pages, weight their terms and compare them; its text format
//! grid      lines with several values -> all combinations; the named grids
//! ```

pub(crate) mod grid;
pub(crate) mod setting;
