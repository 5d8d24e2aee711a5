//! The arguments of `pagekin crawl rank`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::args::crawl::values::{
    BaseArg, MemoryArg, RowLimitArg, RowsOutputArg, reset_probability,
};
use crate::args::files::FilesArgs;
use crate::args::running::ReportArgs;
use crate::args::values::PageBytesArg;

#[derive(Debug, clap::Args)]
pub(crate) struct RankArgs {
    /// Folder of a crawl that was clustered with --links; or folders of HTML, or JSONL, WARC, ARC
    /// and WACZ files, plain, gzip or zstd; - is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// Output format: `table`, the highest ranks; `json`, one object; `jsonl` and `csv`, one URL
    /// per line; `parquet`, one per row [default: from the name of --output, otherwise table]
    #[arg(long, value_enum)]
    pub(crate) format: Option<RankFormat>,
    #[command(flatten)]
    pub(crate) output: RowsOutputArg,
    #[command(flatten)]
    pub(crate) limit: RowLimitArg,
    /// Probability that a visitor starts again instead of following a link, above 0 and below 1.
    /// The damping factor is 1 - D
    #[arg(long, value_name = "D", default_value_t = 0.125, value_parser = reset_probability)]
    pub(crate) reset_probability: f64,
    /// Start only at the URLs in this CSV file, in proportion to their values. Its columns are url
    /// and value; paths such as /docs/ are relative to --base-url
    #[arg(long, value_name = "FILE")]
    pub(crate) reset: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) base: BaseArg,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    #[command(flatten)]
    pub(crate) page_bytes: PageBytesArg,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    #[command(flatten)]
    pub(crate) running: ReportArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankFormat {
    /// Human-readable
    Table,
    /// One object, with details of the computation
    Json,
    /// One object per line
    Jsonl,
    /// With a header line
    Csv,
    /// For DuckDB, Spark and similar tools
    #[cfg(feature = "parquet")]
    Parquet,
}
