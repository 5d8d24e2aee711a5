//! Options for reading a site, which several commands share.

use std::path::PathBuf;

use pagekin_pages::SiteOptions;

use crate::args::files::FilesArgs;
use crate::args::site::values::{base_url, selector};

#[derive(Debug, clap::Args)]
pub(crate) struct SiteArgs {
    /// URL at which the site is published; all page URLs start with it
    #[arg(long, value_name = "URL", default_value = "/", value_parser = base_url)]
    pub(crate) base_url: String,
    /// Write page URLs without `.html`, for hosts that serve guide/setup.html as /guide/setup
    #[arg(long)]
    pub(crate) clean_urls: bool,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    /// Ignore the elements that this CSS selector matches, such as `.breadcrumbs, [id^=ads]`: tag,
    /// class, id, or attribute, without combinators. Repeatable
    #[arg(long, value_name = "SELECTOR", value_parser = selector)]
    pub(crate) exclude_selectors: Vec<String>,
    /// Read only the elements that this CSS selector matches, and skip pages without any, unless a
    /// page has data-pagekin-body
    #[arg(long, value_name = "SELECTOR", value_parser = selector)]
    pub(crate) root_selector: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SiteFolderArg {
    /// Folder of the site, to show passages of its pages [default: where it was when the index was
    /// built]
    #[arg(long, value_name = "SITE_DIR")]
    pub(crate) site: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct KeptArgs {
    /// Keep repeated text. By default, pagekin omits blocks that at least 20% of the pages share,
    /// such as menus, and parts that nearly all titles share, such as " | My docs"
    #[arg(long)]
    pub(crate) keep_repeated: bool,
}

impl From<SiteArgs> for SiteOptions {
    fn from(args: SiteArgs) -> Self {
        let SiteArgs { base_url, clean_urls, files, exclude_selectors, root_selector } = args;
        let FilesArgs { exclude } = files;
        Self::default().with(|options| {
            options.base_url = base_url;
            options.clean_urls = clean_urls;
            options.exclude = exclude;
            options.exclude_selectors = exclude_selectors;
            options.root_selector = root_selector;
        })
    }
}
