//! The arguments of `pagekin crawl stream`.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::args::crawl::values::duration;
use crate::args::running::{LangArg, QuietArg};
use crate::args::values::{PageBytesArg, size};

#[derive(Debug, clap::Args)]
pub(crate) struct StreamArgs {
    /// File of JSON lines, plain or gzipped: an object per page with `url`, `text` or `html`, and
    /// `published`, `time`, `date` or the like, as RFC 3339, RFC 2822, a date or Unix seconds; if
    /// no line has a time, pages are published when they are read. - is standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    pub(crate) input: OsString,
    /// Longest time between two pages of a pair, such as 90m, 36h, 1d or 2w. Pages that are equal
    /// are reported up to it; the longer between two pages, the more similar they must be
    #[arg(long, value_name = "TIME", default_value = "1d", value_parser = duration)]
    pub(crate) horizon: i64,
    /// Minimum similarity, above 0 and below 1: the cosine of the pages' terms, which decays with
    /// the time between them
    #[arg(long, value_name = "S", default_value_t = 0.7)]
    pub(crate) threshold: f64,
    /// Field with the time of a page [default: `published`, `time`, `date` or another usual name]
    #[arg(long, value_name = "NAME")]
    pub(crate) time_field: Option<String>,
    /// How late a page may come, compared with the latest one; later pages are skipped [default: a
    /// tenth of the horizon]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) allowed_lateness: Option<i64>,
    /// Folder to resume from after an interruption: new, empty, or an earlier checkpoint. Lines
    /// that were read before are skipped if the input begins with the same line
    #[arg(long, value_name = "FOLDER")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Write pairs to this file instead of standard output: a new one, or the one of --checkpoint,
    /// which is continued so that each pair is in it once
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) lang: LangArg,
    #[command(flatten)]
    pub(crate) page_bytes: PageBytesArg,
    /// Memory for the pages of a horizon. If they need more, the oldest are dropped with a warning
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = size)]
    pub(crate) memory: u64,
    #[command(flatten)]
    pub(crate) quiet: QuietArg,
}
