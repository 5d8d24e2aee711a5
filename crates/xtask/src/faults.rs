//! `cargo xtask faults`: what goes wrong, made to go wrong.

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
/// A few of each kind: two minutes.
const FEW: [&str; 10] =
    ["--kills", "4", "--calls", "6", "--flips", "160", "--sites", "8", "--races", "2"];

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    web::build(repo)?;
    let mut options: Vec<_> = MANY.to_vec();
    if !arguments.options.is_empty() {
        options = arguments.options.iter().map(String::as_str).collect();
    }
    run_with(repo, Profile::Release, &options)
}

pub(crate) fn run_few(repo: &Repo) -> Result<()> {
    run_with(repo, Profile::Dev, &FEW)
}

fn run_with(repo: &Repo, profile: Profile, options: &[&str]) -> Result<()> {
    tools::strace(repo)?;
    let pagekin = repo.build_pagekin(profile)?;
    let mut command = repo.cargo(&["run", "--quiet", "--package", "pagekin-tests", "--bin"]);
    command.args(["faults", "--profile", profile.name(), "--"]).args(options);
    run::visible(command.env("PAGEKIN", pagekin))
}
