//! The job of [`cluster`](pagekin_crawl::cluster::cluster()) as functions from rows to rows, for
//! engines that distribute rows over many machines.
//!
//! On one machine, buckets are files; here, a bucket is the rows with its number. The caller brings
//! the rows of each bucket together and sorts them. A stage processes one bucket at a time, so its
//! memory is that of a bucket, and it refuses rows that are out of order. The work on a bucket is
//! done by the same functions as on one machine, so both find the same pairs and clusters. URLs
//! have the same numbers too: their indices in the order of
//! [`url_key`](pagekin_crawl::folder::format::url_key).
//!
//! | stage | input | output |
//! | --- | --- | --- |
//! | [`fragments`](JobStep::Fragments) | pages, or a file of pages | text about URLs, by URL |
//! | [`collapse`](JobStep::Collapse) | fragments by bucket | URLs with their terms; the text of each |
//! | [`copies`](JobStep::Copies) | texts by bucket | URLs with the text of another |
//! | [`terms`](JobStep::Terms) | URLs and copies by bucket | the number of URLs and texts with each term |
//! | [`frequencies`](JobStep::Frequencies) | these by bucket | document frequencies within the limits |
//! | [`bags`](JobStep::Bags) | URLs with their terms | URLs with their bags |
//! | [`sign`](JobStep::Sign) | bags with numbers | signatures |
//! | [`twins`](JobStep::Twins) | these by bucket | different signatures, and URLs with equal bags |
//! | [`sample`](JobStep::Sample), [`plan`](JobStep::Plan) | different signatures | the tables |
//! | [`keys`](JobStep::Keys) | different signatures | the same in the buckets of the tables |
//! | [`pairs`](JobStep::Pairs) | these by bucket | pairs that meet in a table and pass the filter |
//! | [`meet`](JobStep::Meet) | these and bags by bucket | the bags of the lower URL of each pair, by the other URL |
//! | [`verify`](JobStep::Verify) | these and bags by bucket | similar pairs |
//! | [`edges`](JobStep::Edges) | pairs and twins | the same by URL |
//! | [`center`](JobStep::Center) | these by bucket, then the output of each round | centers; undecided pairs, and messages to other buckets |
//! | [`join`](JobStep::Join) | centers and pairs by URL, in seven steps | centers of joined clusters |
//! | [`clusters`](JobStep::Clusters) | centers and twins by bucket | centers, including those of twins |
//! | [`unpack`](JobStep::Unpack) | rows of some kinds | columns of a table |
//!
//! The documentation of `pagekin stage` describes the columns of rows, the records of each kind and
//! the order of the steps.
//!
//! Its modules, each of which needs only those above it:
//!
//! ```text
//! error              errors of a stage
//! batches            validated batches of an Arrow IPC stream
//! rows               packed rows, in and out
//! pages              pages in rows
//! bags               fragments of pages, URLs with their terms, and bags
//! signatures         signatures of bags, and different ones
//! plan               tables, chosen from a sample of signatures
//! pairs              similar pairs from signatures in buckets
//! centers            centers from pairs
//! joins              centers of joined clusters
//! unpack             packed rows as columns
//! step               the steps of the job
//! trials, fuzzing    rows of any bytes, for tests and fuzz targets
//! ```

mod bags;
mod batches;
mod centers;
mod error;
mod joins;
mod pages;
mod pairs;
mod plan;
mod rows;
mod signatures;
mod step;
mod trials;
mod unpack;

#[doc(hidden)]
pub mod fuzzing;
#[cfg(test)]
mod tests;

pub use crate::bags::{BagOptions, FragmentOptions, PageForm, TextCounts};
pub use crate::centers::CenterStep;
pub use crate::error::StageError;
pub use crate::joins::JoinStep;
pub use crate::plan::{PlanOptions, SampleOptions};
pub use crate::signatures::SignOptions;
pub use crate::step::JobStep;
pub use crate::unpack::Unpacked;
