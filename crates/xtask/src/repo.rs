//! Where the parts of this repository are.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::run;

/// A checkout of this repository.
pub(crate) struct Repo {
    root: PathBuf,
    target: PathBuf,
}

/// A Cargo profile that the `pagekin` program is built with.
#[derive(Clone, Copy)]
pub(crate) enum Profile {
    Dev,
    Release,
}

impl Profile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Release => "release",
        }
    }
}

impl Repo {
    /// Finds the checkout that this program was built from, and where Cargo puts what it builds.
    pub(crate) fn locate() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .context("crates/xtask is not two levels below the repository")?
            .to_owned();
        let mut command = Command::new("cargo");
        command.args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(&root);
        let metadata: Value = serde_json::from_str(&run::output(&mut command)?)?;
        let target =
            metadata["target_directory"].as_str().context("cargo names no target folder")?;
        Ok(Self { target: PathBuf::from(target), root })
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// A path below Cargo's target folder, where everything made or fetched belongs.
    pub(crate) fn target(&self, relative: &str) -> PathBuf {
        self.target.join(relative)
    }

    /// Makes an empty folder below Cargo's target folder, whatever was there.
    pub(crate) fn emptied(&self, relative: &str) -> Result<PathBuf> {
        let folder = self.target(relative);
        let empty = match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs::create_dir_all(&folder),
        };
        empty.with_context(|| format!("cannot empty {}", folder.display()))?;
        Ok(folder)
    }

    /// A cargo command, run at the root of the repository.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// Builds the `pagekin` program and returns its path. `www/dist` has to be there already: the
    /// program carries it.
    pub(crate) fn build_pagekin(&self, profile: Profile) -> Result<PathBuf> {
        self.build("pagekin", "pagekin", profile)
    }

    /// Builds the program that generates crawls, and returns its path.
    pub(crate) fn build_crawl(&self, profile: Profile) -> Result<PathBuf> {
        self.build("pagekin-tests", "crawl", profile)
    }

    fn build(&self, package: &str, program: &str, profile: Profile) -> Result<PathBuf> {
        let folder = match profile {
            Profile::Dev => "debug",
            Profile::Release => "release",
        };
        let arguments =
            ["build", "--package", package, "--bin", program, "--profile", profile.name()];
        run::visible(&mut self.cargo(&arguments))?;
        Ok(self.target.join(folder).join(program).with_extension(std::env::consts::EXE_EXTENSION))
    }
}
