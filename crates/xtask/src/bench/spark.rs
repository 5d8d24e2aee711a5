//! `cargo xtask bench spark`: clusters generated crawls on one machine, and with pagekin-spark on
//! two workers. `tests/benches/spark` measures.

use std::process::Command;

use anyhow::Result;

use crate::repo::Repo;
use crate::{run, tools, web};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The number of URLs; repeatable
    #[arg(long, value_name = "N", default_values_t = [100_000, 1_000_000])]
    #[arg(value_parser = clap::value_parser!(u64).range(1_000..=100_000_000))]
    urls: Vec<u64>,
    /// Compare the texts of pages instead of links to them
    #[arg(long)]
    texts: bool,
    /// Cluster again with a worker that is killed during this stage; repeatable. By default the
    /// stage after the largest shuffle
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
