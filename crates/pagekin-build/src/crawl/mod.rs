//! The paper's own job: a crawl into pairs of similar URLs and their clusters (Haveliwala, Gionis
//! and Indyk 2000).
//!
//! Each stage's work on one part of the data is a function of columns to columns, with sorting and
//! grouping between the stages. Nothing is shared while a stage runs, and input that is out of
//! order is refused: so the same functions can run on one machine's threads or on many machines.
//!
//! | room | turns | into |
//! | --- | --- | --- |
//! | [`input`] | folders of HTML, JSONL, WARC files | pages with their links |
//! | [`bags`] | what pages say of URLs, in buckets on disk | bags, one a URL |
//! | `strings` | FASTA, FASTQ, lines | strings by their names, and bags of their q-grams |
//! | [`signatures`] (by [`minhash`](crate::minhash) or [`sketch`](crate::sketch)) | bags | columns of signatures, and groups of equal ones |
//! | [`classes`] | URLs, bags | classes of URLs, of which only those of one are paired, if asked for |
//! | [`pairs`] | columns, tables | pairs that may be similar, those that are, and the same both ways, in order |
//! | [`evaluate`] | pairs and bags of some URLs | which of their pairs were found; CENTER beside connected components |
//! | [`crawl_folder`](crate::crawl_folder) | URLs, pairs in order, clusters | files that are read in place |
//!
//! [`cluster()`] runs the `stages`, each of which leaves its result on `disk`.

pub mod bags;
pub mod classes;
mod cluster;
mod costs;
pub(crate) mod error;
pub mod evaluate;
pub mod input;
mod learnt;
mod links;
mod options;
pub mod pairs;
pub mod signatures;
mod stages;
pub(crate) mod strings;
mod summary;
mod threshold;

pub use bags::fragments::Fragment;
pub use bags::from_page::{Learnt, TermText};
pub use bags::source::{FragmentSource, Said, Step, Take};
pub use classes::{ClassSource, ClassSummary};
pub use cluster::{cluster, cluster_fragments};
pub use costs::StageCost;
pub use error::{CrawlError, OutOfOrder};
pub use evaluate::recall::Recall;
pub use input::error::InputError;
pub use input::{CrawlLink, CrawlPage, CrawlSkip, Input, InputOptions, InputSummary, SkippedPages};
pub use learnt::{LearntWeights, TermFactor};
pub use links::{InputLinks, LinkOptions};
pub use options::{ClusterOptions, Pairing, TableOptions};
pub use pairs::choose_tables::{Choice, CurvePoint};
pub use pairs::error::PairsError;
pub use strings::options::StringOptions;
pub use summary::{ClusterSummary, TableSummary};
pub use threshold::{Threshold, ThresholdError};

pub use crate::crawl_folder::BagSource;
pub use crate::sketch::Sketch;
