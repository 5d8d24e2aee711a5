//! `cargo xtask bench stream`: streams of pages joined with themselves. The measuring itself is a
//! bench of `tests/`.

use std::path::PathBuf;

use anyhow::Result;

use super::bench_of_tests;
use crate::repo::Repo;
use crate::run;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folders of HTML pages, of whose passages pages are made; without one they are made up
    #[arg(value_name = "SITE_DIR")]
    sites: Vec<PathBuf>,
    /// How many pages the horizon has; repeatable
    #[arg(long, value_name = "N", default_values_t = [100_000, 1_000_000], value_parser = clap::value_parser!(u64).range(1_000..=20_000_000))]
    pages: Vec<u64>,
    /// The least similarity of a pair; repeatable
    #[arg(long, value_name = "S", default_values_t = [0.7])]
    min: Vec<f64>,
    /// Pages of which all pairs are found by brute force, too
    #[arg(long, value_name = "N", default_value_t = 100)]
    sample: u64,
    /// Do without joins in batches and anew
    #[arg(long)]
    only_streaming: bool,
}

impl Arguments {
    pub(crate) fn of(pages: u64) -> Self {
        let (sites, min) = (Vec::new(), vec![0.7]);
        Self { sites, pages: vec![pages], min, sample: 100, only_streaming: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = bench_of_tests(repo, "stream");
    // Cargo runs a bench in the folder of its package, so paths are made absolute.
    for site in &arguments.sites {
        command.arg(std::path::absolute(site)?);
    }
    for pages in &arguments.pages {
        command.args(["--pages", &pages.to_string()]);
    }
    for min in &arguments.min {
        command.args(["--min", &min.to_string()]);
    }
    command.args(["--sample", &arguments.sample.to_string()]);
    if arguments.only_streaming {
        command.arg("--only-streaming");
    }
    run::visible(&mut command)
}
