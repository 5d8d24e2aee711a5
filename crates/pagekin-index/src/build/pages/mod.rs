//! Weights parsed pages, and finds the best order for storing them.
//!
//! ```text
//! vocabulary      the vocabulary, and pages with bags
//! weigh           all of this for a parsed site
//! emphasis        emphases of terms, from fields and links
//! titles          the terms of titles that the lists would not lead to
//! embeddings      embeddings of pages and words
//! signatures      signatures of bags
//! cluster_order   the order of pages, by signatures or by the clusters of a crawl
//! ```

pub(crate) mod cluster_order;
pub(crate) mod embeddings;
pub(crate) mod emphasis;
pub(crate) mod signatures;
pub(crate) mod titles;
pub(crate) mod vocabulary;
pub(crate) mod weigh;
