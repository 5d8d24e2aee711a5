//! A site's folder into pages with counted terms.

pub(crate) mod dom;
pub mod html;
pub(crate) mod languages;
pub(crate) mod listing;
pub mod normal_url;
pub(crate) mod read;
pub(crate) mod resolve;
pub(crate) mod source;
pub(crate) mod term_counts;
