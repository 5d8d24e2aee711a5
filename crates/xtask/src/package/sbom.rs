//! The crates of the released programs: a bill of materials in CycloneDX.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::VERSION;
use crate::repo::Repo;
use crate::{run, tools};

/// Lists the crates of the programs of all platforms, from the published crates in `source`.
pub(super) fn make(repo: &Repo, source: &Path) -> Result<PathBuf> {
    let folder = source.join(format!("pagekin-{VERSION}"));
    let name = format!("pagekin-v{VERSION}.cdx");
    let mut cyclonedx = Command::new(tools::cyclonedx(repo)?);
    cyclonedx
        .args(["cyclonedx", "--format", "json", "--spec-version", "1.5", "--target", "all"])
        .args(["--all-features", "--override-filename", &name, "--manifest-path"])
        .arg(folder.join("Cargo.toml"));
    run::logged(&mut cyclonedx, &repo.target("tools/log/sbom.log"))?;
    let file = format!("{name}.json");
    let read = || fs::read_to_string(folder.join(&file));
    let list = read().with_context(|| format!("cannot read {file} in {}", folder.display()))?;
    // Paths of this machine do not belong into a release.
    let list = list.replace(&format!("path+file://{}/", source.display()), "");
    let made = repo.emptied("packages/sbom")?.join(&file);
    fs::write(&made, list).with_context(|| format!("cannot write {}", made.display()))?;
    Ok(made)
}
