//! Builds the files of a static index from pages.
//!
//! ```text
//! error, options, summary   the interface of a build
//! external                  data about pages from files: terms and vectors
//! pages                     weighted pages, their signatures, and their order
//! layout                    numbers of shards, and the place of each page
//! related                   related pages, and their shards
//! shards                    payloads of all other shards, and files
//! extras                    optional files next to an index
//! work                      the state of a build, and reading its inputs
//! stages                    the stages of a build after reading
//! from_site, from_crawl     the inputs: a site, a source of pages, or a crawl
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
