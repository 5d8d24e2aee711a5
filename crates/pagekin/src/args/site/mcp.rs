//! The arguments of `pagekin mcp`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Folder of the index, or the URL where it is published: https://, or http:// on this machine.
    /// SSL_CERT_FILE may name root certificates to trust in place of Mozilla's
    #[arg(value_name = "INDEX-OR-URL")]
    pub(crate) index: String,
    /// Folder of the site, whose pages the tool `excerpt` reads; those of a published index are
    /// fetched from its host
    #[arg(long, value_name = "SITE_DIR")]
    pub(crate) site: Option<PathBuf>,
    /// Seconds that a call may take, for the tests of this project
    #[arg(long, hide = true, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: u64,
}
