//! What is written beside an index if it is asked for, each in a file of its own.
//!
//! ```text
//! output         an output until it is published: the client's files, and what else was added
//! extra          what an extra is asked, and when
//! index_files    the files of an index that lookups read
//! bundle         the index and the texts of the pages in one file that works from disk
//! browse         the files of a page to browse the pages by topic
//! mirrored       the files of the index in the folders of several hosts
//! offline        the list of the files that visitors can keep
//! related_json   the kin of each page in a file for site generators
//! list           all of these, in their order
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
