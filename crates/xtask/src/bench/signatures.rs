//! `cargo xtask bench signatures`: how fast bags are signed, beside what the processor can do at
//! all. The measuring itself is a bench of `tests/`, which may use the other crates.

use anyhow::Result;

use crate::repo::Repo;
use crate::run;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many bags of each kind
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    bags: u32,
    /// How often each way is run; the medians count
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Default for Arguments {
    fn default() -> Self {
        Self { bags: 20_000, runs: 9, json: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = super::bench_of_tests(repo, "signatures");
    command.args(["--bags", &arguments.bags.to_string()]);
    command.args(["--runs", &arguments.runs.to_string()]);
    if arguments.json {
        command.arg("--json");
    }
    run::visible(&mut command)
}
