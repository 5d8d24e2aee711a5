//! The arguments of `pagekin redirects`.

use std::path::PathBuf;

use clap::ValueEnum;
use pagekin_duplicates::moves::MoveOptions;

use crate::args::running::{OutputArg, ReportArgs};
use crate::args::site::reading::SiteArgs;
use crate::args::site::values::{base_url, part};
use crate::args::values::RowsArg;

#[derive(Debug, clap::Args)]
pub(crate) struct RedirectsArgs {
    /// Folder of the old version of the site
    pub(crate) old: PathBuf,
    /// Folder of the new version of the site
    pub(crate) new: PathBuf,
    /// Output format: `table`, for review; `csv` and `json`, everything; `netlify`, a `_redirects`
    /// file, also for Cloudflare Pages; `nginx`, lines for a `map`; `apache`, mod_rewrite rules
    /// [default: from the name of --output, otherwise table]
    #[arg(long, value_enum)]
    pub(crate) format: Option<RedirectsFormat>,
    #[command(flatten)]
    pub(crate) output: OutputArg,
    /// Minimum share of the shorter page's text found on the other page for a match, 0 to 1
    #[arg(long, value_name = "S", default_value_t = MoveOptions::MIN, value_parser = part)]
    pub(crate) threshold: f64,
    #[command(flatten)]
    pub(crate) rows: RowsArg,
    /// URL at which the old site was published [default: that of --base-url]
    #[arg(long, value_name = "URL", value_parser = base_url)]
    pub(crate) old_base_url: Option<String>,
    #[command(flatten)]
    pub(crate) reading: SiteArgs,
    #[command(flatten)]
    pub(crate) running: ReportArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RedirectsFormat {
    /// Human-readable
    Table,
    /// One object
    Json,
    /// One line per page and new location
    Csv,
    /// A `_redirects` file for Netlify and Cloudflare Pages
    #[value(alias = "_redirects")]
    Netlify,
    /// Lines for an nginx `map`
    Nginx,
    /// Apache mod_rewrite rules
    #[value(alias = "htaccess")]
    Apache,
}
