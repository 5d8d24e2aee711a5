//! The stages of a crawl, in the order of `pipeline`. Each stage reads the files of earlier stages
//! and writes its own.

pub(crate) mod bags;
pub(crate) mod checkpoint;
pub(crate) mod classes;
pub(crate) mod clusters;
pub(crate) mod files;
pub(crate) mod job;
pub(crate) mod output;
pub(crate) mod pairs;
pub(crate) mod pipeline;
pub(crate) mod sample;
pub(crate) mod search;
pub(crate) mod strings;
pub(crate) mod values;
