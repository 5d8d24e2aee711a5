//! Builds a tree of the clusters of a crawl, for browsing.

pub(crate) mod error;
pub(crate) mod from_crawl;

pub use error::TreeError;
pub use from_crawl::{CrawlTree, Topic, crawl_tree};
