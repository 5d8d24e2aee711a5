//! The arguments of `pagekin moves`.

use std::path::PathBuf;

use clap::ValueEnum;
use pagekin_duplicates::moves::MoveOptions;

use crate::args::site::SiteArgs;
use crate::args::values::{base_url, part};

#[derive(Debug, clap::Args)]
pub(crate) struct MovesArgs {
    /// Folder of the site as it was published before
    pub(crate) old: PathBuf,
    /// Folder of the site as it is now
    pub(crate) new: PathBuf,
    /// Output format: `table`, what needs a look; `csv` and `json`, everything; `netlify`, a
    /// `_redirects` file, also for Cloudflare Pages; `nginx`, lines of a `map`; `apache`, rules of
    /// mod_rewrite
    #[arg(long, value_enum, default_value_t = MovesFormat::Table)]
    pub(crate) format: MovesFormat,
    /// Print JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Write to this file instead of standard output; an existing file is replaced when done
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
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
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Print only errors and results: no progress, no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
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
    Netlify,
    /// Lines of nginx's `map`
    Nginx,
    /// Rules of Apache's mod_rewrite
    Apache,
}
