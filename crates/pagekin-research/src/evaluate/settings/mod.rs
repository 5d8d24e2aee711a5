//! What is compared: settings, and grids of them.
//!
//! ```text
//! setting   a way to represent pages, to weigh their terms and to compare them; how it is written
//! grid      lines with several values into all settings they stand for; the grids with names
//! ```

pub(crate) mod grid;
pub(crate) mod setting;
