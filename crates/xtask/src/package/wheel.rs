//! The Python wheels: the program with a module that starts it, and pagekin-spark, which contains
//! the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::VERSION;
use super::platform::Platform;
use crate::files::copy_all;
use crate::repo::Repo;
use crate::{run, tools};

/// Builds the wheel of the program, which installs it as a script, and its man pages.
pub(super) fn make(
    repo: &Repo,
    platform: &Platform,
    program: &Path,
    manual: &Path,
) -> Result<PathBuf> {
    let staging = repo.emptied("packages/build/python")?;
    copy_all(&repo.path("crates/pagekin/python"), &staging)?;
    let project = staging.join("pyproject.toml");
    let text = fs::read_to_string(&project)
        .with_context(|| format!("cannot read {}", project.display()))?;
    // In a checkout, only Cargo.toml contains the version.
    let version = "dynamic = [\"version\"]";
    if !text.contains(version) {
        bail!("expected {version} in crates/pagekin/python/pyproject.toml");
    }
    fs::write(&project, text.replace(version, &format!("version = \"{VERSION}\"")))?;
    let name = format!("pagekin-{VERSION}-py3-none-{}.whl", platform.tag);
    build(repo, &staging, "python", &name, |hatch| {
        hatch.env("PAGEKIN", program).env("PAGEKIN_MANUAL", manual);
        hatch.env("PAGEKIN_PLATFORM", platform.tag);
    })
}

/// Builds the wheel for Spark, which sends the program to other machines.
pub(super) fn make_for_spark(repo: &Repo, platform: &Platform, program: &Path) -> Result<PathBuf> {
    let staging = repo.emptied("packages/build/spark")?;
    copy_all(&repo.path("crates/pagekin-spark"), &staging)?;
    let name = format!("pagekin_spark-{VERSION}-py3-none-{}.whl", platform.tag);
    build(repo, &staging, "python-spark", &name, |hatch| {
        hatch.env("PAGEKIN", program).env("PAGEKIN_PLATFORM", platform.tag);
    })
}

/// Builds a wheel in a folder of target/packages.
fn build(
    repo: &Repo,
    staging: &Path,
    folder: &str,
    name: &str,
    environment: impl FnOnce(&mut Command),
) -> Result<PathBuf> {
    let wheels = repo.emptied(&format!("packages/{folder}"))?;
    let mut hatch = Command::new(tools::hatch(repo)?);
    hatch.args(["build", "--target", "wheel", "--directory"]).arg(&wheels).current_dir(staging);
    environment(&mut hatch);
    run::logged(&mut hatch, &repo.target(&format!("tools/log/wheel-{folder}.log")))?;
    let wheel = wheels.join(name);
    if !wheel.is_file() {
        bail!("the wheel {} was not built", wheel.display());
    }
    Ok(wheel)
}
