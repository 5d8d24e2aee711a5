//! A crawl into the clusters of its URLs, their ranks, and what is learnt from judgements of pairs.
//!
//! Its rooms, each of which needs only those above it:
//!
//! ```text
//! folder           what a crawl became: files that are read in place
//! rank             the links of a crawl into the PageRank of its URLs
//! cluster          the paper's own job: pages into bags, signatures, pairs and clusters
//! cluster_list     the clusters of a crawl, one by one, with their members and terms
//! tree             the clusters of a crawl into a tree
//! feedback         judgements of pairs of URLs into a threshold and weights of terms
//! fuzzing          readers of bytes that are not trusted, for the fuzz targets
//! ```

pub mod cluster;
pub mod cluster_list;
pub mod feedback;
pub mod folder;
#[doc(hidden)]
pub mod fuzzing;
pub mod rank;
pub mod tree;
