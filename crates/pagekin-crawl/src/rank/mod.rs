//! PageRank: how much the links of a crawl say for each of its URLs (Henzinger, *Combinatorial
//! algorithms for web search engines: three success stories*, 2007, section 2).
//!
//! ```text
//! PR(v) = d r(v) + (1 - d) (D r(v) + sum over u -> v of PR(u) / outdeg(u))
//!
//! d          the reset probability, 1/8 in the paper
//! r(v)       the reset value of v; all of them add up to 1. The paper's first formula has 1/n
//! u -> v     a page u that links to v, however often; links to itself do not count
//! outdeg(u)  how many URLs u links to
//! D          the sum of PR(u) over the dangling u, of which no link is known: outdeg(u) = 0
//! ```
//!
//! So PR(v) is the part of their time that visitors spend at v who follow a link of the page they
//! are on, any of them equally often, and begin anew at a URL drawn by `r` with probability `d`,
//! and always where there is no link. All values add up to 1. With reset values above 0 for the
//! URLs of a topic or a person only, it is the topic-flavoured or personalised PageRank of the
//! paper.
//!
//! | room | turns | into |
//! | --- | --- | --- |
//! | `collect` | what each page links to | URLs and links in buckets on disk |
//! | `assemble` | the buckets | the files of a `folder` |
//! | `in_links` | the links of each target | a compressed file, and that into a pass over all links |
//! | `folder` | the files | URLs and links, to be read one after the other |
//! | `reset` | URLs, files of values | reset values |
//! | `iterate` | links and reset values | ranks, by power iteration |
//! | `run` | a folder and options | ranks, and its URLs in their order |
//! | `of_site` | the links of a site, in memory | which part of the pages ranks below each |
//!
//! Links stay on disk, in the order of their targets, and are streamed once for each iteration. In
//! memory are two numbers of 8 bytes a URL (its rank, and what each of its links gives) and its
//! degrees, 24 bytes in all; and 8 more with reset values that are not all equal.

pub(crate) mod assemble;
pub(crate) mod collect;
pub(crate) mod error;
pub(crate) mod folder;
pub(crate) mod in_links;
pub(crate) mod iterate;
// For the index of a site, which is released together with this crate; nothing is promised of it.
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
