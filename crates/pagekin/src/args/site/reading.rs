//! How a site is read: what `pagekin build`, `duplicates` and `evaluate` ask alike.

use pagekin_pages::SiteOptions;

use crate::args::files::FilesArgs;
use crate::args::site::values::base_url;

/// How a site is read.
#[derive(Debug, clap::Args)]
pub(crate) struct SiteArgs {
    /// URL the site is published at, which page URLs start with
    #[arg(long, value_name = "URL", default_value = "/", value_parser = base_url)]
    pub(crate) base_url: String,
    /// Write page URLs without `.html`, for hosts that serve guide/setup.html as /guide/setup
    #[arg(long)]
    pub(crate) clean_urls: bool,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    /// Skip files that cannot be read instead of failing
    #[arg(long)]
    pub(crate) skip_unreadable: bool,
}

/// What of pages is kept that many of them have: what `pagekin build` and `evaluate` ask alike.
#[derive(Debug, clap::Args)]
pub(crate) struct KeptArgs {
    /// Keep text that is on many pages. By default, blocks of text that at least 20 % of the pages
    /// have, such as menus that are not marked as such, are left out
    #[arg(long)]
    pub(crate) keep_repeated: bool,
    /// Keep the name of the site in titles. By default, what nearly all titles begin or end with,
    /// such as " | My docs", is left out
    #[arg(long)]
    pub(crate) keep_title_suffix: bool,
}

impl From<SiteArgs> for SiteOptions {
    fn from(args: SiteArgs) -> Self {
        let SiteArgs { base_url, clean_urls, files, skip_unreadable } = args;
        let FilesArgs { exclude, max_page_bytes } = files;
        Self::default().with(|options| {
            options.base_url = base_url;
            options.clean_urls = clean_urls;
            options.exclude = exclude;
            options.max_page_bytes = max_page_bytes;
            options.skip_unreadable = skip_unreadable;
        })
    }
}
