//! The paper's own job: a crawl into pairs of similar URLs and their clusters (Haveliwala, Gionis and Indyk 2000).
//!
//! Each stage's work on one part of the data is a function of columns to columns, with sorting and grouping between the
//! stages. Nothing is shared while a stage runs, and input that is out of order is refused: so the same functions can run
//! on one machine's threads or on many machines.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | [`urls`] (on `resolving`) | an address as written | the one form in which addresses are compared |
//! | [`inputs`] | folders of HTML, JSONL, WARC files | pages with their links |
//! | `saying` | a page | what it says of itself and of what it links to |
//! | [`sources`] | inputs, or something else | fragments: what is said of URLs |
//! | [`fragments`] (on `spreading`) | fragments | buckets on disk |
//! | [`bagging`] | the fragments of a bucket | bags, one a URL |
//! | [`bag_columns`] (on `numbers`) | bags | columns, in memory and on disk |
//! | [`signing`](crate::minhash) | bags | batches of signatures |
//! | [`signatures`], `signature_file` | batches of signatures | columns, in memory and on disk |
//! | [`choosing`] | columns, a threshold | how many tables of how many values |
//! | [`collapsing`] | columns | groups of equal signatures |
//! | [`extracting`] (on `heads`, `grouping`, `matching`, `cutting` and `agreeing`), `pairing` | columns, tables | pairs that may be similar |
//! | `candidates` | these pairs | files of those whose bags are read together |
//! | [`verifying`] | pairs, bags | similar pairs with their similarity |
//! | [`joining`] | bags | the same pairs, all of them, exactly |
//! | [`sorting`] (on `spreading`) | similar pairs | the same both ways, in order |
//! | [`measuring`] | the bags of some URLs and of all | which part of their pairs was found |
//! | [`output`] | URLs, pairs in order, clusters | files that are read in place |
//! | [`folder`] | these files | answers |
//! | `recalling` | these files | the pages of a static index, with bags |
//! | [`comparing`] | these files | CENTER's clusters beside connected components |
//! | [`clustering`], `stages` (on `resuming` and [`costs`]) | a crawl | all of that in turn |

pub mod bags;
mod cluster;
mod costs;
pub(crate) mod disk;
mod error;
pub mod evaluate;
pub mod input;
pub mod pairs;
pub mod signatures;
mod stages;
mod threshold;

pub use bags::fragments::Fragment;
pub use bags::from_page::{BagSource, Learnt, TermText};
pub use bags::source::{FragmentSource, Said, Step, Take};
pub use cluster::{
    ClusterOptions, ClusterSummary, Pairing, TableOptions, TableSummary, Verification, cluster,
    cluster_fragments,
};
pub use costs::StageCost;
pub use error::CrawlError;
pub use evaluate::recall::Recall;
pub use input::{CrawlLink, CrawlPage, CrawlSkip, Input, InputOptions, InputSummary, SkippedPages};
pub use pairs::choose_tables::{Choice, CurvePoint};
pub use threshold::Threshold;
