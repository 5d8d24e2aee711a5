//! The arguments of `pagekin crawl related`.

use std::path::PathBuf;

use crate::args::running::JsonArg;
use crate::args::values::LimitArg;

use crate::args::text::TextArgs;

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("query").required(true).args(["file", "url", "words"])))]
pub(crate) struct RelatedArgs {
    /// Folder of the clustered crawl. With its signatures (`pagekin crawl cluster --signatures`),
    /// you can search for a text, and URLs below its threshold are found too
    pub(crate) crawl: PathBuf,
    /// The URL; or, for a crawl of strings, the name of a read or the line itself
    #[arg(short, long, value_name = "URL", visible_alias = "name")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
    #[command(flatten)]
    pub(crate) limit: LimitArg,
    #[command(flatten)]
    pub(crate) json: JsonArg,
}
