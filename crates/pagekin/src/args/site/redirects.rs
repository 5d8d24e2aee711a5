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
    /// Folder of the site as it was published before
    pub(crate) old: PathBuf,
    /// Folder of the site as it is now
    pub(crate) new: PathBuf,
    /// Output format: `table`, what you should check; `csv` and `json`, everything; `netlify`, a
    /// `_redirects` file, also for Cloudflare Pages; `nginx`, lines of a `map`; `apache`, rules of
    /// mod_rewrite [default: from the name of --output, otherwise table]
    #[arg(long, value_enum)]
    pub(crate) format: Option<RedirectsFormat>,
    #[command(flatten)]
    pub(crate) output: OutputArg,
    /// Minimum share of the shorter of two pages that the other contains, 0 to 1, for one to count
    /// as moved to the other. pagekin compares runs of five words; runs on many pages weigh less
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

/// How redirects are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RedirectsFormat {
    /// For reading
    Table,
    /// One object
    Json,
    /// One line per page and place it went to
    Csv,
    /// `_redirects` of Netlify and Cloudflare Pages
    #[value(alias = "_redirects")]
    Netlify,
    /// Lines of nginx's `map`
    Nginx,
    /// Rules of Apache's mod_rewrite
    #[value(alias = "htaccess")]
    Apache,
}
