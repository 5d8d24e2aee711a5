//! The arguments of `pagekin mcp`.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;

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
    /// Seconds that a call may take, with all that it asks a host for
    #[arg(long, value_name = "SECONDS", default_value_t = 30,
          value_parser = RangedU64ValueParser::<u64>::new().range(1..=600))]
    pub(crate) timeout: u64,
}
