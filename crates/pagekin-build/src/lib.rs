//! The offline part of pagekin: reads a site's pages and writes the static index.
//!
//! What is a function of values is in `pagekin-core`; what is here is files, threads and libraries.
//! There are seven ways through it:
//!
//! ```text
//! build        site -> index           a folder of HTML, or the pages of a source, into an index
//! duplicates   site -> duplicates      folders of HTML into the pages that nearly copy one another
//! moves        sites -> moves          two versions of a site into where the pages of the earlier one went
//! evaluate     site -> scores          a folder of HTML into how good measures of similarity are on it
//! cluster      crawl -> crawl_folder   a crawl into clusters of its URLs; these become an index too
//! stream       lines -> pairs          pages as they are published into those that repeat one another
//! rank         crawl -> ranks          the links of a crawl into the PageRank of its URLs
//! ```
//!
//! [`index_folder`] and [`crawl_folder`] read what was written. `minhash` and `join` are what all
//! three share: signatures, and pairs of what has equal keys or shares rare terms. [`sketch`] has
//! other ways to sign, by the weights of terms.
//! [`similarity_index`] finds the pages like a text by signatures in memory. A room with stages of
//! its own lists them in its `mod.rs`.
//!
//! A build is deterministic: the same files and options give the same bytes, with any number of
//! threads.

mod cosine;
pub mod crawl;
pub mod crawl_folder;
mod disk;
pub mod duplicates;
mod error;
pub mod evaluate;
pub mod feedback;
#[doc(hidden)]
pub mod fuzzing;
pub mod hierarchy;
mod index;
pub mod index_folder;
mod join;
pub mod minhash;
pub mod mirrors;
pub mod moves;
mod output;
mod pool;
mod progress;
pub mod rank;
mod rows;
pub mod similarity_index;
mod site;
pub mod sketch;
pub mod stage;
pub mod stream;

pub use error::{FileError, OptionError};
pub use index::build::{build, build_pages};
pub use index::bundle::BundleSize;
pub use index::error::BuildError;
pub use index::from_crawl::build_crawl;
pub use index::mirrored::MirrorSize;
pub use index::options::{AssetFile, Assets, BuildOptions};
pub use index::shard_plan::Layout;
pub use index::summary::{Summary, UnknownRelated};
pub use output::error::OutputError;
pub use output::part::Part;
pub use output::staging::{replace_file, write_file};
pub use progress::{Interrupted, Observer, Silent, Stage};
pub use site::error::SiteError;
pub use site::files::count_html_files;
pub use site::options::SiteOptions;
pub use site::repeated::{RepeatedBlock, RepeatedText};
pub use site::shared_title::SharedTitle;
pub use site::skipped::{SkipReason, Skipped};
pub use site::source::{PageSource, SourcePage};
pub use site::{html, normal_url, word_ids};
