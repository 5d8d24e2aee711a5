//! The arguments of `pagekin rank`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::args::crawl::values::{reset_probability, tolerance};
use crate::args::files::FilesArgs;
use crate::args::running::{JsonArg, ReportArgs};
use crate::args::values::size;

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
    pub(crate) json: JsonArg,
    /// Write to this file instead of standard output; an existing file is replaced when done.
    /// Required for Parquet
    #[arg(short, long, value_name = "FILE", required_if_eq("format", "parquet"))]
    pub(crate) output: Option<PathBuf>,
    /// Maximum number of URLs [default: 20 as a table or JSON, otherwise all]
    #[arg(short, long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Rank only pages that were read, by their links to each other: not URLs that were only linked
    /// to
    #[arg(long)]
    pub(crate) own: bool,
    #[command(flatten)]
    pub(crate) reset: ResetArgs,
    /// Stop when the ranks of all URLs together change by no more than this in an iteration
    #[arg(long, value_name = "T", default_value_t = 1e-10, value_parser = tolerance)]
    pub(crate) tolerance: f64,
    /// Stop after this many iterations
    #[arg(long, value_name = "N", default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_iterations: u32,
    /// URL the folders of HTML are published at [default: https://localhost/]
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    /// Memory for work that is done in parts, such as sorting links; ranking needs about 35 bytes
    /// per URL in addition
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    pub(crate) memory: u64,
    #[command(flatten)]
    pub(crate) running: ReportArgs,
}

/// Where visitors begin who do not follow a link.
#[derive(Debug, clap::Args)]
pub(crate) struct ResetArgs {
    /// How often visitors start again instead of following a link, above 0 and below 1: the d of
    /// the formula, of which 1 - d is the damping factor
    #[arg(long, value_name = "D", default_value_t = 0.125, value_parser = reset_probability)]
    pub(crate) reset_probability: f64,
    /// Start only at this URL, or at these. Paths such as /docs/ begin at --base-url. Repeatable
    #[arg(long, value_name = "URL", group = "reset")]
    pub(crate) reset_url: Vec<String>,
    /// Start only at URLs that begin with this. Repeatable
    #[arg(long, value_name = "PREFIX", group = "reset")]
    pub(crate) reset_folder: Vec<String>,
    /// Start only at URLs in the cluster of this URL: needs a clustered crawl
    #[arg(long, value_name = "URL", group = "reset")]
    pub(crate) reset_cluster: Option<String>,
    /// Start only at the URLs of a CSV file, as often as it says: it has the columns url and value
    #[arg(long, value_name = "FILE", group = "reset")]
    pub(crate) reset_csv: Option<PathBuf>,
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
