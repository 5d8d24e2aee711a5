//! PageRank of the URLs of a crawl (Henzinger, *Combinatorial algorithms for web search engines:
//! three success stories*, 2007, section 2).
//!
//! ```text
//! PR(v) = d r(v) + (1 - d) (D r(v) + sum over u -> v of PR(u) / outdeg(u))
//!
//! d          the reset probability, 1/8 in the paper
//! r(v)       the reset value of v; all of them add up to 1. In the paper's first formula, 1/n
//! u -> v     a page u that links to v, once or more; links to itself do not count
//! outdeg(u)  the number of URLs that u links to
//! D          the sum of PR(u) over the dangling u, without known links: outdeg(u) = 0
//! ```
//!
//! So PR(v) is the share of time that visitors spend at v if they follow a random link of the
//! current page or, with probability `d` and on pages without links, restart at a URL drawn from
//! `r`. All values add up to 1. If only the URLs of a topic or a person have reset values above 0,
//! it is the topic-flavored or personalized PageRank of the paper.
//!
//! | module | input | output |
//! | --- | --- | --- |
//! | `collect` | the links of each page | URLs and links in buckets on disk |
//! | `assemble` | the buckets | the files of a `folder` |
//! | `in_links` | the links to each target | a compressed file, and a pass over all links in it |
//! | `folder` | the files | URLs and links, read sequentially |
//! | `reset` | URLs, folders, clusters, files of values | reset values |
//! | `iterate` | links and reset values | ranks, by power iteration |
//! | `run` | a folder and options | ranks, and the URLs in their order |
//! | `from_site` | the links of a site, in memory | the share of the pages that rank below each page |
//!
//! Links stay on disk, sorted by target, and are streamed once per iteration. Memory holds two
//! numbers of 8 bytes per URL (its rank, and its contribution to each link target) and its degrees,
//! 24 bytes in all; 8 more if reset values are not all equal.

pub(crate) mod assemble;
pub(crate) mod collect;
pub(crate) mod error;
pub(crate) mod folder;
pub(crate) mod in_links;
pub(crate) mod iterate;
// For the index of a site, which is released together with this crate. It may change without
// notice.
#[doc(hidden)]
pub mod from_site;
pub(crate) mod reset;
pub(crate) mod run;

pub use crate::rank::assemble::assemble;
pub use crate::rank::collect::{LinkBuckets, UrlLinks};
pub use crate::rank::error::RankError;
pub use crate::rank::folder::{LinkCounts, LinkFolder, LinkedUrl, LinkedUrls};
pub use crate::rank::iterate::Convergence;
pub use crate::rank::reset::{Reset, read_csv};
pub use crate::rank::run::{RankOptions, RankedUrl, Ranking, rank};
