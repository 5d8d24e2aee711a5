//! `cargo xtask fuzz`: what is not trusted is read, changed at random.

use std::num::NonZeroUsize;
use std::process::Command;

use anyhow::{Context, Result};

use crate::repo::Repo;
use crate::run;

/// LLVM counts the branches that are taken (SanitizerCoverage). Stable compilers have the pass.
const COUNT_BRANCHES: [&str; 3] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=3",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run for so long in all, optimised and guided by coverage; by default some seconds, as in
    /// `cargo xtask test`
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// Run only these targets; see the table of all with --minutes 0
    #[arg(long = "target", value_name = "NAME")]
    targets: Vec<String>,
    /// Number of targets that run at a time
    #[arg(long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,
    /// The seed of the random numbers that inputs are drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Add so many inputs a target, those that lead farthest, to tests/fuzz/corpus
    #[arg(long, value_name = "N", requires = "minutes")]
    keep: Option<usize>,
    /// Read one input again, TARGET/NAME in tests/fuzz/crashers or TARGET/ and the path of a file
    #[arg(long, value_name = "INPUT", conflicts_with_all = ["minutes", "targets"])]
    repeat: Option<String>,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = match arguments.minutes {
        None => repo.cargo(&["run", "--quiet", "--package", "pagekin-fuzz", "--"]),
        Some(_) => counting(repo)?,
    };
    if let Some(input) = &arguments.repeat {
        return run::visible(command.args(["repeat", input]));
    }
    command.arg("run").args(["--jobs", &arguments.jobs.to_string()]);
    command.args(["--seed", &arguments.seed.to_string()]);
    for target in &arguments.targets {
        command.args(["--target", target]);
    }
    if let Some(minutes) = arguments.minutes {
        command.args(["--minutes", &minutes.to_string()]);
    }
    if let Some(keep) = arguments.keep {
        command.args(["--keep", &keep.to_string()]);
    }
    run::visible(&mut command)
}

/// The program that counts branches. With a target named, flags are not for build scripts; and what
/// is built lies apart, so that nothing else is built anew.
fn counting(repo: &Repo) -> Result<Command> {
    let about = run::output(Command::new("rustc").arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not say for which machine it is")?;
    let (folder, flags) = (repo.target("fuzz"), COUNT_BRANCHES.join(" "));
    let mut build = repo.cargo(&["build", "--profile", "fuzz", "--package", "pagekin-fuzz"]);
    build.args(["--target", host, "--target-dir"]).arg(&folder);
    run::visible(build.env("RUSTFLAGS", flags))?;
    let program = folder.join(host).join("fuzz/pagekin-fuzz");
    Ok(Command::new(program.with_extension(std::env::consts::EXE_EXTENSION)))
}
