//! `cargo xtask bench paste`: whether the page of what a visitor pastes comes first. The measuring
//! itself is a bench of `tests/`, which may use the other crates.

use std::path::PathBuf;

use anyhow::Result;

use super::Pages;
use crate::repo::Repo;
use crate::run;
use crate::site::Site;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    on: Pages,
    /// How many passages of each length
    #[arg(long, value_name = "N", default_value_t = 150)]
    passages: usize,
    /// Put the index into packs, which are read by ranges of bytes
    #[arg(long)]
    packs: bool,
    /// What pages are found by: `best`, `lists` or `tables`
    #[arg(long, value_name = "WHAT", default_value = "best")]
    by: String,
    /// Write LSH tables, whatever the number of pages
    #[arg(long)]
    tables: bool,
    /// Keep the index there; if there is one already, measure it as it is
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,
    /// Ask what is in this file; otherwise those of `tests/queries` whose pages the site has
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// List the queries whose page is not among the first three, with those
    #[arg(long)]
    misses: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn of(site: &Site) -> Self {
        Self {
            on: Pages::of(site),
            passages: 150,
            packs: false,
            by: "best".to_owned(),
            tables: false,
            index: None,
            queries: None,
            misses: false,
            json: false,
        }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = super::of_tests(repo, "paste", &arguments.on)?;
    command.args(["--passages", &arguments.passages.to_string()]);
    if arguments.packs {
        command.arg("--packs");
    }
    command.args(["--by", &arguments.by]);
    if arguments.tables {
        command.arg("--tables");
    }
    if let Some(index) = &arguments.index {
        command.arg("--index").arg(std::path::absolute(index)?);
    }
    if let Some(file) = &arguments.queries {
        command.arg("--queries").arg(std::path::absolute(file)?);
    }
    if arguments.misses {
        command.arg("--misses");
    }
    if arguments.json {
        command.arg("--json");
    }
    run::visible(&mut command)
}
