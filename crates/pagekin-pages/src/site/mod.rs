//! A site's folder, or whatever else has pages, into drafts: pages with counted terms.
//!
//! ```text
//! listing                 a folder into HTML files and their addresses
//! exclude, options        which of these the caller leaves out, and how they are read
//! files                   the files that are read
//! encoding                the bytes of a file into text
//! html, dom, bounds       the bytes of a file into a page, or as much of it as is read
//! blocks                  the text of a page in blocks, and which of its words are in links
//! word_ids                the ids of words of a crawl, as term_counts may count by
//! title                   how a page names itself, where that is not its `title`
//! source                  whatever else has pages, into pages
//! on_threads              so many pieces of work on the threads of a pool
//! reader                  HTML files into what a caller keeps of each page
//! repeated                which blocks of text stand on many pages
//! read, term_counts       pages into drafts and the lexicon
//! shared_title            what nearly all titles of the site begin or end with
//! resolve, normal_url     an address as it is written into where it leads, and into the one form
//!                         that is compared
//! links                   addresses on a page into the pages of the site that they lead to
//! own_related             the related pages that a page names itself
//! own_scripts             which pages need scripts of elements that a build does not write
//! alternates              where a page says that it is in other languages
//! link_graph              which pages link to which in their texts
//! link_habits             how a site calls its own pages: without `.html`, below which path
//! template_canonicals     which pages a template names as canonical though others are not like
//!                         them
//! class_file              the classes that a file says pages are of
//! canonical               whether the address that a page names as canonical, or redirects to, is
//!                         its own
//! ```

pub mod alternates;
pub mod blocks;
pub(crate) mod bounds;
pub(crate) mod canonical;
pub mod class_file;
pub mod dom;
pub mod encoding;
pub(crate) mod error;
pub mod exclude;
pub mod files;
pub mod html;
pub mod languages;
pub mod link_graph;
pub mod link_habits;
pub mod links;
pub mod listing;
pub mod normal_url;
pub mod on_threads;
pub(crate) mod options;
pub mod own_related;
pub mod own_scripts;
pub mod read;
pub mod reader;
pub mod repeated;
pub(crate) mod resolve;
pub mod shared_title;
pub mod skipped;
pub(crate) mod source;
pub mod template_canonicals;
pub mod term_counts;
pub(crate) mod title;
pub mod word_ids;
