//! The arguments of `pagekin mcp`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Folder of the index, or its published URL: https://, or http:// on this machine. Set
    /// SSL_CERT_FILE to trust other root certificates than Mozilla's
    #[arg(value_name = "INDEX-OR-URL")]
    pub(crate) index: String,
    /// Folder of the site, for the tool `excerpt` [default: where it was when the index was built].
    /// The pages of a published index are fetched from its host
    #[arg(long, value_name = "SITE_DIR")]
    pub(crate) site: Option<PathBuf>,
    /// Maximum number of seconds per call, for this project's tests
    #[arg(long, hide = true, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: u64,
}
