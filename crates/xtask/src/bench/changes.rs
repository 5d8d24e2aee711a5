//! `cargo xtask bench changes`: what a change of a site costs to publish, and what following costs the answers. The
//! measuring itself is a bench of `tests/`, which may use the other crates.

use std::path::PathBuf;

use anyhow::Result;

use crate::repo::Repo;
use crate::site::Site;
use crate::{run, tools};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folders of HTML pages, each a site by itself; what is changed are copies
    #[arg(
        required_unless_present = "generated",
        conflicts_with = "generated",
        value_name = "SITE_DIR"
    )]
    sites: Vec<PathBuf>,
    /// Take N generated pages instead, without Pagefind beside it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    generated: Option<u64>,
    /// How many pages are edited, added and removed, each by itself
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pages: u32,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn of(site: &Site) -> Self {
        Self { sites: vec![site.folder.clone()], generated: None, pages: 5, json: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = super::of_tests(repo, "changes", &arguments.sites)?;
    match arguments.generated {
        Some(pages) => command.args(["--generated", &pages.to_string()]),
        None => command.arg("--pagefind").arg(tools::pagefind(repo)?.program),
    };
    command.args(["--pages", &arguments.pages.to_string()]);
    if arguments.json {
        command.arg("--json");
    }
    run::visible(&mut command)
}
