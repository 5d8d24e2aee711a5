//! The arguments of `pagekin duplicates`.

use std::path::PathBuf;

use clap::ValueEnum;
use pagekin_duplicates::report::ReportOptions;
use pagekin_duplicates::{DuplicateOptions, PairKind};

use crate::args::running::{EXIT_CODES, OutputArg, ReportArgs};
use crate::args::site::reading::SiteArgs;
use crate::args::site::values::part;
use crate::args::values::RowsArg;

#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct DuplicatesArgs {
    /// Folder of the built site, or of its index (then only candidate pages are read). Several
    /// sites are compared as one, with the folder names prepended to the paths
    #[arg(required = true, value_name = "SITE_OR_INDEX")]
    pub(crate) sites: Vec<PathBuf>,
    /// Folder of the pages of an index [default: the folder that contains the index; without pages,
    /// results are estimated from sketches]
    #[arg(long, value_name = "SITE")]
    pub(crate) site: Option<PathBuf>,
    /// Minimum resemblance of a pair, 0 to 1: the share of all ten-word sequences that occur on
    /// both pages
    #[arg(long, value_name = "R", default_value_t = DuplicateOptions::MIN, value_parser = part)]
    pub(crate) threshold: f64,
    /// Output format: `table`, the largest groups; `json`, everything; `csv`, one pair per line;
    /// `html`, a page to sort, filter and compare; `junit` or `sarif`, for CI [default: from the
    /// name of --output, otherwise table]
    #[arg(long, value_enum)]
    pub(crate) format: Option<DuplicatesFormat>,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    #[command(flatten)]
    pub(crate) output: OutputArg,
    /// Maximum number of bytes of text in the HTML report, for this project's tests
    #[arg(long, hide = true, default_value_t = ReportOptions::TEXTS)]
    pub(crate) texts: u64,
    #[command(flatten)]
    pub(crate) rows: RowsArg,
    /// Compare repeated text too. By default, blocks that at least 20% of the pages share, such as
    /// menus, are omitted from pages without a main or article element
    #[arg(long)]
    pub(crate) keep_repeated: bool,
    #[command(flatten)]
    pub(crate) reading: SiteArgs,
    #[command(flatten)]
    pub(crate) running: ReportArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct GateArgs {
    /// Exit with code 3 if there are pairs of these kinds: `copies`; `numbers`, same but for
    /// numbers; `near`, near-duplicates; `passages`, shared passages [default: all, if --fail-over
    /// is given]
    #[arg(long, value_name = "KINDS", value_enum, value_delimiter = ',')]
    pub(crate) fail_on: Option<Vec<FailOn>>,
    /// Exit with code 3 only if there are more than N such pairs [default: 0, if --fail-on is
    /// given]
    #[arg(long, value_name = "N")]
    pub(crate) fail_over: Option<u64>,
    /// File of known groups. Their pairs are reported as known and do not fail the command
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all groups to this file, as a baseline for later runs. An existing file is replaced
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fail_on", "fail_over", "baseline"])]
    pub(crate) write_baseline: Option<PathBuf>,
}

/// Kinds of pairs that fail the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// The same words and numbers in the same order
    Copies,
    /// The same words in the same order, with other numbers
    Numbers,
    /// At least the minimum resemblance, with other numbers or words
    Near,
    /// Shared passages
    Passages,
}

impl From<FailOn> for PairKind {
    fn from(kind: FailOn) -> Self {
        match kind {
            FailOn::Copies => Self::Copy,
            FailOn::Numbers => Self::SameButNumbers,
            FailOn::Near => Self::NearDuplicate,
            FailOn::Passages => Self::Passages,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DuplicatesFormat {
    /// Human-readable
    Table,
    /// One object
    Json,
    /// One pair per line
    Csv,
    /// A self-contained page
    Html,
    /// One test per pair
    #[value(alias = "xml")]
    Junit,
    /// One result per pair
    Sarif,
}
