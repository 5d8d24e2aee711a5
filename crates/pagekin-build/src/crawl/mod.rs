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
//! | [`signing`](crate::signing) | bags | batches of signatures |
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

pub(crate) mod agreeing;
pub mod bag_columns;
pub mod bagging;
mod candidates;
pub mod choosing;
pub mod clustering;
pub mod collapsing;
pub mod comparing;
pub mod costs;
mod cutting;
mod error;
pub mod extracting;
pub mod folder;
pub mod fragments;
mod grouping;
mod heads;
pub mod inputs;
pub mod joining;
mod matching;
pub mod measuring;
mod numbers;
pub mod output;
mod pairing;
pub(crate) mod recalling;
mod resuming;
mod saying;
mod signature_file;
pub mod signatures;
pub mod sorting;
pub mod sources;
mod spreading;
mod stages;
pub mod threshold;
pub mod urls;
pub mod verifying;

pub use error::CrawlError;
pub use saying::{BagSource, Learnt, TermText};
