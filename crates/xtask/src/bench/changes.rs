//! `cargo xtask bench changes`: what a change of a site costs to publish, and what following costs
//! the answers. The measuring itself is a bench of `tests/`, which may use the other crates.

use anyhow::Result;

use super::Pages;
use crate::repo::Repo;
use crate::site::Site;
use crate::{run, tools};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    on: Pages,
    /// How many pages are edited, added and removed, each by itself
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pages: u32,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn of(site: &Site) -> Self {
        Self { on: Pages::of(site), pages: 5, json: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = super::of_tests(repo, "changes", &arguments.on)?;
    // Pagefind takes no pages that are made up.
    if arguments.on.generated.is_none() {
        command.arg("--pagefind").arg(tools::pagefind(repo)?.program);
    }
    command.args(["--pages", &arguments.pages.to_string()]);
    if arguments.json {
        command.arg("--json");
    }
    run::visible(&mut command)
}
