//! The arguments of `pagekin search`.

use std::path::PathBuf;

use crate::args::running::JsonArg;
use crate::args::site::reading::SiteFolderArg;
use crate::args::site::refine::RefineArgs;
use crate::args::values::LimitArg;

use crate::args::values::language;

#[derive(Debug, clap::Args)]
pub(crate) struct SearchArgs {
    /// Folder of the index
    pub(crate) out: PathBuf,
    /// Words to search for. The last may be incomplete, and each may contain a typo. Pages with a
    /// phrase in quotation marks come first. Without words, all pages of --filter are listed
    #[arg(required_unless_present_any = ["filter", "sort"], value_name = "WORD")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) refine: RefineArgs,
    /// Language of the words [default: guessed among the pages' languages]
    #[arg(long, value_name = "TAG", value_parser = language)]
    pub(crate) lang: Option<String>,
    #[command(flatten)]
    pub(crate) site: SiteFolderArg,
    #[command(flatten)]
    pub(crate) limit: LimitArg,
    #[command(flatten)]
    pub(crate) json: JsonArg,
}
