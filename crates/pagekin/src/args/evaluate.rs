//! The arguments of `pagekin evaluate`.

use std::path::PathBuf;

use clap::ValueEnum;
use pagekin_research::evaluate::{EvaluateOptions, Hierarchy};

use crate::args::running::{LangArg, OutputArg, ReportArgs};
use crate::args::site::reading::{KeptArgs, SiteArgs};

#[derive(Debug, clap::Args)]
pub(crate) struct EvaluateArgs {
    /// Folder of the built site
    pub(crate) site: PathBuf,
    /// Measure against a hierarchy of classes: `path`, the folders of URLs; or a CSV file with the
    /// columns `url` and `class`, such as garden/compost [default: path, unless --links is given]
    #[arg(long, value_name = "path|FILE")]
    pub(crate) hierarchy: Option<PathBuf>,
    /// Measure against the links in the main text of pages [default, unless --hierarchy is given]
    #[arg(long)]
    pub(crate) links: bool,
    /// Represent pages by the links of one half of the pages, and measure against the links of the
    /// other half
    #[arg(long)]
    pub(crate) held_out: bool,
    /// Measure the topic tree of `pagekin build --pages browse` against the hierarchy, together
    /// with average linkage (up to 7,000 pages) and a shuffled tree
    #[arg(long, conflicts_with_all = ["links", "held_out", "grid", "set", "svg"])]
    pub(crate) tree: bool,
    /// Settings to compare: `default`, variants of the related pages; `paper`, those of Haveliwala,
    /// Gionis, Klein and Indyk (2002); or a file with settings, one --set per line
    /// [default: default, unless --set is given]
    #[arg(long, value_name = "default|paper|FILE")]
    pub(crate) grid: Option<PathBuf>,
    /// Settings to compare. For example, 'measure=jaccard,cosine;stemming=none,stem' compares all
    /// four combinations. Repeatable
    #[arg(long, value_name = "SETTINGS")]
    pub(crate) set: Vec<String>,
    /// Number of pages to compare with all others, drawn by a hash of their URLs, or `all`
    #[arg(long, value_name = "N", default_value_t = SourcesArg(Some(EvaluateOptions::SOURCES)))]
    pub(crate) sources: SourcesArg,
    /// Output format: `table`, the best settings; `json`, everything; `csv`, one setting per line
    /// [default: from the name of --output, otherwise table]
    #[arg(long, value_enum)]
    pub(crate) format: Option<EvaluateFormat>,
    #[command(flatten)]
    pub(crate) output: OutputArg,
    /// Write a figure to this folder for each key that has several values in otherwise equal
    /// settings
    #[arg(long, value_name = "FOLDER")]
    pub(crate) svg: Option<PathBuf>,
    /// Maximum number of settings in the table
    #[arg(short, long, value_name = "N", default_value_t = 30)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) reading: SiteArgs,
    #[command(flatten)]
    pub(crate) kept: KeptArgs,
    #[command(flatten)]
    pub(crate) lang: LangArg,
    #[command(flatten)]
    pub(crate) running: ReportArgs,
}

impl EvaluateArgs {
    /// Returns the source of the classes, and whether to measure against links. If neither option
    /// is given, both are used.
    pub(crate) fn truth(&self) -> (Option<Hierarchy>, bool) {
        let named = |hierarchy: &PathBuf| match hierarchy.to_str() {
            Some("path") => Hierarchy::Path,
            _ => Hierarchy::File(hierarchy.clone()),
        };
        match (&self.hierarchy, self.links) {
            (None, false) => (Some(Hierarchy::Path), !self.tree),
            (hierarchy, links) => (hierarchy.as_ref().map(named), links),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvaluateFormat {
    /// Human-readable
    Table,
    /// One object
    Json,
    /// One setting per line
    Csv,
}

/// Number of source pages; `None` is all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourcesArg(pub(crate) Option<u32>);

impl std::str::FromStr for SourcesArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(n @ 1..) => Ok(Self(Some(n))),
            _ if text == "all" => Ok(Self(None)),
            _ => Err("expected a number of at least 1, or all".to_owned()),
        }
    }
}

impl std::fmt::Display for SourcesArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(sources) => write!(f, "{sources}"),
            None => f.write_str("all"),
        }
    }
}
