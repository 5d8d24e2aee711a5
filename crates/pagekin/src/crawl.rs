//! The commands of whoever has a crawl.

pub(crate) mod cluster;
pub(crate) mod clusters;
pub(crate) mod feedback;
#[cfg(feature = "site")]
pub(crate) mod inspect;
mod nouns;
pub(crate) mod pairs;
#[cfg(feature = "parquet")]
mod parquet;
pub(crate) mod rank;
pub(crate) mod related;
mod rows;
pub(crate) mod stream;
