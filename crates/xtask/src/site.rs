//! The site that a command indexes.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::repo::Repo;
use crate::run;

pub(crate) struct Site {
    pub(crate) folder: PathBuf,
    pub(crate) name: String,
}

impl Site {
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let found = folder
            .canonicalize()
            .with_context(|| format!("expected a folder of HTML pages at {}", folder.display()))?;
        if !found.is_dir() {
            bail!("expected a folder of HTML pages, but {} is a file", folder.display());
        }
        let name = found.file_name().map_or("site".into(), |name| name.to_string_lossy());
        Ok(Self { name: name.into_owned(), folder: found })
    }

    pub(crate) fn local_rust_docs(repo: &Repo) -> Result<Self> {
        let toolchain = run::output(Command::new("rustc").args(["--print", "sysroot"]))?;
        let rust = Path::new(toolchain.trim_end()).join("share/doc/rust/html");
        if rust.join("index.html").is_file() {
            eprintln!("Using the Rust documentation of this toolchain: {}", rust.display());
            return Ok(Self { folder: rust, name: "rust-docs".to_owned() });
        }
        let teaching = repo.path("tests/site");
        eprintln!(
            "Using the teaching site {}, as {} does not exist \
             (`rustup component add rust-docs` installs it)",
            teaching.display(),
            rust.display()
        );
        Ok(Self { folder: teaching, name: "teaching-site".to_owned() })
    }
}
