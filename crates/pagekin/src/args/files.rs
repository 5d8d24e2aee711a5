//! Which files of folders are read: what commands of sites and of crawls ask alike.

use pagekin_pages::SiteOptions;

use crate::args::values::{glob, size, written_size};

/// Which files of folders are read.
#[derive(Debug, clap::Args)]
pub(crate) struct FilesArgs {
    /// Skip files that match this glob, such as `drafts/**` or `**/print.html`: their paths below
    /// the site's folder. `*` matches within a folder, `**` any folders. Repeatable
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) exclude: Vec<String>,
    /// Skip pages larger than this, such as 500k or 16M
    #[arg(long, value_name = "SIZE", default_value = written_size(SiteOptions::MAX_PAGE_BYTES), value_parser = size)]
    pub(crate) max_page_bytes: u64,
}
