//! `cargo xtask faults`: killed builds, full disks, damaged files.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::repo::Repo;
use crate::{run, tools, web};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Options of the program, including `--help`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
    options: Vec<String>,
}

/// A few of each kind; by default there are many.
const FEW: [&str; 10] =
    ["--kills", "12", "--calls", "6", "--flips", "160", "--sites", "8", "--races", "2"];

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    web::build(repo)?;
    let strace = tools::strace(repo)?;
    let options: Vec<_> = arguments.options.iter().map(String::as_str).collect();
    run_optimized(repo, &strace, &options)
}

/// Runs a few, with existing programs.
pub(crate) fn run_few(faults: &Path, pagekin: &Path, strace: &Path) -> Result<()> {
    start(faults, pagekin, strace, &FEW)
}

/// Runs many, or as many as the options specify, with optimized programs.
pub(crate) fn run_optimized(repo: &Repo, strace: &Path, options: &[&str]) -> Result<()> {
    let pagekin = repo.optimized_pagekin()?;
    let faults = repo.optimized_of_tests("faults")?;
    start(&faults, &pagekin, strace, options)
}

/// Starts the program, which finds strace on the search path.
fn start(faults: &Path, pagekin: &Path, strace: &Path, options: &[&str]) -> Result<()> {
    let search_path = tools::search_path(&[strace.parent().unwrap_or(strace)])?;
    run::visible(
        Command::new(faults).args(options).env("PAGEKIN", pagekin).env("PATH", search_path),
    )
}
