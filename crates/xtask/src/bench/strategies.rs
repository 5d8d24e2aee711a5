//! `cargo xtask bench strategies`: ways to find pages natively, beside each other. The measuring
//! itself is a bench of `tests/`, which may use the other crates.

use anyhow::Result;

use super::Pages;
use crate::repo::Repo;
use crate::run;
use crate::site::Site;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    on: Pages,
    /// The positions of signatures, several times to compare them [default: as the index]
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    positions: Vec<u16>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn of(site: &Site) -> Self {
        Self { on: Pages::of(site), positions: Vec::new(), json: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = super::of_tests(repo, "strategies", &arguments.on)?;
    for m in &arguments.positions {
        command.args(["--positions", &m.to_string()]);
    }
    if arguments.json {
        command.arg("--json");
    }
    run::visible(&mut command)
}
