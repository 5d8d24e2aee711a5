//! `cargo xtask bench duplicates`: how good what finds near-duplicates is, beside the exact truth.
//! The measuring itself is a bench of `tests/`.

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
    /// Draw how many pages have how many near-duplicates into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn of(site: &Site) -> Self {
        Self { on: Pages::of(site), plot: None, json: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = super::of_tests(repo, "duplicates", &arguments.on)?;
    command.arg("--folder").arg(repo.target("bench"));
    if let Some(file) = &arguments.plot {
        command.arg("--plot").arg(std::path::absolute(file)?);
    }
    if arguments.json {
        command.arg("--json");
    }
    run::visible(&mut command)
}
