//! The arguments of `pagekin moves`.

use std::path::PathBuf;

use clap::ValueEnum;
use pagekin_duplicates::moves::MoveOptions;

use crate::args::running::{JsonArg, OutputArg, ReportArgs};
use crate::args::site::reading::SiteArgs;
use crate::args::site::values::{base_url, part};

#[derive(Debug, clap::Args)]
pub(crate) struct MovesArgs {
    /// Folder of the site as it was published before
    pub(crate) old: PathBuf,
    /// Folder of the site as it is now
    pub(crate) new: PathBuf,
    /// Output format: `table`, what needs a look; `csv` and `json`, everything; `netlify`, a
    /// `_redirects` file, also for Cloudflare Pages; `nginx`, lines of a `map`; `apache`, rules of
    /// mod_rewrite [default: as the name of --output says, otherwise table]
    #[arg(long, value_enum)]
    pub(crate) format: Option<MovesFormat>,
    #[command(flatten)]
    pub(crate) json: JsonArg,
    #[command(flatten)]
    pub(crate) output: OutputArg,
    /// Minimum part of the shorter of two pages that the other has, 0 to 1, for one to be where the
    /// other went: a share of its five-word runs, which weigh less the more pages have them
    #[arg(long, value_name = "S", default_value_t = MoveOptions::MIN, value_parser = part)]
    pub(crate) min: f64,
    /// Maximum number of pages in each list of the table
    #[arg(short, long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// URL the old site was published at [default: that of --base-url]
    #[arg(long, value_name = "URL", value_parser = base_url)]
    pub(crate) old_base_url: Option<String>,
    #[command(flatten)]
    pub(crate) reading: SiteArgs,
    #[command(flatten)]
    pub(crate) running: ReportArgs,
}

/// How moves are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MovesFormat {
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
