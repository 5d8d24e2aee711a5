//! The arguments of `pagekin crawl pairs`.

use std::path::PathBuf;

use clap::ValueEnum;
use pagekin_pairs::Threshold;

use crate::args::crawl::values::{RowsOutputArg, threshold};

#[derive(Debug, clap::Args)]
pub(crate) struct PairsArgs {
    /// Folder of the clustered crawl
    pub(crate) crawl: PathBuf,
    /// Output format, one pair per line or row: both URLs, their similarity, and their titles if
    /// the crawl has them [default: from the name of --output]
    #[arg(long, value_enum, required_unless_present = "output")]
    pub(crate) format: Option<PairsFormat>,
    /// Minimum similarity, 0.001 to 1 [default: the crawl's threshold]
    #[arg(long, value_name = "S", value_parser = threshold)]
    pub(crate) threshold: Option<Threshold>,
    #[command(flatten)]
    pub(crate) output: RowsOutputArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairsFormat {
    /// With a header line
    Csv,
    /// One object per line
    Jsonl,
    /// For DuckDB, Spark and similar tools
    #[cfg(feature = "parquet")]
    Parquet,
}
