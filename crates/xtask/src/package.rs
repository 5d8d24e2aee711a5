//! `cargo xtask package`: builds the packages that people install, in target/packages.
//!
//! ```text
//! checkout -> the client's modules, built again with wasm-pack  [`web::check_release`]
//!          -> .crate files, which contain the client            [`crates`]
//!          -> the statically linked program, from these alone   [`crates`]
//!          -> the list of its crates                            [`sbom`]
//!          -> completions, man pages -> archive, image          [`archive`]
//!          -> npm packages                                      [`npm`]
//!          -> wheels                                            [`wheel`]
//! packages of all platforms -> uploads, in order               [`release`]
//! ```
//!
//! A release has one set of crates: machines of other platforms use those of the first.
//!
//! [`trial`] installs them as people do. `cargo xtask test` uses the program of the other tests,
//! `cargo xtask test --all` the released one.

mod archive;
mod crates;
mod npm;
mod platform;
pub(crate) mod release;
mod sbom;
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

pub(crate) use npm::stage as stage_npm;
pub(crate) use trial::run as try_out;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Paths below target/packages.
pub(crate) struct Packages {
    crates: Vec<PathBuf>,
    program: PathBuf,
    archive: PathBuf,
    checksum: PathBuf,
    npm: npm::NpmPackages,
    wheel: PathBuf,
    spark: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Use the crates in this folder instead of building them: those that a machine of the first
    /// platform built for the same release
    #[arg(long, value_name = "FOLDER")]
    crates: Option<PathBuf>,
    /// Then install the packages in empty folders, and use them
    #[arg(long = "try")]
    tried: bool,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let packages = match &arguments.crates {
        None => {
            web::build(repo)?;
            web::check_release(repo)?;
            make(repo)?
        }
        Some(folder) => make_of(repo, crates::of(repo, folder)?)?,
    };
    if arguments.tried {
        set_up(repo)?;
        try_out(repo, &packages)?;
    }
    report(repo, &packages)
}

/// Installs the tools that build and test packages, except compilers.
pub(crate) fn set_up(repo: &Repo) -> Result<()> {
    tools::hatch(repo)?;
    tools::python_venv(repo)?;
    if cfg!(unix) { tools::curl(repo) } else { Ok(()) }
}

/// Builds all released packages for the platform of this machine. `www/dist` must exist.
pub(crate) fn make(repo: &Repo) -> Result<Packages> {
    let made = crates::package(repo)?;
    make_of(repo, made)
}

fn make_of(repo: &Repo, crates: Vec<PathBuf>) -> Result<Packages> {
    let platform = platform::here()?;
    check_documentation(repo)?;
    let source = crates::unpack(repo, &crates)?;
    let program = crates::program(repo, &source, platform, &[], "program")?;
    let on_spark = if platform.has_spark() {
        Some(crates::program(repo, &source, platform, &ON_SPARK, "program-spark")?)
    } else {
        None
    };
    if platform.is_first() {
        sbom::make(repo, &source)?;
    }
    around(repo, platform, crates, program, on_spark.as_deref())
}

/// The same with an existing program: the released one takes minutes to compile.
pub(crate) fn make_around(repo: &Repo, pagekin: &Path) -> Result<Packages> {
    check_documentation(repo)?;
    let crates = crates::package(repo)?;
    let platform = platform::here()?;
    let program = stripped(repo, platform, pagekin)?;
    around(repo, platform, crates, program.clone(), Some(&program))
}

/// The wheel with an existing program, to test its plugins.
pub(crate) fn wheel_around(repo: &Repo, pagekin: &Path) -> Result<PathBuf> {
    let platform = platform::here()?;
    let program = stripped(repo, platform, pagekin)?;
    wheel::make(repo, platform, &program, &manual(repo, &program)?)
}

/// A copy of a program without debug information, which is most of it: it is copied and compressed
/// often.
fn stripped(repo: &Repo, platform: &Platform, pagekin: &Path) -> Result<PathBuf> {
    let program = repo.emptied("packages/build/program")?.join(platform.program());
    copy(pagekin, &program)?;
    run::visible(Command::new("strip").arg(&program))?;
    Ok(program)
}

/// Builds all packages that contain the programs.
fn around(
    repo: &Repo,
    platform: &Platform,
    crates: Vec<PathBuf>,
    program: PathBuf,
    on_spark: Option<&Path>,
) -> Result<Packages> {
    let manual = manual(repo, &program)?;
    let (archive, checksum) = archive::make(repo, platform, &program, &manual)?;
    archive::stage_image(repo, platform, &program)?;
    let npm = npm::make(repo, platform, &program, &manual)?;
    let wheel = wheel::make(repo, platform, &program, &manual)?;
    let spark = on_spark.map(|program| wheel::make_for_spark(repo, platform, program));
    let spark = spark.transpose()?;
    Ok(Packages { crates, program, archive, checksum, npm, wheel, spark })
}

/// Checks that the snippets in the documentation name this version.
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

/// The man pages, in a folder of their own.
fn manual(repo: &Repo, program: &Path) -> Result<PathBuf> {
    let folder = repo.emptied("packages/build/man")?;
    run::visible(Command::new(program).arg("man").arg(&folder))?;
    Ok(folder)
}

fn report(repo: &Repo, packages: &Packages) -> Result<()> {
    let Packages { crates, program, archive, npm, wheel, spark, .. } = packages;
    println!("Built version {VERSION} in {}:", repo.target("packages").display());
    for path in crates.iter().chain([archive, &npm.platform, &npm.pagekin, wheel]).chain(spark) {
        let name = path.strip_prefix(repo.target("packages")).unwrap_or(path);
        println!("{:>10}  {}", size(path)?, name.display());
    }
    println!("The program in them has {}.", size(program)?);
    let changes = run::output(
        Command::new("git").args(["status", "--porcelain"]).current_dir(repo.path("")),
    )?;
    if !changes.is_empty() {
        println!("Do not publish them: some changes are not committed.");
    }
    println!(
        "`cargo xtask release --dry-run --here` lists the uploads of a release. \
         crates/pagekin/docs/releases.md describes how to start one."
    );
    Ok(())
}

fn size(path: &Path) -> Result<String> {
    Ok(format!("{} kB", bytes(path)?.div_ceil(1_000)))
}

fn bytes(path: &Path) -> Result<u64> {
    let metadata = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(metadata.len())
}
