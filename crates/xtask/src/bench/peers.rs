//! `cargo xtask bench peers`: pagekin's way from bags to similar pairs and those of other
//! libraries, on the same sets of tokens. `tests/peers/bench.py` describes and measures it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::repo::Repo;
use crate::site::Site;
use crate::{run, tools};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The sets to pair: generated documents, or 20,000 pages of a site
    #[arg(long, value_delimiter = ',', default_values = SETS, value_parser = SETS)]
    sets: Vec<String>,
    /// The folder of HTML pages for `site` [default: the Rust documentation of this machine]
    #[arg(long, value_name = "SITE_DIR")]
    site: Option<PathBuf>,
    /// How often each library pairs each set; a million documents are paired once
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

const SETS: [&str; 4] = ["synth20k", "synth100k", "site", "synth1m"];

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let site = match &arguments.site {
        Some(folder) => Site::open(folder)?,
        None => Site::local_rust_docs(repo)?,
    };
    let folder = repo.target("bench/peers");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut bench = Command::new(tools::python_peers(repo)?);
    bench.arg(repo.path("tests/peers/bench.py")).arg("--folder").arg(&folder);
    bench.arg("--crates").arg(tools::crate_peers(repo)?);
    bench.arg("--ours").arg(repo.optimized_bench("peers")?);
    bench.arg("--site").arg(&site.folder).args(["--name", &site.name]);
    bench.args(["--runs", &arguments.runs.to_string()]).args(&arguments.sets);
    run::visible(&mut bench)
}
