//! Pages with counted terms into the files of a static index.

pub(crate) mod buckets;
pub(crate) mod cluster_order;
pub(crate) mod from_crawl;
pub(crate) mod placement;
pub(crate) mod postings;
pub(crate) mod previous;
pub(crate) mod records;
pub(crate) mod related_files;
pub(crate) mod related_pages;
pub(crate) mod shard_plan;
pub(crate) mod signatures;
pub(crate) mod stages;
pub(crate) mod summary;
pub(crate) mod vocabulary;
pub(crate) mod write;
