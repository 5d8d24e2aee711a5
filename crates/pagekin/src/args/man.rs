//! The arguments of `pagekin man`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Output folder; created if it does not exist
    pub(crate) folder: PathBuf,
}
