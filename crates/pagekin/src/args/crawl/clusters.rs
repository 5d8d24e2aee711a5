//! The arguments of `pagekin crawl clusters`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::args::crawl::values::RowLimitArg;

#[derive(Debug, clap::Args)]
pub(crate) struct ClustersArgs {
    /// Folder of the clustered crawl
    pub(crate) crawl: PathBuf,
    /// Output format: `table`, the largest clusters; `json`, one object; `jsonl`, one cluster per
    /// line; `csv`, one URL per line, with its title and its similarity to the center
    #[arg(long, value_enum, default_value_t = ClusterFormat::Table)]
    pub(crate) format: ClusterFormat,
    #[command(flatten)]
    pub(crate) limit: RowLimitArg,
    /// Skip clusters of fewer URLs
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) min_size: usize,
    /// Print nested topics, labeled with their distinctive words: as `table`, an outline; as
    /// `json`, nested objects with all clusters
    #[arg(long, conflicts_with = "limit")]
    pub(crate) tree: bool,
    /// Number of tree levels to print [default: 3 as a table, otherwise all]
    #[arg(long, value_name = "N", requires = "tree", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) depth: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClusterFormat {
    /// Human-readable
    Table,
    /// One object
    Json,
    /// One object per cluster
    Jsonl,
    /// One URL per line
    Csv,
}
