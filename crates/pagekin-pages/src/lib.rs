//! Pages for everyone who works on them: a site's folder, a crawl or any other source read into
//! pages, and an output folder written whole or not at all.
//!
//! ```
//! use pagekin_pages::{Input, InputError, InputOptions, read_crawl, read_html};
//!
//! # fn main() -> Result<(), InputError> {
//! let page = read_html(b"<title>Rye</title><nav>Home</nav><main>Rye rises slowly.</main>").page;
//! assert_eq!((page.title.as_str(), page.text.trim()), ("Rye", "Rye rises slowly."));
//!
//! // A folder, or a JSONL or WARC file: its pages come some hundreds at a time, with their links.
//! let mut titles = Vec::new();
//! let inputs = [Input::Path("../../tests/site".into())];
//! let summary = read_crawl(&inputs, &InputOptions::default(), |pages, _| {
//!     // Redirects and the like say something of other pages.
//!     let pages = pages.into_iter().filter(|page| page.folded().is_none());
//!     titles.extend(pages.map(|page| page.title));
//!     Ok::<(), InputError>(())
//! })?;
//! assert_eq!(titles.len() as u64, summary.ledger.pages);
//! # Ok(())
//! # }
//! ```
//!
//! What stands here is for everyone; the rooms behind it, which the documentation does not show,
//! are for the other crates of this workspace. These are released together with it: of what is in a
//! room and not here nothing is promised.
//!
//! Its rooms, each of which needs only those above it:
//!
//! ```text
//! progress         what long work reports, and how it is asked to stop
//! error            an option out of range, a file that cannot be read: reasons that rooms share
//! cells            texts as cells of a CSV file, which are no formulas
//! ledger           what became of all that came in
//! pool             the threads that work is done on
//! site             a folder, or whatever else has pages, into pages with counted terms
//! output           files into a folder that is swapped in whole
//! input            folders of HTML, JSONL and WARC files into the pages of a crawl and their links
//! fuzzing          readers of bytes that are not trusted, for the fuzz targets
//! ```

// The rooms are for the crates of this workspace, released together: no promise.
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
