//! `cargo xtask package`: what people install, made into target/packages. Nothing is uploaded.
//!
//! ```text
//! checkout -> the client's modules, once more by wasm-pack     [`web::check_release`]
//!          -> .crate files, with the client in them            [`crates`]
//!          -> the program, linked statically, from these alone [`crates`]
//!          -> completions, man pages -> archive, image          [`archive`]
//!          -> npm packages                                      [`npm`]
//!          -> wheels                                            [`wheel`]
//! ```
//!
//! [`trial`] then installs them as people do. `cargo xtask test` runs that with the program that
//! the other tests use in place of the one that is released, `cargo xtask test --all` with all as
//! it is.

mod archive;
mod crates;
mod npm;
mod platform;
mod trial;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::files::copy;
use crate::repo::{ON_SPARK, Repo};
use crate::{run, tools, web};
use platform::Platform;

pub(crate) use trial::run as try_out;

/// The version of everything in this repository.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What was made: paths below target/packages.
pub(crate) struct Packages {
    crates: Vec<PathBuf>,
    program: PathBuf,
    archive: PathBuf,
    checksum: PathBuf,
    npm: npm::Packages,
    wheel: PathBuf,
    spark: PathBuf,
}

pub(crate) fn run(repo: &Repo) -> Result<()> {
    web::build(repo)?;
    web::check_release(repo)?;
    let packages = make(repo)?;
    report(repo, &packages)
}

/// Installs what making packages and trying them out needs, but for compilers.
pub(crate) fn set_up(repo: &Repo) -> Result<()> {
    tools::hatch(repo)?;
    tools::python_venv(repo)?;
    tools::curl(repo)
}

/// Makes all packages for this machine's platform, as they are released. `www/dist` has to be there
/// already.
pub(crate) fn make(repo: &Repo) -> Result<Packages> {
    let platform = platform::here()?;
    check_documentation(repo)?;
    let crates = crates::package(repo)?;
    let source = crates::unpack(repo, &crates)?;
    let program = crates::program(repo, &source, platform, &[], "program")?;
    let on_spark = crates::program(repo, &source, platform, &ON_SPARK, "program-spark")?;
    around(repo, platform, crates, program, &on_spark)
}

/// The same with a program that is built already: all but what the one that is released takes
/// minutes to be compiled for.
pub(crate) fn make_around(repo: &Repo, pagekin: &Path) -> Result<Packages> {
    check_documentation(repo)?;
    let crates = crates::package(repo)?;
    let program = repo.emptied("packages/build/program")?.join("pagekin");
    copy(pagekin, &program)?;
    // Most of it is for backtraces, and it is copied and compressed often.
    run::visible(Command::new("strip").arg(&program))?;
    around(repo, platform::here()?, crates, program.clone(), &program)
}

/// Puts programs into all that they are published in.
fn around(
    repo: &Repo,
    platform: &Platform,
    crates: Vec<PathBuf>,
    program: PathBuf,
    on_spark: &Path,
) -> Result<Packages> {
    let manual = manual(repo, &program)?;
    let (archive, checksum) = archive::make(repo, platform, &program, &manual)?;
    archive::stage_image(repo, platform, &program)?;
    let npm = npm::make(repo, platform, &program, &manual)?;
    let wheel = wheel::make(repo, platform, &program, &manual)?;
    let spark = wheel::make_for_spark(repo, platform, on_spark)?;
    Ok(Packages { crates, program, archive, checksum, npm, wheel, spark })
}

/// Checks that what people copy from the documentation names this version.
fn check_documentation(repo: &Repo) -> Result<()> {
    const FILE: &str = "crates/pagekin/docs/install.md";
    let text =
        fs::read_to_string(repo.path(FILE)).with_context(|| format!("cannot read {FILE}"))?;
    let mut named = text.split("pagekin/pagekin@v").skip(1).peekable();
    if named.peek().is_none() || named.any(|rest| !rest.starts_with(VERSION)) {
        bail!("expected {FILE} to name the action as pagekin/pagekin@v{VERSION} and no other");
    }
    Ok(())
}

/// The man pages, in a folder that has nothing else.
fn manual(repo: &Repo, program: &Path) -> Result<PathBuf> {
    let folder = repo.emptied("packages/build/man")?;
    run::visible(Command::new(program).arg("man").arg(&folder))?;
    Ok(folder)
}

fn report(repo: &Repo, packages: &Packages) -> Result<()> {
    let Packages { crates, program, archive, npm, wheel, spark, .. } = packages;
    println!("Made version {VERSION} in {}:", repo.target("packages").display());
    for path in crates.iter().chain([archive, &npm.platform, &npm.pagekin, wheel, spark]) {
        let name = path.strip_prefix(repo.target("packages")).unwrap_or(path);
        println!("{:>10}  {}", size(path)?, name.display());
    }
    println!("The program in them takes {}.", size(program)?);
    let changes = run::output(
        Command::new("git").args(["status", "--porcelain"]).current_dir(repo.path("")),
    )?;
    if !changes.is_empty() {
        println!("Not to be published: there are changes that are not committed.");
    }
    println!("\nLeft for a person to do; crates/pagekin/docs/releases.md says how:");
    for step in [
        "once: accounts at crates.io, npm (with the organisation `pagekin`) and PyPI; the repository as their trusted publisher",
        "the same for each platform, on a machine of its own",
        "tag the version, and attach the archives and their checksums to its release",
        "publish the crates, each behind those that it needs; the npm packages of the platforms, then `pagekin`; the wheels",
        "build and push the image",
    ] {
        println!("  - {step}");
    }
    Ok(())
}

fn size(path: &Path) -> Result<String> {
    Ok(format!("{} kB", bytes(path)?.div_ceil(1_000)))
}

fn bytes(path: &Path) -> Result<u64> {
    let metadata = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(metadata.len())
}
