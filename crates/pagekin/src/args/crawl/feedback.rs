//! The arguments of `pagekin crawl feedback`.

use std::path::PathBuf;

use crate::args::running::RunningArgs;

#[derive(Debug, clap::Args)]
pub(crate) struct FeedbackArgs {
    /// Folder of the clustered crawl
    #[arg(value_name = "CRAWL")]
    pub(crate) crawl: PathBuf,
    /// CSV file of judgments, with the columns `url`, `other_url` and `similar` (yes or no), or
    /// `url` and `cluster`
    #[arg(value_name = "JUDGMENTS")]
    pub(crate) judgments: PathBuf,
    /// Write the result to this file, for `pagekin crawl cluster --feedback`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
}
