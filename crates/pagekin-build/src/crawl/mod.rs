//! The paper's own job: a crawl into pairs of similar URLs and their clusters (Haveliwala, Gionis and Indyk 2000).
//!
//! The rooms in the order in which the data flows. The work of each stage on one partition is a function of columns, and
//! what it needs to be sorted it refuses otherwise.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | [`fragments`] | what pages say of URLs | buckets on disk |
//! | [`bagging`] | the fragments of a bucket | bags, one a URL |
//! | [`sorting`] | similar pairs | the same both ways, in order |
//! | [`output`] | URLs, pairs in order, clusters | files that are read in place |

pub mod bagging;
pub mod fragments;
pub mod output;
pub mod sorting;
