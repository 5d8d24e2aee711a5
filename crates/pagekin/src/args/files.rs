//! Options that select input files. The commands for sites and for crawls share them.

use crate::args::values::glob;

#[derive(Debug, clap::Args)]
pub(crate) struct FilesArgs {
    /// Skip files whose path in the site folder matches this glob, such as `drafts/**` or
    /// `**/print.html`. `*` matches within a folder, `**` across folders. Repeatable
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) exclude: Vec<String>,
}
