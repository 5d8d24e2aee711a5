//! What is compared: settings, and grids of them.
//!
//! ```text
//! setting   one way to represent pages, to weigh their terms and to compare them, and how it is written
//! grid      lines with several values into all settings they stand for; the grids with names
//! ```

pub(crate) mod grid;
pub(crate) mod setting;
