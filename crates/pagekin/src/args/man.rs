//! The arguments of `pagekin man`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The folder, which is made if it is not there
    pub(crate) folder: PathBuf,
}
