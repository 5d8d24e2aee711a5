//! The arguments of `pagekin build`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, ValueEnum};
use pagekin_index::{BuildOptions, Layout};

use crate::args::running::RunningArgs;
use crate::args::site::reading::{KeptArgs, SiteArgs};
use crate::args::values::language;
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
    /// Index a crawl instead of a site: the output of `pagekin crawl cluster`. Each URL with a bag
    /// becomes a page
    #[cfg(feature = "crawl")]
    #[arg(long, value_name = "CRAWL", conflicts_with_all = ["site", "base_url", "lang",
          "keep_repeated", "clean_urls", "exclude", "max_page_bytes", "skip_unreadable", "watch",
          "offline_bundle", "terms", "embeddings"])]
    pub(crate) from: Option<PathBuf>,
    /// Output folder: new, empty, or an earlier index, which is replaced when the build is done
    /// [default: SITE/pagekin]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Build the index again whenever the site changes, until Ctrl-C. A failed build is reported,
    /// and the last index stays. With --serve, open pages are reloaded
    #[arg(long)]
    pub(crate) watch: bool,
    /// Preview the index and the site in a browser, as `pagekin serve OUT --site SITE` does, until
    /// Ctrl-C
    #[arg(long)]
    pub(crate) serve: bool,
    /// Reuse the index at OUT, which may be the output folder itself. Unchanged files stay equal,
    /// so that you have to upload few. If there is no index, pagekin builds one from scratch
    #[arg(long, value_name = "OUT")]
    pub(crate) previous: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Reading the site")]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) kept: KeptArgs,
    #[command(flatten, next_help_heading = "Pages and files to write")]
    pub(crate) written: WrittenArgs,
    #[command(flatten, next_help_heading = "Related pages and terms")]
    pub(crate) relations: RelationArgs,
    #[command(flatten, next_help_heading = "Running")]
    pub(crate) running: RunningArgs,
}

/// What a build writes.
#[derive(Debug, clap::Args)]
pub(crate) struct WrittenArgs {
    /// Elements whose scripts are written next to the index, or `none`. A page fetches only the
    /// scripts that it names
    #[arg(long, value_name = "NAMES", value_delimiter = ',',
          default_value = BuildOptions::COMPONENTS.join(","),
          value_parser = PossibleValuesParser::new(component_names()))]
    pub(crate) components: Vec<String>,
    /// Pages to write next to the index, separated by commas
    #[arg(long, value_name = "PAGES", value_enum, value_delimiter = ',')]
    pub(crate) pages: Vec<PagesArg>,
    /// Write the related pages of all pages to OUT/related.json, for a site generator
    #[arg(long)]
    pub(crate) related_json: bool,
    /// Write one HTML file that works without a network when it is opened from disk. It contains
    /// the index, the demo, the lab and the texts of at most 2,000 pages
    #[arg(long, value_name = "FILE")]
    pub(crate) offline_bundle: Option<PathBuf>,
    /// File layout: `files`, many small files for any host; `packs`, a few large files for hosts
    /// that answer range requests, which makes lookups on large sites cheaper
    #[arg(long, value_enum, default_value_t = LayoutArg::Files)]
    pub(crate) layout: LayoutArg,
    /// Maximum number of files. An index never has more than a third of the pages or 2,500,
    /// whichever is larger
    #[arg(long, value_name = "N", default_value_t = BuildOptions::MAX_FILES,
          value_parser = clap::value_parser!(u32).range(i64::from(BuildOptions::MIN_FILES)..))]
    pub(crate) max_files: u32,
    /// Spread the index over the hosts that this TOML file names. OUT/mirrors contains a folder to
    /// publish on each host. Visitors fetch each part from a host that has it, and from another
    /// host if that one fails
    #[arg(long, value_name = "FILE")]
    pub(crate) mirrors: Option<PathBuf>,
    /// Pages per block, for the tests of this project: a small site has one block otherwise
    #[arg(long, hide = true, value_parser = clap::value_parser!(u32).range(1..=128))]
    pub(crate) block_pages: Option<u32>,
}

/// What else pages are found and related by.
#[derive(Debug, clap::Args)]
pub(crate) struct RelationArgs {
    /// Number of related pages stored for each page; 0 stores none
    #[arg(long, value_name = "N", default_value_t = BuildOptions::RELATED_COUNT,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(BuildOptions::MAX_RELATED)))]
    pub(crate) related_count: u32,
    /// Relate pages by these vectors of an embedding model instead of by their words: JSON lines
    /// with page and vector
    #[arg(long, value_name = "FILE")]
    pub(crate) embeddings: Option<PathBuf>,
    /// Find pages by these terms too, from a model or a list of synonyms: JSON lines with page,
    /// term and weight
    #[arg(long, value_name = "FILE")]
    pub(crate) terms: Option<PathBuf>,
}

/// Pages that a build can write next to the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PagesArg {
    /// OUT/index.html, on which visitors find pages by a text. `pagekin serve` shows it in any case
    Demo,
    /// The demo and the lab, which shows how similar pages are found
    Lab,
    /// The demo and OUT/browse.html, on which visitors browse the site by topics
    Browse,
    /// The demo, which offers visitors to keep it and the index offline. Adds a service worker for
    /// the folder of the index
    Offline,
}

/// Stands for no components.
pub(crate) const NO_COMPONENTS: &str = "none";

fn component_names() -> impl Iterator<Item = &'static str> {
    COMPONENTS.iter().map(|component| component.name).chain([NO_COMPONENTS])
}

/// How pages are read, which applies to a site but not to a crawl.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadingArgs {
    #[command(flatten)]
    pub(crate) site: SiteArgs,
    /// Language of pages that declare none [default: the most common language of each page's
    /// script, such as en]
    #[arg(long, value_name = "TAG", value_parser = language)]
    pub(crate) lang: Option<String>,
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
