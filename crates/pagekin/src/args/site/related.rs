//! The arguments of `pagekin related`.

use std::path::PathBuf;

use crate::args::running::JsonArg;

#[derive(Debug, clap::Args)]
pub(crate) struct RelatedArgs {
    /// Folder of the index
    pub(crate) out: PathBuf,
    /// URL of the page, as the index stores it or as visitors see it
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) json: JsonArg,
}
