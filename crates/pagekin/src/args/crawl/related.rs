//! The arguments of `pagekin related`.

use std::path::PathBuf;

use crate::args::text::TextArgs;

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("query").required(true).args(["file", "url", "words"])))]
pub(crate) struct RelatedArgs {
    /// Folder of the clustered crawl; with its signatures (`pagekin cluster --signatures`) texts
    /// can be looked for, and what is less similar than its threshold is found too
    pub(crate) crawl: PathBuf,
    /// The URL; or, of a crawl of strings, the name of a read or the line itself
    #[arg(short, long, value_name = "URL", visible_alias = "name")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
    /// Only URLs that at least N URLs link to, in a crawl with its links (`pagekin cluster
    /// --links`)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_in_links: u32,
    /// Maximum number of results
    #[arg(short, long, default_value_t = 10)]
    pub(crate) limit: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
