//! How a command runs, and how it ends.

use serde::Serialize;

use crate::Failure;
use crate::output::{print, print_json};

/// How a command ends.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  failure
  2  usage error
  3  more near-duplicates than --fail-on and --fail-over of `pagekin duplicates` allow";

/// Options of every command that runs long.
#[derive(Debug, clap::Args)]
pub(crate) struct RunningArgs {
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Print only errors, and the summary if --json is given
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl RunningArgs {
    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads.map(usize::from)
    }

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
