//! The arguments of `pagekin related`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct RelatedArgs {
    /// Folder of the clustered crawl
    pub(crate) crawl: PathBuf,
    /// The URL
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: String,
    /// Maximum number of results
    #[arg(short, long, default_value_t = 10)]
    pub(crate) limit: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
