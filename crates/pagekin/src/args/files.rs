//! Which files of folders are read: what commands of sites and of crawls ask alike.

use crate::args::values::{PageBytesArg, glob};

/// Which files of folders are read.
#[derive(Debug, clap::Args)]
pub(crate) struct FilesArgs {
    /// Skip files whose path in the site's folder matches this glob, such as `drafts/**` or
    /// `**/print.html`. `*` matches within a folder, `**` any number of folders. Repeatable
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) exclude: Vec<String>,
    #[command(flatten)]
    pub(crate) page_bytes: PageBytesArg,
}
