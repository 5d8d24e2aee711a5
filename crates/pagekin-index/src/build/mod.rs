//! Pages with counted terms into the files of a static index.
//!
//! ```text
//! build, from_crawl   a site, a source or a crawl into drafts or pages with bags
//! stages              the stages below, in turn
//! vocabulary          terms and drafts into the vocabulary, and pages with bags
//! signatures          bags into signatures
//! cluster_order       signatures, or the clusters of a crawl, into the order of the pages
//! shard_plan          sizes into the numbers of shards
//! placement           the order into blocks and slots, or those of a previous index
//! models              shards into the probabilities that they are coded by
//! records, postings   pages in blocks into records, and into the lists of their terms
//! buckets             signatures into the buckets of the LSH tables
//! encode              all of these into the payloads of shards
//! profiles            pages with terms into what their relatedness is judged by
//! ties                which pages people tied together: by folders and links
//! editions            whether two pages are versions or translations of one
//! copies              which pages are near-copies, and of which
//! own_lists           the related pages that pages name themselves, by their numbers
//! related_pages       profiles and ties into the kin of each page
//! related_files       the kin of each page into shards by address
//! write               payloads into files
//! browse              pages into the files of a page to browse them by topic
//! offline             the files of an output that visitors can keep
//! mirrored            the files of an index into the folders of several hosts
//! bundle              the output and the texts of the pages into one file that works from disk
//! ```

pub(crate) mod browse;
pub(crate) mod buckets;
pub(crate) mod bundle;
pub mod cluster_order;
pub(crate) mod copies;
pub(crate) mod editions;
pub(crate) mod encode;
pub(crate) mod error;
#[cfg(feature = "crawl")]
pub(crate) mod from_crawl;
pub mod from_site;
pub(crate) mod mirrored;
pub(crate) mod models;
pub(crate) mod offline;
pub(crate) mod options;
pub(crate) mod own_lists;
pub(crate) mod placement;
pub(crate) mod postings;
pub(crate) mod previous;
pub mod profiles;
pub(crate) mod records;
pub(crate) mod related_files;
pub(crate) mod related_pages;
pub(crate) mod shard_plan;
pub(crate) mod signatures;
pub mod stages;
pub(crate) mod summary;
pub mod ties;
pub mod vocabulary;
pub(crate) mod work;
pub(crate) mod write;
