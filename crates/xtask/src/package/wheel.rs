//! The Python wheels: the program with a module that starts it, and pagekin-spark with the program
//! in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

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
    made_in(&wheels)
}

/// Makes the wheel for Spark, which needs the program as a file to send to other machines.
pub(super) fn make_for_spark(repo: &Repo, platform: &Platform, program: &Path) -> Result<PathBuf> {
    let hatch = tools::hatch(repo)?;
    let staging = repo.emptied("packages/build/spark")?;
    copy_all(&repo.path("crates/pagekin-spark"), &staging)?;
    let wheels = repo.emptied("packages/python-spark")?;
    let mut build = Command::new(hatch);
    build
        .args(["build", "--target", "wheel", "--directory"])
        .arg(&wheels)
        .env("PAGEKIN", program)
        .env("PAGEKIN_PLATFORM", platform.tag)
        .current_dir(&staging);
    run::logged(&mut build, &repo.target("tools/log/wheel-spark.log"))?;
    let wheel = made_in(&wheels)?;
    let name = format!("pagekin_spark-{VERSION}-py3-none-{}.whl", platform.tag);
    if wheel.file_name() != Some(name.as_ref()) {
        bail!("expected the wheel {name}, found {}", wheel.display());
    }
    Ok(wheel)
}

fn made_in(wheels: &Path) -> Result<PathBuf> {
    let mut made = wheels.read_dir()?;
    let wheel =
        made.next().with_context(|| format!("there is no wheel in {}", wheels.display()))?;
    Ok(wheel?.path())
}
