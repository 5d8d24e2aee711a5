//! Pages for everyone who works on them: a site's folder, a crawl or any other source read into
//! pages, and an output folder written whole or not at all.
//!
//! Its rooms, each of which needs only those above it:
//!
//! ```text
//! progress         what long work reports, and how it is asked to stop
//! error            an option out of range, a file that cannot be read: reasons that rooms share
//! pool             the threads that work is done on
//! site             a folder, or whatever else has pages, into pages with counted terms
//! output           files into a folder that is swapped in whole
//! input            folders of HTML, JSONL and WARC files into the pages of a crawl and their links
//! fuzzing          readers of bytes that are not trusted, for the fuzz targets
//! ```

mod error;
#[doc(hidden)]
pub mod fuzzing;
pub mod input;
pub mod output;
pub mod pool;
pub mod progress;
pub mod site;

pub use error::{FileError, OptionError};
pub use input::error::InputError;
pub use input::options::{Input, InputOptions};
pub use input::page::{CrawlLink, CrawlPage};
pub use input::summary::{CrawlSkip, InputSummary, SkippedPages};
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
