//! The arguments of `pagekin feedback`.

use std::path::PathBuf;

use crate::args::running::RunningArgs;
use crate::args::values::SeedArg;

#[derive(Debug, clap::Args)]
pub(crate) struct FeedbackArgs {
    /// Folder of the clustered crawl
    #[arg(value_name = "CRAWL")]
    pub(crate) crawl: PathBuf,
    /// CSV file of judgments, with the columns `url`, `other_url` and `similar` (yes or no), or
    /// `url` and `cluster`
    #[arg(value_name = "JUDGMENTS")]
    pub(crate) judgments: PathBuf,
    /// Write what was learnt into this file, for `pagekin cluster --feedback`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Seed of what is held out: a number, or `random`
    #[arg(long, value_name = "SEED", default_value_t = SeedArg::Number(pagekin_core::DEFAULT_SEED))]
    pub(crate) seed: SeedArg,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
}
