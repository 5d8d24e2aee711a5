//! The arguments of `pagekin serve`.

use std::path::PathBuf;

use crate::args::running::JsonArg;

#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Folder of the index
    pub(crate) out: PathBuf,
    /// Folder of the site, served at / so that links to results work
    #[arg(long, value_name = "SITE_DIR")]
    pub(crate) site: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) json: JsonArg,
    /// Port of the preview; 0 for any free one [default: 4747, or any free one if it is taken]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Also answer requests for this host name, such as that of a tunnel or a container. Requests
    /// for names other than `localhost`, `127.0.0.1` and `[::1]` are refused, because any web site
    /// can point its name at this machine
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// Also serve files outside the folders, if symbolic links in them lead there
    #[arg(long)]
    pub(crate) follow_symlinks: bool,
}
