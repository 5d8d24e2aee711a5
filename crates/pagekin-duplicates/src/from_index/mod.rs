//! An index in place of a site: which pages to read, or pairs by its sketches alone.

pub(crate) mod estimates;
pub(crate) mod pages;
