//! What was read into pages with bags, and these into the order in which they are best stored.
//!
//! ```text
//! vocabulary      terms and drafts into the vocabulary, and pages with bags
//! weigh           what was read of a site into all of that
//! standing        what pages stand out by: fields, links
//! signatures      bags into signatures
//! cluster_order   signatures, or the clusters of a crawl, into the order of the pages
//! ```

pub(crate) mod cluster_order;
pub(crate) mod signatures;
pub(crate) mod standing;
pub(crate) mod vocabulary;
pub(crate) mod weigh;
