//! `cargo xtask faults`: what goes wrong, made to go wrong.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::repo::{Profile, Repo};
use crate::{run, tools, web};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Options of the program, `--help` among them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
    options: Vec<String>,
}

/// Many faults of each kind, by the optimised program: half an hour.
const MANY: [&str; 10] =
    ["--kills", "340", "--calls", "200", "--flips", "10000", "--sites", "1000", "--races", "20"];
/// A few of each kind.
const FEW: [&str; 10] =
    ["--kills", "4", "--calls", "6", "--flips", "160", "--sites", "8", "--races", "2"];

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    web::build(repo)?;
    tools::strace(repo)?;
    if arguments.options.is_empty() {
        return run_many(repo);
    }
    let options: Vec<_> = arguments.options.iter().map(String::as_str).collect();
    run_optimised(repo, &options)
}

/// Many, for which the programs are built with optimisation.
pub(crate) fn run_many(repo: &Repo) -> Result<()> {
    run_optimised(repo, &MANY)
}

/// A few, with programs that are built already.
pub(crate) fn run_few(faults: &Path, pagekin: &Path) -> Result<()> {
    run::visible(Command::new(faults).args(FEW).env("PAGEKIN", pagekin))
}

fn run_optimised(repo: &Repo, options: &[&str]) -> Result<()> {
    let pagekin = repo.build_pagekin(Profile::Release, &[])?;
    let faults = repo.build_of_tests("faults")?;
    run::visible(Command::new(faults).args(options).env("PAGEKIN", pagekin))
}
