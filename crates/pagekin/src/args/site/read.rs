//! The arguments of `pagekin read`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct ReadArgs {
    /// HTML files, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON: a line for each file
    #[arg(long)]
    pub(crate) json: bool,
}
