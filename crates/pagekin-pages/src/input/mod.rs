//! Whatever a crawler wrote into pages with their links.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | `open` (with `gunzip`, `unzstd`, `wacz`, `reread`) | an input | its kind, by its first bytes, and a stream |
//! | `html_folder` | a folder | files of HTML |
//! | `jsonl` | a stream of lines | lines with an object each |
//! | `warc`, `arc` (with `http`, `content`) | a stream of records | the answers of servers that are pages |
//! | `page` | HTML or text with an address | a [`CrawlPage`] |
//! | `templates` | pages that name a page unlike them as canonical | pages of their own |
//!
//! One thread reads and unpacks, in the order of the inputs; the threads of the rayon pool that
//! [`read()`] is called in parse what it read, a batch at a time. Batches are bounded, so memory
//! does not depend on the size of a crawl, and pages come in the order of the inputs with any
//! number of threads.
//!
//! What is wrong with one page or record leaves that one out. All that comes in is counted in
//! [`InputSummary::ledger`].
//!
//! # Quirks
//!
//! 1. If a URL was captured twice, both pages are given: the caller chooses.
//! 2. Pages that ask not to be indexed, and those that redirect, are given too, and say so.

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
pub(crate) mod reread;
pub(crate) mod revisits;
pub(crate) mod summary;
pub(crate) mod templates;
pub(crate) mod unzstd;
pub(crate) mod wacz;
pub(crate) mod warc;

pub use crate::input::options::{Input, InputOptions};
pub use crate::input::page::{CrawlLink, CrawlPage};
pub use crate::input::read::read;
pub use crate::input::summary::InputSummary;
