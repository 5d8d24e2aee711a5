//! The arguments of `pagekin build`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, ValueEnum};
use pagekin_index::{BuildOptions, Layout};

use crate::args::running::RunningArgs;
use crate::args::site::reading::{KeptArgs, SiteArgs};
use crate::args::site::serve::PreviewArgs;
use crate::args::site::values::percentage;
use crate::args::values::{SeedArg, language};
use crate::bundle::COMPONENTS;

/// What there must be one of.
const INPUTS: &[&str] = &[
    "site",
    #[cfg(feature = "crawl")]
    "from",
];

#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("input").args(INPUTS).required(true)))]
pub(crate) struct BuildArgs {
    /// Folder of the built site
    pub(crate) site: Option<PathBuf>,
    /// Index a crawl instead of a site: the output of `pagekin cluster`. Every URL with a bag
    /// becomes a page; no page is read again
    #[cfg(feature = "crawl")]
    #[arg(long, value_name = "CRAWL", conflicts_with_all = ["site", "base_url", "lang",
          "keep_repeated", "seed", "min_df", "max_df", "clean_urls", "exclude", "max_page_bytes", "skip_unreadable",
          "watch", "offline_bundle", "terms", "related_vectors"])]
    pub(crate) from: Option<PathBuf>,
    /// Output folder: new, empty, or an earlier index, which is replaced when done [default:
    /// SITE/pagekin]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Pages per block; a lookup reads 6 to 18 blocks, and an index of up to 16 blocks is read
    /// whole [default: about 2 kB of pages, more on a large site]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    pub(crate) block_pages: Option<u32>,
    /// File layout: `files`, many small files for any host; `packs`, a few large files for hosts
    /// that answer range requests, which makes lookups on large sites cheaper
    #[arg(long, value_enum, default_value_t = LayoutArg::Files)]
    pub(crate) layout: LayoutArg,
    /// Maximum number of files; never more than a third of the pages or 2,500, whichever is larger
    #[arg(long, value_name = "N", default_value_t = BuildOptions::MAX_FILES,
          value_parser = clap::value_parser!(u32).range(i64::from(BuildOptions::MIN_FILES)..))]
    pub(crate) max_files: u32,
    /// Reuse the index at OUT, which may be the output folder itself: unchanged files are kept, so
    /// that little has to be uploaded, and words keep their weights. If there is none, the index is
    /// built from scratch
    #[arg(long, value_name = "OUT")]
    pub(crate) previous: Option<PathBuf>,
    /// Number of related pages stored for each page; 0 disables them
    #[arg(long, value_name = "N", default_value_t = BuildOptions::RELATED_COUNT,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(BuildOptions::MAX_RELATED)))]
    pub(crate) related_count: u32,
    /// Also find pages by these terms, which a model or a list of synonyms gave them: JSON lines
    /// with page, term and weight
    #[arg(long, value_name = "FILE")]
    pub(crate) terms: Option<PathBuf>,
    /// Relate pages by these vectors, of any embedding, instead of by their words: JSON lines with
    /// page and vector
    #[arg(long, value_name = "FILE")]
    pub(crate) related_vectors: Option<PathBuf>,
    /// Elements whose scripts are written next to the index, or `none`. A page fetches only the
    /// scripts that it names
    #[arg(long, value_name = "NAMES", value_delimiter = ',',
          default_value = BuildOptions::COMPONENTS.join(","),
          value_parser = PossibleValuesParser::new(component_names()))]
    pub(crate) components: Vec<String>,
    /// Also write the demo, a page for visitors to find pages by a text: OUT/index.html. `pagekin
    /// serve` shows it without
    #[arg(long)]
    pub(crate) demo: bool,
    /// Also write the demo and the lab, which shows on the pages of the site how similar pages are
    /// found
    #[arg(long)]
    pub(crate) lab: bool,
    #[command(flatten)]
    pub(crate) kept: KeptArgs,
    /// Omit the text sketches, which tell how much of a long text is on a page: less to publish,
    /// and up to two requests fewer per query
    #[arg(long)]
    pub(crate) no_sketches: bool,
    /// Also write the related pages of all pages to one file, for a site generator
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) related: Option<RelatedArg>,
    /// Also write one HTML file that works when it is opened from disk, with no network: the index,
    /// the demo, the lab and the texts of the pages, at most 2,000
    #[arg(long, value_name = "FILE")]
    pub(crate) offline_bundle: Option<PathBuf>,
    /// Also write the demo, and let visitors keep it and the index offline: it offers that, with
    /// the size, and keeps nothing before. Adds a service worker for the folder of the index
    #[arg(long)]
    pub(crate) offline: bool,
    /// Also write a page to browse the site by: topics in topics, called by the words that tell
    /// them apart, made of which pages are alike; and the demo, which leads to it
    #[arg(long)]
    pub(crate) tree: bool,
    /// Spread the index over the hosts that this file in TOML names: OUT/mirrors has a folder to
    /// publish on each, OUT the rest. Visitors fetch each part from a host that has it, and from
    /// another if that one fails
    #[arg(long, value_name = "FILE")]
    pub(crate) mirrors: Option<PathBuf>,
    /// Also report which repeated text was left out of pages, and what of titles
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Preview the index and the site in a browser, as `pagekin serve OUT --site SITE` does, until
    /// Ctrl-C
    #[arg(long)]
    pub(crate) serve: bool,
    /// Build again whenever the site changes and has come to rest, until Ctrl-C. A failed build is
    /// reported, and the last index stays. With --serve, open pages are reloaded
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten, next_help_heading = "Options of --serve")]
    pub(crate) preview: PreviewArgs,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
}

/// Stands for no components.
pub(crate) const NO_COMPONENTS: &str = "none";

fn component_names() -> impl Iterator<Item = &'static str> {
    COMPONENTS.iter().map(|component| component.name).chain([NO_COMPONENTS])
}

/// How pages are read and weighed: what a crawl has done already.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadingArgs {
    #[command(flatten)]
    pub(crate) site: SiteArgs,
    /// Language of pages that declare none [default: the most common language of each page's
    /// script, such as en]
    #[arg(long, value_name = "TAG", value_parser = language)]
    pub(crate) lang: Option<String>,
    /// Seed of the hash functions: a number, or `random`
    #[arg(long, value_name = "SEED", default_value_t = SeedArg::Number(pagekin_core::DEFAULT_SEED))]
    pub(crate) seed: SeedArg,
    /// Ignore words on fewer pages than this when computing similarity; they can still be searched
    /// for [default: 2, or 1 below 50 pages]
    #[arg(long, value_name = "PAGES", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_df: Option<u32>,
    /// Ignore words on more than this percentage of the pages when computing similarity; they can
    /// still be searched for [default: 20; words on up to 10 pages are never ignored]
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) max_df: Option<f64>,
}

/// How an index lies in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutArg {
    /// Many small files: any host will do
    Files,
    /// Few large files, read by ranges of bytes
    Packs,
}

impl From<LayoutArg> for Layout {
    fn from(layout: LayoutArg) -> Self {
        match layout {
            LayoutArg::Files => Self::Files,
            LayoutArg::Packs => Self::Packs,
        }
    }
}

/// The files for site generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RelatedArg {
    /// OUT/related.json
    Json,
}
