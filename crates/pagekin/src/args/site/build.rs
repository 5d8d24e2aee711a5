//! The arguments of `pagekin build`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, ValueEnum};
use pagekin_index::{BuildOptions, Layout};

use crate::args::running::RunningArgs;
use crate::args::site::reading::{KeptArgs, SiteArgs};
use crate::args::values::language;
use crate::bundle::COMPONENTS;

/// The inputs, of which exactly one is required.
const INPUTS: &[&str] = &[
    "site",
    #[cfg(feature = "crawl")]
    "from",
];

#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("input").args(INPUTS).required(true)))]
pub(crate) struct BuildArgs {
    /// Folder of the built site. Or a file of pages from another program, or - for standard input:
    /// lines of JSON objects with url, and html or text
    pub(crate) site: Option<PathBuf>,
    /// Index the output of `pagekin crawl cluster` instead of a site: each URL with a bag becomes a
    /// page. Or pages from another program, as for SITE
    #[cfg(feature = "crawl")]
    #[arg(long, value_name = "CRAWL", conflicts_with_all = ["site", "records", "base_url",
          "lang", "force_lang", "keep_repeated", "clean_urls", "exclude", "watch",
          "offline_bundle", "terms", "embeddings"])]
    pub(crate) from: Option<PathBuf>,
    /// Also index pages from another program: a file, or - for standard input, as for SITE. Of
    /// pages with the same URL, that of the site counts
    #[arg(long, value_name = "FILE", conflicts_with_all = ["watch", "offline_bundle"])]
    pub(crate) records: Option<PathBuf>,
    /// Output folder: new, empty, or an earlier index, which is replaced after the build
    /// [default: SITE/pagekin]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Rebuild whenever the site changes, until Ctrl-C. With --serve, open pages are reloaded
    #[arg(long)]
    pub(crate) watch: bool,
    /// Preview the index and the site, like `pagekin serve OUT --site SITE`, until Ctrl-C
    #[arg(long)]
    pub(crate) serve: bool,
    /// Reuse the index in OUT, which may be the output folder, so that most files stay the same and
    /// you upload few. If OUT has no index, pagekin builds from scratch
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
    /// List all repeated text that was removed, and all unknown related pages, in the summary
    #[arg(short, long, help_heading = "Running")]
    pub(crate) verbose: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct WrittenArgs {
    /// Elements whose scripts to write next to the index, or `none`. Pages fetch only the scripts
    /// that they name
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
    /// Write an HTML file that works offline when opened from disk, with the index, the demo, the
    /// lab and the texts of up to 2,000 pages
    #[arg(long, value_name = "FILE")]
    pub(crate) offline_bundle: Option<PathBuf>,
    /// File layout: `files`, many small files for any host; `packs`, few large files for hosts with
    /// range requests, which makes lookups on large sites cheaper
    #[arg(long, value_enum, default_value_t = LayoutArg::Files)]
    pub(crate) layout: LayoutArg,
    /// Spread the index over the hosts in this TOML file. OUT/mirrors then contains a folder to
    /// publish on each host. If one host fails, visitors use another
    #[arg(long, value_name = "FILE")]
    pub(crate) mirrors: Option<PathBuf>,
    /// Pages per block, for the tests of this project: a small site has one block otherwise
    #[arg(long, hide = true, value_parser = clap::value_parser!(u32).range(1..=128))]
    pub(crate) block_pages: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RelationArgs {
    /// Number of related pages stored for each page; 0 stores none
    #[arg(long, value_name = "N", default_value_t = BuildOptions::RELATED_COUNT,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(BuildOptions::MAX_RELATED)))]
    pub(crate) related_count: u32,
    /// Relate pages by these embedding vectors instead of their words: JSON lines with page and
    /// vector. With lines with word and vector, answers are also ranked by meaning
    #[arg(long, value_name = "FILE")]
    pub(crate) embeddings: Option<PathBuf>,
    /// Also find pages by these terms, from a model or a list of synonyms: JSON lines with page,
    /// term and weight
    #[arg(long, value_name = "FILE")]
    pub(crate) terms: Option<PathBuf>,
}

/// Pages that a build can write next to the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PagesArg {
    /// OUT/index.html, where visitors search for a text. `pagekin serve` always shows it
    Demo,
    /// The demo, and the lab, which shows how similar pages are found
    Lab,
    /// The demo, and OUT/browse.html with nested topics of similar pages
    Browse,
    /// The demo with a button that stores it and the index for offline use. Adds a service worker
    /// for the folder of the index
    Offline,
}

/// The value of `--components` for no components.
pub(crate) const NO_COMPONENTS: &str = "none";

fn component_names() -> impl Iterator<Item = &'static str> {
    COMPONENTS.iter().map(|component| component.name).chain([NO_COMPONENTS])
}

/// Options that apply to a site but not to a crawl.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadingArgs {
    #[command(flatten)]
    pub(crate) site: SiteArgs,
    /// Language of pages that declare none [default: the most common language of each page's
    /// script, such as en]
    #[arg(long, value_name = "TAG", value_parser = language)]
    pub(crate) lang: Option<String>,
    /// Read all pages in the language of --lang, whatever they declare
    #[arg(long)]
    pub(crate) force_lang: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutArg {
    /// Many small files, for any host
    Files,
    /// Few large files, read with range requests
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
