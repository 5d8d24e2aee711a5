//! `cargo xtask bench`: pagekin beside other programs, on the same input, in one run.

mod build;

use anyhow::Result;

use crate::repo::Repo;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Index sites with pagekin and with Pagefind, and compare time, memory and output
    Build(build::Arguments),
}

pub(crate) fn run(repo: &Repo, command: Command) -> Result<()> {
    match command {
        Command::Build(arguments) => build::run(repo, &arguments),
    }
}
