//! Optional additions to an index, each in its own file.
//!
//! ```text
//! output         an output before it is published: the client's files, and other additions
//! extra          the interface of extras
//! index_files    the files of an index that lookups read
//! bundle         the index and the texts of the pages in one file that works from disk
//! browse         the topic tree of the browse page
//! mirrored       copies of the index files in a folder per host
//! offline        the list of files for offline use
//! related_json   the related pages in a file for site generators
//! list           all extras, in order
//! ```

pub(crate) mod browse;
pub(crate) mod bundle;
pub(crate) mod extra;
pub(crate) mod index_files;
pub(crate) mod list;
pub(crate) mod mirrored;
pub(crate) mod offline;
pub(crate) mod output;
pub(crate) mod related_json;
