//! `cargo xtask demo`: a site, indexed and served, from nothing.

use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::Result;

use crate::repo::Repo;
use crate::site::Site;
use crate::{run, tools, web};

/// What of the program a site owner needs, as options of `cargo build`: nothing else is compiled.
const FEATURES: [&str; 3] = ["--no-default-features", "--features", "site"];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder of HTML pages to index [default: the Rust documentation of the installed
    /// toolchain; where that is missing, the teaching site tests/site]
    site_dir: Option<PathBuf>,
    /// The port to serve on, at 127.0.0.1 [default: 4747, or a free one if it is taken]
    #[arg(long)]
    port: Option<u16>,
    /// Only build the folder; do not serve it
    #[arg(long)]
    no_serve: bool,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let site = match &arguments.site_dir {
        Some(site) => Site::of(site)?,
        None => Site::of_this_machine(repo)?,
    };
    tools::node()?;
    let pagekin = program(repo)?;

    let output = repo.target("demo").join(&site.name);
    let mut build = Command::new(&pagekin);
    build.arg("build").arg(&site.folder).arg("-o").arg(&output).arg("--lab");
    if site.folder == repo.path("tests/site") {
        build.arg("--offline-bundle").arg(output.with_extension("html"));
    }
    run::visible(&mut build)?;
    if arguments.no_serve {
        return Ok(());
    }
    let mut serve = Command::new(&pagekin);
    serve.arg("serve").arg(&output).arg("--site").arg(&site.folder);
    if let Some(port) = arguments.port {
        serve.args(["--port", &port.to_string()]);
    }
    run::instead_of_this(&mut serve)
}

/// Builds the program. It carries what web makes, but its libraries do not, and are compiled
/// meanwhile: much of that work keeps one processor busy, and more are there.
pub(crate) fn program(repo: &Repo) -> Result<PathBuf> {
    let crates = repo.crates_of("pagekin", &FEATURES)?;
    // The crates are named each time, so that they have the same features each time.
    let cargo_build = |what: &[&str]| {
        let mut command = repo.cargo(&["build", "--profile", "demo"]);
        command.args(crates.iter().flat_map(|package| ["--package", &package.name]));
        command.args(FEATURES).args(what);
        command
    };
    let mut libraries = cargo_build(&["--lib", "--quiet"]);
    thread::scope(|scope| {
        let libraries = scope.spawn(|| run::visible(&mut libraries));
        web::build(repo)?;
        libraries.join().expect("waiting for Cargo does not panic")
    })?;
    let built = repo.built(&mut cargo_build(&["--bin", "pagekin"]))?;
    Ok(built.program("pagekin")?.to_owned())
}
