//! Pages into the kin of each, and these into shards by address.
//!
//! ```text
//! profiles      pages with terms into what their relatedness is judged by
//! ties          which pages people tied together: by folders and links
//! editions      whether two pages are versions or translations of one
//! sets          pages into sets of those that belong together
//! translations  which pages say of each other that they are one in several languages
//! copies        which pages are near-copies, and of which
//! groups        pages into groups of copies and editions, of which one is shown
//! own_lists     the related pages that pages name themselves, by their numbers
//! kin           all of these into the kin of each page
//! files         the kin of each page into shards by address
//! ```

pub(crate) mod copies;
pub(crate) mod files;
pub(crate) mod groups;
pub(crate) mod own_lists;
pub(crate) mod profiles;
pub(crate) mod sets;
pub(crate) mod similar_pages;
pub(crate) mod ties;
pub(crate) mod translations;
pub(crate) mod variants;
