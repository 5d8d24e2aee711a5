//! The arguments of `pagekin serve`.

use std::path::PathBuf;

use crate::args::running::JsonArg;

#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Folder of the index
    pub(crate) out: PathBuf,
    /// Folder of the site, to serve at / so that result links work [default: where it was when the
    /// index was built]
    #[arg(long, value_name = "SITE_DIR")]
    pub(crate) site: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) json: JsonArg,
    /// Port of the preview; 0 for any free port [default: 4747, or any free port if it is in use]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Also accept requests for this host name, such as a tunnel's. Other names than `localhost`,
    /// `127.0.0.1` and `[::1]` are refused, to prevent DNS rebinding
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// Follow symbolic links that lead out of the folders
    #[arg(long)]
    pub(crate) follow_symlinks: bool,
}
