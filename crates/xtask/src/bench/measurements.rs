//! The benches of `tests/`, which may use the other crates. Each has its own options; this module
//! adds folders and installed tools.

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

/// Builds a bench and runs it in the current folder, so that relative paths work.
pub(crate) fn run(repo: &Repo, bench: &str, given: &[impl AsRef<OsStr>]) -> Result<()> {
    let mut command = Command::new(repo.optimized_bench(bench)?);
    command.args(given);
    let has = |option: &str| given.iter().any(|word| word.as_ref() == option);
    if has("--help") {
        return run::visible(&mut command);
    }
    if ["dna", "duplicates", "rank", "related", "table1"].contains(&bench) {
        command.arg("--folder").arg(repo.emptied(&format!("bench/{bench}"))?);
    }
    match bench {
        // Pagefind does not read generated pages.
        "changes" if !has("--generated") => {
            command.arg("--pagefind").arg(tools::pagefind(repo)?.program);
        }
        "rank" if has("--peers") => {
            command.arg("--python").arg(tools::python_peers(repo)?);
        }
        "retrieval" if has("--client") => {
            web::build(repo)?;
            command.arg("--node").arg(tools::node()?);
        }
        _ => {}
    }
    run::visible(&mut command)
}
