//! Reads the pages of a site's folder, a crawl or any other source, and replaces an output folder
//! atomically.
//!
//! ```
//! use pagekin_pages::{Input, InputError, InputOptions, read_crawl, read_html};
//!
//! # fn main() -> Result<(), InputError> {
//! let page = read_html(b"<title>Rye</title><nav>Home</nav><main>Rye rises slowly.</main>").page;
//! assert_eq!((page.title.as_str(), page.text.trim()), ("Rye", "Rye rises slowly."));
//!
//! // A folder, or a JSONL or WARC file. Its pages arrive in batches of some hundreds, with their
//! // links.
//! let mut titles = Vec::new();
//! let inputs = [Input::Path("../../tests/site".into())];
//! let summary = read_crawl(&inputs, &InputOptions::default(), |pages, _| {
//!     // Redirects and similar pages are folded into other pages.
//!     let pages = pages.into_iter().filter(|page| page.folded().is_none());
//!     titles.extend(pages.map(|page| page.title));
//!     Ok::<(), InputError>(())
//! })?;
//! assert_eq!(titles.len() as u64, summary.ledger.pages);
//! # Ok(())
//! # }
//! ```
//!
//! The root exports the public API. The modules are internal to the workspace, whose crates are
//! released together. They are hidden from this documentation, and any version may change them.
//!
//! The modules, each of which needs only those above it:
//!
//! ```text
//! progress         progress reports of long work, and cancellation
//! error            errors that modules share: options out of range, file errors
//! cells            texts as cells of a CSV file, protected against formula injection
//! ledger           accounts of all input: pages, folded and skipped
//! pool             thread pools
//! site             a folder, or another source of pages -> pages with term counts
//! output           files in a folder that is replaced as a whole
//! input            folders of HTML, JSONL and WARC files -> the pages of a crawl and their links
//! fuzzing          readers of untrusted bytes, for the fuzz targets
//! ```

// Internal to the workspace, whose crates are released together. Not part of the stable API.
#[doc(hidden)]
pub mod cells;
mod error;
#[doc(hidden)]
pub mod fuzzing;
#[doc(hidden)]
pub mod input;
mod ledger;
#[doc(hidden)]
pub mod output;
#[doc(hidden)]
pub mod pool;
#[doc(hidden)]
pub mod progress;
#[doc(hidden)]
pub mod site;

pub use error::{FileError, OptionError};
pub use input::error::InputError;
pub use input::options::{Input, InputOptions};
pub use input::page::{CrawlLink, CrawlPage};
pub use input::read::read as read_crawl;
pub use input::records::Records;
pub use input::summary::InputSummary;
pub use ledger::{Ledger, LostCount, SkipReason, Skipped};
pub use output::error::OutputError;
pub use output::output_file::{replace_file, write_file};
pub use output::part::Part;
pub use progress::{Interrupted, Observer, Silent, Stage};
pub use site::error::SiteError;
pub use site::files::count_html_files;
pub use site::html::{ReadPage, read_html, read_html_with_links};
pub use site::options::SiteOptions;
pub use site::repeated::{RepeatedBlock, RepeatedText};
pub use site::shared_title::SharedTitle;
pub use site::source::{PageSource, SourcePage};
