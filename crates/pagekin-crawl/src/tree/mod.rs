//! The clusters of a crawl into a tree by which it can be browsed.

pub(crate) mod error;
pub(crate) mod from_crawl;

pub use error::TreeError;
pub use from_crawl::{CrawlTree, Topic, crawl_tree};
