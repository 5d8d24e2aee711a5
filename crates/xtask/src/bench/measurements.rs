//! The benches of `tests/`, which may use the other crates. Each knows its own options; here is
//! what they cannot know: where things are, and what is installed.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use anyhow::Result;

use crate::repo::Repo;
use crate::{run, tools, web};

#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    /// Options of the bench: `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
    pub(crate) given: Vec<OsString>,
}

/// Builds a bench and runs it where the person is, so that paths mean what they mean there.
pub(crate) fn run(repo: &Repo, bench: &str, given: &[impl AsRef<OsStr>]) -> Result<()> {
    let mut command = Command::new(repo.optimized_bench(bench)?);
    command.args(given);
    let says = |option: &str| given.iter().any(|word| word.as_ref() == option);
    if says("--help") {
        return run::visible(&mut command);
    }
    if ["dna", "duplicates", "rank", "related", "table1"].contains(&bench) {
        command.arg("--folder").arg(repo.emptied(&format!("bench/{bench}"))?);
    }
    match bench {
        // Pagefind takes no pages that are made up.
        "changes" if !says("--generated") => {
            command.arg("--pagefind").arg(tools::pagefind(repo)?.program);
        }
        "rank" if says("--peers") => {
            command.arg("--python").arg(tools::python_peers(repo)?);
        }
        "retrieval" if says("--client") => {
            web::build(repo)?;
            command.arg("--node").arg(tools::node()?);
        }
        _ => {}
    }
    run::visible(&mut command)
}
