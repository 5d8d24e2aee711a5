//! The arguments of `pagekin similar`.

use std::path::PathBuf;

use crate::args::site::values::part;
use crate::args::text::TextArgs;

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("query").required(true).args(["file", "url", "words"])))]
pub(crate) struct SimilarArgs {
    /// Folder of the index
    pub(crate) out: PathBuf,
    /// Find the pages similar to this page of the site
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
    /// Maximum number of results
    #[arg(short, long, default_value_t = 10)]
    pub(crate) limit: u32,
    /// Minimum score of a result, 0 to 1: its similarity, or how well it answers to the text
    #[arg(short, long, value_name = "S", default_value_t = 0.0, value_parser = part)]
    pub(crate) min: f64,
    /// List copies, versions and translations of a page as results of their own
    #[arg(long)]
    pub(crate) copies: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
