//! The arguments of `pagekin related`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct RelatedArgs {
    /// Folder of the clustered crawl
    pub(crate) crawl: PathBuf,
    /// The URL; or, of a crawl of strings, the name of a read or the line itself
    #[arg(short, long, value_name = "URL", visible_alias = "name")]
    pub(crate) url: String,
    /// Maximum number of results
    #[arg(short, long, default_value_t = 10)]
    pub(crate) limit: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
