//! An index in place of a site: selects the pages to read, or estimates pairs from its sketches.

pub(crate) mod estimates;
pub(crate) mod pages;
