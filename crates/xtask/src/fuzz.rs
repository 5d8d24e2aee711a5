//! `cargo xtask fuzz`: readers of untrusted bytes, with randomly changed bytes.

use std::process::Command;

use anyhow::{Context, Result};

use crate::repo::Repo;
use crate::run;

/// LLVM counts executed branches (SanitizerCoverage). Stable compilers contain the pass.
const COUNT_BRANCHES: [&str; 3] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=3",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
];

#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    /// Options of the program, including `--help`; by default it runs for some seconds, as in
    /// `cargo xtask test`. With --minutes N it is optimized, and guided by coverage. --repeat INPUT
    /// reads one input again. --slow searches for pages that make a build slow: with --minutes N,
    /// --seed N and --keep N
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
    options: Vec<String>,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let options = &arguments.options;
    if let [slow, options @ ..] = &options[..]
        && slow == "--slow"
    {
        // With the profile of a release, as it measures time.
        let mut command = repo.cargo(&["run", "--release", "--quiet", "--package", "pagekin-fuzz"]);
        return run::visible(command.args(["--", "slow"]).args(options));
    }
    let mut command = match options.iter().any(|option| option.starts_with("--minutes")) {
        true => counting(repo)?,
        false => repo.cargo(&["run", "--quiet", "--package", "pagekin-fuzz", "--"]),
    };
    match &options[..] {
        [repeat, input] if repeat == "--repeat" => command.args(["repeat", input]),
        options => command.arg("run").args(options),
    };
    run::visible(&mut command)
}

/// The program that counts branches. An explicit target keeps the flags from build scripts, and a
/// separate folder keeps other builds.
fn counting(repo: &Repo) -> Result<Command> {
    let about = run::output(Command::new("rustc").arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not print its host")?;
    let (folder, flags) = (repo.target("fuzz"), COUNT_BRANCHES.join(" "));
    let mut build = repo.cargo(&["build", "--profile", "fuzz", "--package", "pagekin-fuzz"]);
    build.args(["--target", host, "--target-dir"]).arg(&folder);
    run::visible(build.env("RUSTFLAGS", flags))?;
    let program = folder.join(host).join("fuzz/pagekin-fuzz");
    let mut counting = Command::new(program.with_extension(std::env::consts::EXE_EXTENSION));
    // Cargo would set it. The program finds the inputs with it.
    counting.env("CARGO_MANIFEST_DIR", repo.path("tests/fuzz"));
    Ok(counting)
}
