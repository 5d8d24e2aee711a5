//! The stages of a crawl, one after the other: each reads the files of those before it and writes
//! its own.

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
