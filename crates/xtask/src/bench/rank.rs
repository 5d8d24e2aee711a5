//! `cargo xtask bench rank`: PageRank of a generated crawl, and beside other libraries. The
//! measuring itself is a bench of `tests/` and a program of `tests/peers`.

use std::fs;
use std::process::Command;

use anyhow::Result;

use super::bench_of_tests;
use crate::repo::Repo;
use crate::run;
use crate::tools;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many URLs; there are five times as many links
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1_000..=100_000_000))]
    urls: u64,
    /// The memory for links that are sorted, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    memory: u64,
    /// Threads; by default one per processor
    #[arg(long, value_name = "N")]
    threads: Option<u16>,
    /// Rank the same links with igraph and networkx too, which hold them in memory
    #[arg(long)]
    peers: bool,
}

impl Arguments {
    pub(crate) fn of(urls: u64) -> Self {
        Self { urls, memory: 512, threads: None, peers: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let folder = repo.target("bench");
    fs::create_dir_all(&folder)?;
    let edges = folder.join("rank.edges");
    let mut command = bench_of_tests(repo, "rank");
    command.arg("--folder").arg(&folder);
    command.args(["--urls", &arguments.urls.to_string()]);
    command.args(["--memory", &arguments.memory.to_string()]);
    if let Some(threads) = arguments.threads {
        command.args(["--threads", &threads.to_string()]);
    }
    if arguments.peers {
        command.arg("--edges").arg(&edges);
    }
    run::visible(&mut command)?;
    if arguments.peers {
        let python = tools::python_peers(repo)?;
        for library in ["igraph", "networkx"] {
            let mut command = Command::new(&python);
            command.arg(repo.path("tests/peers/pagerank.py")).arg(library).arg(&edges);
            run::visible(command.arg(arguments.urls.to_string()))?;
        }
        fs::remove_file(&edges)?;
    }
    Ok(())
}
