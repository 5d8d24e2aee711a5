//! The arguments of `pagekin crawl rank`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::args::crawl::values::{
    BaseArg, MemoryArg, RowLimitArg, RowsOutputArg, reset_probability,
};
use crate::args::files::FilesArgs;
use crate::args::running::ReportArgs;

#[derive(Debug, clap::Args)]
pub(crate) struct RankArgs {
    /// Folder of a crawl that was clustered with --links; or the inputs of a crawl: folders of
    /// HTML, or JSONL, WARC, ARC and WACZ files, plain or packed with gzip or zstd; - is standard
    /// input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// Output format: `table`, the highest ranks; `json`, one object; `jsonl` and `csv`, one URL
    /// per line; `parquet`, one per row. Highest ranks first [default: as the name of --output
    /// says, otherwise table]
    #[arg(long, value_enum)]
    pub(crate) format: Option<RankFormat>,
    #[command(flatten)]
    pub(crate) output: RowsOutputArg,
    #[command(flatten)]
    pub(crate) limit: RowLimitArg,
    /// How often visitors start again instead of following a link, above 0 and below 1: the d of
    /// the formula, whose damping factor is 1 - d
    #[arg(long, value_name = "D", default_value_t = 0.125, value_parser = reset_probability)]
    pub(crate) reset_probability: f64,
    /// Start only at the URLs of this CSV file, in proportion to their values. It has the columns
    /// url and value; paths such as /docs/ begin at --base-url
    #[arg(long, value_name = "FILE")]
    pub(crate) reset: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) base: BaseArg,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    #[command(flatten)]
    pub(crate) running: ReportArgs,
}

/// How ranks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankFormat {
    /// For reading
    Table,
    /// One object, with how the ranks were computed
    Json,
    /// One object per line
    Jsonl,
    /// With a line of column names
    Csv,
    /// For DuckDB, Spark and the like
    #[cfg(feature = "parquet")]
    Parquet,
}
