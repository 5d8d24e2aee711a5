//! Clusters the URLs of a crawl, ranks them by their links, and learns from judgments of pairs.
//!
//! [`cluster()`] writes a folder for a crawl, [`CrawlFolder`] reads it, [`rank()`] ranks its URLs
//! by their links, [`learn`] learns from judgments, and [`crawl_tree`] builds a tree of the
//! clusters:
//!
//! ```
//! use pagekin_crawl::{ClusterOptions, CrawlFolder, LinkFolder, RankOptions, cluster, rank};
//! use pagekin_pages::{Input, Silent};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! # let output = place.path().join("crawl");
//! let options = ClusterOptions::new(&output).with(|options| options.links = true);
//! let summary = cluster(&[Input::Path("../../tests/site".into())], &options, &Silent)?;
//!
//! let mut crawl = CrawlFolder::open(&output)?;
//! assert_eq!(crawl.centers()?.len(), summary.urls as usize);
//!
//! let mut links = LinkFolder::open(&output)?;
//! let ranking = rank(&mut links, &RankOptions::default(), &Silent)?;
//! assert_eq!(ranking.first(3, &links)?.len(), 3);
//! # Ok(())
//! # }
//! ```
//!
//! Its modules, each of which needs only those above it:
//!
//! ```text
//! folder           the output folder of a crawl: files that are read in place
//! rank             PageRank of URLs from the links of a crawl
//! cluster          the paper's job: pages to bags, signatures, pairs and clusters
//! cluster_list     the clusters of a crawl with their members and terms
//! tree             the clusters of a crawl as a tree
//! similar          URLs similar to a URL or a text, by the signatures of a crawl
//! feedback         a threshold and weights of terms, learned from judgments of pairs
//! fuzzing          readers of untrusted bytes, for the fuzz targets
//! ```

pub mod cluster;
pub mod cluster_list;
pub mod feedback;
pub mod folder;
#[doc(hidden)]
pub mod fuzzing;
pub mod rank;
pub mod similar;
pub mod tree;

pub use crate::cluster::{
    ClassSource, ClusterOptions, ClusterSummary, CrawlError, Join, LearnedWeights, Pairing,
    StringOptions, TableOptions, cluster,
};
pub use crate::feedback::{Feedback, FeedbackError, FeedbackOptions, learn};
pub use crate::folder::{BagSource, CrawlFolder, CrawlFolderError, CrawledUrl, StoredPair};
pub use crate::rank::{LinkFolder, RankError, RankOptions, Ranking, Reset, rank};
pub use crate::similar::SimilarOptions;
pub use crate::tree::{CrawlTree, TreeError, crawl_tree};
