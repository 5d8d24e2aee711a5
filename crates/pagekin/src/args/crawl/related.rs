//! The arguments of `pagekin crawl related`.

use std::path::PathBuf;

use crate::args::running::JsonArg;
use crate::args::values::LimitArg;

use crate::args::text::TextArgs;

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("query").required(true).args(["file", "url", "words"])))]
pub(crate) struct RelatedArgs {
    /// Folder of the clustered crawl. If it was clustered with --signatures, you can also search
    /// for a text and find URLs below the threshold
    pub(crate) crawl: PathBuf,
    /// URL to start from; for a crawl of strings, the name of a read or the line itself
    #[arg(short, long, value_name = "URL", visible_alias = "name")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
    #[command(flatten)]
    pub(crate) limit: LimitArg,
    #[command(flatten)]
    pub(crate) json: JsonArg,
}
