//! The Python wheel: the program, and a module that starts it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::VERSION;
use super::platform::Platform;
use crate::files::copy_all;
use crate::repo::Repo;
use crate::{run, tools};

/// Makes the wheel beside the crate that was unpacked, as pyproject.toml lies beside the crate in a
/// checkout. The program is the one that is built already.
pub(super) fn make(
    repo: &Repo,
    platform: &Platform,
    source: &Path,
    manual: &Path,
) -> Result<PathBuf> {
    let maturin = tools::maturin(repo)?;
    let staging = source.join(format!("pagekin-{VERSION}/python"));
    copy_all(&repo.path("crates/pagekin/python"), &staging)?;
    copy_all(manual, &staging.join("pagekin.data/data/share/man/man1"))?;
    let wheels = repo.emptied("packages/python")?;
    let mut build = Command::new(maturin);
    build
        .args(["build", "--release", "--quiet", "--target", platform.target, "--compatibility"])
        .args(platform.wheel)
        .arg("--out")
        .arg(&wheels)
        .env("CARGO_TARGET_DIR", repo.target(""))
        .current_dir(&staging);
    run::logged(&mut build, &repo.target("tools/log/wheel.log"))?;
    let mut made = wheels.read_dir()?;
    let wheel =
        made.next().with_context(|| format!("maturin made no wheel in {}", wheels.display()))?;
    Ok(wheel?.path())
}
