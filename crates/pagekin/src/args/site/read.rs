//! The arguments of `pagekin read`.

use std::path::PathBuf;

use crate::args::running::JsonArg;

#[derive(Debug, clap::Args)]
pub(crate) struct ReadArgs {
    /// HTML files, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) json: JsonArg,
}
