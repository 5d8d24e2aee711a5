//! `cargo xtask bench sketches`: sketches of weights beside MinHash of copies. The measuring itself
//! is a bench of `tests/`, which may use the other crates.

use std::path::PathBuf;

use anyhow::Result;

use crate::repo::Repo;
use crate::run;
use crate::site::Site;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folders of HTML pages to take bags from
    #[arg(value_name = "SITE_DIR")]
    sites: Vec<PathBuf>,
    /// How often each way is timed; the medians count
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn of(site: &Site) -> Self {
        Self { sites: vec![site.folder.clone()], runs: 9, json: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = super::bench_of_tests(repo, "sketches");
    // Cargo runs a bench in the folder of its package, so paths are made absolute.
    for site in &arguments.sites {
        command.arg(std::path::absolute(site)?);
    }
    command.args(["--runs", &arguments.runs.to_string()]);
    if arguments.json {
        command.arg("--json");
    }
    run::visible(&mut command)
}
