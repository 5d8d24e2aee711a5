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
    /// Print only errors and results: no progress, no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Where such a report goes.
#[cfg(feature = "site")]
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArg {
    /// Write to this file instead of standard output; an existing file is replaced when done
    #[arg(short = 'o', long = "output", id = "output", value_name = "FILE")]
    pub(crate) file: Option<std::path::PathBuf>,
}

/// The short way to ask for JSON where there are formats.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct JsonArg {
    /// Print JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl JsonArg {
    /// The format that was asked for.
    #[cfg(feature = "crawl")]
    pub(crate) fn or<F>(self, format: F, json: F) -> F {
        if self.json { json } else { format }
    }

    /// The format that was asked for, if only by the name of the output.
    pub(crate) fn or_named<F: ValueEnum>(
        self,
        format: Option<F>,
        output: Option<&Path>,
        [table, json]: [F; 2],
    ) -> F {
        let json = self.json.then_some(json);
        json.or(format).or_else(|| format_of(output?)).unwrap_or(table)
    }
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
    /// Print only errors, and the summary if --json is given
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl RunningArgs {
    /// Prints the summary as JSON or as text, unless `quiet`.
    pub(crate) fn report(
        &self,
        json: &impl Serialize,
        text: impl FnOnce() -> Result<String, std::fmt::Error>,
    ) -> Result<(), Failure> {
        if self.json {
            print_json(json)
        } else if self.quiet {
            Ok(())
        } else {
            print(&text()?)
        }
    }
}
