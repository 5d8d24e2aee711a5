//! The paper's job: finds the pairs of similar URLs of a crawl and clusters them (Haveliwala,
//! Gionis and Indyk 2000).
//!
//! The work of each stage on a part of the data is a function from columns to columns, with sorting
//! and grouping between the stages. A stage shares no state and rejects input that is out of order.
//! The same functions therefore run on the threads of one machine or on many machines.
//!
//! | module | input | output |
//! | --- | --- | --- |
//! | [`input`](pagekin_pages::input) | folders of HTML, JSONL, WARC files | pages with their links |
//! | `bags` | what pages contain about URLs, in buckets on disk | one bag per URL |
//! | `strings` | FASTA, FASTQ, lines | strings by their names, and bags of their q-grams |
//! | [`SignatureColumns`](pagekin_pairs::SignatureColumns), by [`Signer`](pagekin_pairs::Signer) | bags | columns of signatures, and groups of equal ones |
//! | `classes` | URLs | classes of URLs, if pairs are limited to one class |
//! | `pairs` | columns, tables | candidate pairs, similar pairs, and the same in both directions, in order |
//! | `recall` | pairs and bags of some URLs | the share of their pairs that was found |
//! | [`folder`](crate::folder) | URLs, pairs in order, clusters | files that are read in place |
//!
//! [`cluster()`] runs the `stages`. Each stage stores its result on disk.

// `bags` and `pairs` are hidden: other crates of this workspace, which are released together with
// this
// one, use their functions. They may change without notice.
#[doc(hidden)]
pub mod bags;
pub(crate) mod classes;
pub(crate) mod costs;
pub(crate) mod error;
pub(crate) mod learned;
pub(crate) mod links;
pub(crate) mod options;
#[doc(hidden)]
pub mod pairs;
pub(crate) mod recall;
pub(crate) mod run;
pub(crate) mod stages;
pub(crate) mod strings;
pub(crate) mod summary;

pub use crate::cluster::bags::fragments::Fragment;
pub use crate::cluster::bags::from_page::{Learned, TermText};
pub use crate::cluster::bags::source::{FragmentSource, SourceStep, SourceSummary, Take};
pub use crate::cluster::classes::{ClassSource, ClassSummary};
pub use crate::cluster::costs::StageCost;
pub use crate::cluster::error::{CrawlError, OutOfOrder};
pub use crate::cluster::recall::Recall;
pub use crate::cluster::run::{cluster, cluster_fragments};

pub use crate::cluster::learned::{LearnedWeights, TermFactor};
pub use crate::cluster::links::{InputLinks, LinkOptions};
pub use crate::cluster::options::{ClusterOptions, Join, Pairing, TableOptions};

pub use crate::cluster::strings::estimate::ErrorEstimate;
pub use crate::cluster::strings::options::StringOptions;
pub use crate::cluster::summary::{ClusterSummary, TableSummary};

pub use crate::folder::format::BagSource;
