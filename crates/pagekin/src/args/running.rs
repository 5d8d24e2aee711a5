//! Options that control how a command runs and reports, and the exit codes.

use std::path::Path;

use clap::ValueEnum;
use serde::Serialize;

#[cfg(any(feature = "crawl", feature = "research"))]
use crate::args::values::language;
use crate::failure::Failure;
use crate::output::{print, print_json};

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  failure
  2  usage error
  3  more near-duplicates than --fail-on and --fail-over of `pagekin duplicates` allow";

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ThreadsArg {
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl ThreadsArg {
    pub(crate) fn number(self) -> Option<usize> {
        self.threads.map(usize::from)
    }
}

/// Options of the commands whose output is a report in one of several formats.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) threads: ThreadsArg,
    #[command(flatten)]
    pub(crate) quiet: QuietArg,
}

#[cfg(feature = "site")]
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArg {
    /// Write to this file instead of standard output. An existing file is replaced
    #[arg(short = 'o', long = "output", id = "output", value_name = "FILE")]
    pub(crate) file: Option<std::path::PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct JsonArg {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct QuietArg {
    /// Print only results and errors: no progress and no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Returns the requested format, otherwise the one that the output's name implies, otherwise
/// `table`.
pub(crate) fn format_or_named<F: ValueEnum>(
    format: Option<F>,
    output: Option<&Path>,
    table: F,
) -> F {
    format.or_else(|| format_of(output?)).unwrap_or(table)
}

/// Returns the format that a file name implies. Its extension is the name or an alias of the
/// format.
pub(crate) fn format_of<F: ValueEnum>(file: &Path) -> Option<F> {
    let name = file.file_name()?.to_str()?;
    let end = name.rsplit('.').next()?;
    F::from_str(end, true).ok()
}

#[cfg(any(feature = "crawl", feature = "research"))]
#[derive(Debug, clap::Args)]
pub(crate) struct LangArg {
    /// Language of pages that declare none
    #[arg(long, value_name = "TAG", default_value = "en", value_parser = language)]
    pub(crate) lang: String,
}

/// Options of the commands that run long and end with a summary.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct RunningArgs {
    #[command(flatten)]
    pub(crate) threads: ThreadsArg,
    #[command(flatten)]
    pub(crate) quiet: QuietArg,
    #[command(flatten)]
    pub(crate) json: JsonArg,
}

impl RunningArgs {
    /// Prints the summary as JSON or as text, unless `quiet`.
    pub(crate) fn report(
        &self,
        json: &impl Serialize,
        text: impl FnOnce() -> Result<String, std::fmt::Error>,
    ) -> Result<(), Failure> {
        if self.json.json {
            print_json(json)
        } else if self.quiet.quiet {
            Ok(())
        } else {
            print(&text()?)
        }
    }
}
