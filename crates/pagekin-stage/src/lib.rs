//! The job of [`cluster`](pagekin_crawl::cluster::cluster()) as functions of rows to rows, for
//! engines that spread rows over many machines.
//!
//! One machine keeps buckets as files; here a bucket is the rows that have its number. Whoever runs
//! the stages brings the rows of each bucket together and sorts them; a stage takes one bucket at a
//! time, so its memory is that of a bucket, and refuses what is out of order. What a stage does
//! with a bucket is done by the functions that one machine calls, so both find the same pairs and
//! clusters. URLs have the same numbers: their places in the order of
//! [`url_key`](pagekin_crawl::folder::format::url_key).
//!
//! | stage | takes | gives |
//! | --- | --- | --- |
//! | [`fragments`](JobStep::Fragments) | pages, or a file of them | what they say of URLs, by these |
//! | [`collapse`](JobStep::Collapse) | fragments by bucket | URLs with their terms; the text of each |
//! | [`copies`](JobStep::Copies) | texts by bucket | URLs with the text of another |
//! | [`terms`](JobStep::Terms) | URLs and copies by bucket | on how many URLs and texts each term is |
//! | [`frequencies`](JobStep::Frequencies) | these by bucket | document frequencies within the limits |
//! | [`bags`](JobStep::Bags) | URLs with their terms | those that have a bag |
//! | [`sign`](JobStep::Sign) | bags with numbers | signatures |
//! | [`twins`](JobStep::Twins) | these by bucket | different signatures, and who has the same bag |
//! | [`sample`](JobStep::Sample), [`plan`](JobStep::Plan) | different signatures | the tables |
//! | [`keys`](JobStep::Keys) | different signatures | the same in the buckets of tables |
//! | [`pairs`](JobStep::Pairs) | these by bucket | who meets and agrees enough |
//! | [`meet`](JobStep::Meet) | these and bags by bucket | the bags of the lower of two, by the other |
//! | [`verify`](JobStep::Verify) | these and bags by bucket | similar pairs |
//! | [`edges`](JobStep::Edges) | pairs and twins | the same by URL |
//! | [`center`](JobStep::Center) | these by bucket, then what a round gave | centers; what is undecided, and messages to other buckets |
//! | [`join`](JobStep::Join) | centers and pairs by URL, in seven steps | centers of clusters that are joined |
//! | [`clusters`](JobStep::Clusters) | centers and twins by bucket | centers, of twins too |
//! | [`unpack`](JobStep::Unpack) | any of some kinds | columns of a table |
//!
//! The columns of rows, the records of each kind and the order of the steps are in the
//! documentation of `pagekin stage`.
//!
//! Its rooms, each of which needs only those above it:
//!
//! ```text
//! error              why a stage failed
//! batches            an Arrow IPC stream into batches that are sound
//! rows               packed rows, in and out
//! pages              rows that are pages, read
//! bags               pages into fragments, URLs with their terms, and bags
//! signatures         bags into signatures and different ones
//! plan               a sample of these into tables
//! pairs              signatures in buckets into similar pairs
//! centers            pairs into centers
//! joins              centers and pairs into those of joined clusters
//! unpack             packed rows into columns
//! step               the steps of the job
//! trials, fuzzing    rows of any bytes, which tests and fuzz targets try stages with
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
