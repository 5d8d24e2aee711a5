//! The paper's own job: a crawl into pairs of similar URLs and their clusters (Haveliwala, Gionis and Indyk 2000).
//!
//! Each stage's work on one part of the data is a function of columns to columns, with sorting and grouping between the
//! stages. Nothing is shared while a stage runs, and input that is out of order is refused: so the same functions can run
//! on one machine's threads or on many machines.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | [`urls`] | an address as written | the one form in which addresses are compared |
//! | [`inputs`] | folders of HTML, JSONL, WARC files | pages with their links |
//! | `saying` | a page | what it says of itself and of what it links to |
//! | [`fragments`] (on `spreading`) | what pages say of URLs | buckets on disk |
//! | [`bagging`] | the fragments of a bucket | bags, one a URL |
//! | [`signing`](crate::signing) | bags | batches of signatures |
//! | [`signatures`] | batches of signatures | columns |
//! | [`choosing`] | columns, a threshold | how many tables of how many values |
//! | [`collapsing`] | columns | groups of equal signatures |
//! | [`extracting`] (on `grouping` and `cutting`) | columns, tables | similar pairs |
//! | [`verifying`] | similar pairs, bags | pairs with their similarity |
//! | [`joining`] | bags | the same pairs, all of them, exactly |
//! | [`sorting`] (on `spreading`) | similar pairs | the same both ways, in order |
//! | [`output`] | URLs, pairs in order, clusters | files that are read in place |
//! | [`folder`] | these files | answers |
//! | [`clustering`] | a crawl | all of that in turn |

pub mod bagging;
pub mod choosing;
pub mod clustering;
pub mod collapsing;
mod cutting;
mod error;
pub mod extracting;
pub mod folder;
pub mod fragments;
mod grouping;
pub mod inputs;
pub mod joining;
pub mod output;
mod saying;
pub mod signatures;
pub mod sorting;
mod spreading;
pub mod threshold;
pub mod urls;
pub mod verifying;

pub use error::CrawlError;
pub use saying::BagSource;
