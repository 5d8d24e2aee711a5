//! Pages with counted terms into the files of a static index.
//!
//! ```text
//! error, options, summary   why there is no index; what is asked for; what was done
//! given                     what files give pages: terms and vectors that were computed elsewhere
//! pages                     what was read into pages with bags, their signatures and their order
//! layout                    how many shards there are, and where each page is stored
//! related                   pages into the kin of each, and these into shards by address
//! shards                    pages in their places into the payloads of shards, and into files
//! extras                    what is written beside an index if it is asked for
//! work                      a build under way: reading what it is made of
//! stages                    the stages above, in turn
//! from_site, from_crawl     a site, a source or a crawl into drafts or pages with bags
//! ```

pub(crate) mod error;
pub(crate) mod external;
pub(crate) mod extras;
#[cfg(feature = "crawl")]
pub(crate) mod from_crawl;
pub(crate) mod from_site;
pub(crate) mod layout;
pub(crate) mod options;
pub(crate) mod pages;
pub(crate) mod related;
pub(crate) mod shards;
pub(crate) mod stages;
pub(crate) mod summary;
pub(crate) mod work;
