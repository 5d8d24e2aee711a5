//! `cargo xtask demo`: indexes and serves a site. It only needs Rust.

use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::Result;

use crate::repo::Repo;
use crate::site::Site;
use crate::{quick, run, web};

/// The features of the program for site owners, as options of `cargo build`.
const FEATURES: [&str; 3] = ["--no-default-features", "--features", "site,english"];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder of HTML pages to index [default: the Rust documentation of the installed
    /// toolchain, or the teaching site tests/site if it is missing]
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
        Some(site) => Site::open(site)?,
        None => Site::local_rust_docs(repo)?,
    };
    let pagekin = program(repo, Client::Quick)?;

    let output = repo.target("demo").join(&site.name);
    let mut build = Command::new(&pagekin);
    build.arg("build").arg(&site.folder).arg("-o").arg(&output).args(["--pages", "lab"]);
    run::visible(&mut build)?;
    eprintln!("{}", quick::comparison(repo)?);
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

#[derive(Clone, Copy)]
pub(crate) enum Client {
    /// Built in a fraction of the time, and larger.
    Quick,
    Released,
}

/// Builds the program. Only its last crate contains the client, so Cargo compiles the others in
/// parallel: much of the build of the client uses one processor.
pub(crate) fn program(repo: &Repo, client: Client) -> Result<PathBuf> {
    let crates = repo.crates_of("pagekin", &FEATURES)?;
    // Both commands name the crates, so that they have the same features in both.
    let cargo_build = |what: &[&str]| {
        let mut command = repo.cargo(&["build", "--profile", "demo"]);
        command.args(crates.iter().flat_map(|package| ["--package", &package.name]));
        command.args(FEATURES).args(what);
        command
    };
    let mut libraries = cargo_build(&["--lib", "--quiet"]);
    thread::scope(|scope| {
        let libraries = scope.spawn(|| run::visible(&mut libraries));
        match client {
            Client::Quick => repo.use_client(&quick::build(repo)?),
            Client::Released => web::build(repo)?,
        }
        libraries.join().expect("waiting for Cargo does not panic")
    })?;
    let built = repo.built(&mut cargo_build(&["--bin", "pagekin"]))?;
    Ok(built.program("pagekin")?.to_owned())
}
