//! The commands of this repository.
//!
//! `cargo xtask demo` only needs Rust. `cargo xtask test` also uses Node.js, Python and a browser,
//! and skips the tests whose tools cannot be installed. The commands install their tools in
//! `target/tools`, and print their names and purposes. Rust targets, rustup components and the
//! packages that root installs with apt are installed by the package managers of the machine.
//!
//! The modules, each of which only uses those above it:
//!
//! ```text
//! files          folders copied, mirrored, listed
//! run            starting other programs
//! repo           the checkout: its folders, its crates, building its programs
//! site           the site that a command works on
//! tools          the tools of commands, found or installed
//! bundle         the page that contains an index
//! split, web     the client: modules in two parts, scripts
//! sizes          the sizes of the client
//! quick          the client of a demo, built with Rust alone
//! tidy           rules of this codebase that compilers do not check
//! dependencies   licenses, sources and versions of other crates
//! fuzz, faults   reading changed bytes; killed builds, full disks
//! mutants        tests of broken code
//! vectors        the table of English word vectors
//! package        the packages that people install, and their upload
//! recipes        a site of each generator
//! bench          the numbers in the documentation
//! demo           indexing and serving a site
//! own_site       pagekin's own site
//! test           all checks of a release
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
mod vectors;
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
    /// Index a site, serve it and its demo page, and print the URL
    Demo(demo::Arguments),
    /// Build pagekin's own site from its documents, with its index, the demo and the lab
    Site(own_site::Arguments),
    /// Run every check and test, as CI does
    Test(test::Arguments),
    /// Check rules that compilers do not: order of modules, names, paths in documents, lengths,
    /// words
    Tidy,
    /// Build the client: the WebAssembly into www/pkg, the scripts into www/dist
    Web {
        /// Also write the sizes of the client into www/sizes.txt, with which `cargo xtask test`
        /// compares every build
        #[arg(long)]
        accept_sizes: bool,
    },
    /// Build the packages that people install: crates, npm packages, a wheel, an archive
    Package(package::Arguments),
    /// Upload the packages of all platforms, or show what would be uploaded
    Release(package::release::Arguments),
    /// Build a site with each generator and related pages, as in the documentation, and test it in
    /// a browser
    Recipes(recipes::Arguments),
    /// Kill builds, fill disks and damage files, and check the remaining files
    Faults(faults::Arguments),
    /// Read randomly changed bytes with every reader, for some seconds or for a number of minutes
    Fuzz(fuzz::Arguments),
    /// Break the code at random places, and count how often the tests of its crate fail
    Mutants(mutants::Arguments),
    /// Make the table of English word vectors from a sentence model: ten minutes, and 4 GB of
    /// packages
    Vectors,
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
                eprintln!("cause: {cause}");
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
        Command::Vectors => vectors::make(&repo),
        Command::Bench(arguments) => bench::run(&repo, &arguments),
    }
}
