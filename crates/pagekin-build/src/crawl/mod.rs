//! A crawl into pages and the links between them: what clusters are made of.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | [`urls`] | an address as written | the one form in which addresses are compared |
//! | [`inputs`] | folders of HTML, JSONL, WARC files | pages with their links |

mod error;
pub mod inputs;
pub mod urls;

pub use error::CrawlError;
