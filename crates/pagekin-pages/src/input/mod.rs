//! Reads the pages of a crawl and their links, from any format that crawlers write.
//!
//! | module | input | output |
//! | --- | --- | --- |
//! | `open` (with `gunzip`, `unzstd`, `wacz`, `reread`) | an input | its format, detected by its first bytes, and a stream |
//! | `html_folder` | a folder | HTML files |
//! | `jsonl` | a stream of lines | lines with one object each |
//! | `records` | lines for an index | HTML files |
//! | `warc`, `arc` (with `http`, `content`) | a stream of records | responses that are pages |
//! | `page` | HTML or text with a URL | a [`CrawlPage`] |
//! | `templates` | pages that name a dissimilar page as canonical | separate pages |
//!
//! One thread reads and unpacks the inputs in order. The threads of the rayon pool that calls
//! [`read()`] parse them, a batch at a time. Batches are bounded, so memory does not depend on the
//! size of a crawl. Pages come in the order of the inputs with any number of threads.
//!
//! An error in one page or record skips only that one. All inputs are counted in
//! [`InputSummary::ledger`].
//!
//! # Quirks
//!
//! 1. If a URL was captured twice, both pages are returned, and the caller chooses.
//! 2. Pages that are `noindex` or redirect are returned, too, with the corresponding fields set.

pub(crate) mod arc;
pub(crate) mod content;
#[cfg(test)]
mod damaged;
pub(crate) mod error;
pub mod gunzip;
pub mod html_folder;
pub(crate) mod http;
pub(crate) mod in_memory;
pub mod jsonl;
pub mod open;
pub(crate) mod options;
pub(crate) mod page;
pub(crate) mod read;
pub(crate) mod records;
pub(crate) mod reread;
pub(crate) mod revisits;
pub(crate) mod summary;
pub mod templates;
pub(crate) mod unzstd;
pub(crate) mod wacz;
pub(crate) mod warc;

pub use crate::input::options::{Input, InputOptions};
pub use crate::input::page::{CrawlLink, CrawlPage};
pub use crate::input::read::{BATCH_ITEMS, read};
pub use crate::input::summary::InputSummary;
