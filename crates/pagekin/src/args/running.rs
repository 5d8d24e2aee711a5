//! How a command runs, and how it ends.

use std::path::Path;

use clap::ValueEnum;
use serde::Serialize;

#[cfg(any(feature = "crawl", feature = "research"))]
use crate::args::values::language;
use crate::failure::Failure;
use crate::output::{print, print_json};

/// How a command ends.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  failure
  2  usage error
  3  more near-duplicates than --fail-on and --fail-over of `pagekin duplicates` allow";

/// On how many threads work is done.
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

/// Where such a report goes.
#[cfg(feature = "site")]
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArg {
    /// Write to this file instead of standard output; an existing file is replaced when done
    #[arg(short = 'o', long = "output", id = "output", value_name = "FILE")]
    pub(crate) file: Option<std::path::PathBuf>,
}

/// Whether a command prints JSON.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct JsonArg {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whether a command prints results alone.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct QuietArg {
    /// Print only results and errors: no progress and no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// The requested format, or that of the output's name.
pub(crate) fn format_or_named<F: ValueEnum>(
    format: Option<F>,
    output: Option<&Path>,
    table: F,
) -> F {
    format.or_else(|| format_of(output?)).unwrap_or(table)
}

/// The format that a file of this name has: each is called as names end, or has an alias for that.
pub(crate) fn format_of<F: ValueEnum>(file: &Path) -> Option<F> {
    let name = file.file_name()?.to_str()?;
    let end = name.rsplit('.').next()?;
    F::from_str(end, true).ok()
}

/// The language of pages that declare none.
#[cfg(any(feature = "crawl", feature = "research"))]
#[derive(Debug, clap::Args)]
pub(crate) struct LangArg {
    /// Language of pages that declare none
    #[arg(long, value_name = "TAG", default_value = "en", value_parser = language)]
    pub(crate) lang: String,
}

/// Options of every command that runs long and ends with a summary.
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
