//! `cargo xtask bench retrieval`: what a lookup finds and what it costs. The measuring itself is a
//! bench of `tests/`, which may use the other crates.

use std::path::PathBuf;

use anyhow::Result;

use super::Pages;
use crate::repo::Repo;
use crate::site::Site;
use crate::{run, tools, web};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    on: Pages,
    /// Put the index into packs, which are read by ranges of bytes
    #[arg(long)]
    packs: bool,
    /// The most files of the index [default: as `pagekin build`]
    #[arg(long, value_name = "N")]
    max_files: Option<u32>,
    /// What pages are found by: `best`, `lists` or `tables`
    #[arg(long, value_name = "WHAT", default_value = "best")]
    by: String,
    /// Write LSH tables, whatever the number of pages
    #[arg(long)]
    tables: bool,
    /// Keep the index there; if there is one already, measure it as it is
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,
    /// Measure the time in the WebAssembly too
    #[arg(long)]
    client: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn of(site: &Site) -> Self {
        Self {
            on: Pages::of(site),
            packs: false,
            by: "best".to_owned(),
            tables: false,
            max_files: None,
            index: None,
            client: true,
            json: false,
        }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = super::of_tests(repo, "retrieval", &arguments.on)?;
    if arguments.packs {
        command.arg("--packs");
    }
    command.args(["--by", &arguments.by]);
    if arguments.tables {
        command.arg("--tables");
    }
    if let Some(files) = arguments.max_files {
        command.args(["--max-files", &files.to_string()]);
    }
    if let Some(index) = &arguments.index {
        command.arg("--index").arg(std::path::absolute(index)?);
    }
    if arguments.client {
        web::build(repo)?;
        command.arg("--node").arg(tools::node()?);
    }
    if arguments.json {
        command.arg("--json");
    }
    run::visible(&mut command)
}
