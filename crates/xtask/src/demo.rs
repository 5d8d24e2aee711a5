//! `cargo xtask demo`: a site, indexed and served, from nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::repo::{Profile, Repo};
use crate::{run, tools, web};

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
    web::build(repo)?;
    let pagekin = repo.build_pagekin(Profile::Release)?;

    let output = repo.target("demo").join(&site.name);
    run::visible(Command::new(&pagekin).arg("build").arg(&site.folder).arg("-o").arg(&output))?;
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

/// A folder of pages and what to call it.
struct Site {
    folder: PathBuf,
    name: String,
}

impl Site {
    fn of(folder: &Path) -> Result<Self> {
        let found = folder
            .canonicalize()
            .with_context(|| format!("expected a folder of HTML pages at {}", folder.display()))?;
        if !found.is_dir() {
            bail!("expected a folder of HTML pages, but {} is a file", folder.display());
        }
        let name = found.file_name().map_or("site".into(), |name| name.to_string_lossy());
        Ok(Self { name: name.into_owned(), folder: found })
    }

    fn of_this_machine(repo: &Repo) -> Result<Self> {
        let toolchain = run::output(Command::new("rustc").args(["--print", "sysroot"]))?;
        let rust = Path::new(toolchain.trim_end()).join("share/doc/rust/html");
        if rust.join("index.html").is_file() {
            eprintln!("Taking the Rust documentation of this toolchain: {}", rust.display());
            return Ok(Self { folder: rust, name: "rust-docs".to_owned() });
        }
        let teaching = repo.path("tests/site");
        eprintln!(
            "Taking the teaching site {}, as {} is not there \
             (`rustup component add rust-docs` brings it)",
            teaching.display(),
            rust.display()
        );
        Ok(Self { folder: teaching, name: "teaching-site".to_owned() })
    }
}
