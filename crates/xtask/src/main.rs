//! The commands of this repository.
//!
//! `cargo xtask demo` needs Rust alone. `cargo xtask test` also uses Node.js, Python and a browser,
//! and skips the tests of what cannot be had. The commands install what they need, saying what and
//! why, in `target/tools`; a Rust target, rustup components and what root installs by apt are kept
//! by the machine's own package managers.
//!
//! Its rooms, each of which needs only those above it:
//!
//! ```text
//! files          folders copied, mirrored, listed
//! run            other programs, started and waited for
//! repo           where things are, which crates there are, programs built
//! site           the site that a command works on
//! tools          what a command needs, found or installed
//! bundle         the page that carries an index
//! split, web     what a browser gets: modules in two parts, scripts
//! sizes          what that costs to fetch
//! quick          the same for a demo, with Rust alone
//! tidy           the rules of the house that no compiler knows
//! dependencies   licenses, sources and versions of other crates
//! fuzz, faults   readers with changed bytes; builds killed, disks full
//! mutants        code broken at many places, one at a time
//! package        what people install, and its upload
//! recipes        a site of each generator
//! bench          the numbers that are published
//! demo           a site served
//! own_site       pagekin's own
//! test           everything that a release needs
//! ```

mod bench;
mod bundle;
mod demo;
mod dependencies;
mod faults;
mod files;
mod fuzz;
mod mutants;
mod own_site;
mod package;
mod quick;
mod recipes;
mod repo;
mod run;
mod site;
mod sizes;
mod split;
mod test;
mod tidy;
mod tools;
mod web;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::repo::Repo;

/// The commands of the pagekin repository
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Index a site, serve it and its demo page, and print the address
    Demo(demo::Arguments),
    /// Make pagekin's own site from its documents, with its index, the demo and the lab
    Site(own_site::Arguments),
    /// Run every check and test, as CI does
    Test(test::Arguments),
    /// Check the rules that no compiler knows: circles, floors, names, paths in documents, lengths
    Tidy,
    /// Build the browser's part: the WebAssembly into www/pkg, the client into www/dist
    Web {
        /// Also write what the client costs to fetch into www/sizes.txt, which `cargo xtask test`
        /// holds every build against
        #[arg(long)]
        accept_sizes: bool,
    },
    /// Make what people install into target/packages: crates, npm packages, a wheel, an archive
    Package(package::Arguments),
    /// Upload what `cargo xtask package` made on all platforms, or show what would be
    Release(package::release::Arguments),
    /// Make a site with each generator, with related pages as the documentation says, and try it in
    /// a browser
    Recipes(recipes::Arguments),
    /// Kill builds, fill disks and damage files, and check what is left
    Faults(faults::Arguments),
    /// Read bytes that are changed at random with every reader, for some seconds or as long as you
    /// say
    Fuzz(fuzz::Arguments),
    /// Break the code at places of a sample, and count how often the tests of its crate fail
    Mutants(mutants::Arguments),
    /// Measure the cost and quality of builds and lookups
    Bench(bench::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match perform(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            for cause in error.chain().skip(1) {
                eprintln!("because: {cause}");
            }
            ExitCode::FAILURE
        }
    }
}

fn perform(command: Command) -> Result<()> {
    let repo = Repo::locate()?;
    match command {
        Command::Demo(arguments) => demo::run(&repo, &arguments),
        Command::Site(arguments) => own_site::run(&repo, &arguments),
        Command::Test(arguments) => test::run(&repo, &arguments),
        Command::Tidy => tidy::run(&repo),
        Command::Web { accept_sizes } => {
            web::build(&repo)?;
            if accept_sizes { sizes::accept(&repo) } else { Ok(()) }
        }
        Command::Package(arguments) => package::run(&repo, &arguments),
        Command::Release(arguments) => package::release::run(&repo, &arguments),
        Command::Recipes(arguments) => recipes::run(&repo, &arguments),
        Command::Faults(arguments) => faults::run(&repo, &arguments),
        Command::Fuzz(arguments) => fuzz::run(&repo, &arguments),
        Command::Mutants(arguments) => mutants::run(&repo, &arguments),
        Command::Bench(arguments) => bench::run(&repo, &arguments),
    }
}
