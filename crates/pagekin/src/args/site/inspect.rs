//! The arguments of `pagekin inspect`.

use std::path::PathBuf;

use crate::args::running::JsonArg;

#[derive(Debug, clap::Args)]
pub(crate) struct InspectArgs {
    /// Folder of the index, or of a clustered crawl
    pub(crate) out: PathBuf,
    /// Read and check every file, and the consistency of an index
    #[arg(long)]
    pub(crate) verify: bool,
    /// Show what the index stores for this page
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) json: JsonArg,
}
