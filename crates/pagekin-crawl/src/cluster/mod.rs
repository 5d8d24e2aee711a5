//! The paper's own job: a crawl into pairs of similar URLs and their clusters (Haveliwala, Gionis
//! and Indyk 2000).
//!
//! Each stage's work on one part of the data is a function of columns to columns, with sorting and
//! grouping between the stages. Nothing is shared while a stage runs, and input that is out of
//! order is refused: so the same functions can run on one machine's threads or on many machines.
//!
//! | room | turns | into |
//! | --- | --- | --- |
//! | [`input`](pagekin_pages::input) | folders of HTML, JSONL, WARC files | pages with their links |
//! | `bags` | what pages say of URLs, in buckets on disk | bags, one a URL |
//! | `strings` | FASTA, FASTQ, lines | strings by their names, and bags of their q-grams |
//! | [`SignatureColumns`](pagekin_pairs::SignatureColumns), by [`Signer`](pagekin_pairs::Signer) | bags | columns of signatures, and groups of equal ones |
//! | `classes` | URLs | classes of URLs, of which only those of one are paired, if asked for |
//! | `pairs` | columns, tables | pairs that may be similar, those that are, and the same both ways, in order |
//! | `recall` | pairs and bags of some URLs | which of their pairs were found |
//! | [`folder`](crate::folder) | URLs, pairs in order, clusters | files that are read in place |
//!
//! [`cluster()`] runs the `stages`, each of which leaves its result on `disk`.

// `bags` and `pairs` are hidden: crates of this workspace, which are released together
// with this one, take functions from there, and nothing is promised of them.
#[doc(hidden)]
pub mod bags;
pub(crate) mod classes;
pub(crate) mod costs;
pub(crate) mod error;
pub(crate) mod learnt;
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
pub use crate::cluster::bags::from_page::{Learnt, TermText};
pub use crate::cluster::bags::source::{FragmentSource, SourceStep, SourceSummary, Take};
pub use crate::cluster::classes::{ClassSource, ClassSummary};
pub use crate::cluster::costs::StageCost;
pub use crate::cluster::error::{CrawlError, OutOfOrder};
pub use crate::cluster::recall::Recall;
pub use crate::cluster::run::{cluster, cluster_fragments};

pub use crate::cluster::learnt::{LearntWeights, TermFactor};
pub use crate::cluster::links::{InputLinks, LinkOptions};
pub use crate::cluster::options::{ClusterOptions, Join, Pairing, TableOptions};

pub use crate::cluster::strings::estimate::ErrorEstimate;
pub use crate::cluster::strings::options::StringOptions;
pub use crate::cluster::summary::{ClusterSummary, TableSummary};

pub use crate::folder::format::BagSource;
