//! `cargo xtask bench spark`: generated crawls, clustered on one machine and by pagekin-spark on
//! two workers. The measuring itself is in `tests/benches/spark`.

use std::process::Command;

use anyhow::Result;

use crate::repo::Repo;
use crate::{run, tools, web};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many URLs; several times for a run of each
    #[arg(long, value_name = "N", default_values_t = [100_000, 1_000_000], value_parser = clap::value_parser!(u64).range(1_000..=100_000_000))]
    urls: Vec<u64>,
    /// Compare the texts of pages instead of links to them
    #[arg(long)]
    texts: bool,
    /// Cluster once more, with a worker that is killed as it runs this stage; repeatable. By
    /// default where most was shuffled before
    #[arg(long, value_name = "STAGE", num_args = 0..=1, default_missing_value = "pairs")]
    kill: Vec<String>,
}

impl Arguments {
    pub(crate) fn new(urls: u64) -> Self {
        Self { urls: vec![urls], texts: false, kill: Vec::new() }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    web::build(repo)?;
    let python = tools::python_spark(repo)?;
    let mut command = Command::new(python);
    command
        .arg(repo.path("tests/benches/spark/bench.py"))
        .arg(repo.emptied("bench/spark")?)
        .env("PAGEKIN", repo.optimized_stages()?)
        .env("CRAWL", repo.optimized_of_tests("crawl")?)
        .env("PYTHONPATH", repo.path("crates/pagekin-spark/src"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg("--urls")
        .args(arguments.urls.iter().map(u64::to_string));
    if arguments.texts {
        command.arg("--texts");
    }
    command.arg("--kill").args(&arguments.kill);
    run::visible(&mut command)
}
