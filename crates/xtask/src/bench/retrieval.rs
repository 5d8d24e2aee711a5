//! `cargo xtask bench retrieval`: what a lookup finds and what it costs. The measuring itself is a bench of
//! `tests/`, which may use the other crates.

use std::path::PathBuf;

use anyhow::Result;

use crate::repo::Repo;
use crate::run;
use crate::site::Site;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folders of HTML pages to index, together
    #[arg(required = true, value_name = "SITE_DIR")]
    sites: Vec<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn of(site: &Site) -> Self {
        Self { sites: vec![site.folder.clone()], json: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = repo.cargo(&["bench", "--quiet", "--package", "pagekin-tests"]);
    command.args(["--bench", "retrieval", "--"]);
    for site in &arguments.sites {
        // Cargo runs a bench in the folder of its package.
        command.arg(std::path::absolute(site)?);
    }
    if arguments.json {
        command.arg("--json");
    }
    run::visible(&mut command)
}
