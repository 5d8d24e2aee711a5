//! Reads a site's folder, or another source of pages, into drafts: pages with counted terms.
//!
//! ```text
//! listing                 the HTML files of a folder, and their URLs
//! exclude, options        exclusion of files, and other options
//! files                   the files to read
//! encoding                bytes -> text
//! selectors               which elements of pages are excluded, and which contain their text
//! markup                  attributes for search tools: their values, and those without effect
//! nodes, dom              the tree of a page, and its walk
//! doctype, kinds          document types, and kinds of elements by their nesting
//! tags, nesting           the tree of a page without errors, much faster than html5ever's
//! html, bounds            bytes of a file -> a page, truncated if too large
//! binary                  whether bytes are text, or the content of another file
//! weights                 marks for the weights of elements, for blocks
//! blocks                  the text of a page in blocks, and which of its words are in links
//! word_ids                ids of words of a crawl, for term_counts
//! metadata                titles, URLs and words that a page gives itself in attributes
//! source                  other sources of pages
//! on_threads              parallel work on the threads of a pool
//! reader                  HTML files -> what a caller extracts from each page
//! repeated                blocks of text that occur on many pages
//! names                   words that name a page, or what it defines
//! fields                  the terms of the fields of a page
//! read, term_counts       pages -> drafts and the lexicon
//! shared_title            what nearly all titles of the site start or end with
//! resolve, normal_url     resolution of URLs, and their normal form for comparison
//! links                   URLs on a page -> the pages of the site that they lead to
//! own_related             the related pages that a page names itself
//! own_scripts             pages that need scripts of elements that a build does not write
//! alternates              translations that a page names
//! link_graph              which pages link to which in their text
//! link_habits             how a site links to its own pages: without `.html`, below which path
//! template_canonicals     pages that a template names as canonical for dissimilar pages
//! class_file              classes of pages from a file
//! canonical               whether the canonical URL or redirect target of a page is its own URL
//! ```

pub mod alternates;
pub mod binary;
pub mod blocks;
pub(crate) mod bounds;
pub(crate) mod canonical;
pub mod class_file;
pub(crate) mod doctype;
pub mod dom;
pub mod encoding;
pub(crate) mod error;
pub mod exclude;
pub mod fields;
pub mod files;
pub mod html;
pub(crate) mod kinds;
pub mod languages;
pub mod link_graph;
pub mod link_habits;
pub mod links;
pub mod listing;
pub mod markup;
pub mod metadata;
pub mod names;
pub(crate) mod nesting;
pub(crate) mod nodes;
pub mod normal_url;
pub mod on_threads;
pub(crate) mod options;
pub mod own_related;
pub mod own_scripts;
pub mod read;
pub mod reader;
pub mod repeated;
pub(crate) mod resolve;
pub mod selectors;
pub mod shared_title;
pub mod skipped;
pub(crate) mod source;
pub(crate) mod tags;
pub mod template_canonicals;
pub mod term_counts;
pub(crate) mod weights;
pub mod word_ids;
