//! The arguments of `pagekin similar`.

use std::path::PathBuf;

use crate::args::running::JsonArg;
use crate::args::values::LimitArg;

use crate::args::site::reading::SiteFolderArg;
use crate::args::site::refine::RefineArgs;
use crate::args::site::values::part;
use crate::args::text::TextArgs;

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("query").required(true).args(["file", "url", "words"])))]
pub(crate) struct SimilarArgs {
    /// Folder of the index
    pub(crate) out: PathBuf,
    /// Find the pages that are similar to this page of the site
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
    #[command(flatten)]
    pub(crate) refine: RefineArgs,
    #[command(flatten)]
    pub(crate) site: SiteFolderArg,
    #[command(flatten)]
    pub(crate) limit: LimitArg,
    /// Minimum score of a result, 0 to 1
    #[arg(long, value_name = "S", default_value_t = 0.0, value_parser = part)]
    pub(crate) threshold: f64,
    /// List copies, versions and translations of a page as separate results
    #[arg(long)]
    pub(crate) copies: bool,
    #[command(flatten)]
    pub(crate) json: JsonArg,
}
