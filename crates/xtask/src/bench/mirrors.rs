//! `cargo xtask bench mirrors`: how evenly lookups load the hosts that an index is spread over. The
//! measuring itself is a bench of `tests/`, which may use the other crates.

use std::path::PathBuf;

use anyhow::Result;

use super::Pages;
use crate::repo::Repo;
use crate::run;
use crate::site::Site;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    on: Pages,
    /// Keep the index there; if there is one already, measure it as it is
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,
    /// Draw the figure into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn of(site: &Site) -> Self {
        Self { on: Pages::of(site), index: None, plot: None, json: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = super::of_tests(repo, "mirrors", &arguments.on)?;
    for (option, path) in [("--index", &arguments.index), ("--plot", &arguments.plot)] {
        if let Some(path) = path {
            command.arg(option).arg(std::path::absolute(path)?);
        }
    }
    if arguments.json {
        command.arg("--json");
    }
    run::visible(&mut command)
}
