//! `cargo xtask bench dna`: reads of DNA of known strands into clusters, beside other programs. The
//! measuring itself is a bench of `tests/`.

use std::fs;

use anyhow::Result;

use super::bench_of_tests;
use crate::repo::Repo;
use crate::run;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many reads, about
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    reads: u32,
    /// Error rates, separated by commas
    #[arg(long, value_name = "RATES", default_value = "0.01,0.03,0.05,0.1")]
    error_rates: String,
    /// Mean numbers of copies of a strand, separated by commas
    #[arg(long, value_name = "COVERAGES", default_value = "3,5,10,20")]
    coverages: String,
    /// Cluster the same reads with vsearch, cd-hit-est and mmseqs too, as far as they are installed
    #[arg(long)]
    peers: bool,
    /// More options of the bench, such as --near 0.1, --primers, --both-strands or --join 0,200
    #[arg(last = true, value_name = "OPTION")]
    more: Vec<String>,
}

impl Arguments {
    pub(crate) fn of(reads: u32) -> Self {
        let (error_rates, coverages) = ("0.05".to_owned(), "10".to_owned());
        Self { reads, error_rates, coverages, peers: false, more: Vec::new() }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let folder = repo.target("bench/dna");
    fs::create_dir_all(&folder)?;
    let mut command = bench_of_tests(repo, "dna");
    command.arg("--folder").arg(&folder);
    command.args(["--reads", &arguments.reads.to_string()]);
    command.args(["--error-rates", &arguments.error_rates]);
    command.args(["--coverages", &arguments.coverages]);
    if arguments.peers {
        command.arg("--peers");
    }
    run::visible(command.args(&arguments.more))?;
    fs::remove_dir_all(&folder)?;
    Ok(())
}
