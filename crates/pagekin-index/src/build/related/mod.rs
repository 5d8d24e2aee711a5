//! Finds the related pages of each page, and encodes them in shards.
//!
//! ```text
//! profiles       weighted terms of pages, for comparing them
//! ties           connections between pages: folders, links and mentions
//! variants       whether two pages are versions or translations of each other
//! sets           disjoint sets of pages
//! translations   sets of pages that name each other as translations
//! copies         near-copies, and their originals
//! listings       pages that mostly list others
//! groups         groups of copies and variants, of which one is shown
//! own_lists      the related pages that pages name themselves
//! similar_pages  the related pages of each page
//! files          shards of related pages
//! ```

pub(crate) mod copies;
pub(crate) mod files;
pub(crate) mod groups;
pub(crate) mod listings;
pub(crate) mod own_lists;
pub(crate) mod profiles;
pub(crate) mod sets;
pub(crate) mod similar_pages;
pub(crate) mod ties;
pub(crate) mod translations;
pub(crate) mod variants;
