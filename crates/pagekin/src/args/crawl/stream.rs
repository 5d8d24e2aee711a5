//! The arguments of `pagekin crawl stream`.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::args::crawl::values::duration;
use crate::args::running::{LangArg, QuietArg};
use crate::args::values::{PageBytesArg, size};

#[derive(Debug, clap::Args)]
pub(crate) struct StreamArgs {
    /// File of JSON lines, plain or gzipped, one page per line: `url`, `text` or `html`, and a time
    /// such as `published` (RFC 3339, RFC 2822, a date or Unix seconds); - is standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    pub(crate) input: OsString,
    /// Maximum time between the two pages of a pair, such as 90m, 36h, 1d or 2w. The more time is
    /// between two pages, the more similar they must be
    #[arg(long, value_name = "TIME", default_value = "1d", value_parser = duration)]
    pub(crate) horizon: i64,
    /// Minimum similarity, above 0 and below 1: the cosine of the pages' terms, multiplied by a
    /// decay over the time between them
    #[arg(long, value_name = "S", default_value_t = 0.7)]
    pub(crate) threshold: f64,
    /// Field with the time of a page [default: `published`, `time`, `date` or another common name]
    #[arg(long, value_name = "NAME")]
    pub(crate) time_field: Option<String>,
    /// How much older than the newest page a page may be; older pages are skipped [default: a tenth
    /// of the horizon]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) allowed_lateness: Option<i64>,
    /// Folder for resuming after an interruption: new, empty, or an earlier checkpoint. Lines that
    /// were already read are skipped if the input starts with the same line
    #[arg(long, value_name = "FOLDER")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Write pairs to this file instead of standard output: a new file, or the file of the
    /// --checkpoint, which is continued
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) lang: LangArg,
    #[command(flatten)]
    pub(crate) page_bytes: PageBytesArg,
    /// Memory for the pages within the horizon. Beyond it, the oldest are dropped with a warning
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = size)]
    pub(crate) memory: u64,
    #[command(flatten)]
    pub(crate) quiet: QuietArg,
}
