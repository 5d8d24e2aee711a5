//! crates/pagekin-wasm -> www/pkg: the WebAssembly and its JavaScript bindings.
//!
//! The `pagekin` program carries www/pkg, so every other build comes after this one. Nothing runs
//! when the inputs and the outputs are what they were after the last build, and only files whose
//! bytes changed are replaced, so that Cargo builds `pagekin` again only when it has to.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use anyhow::{Context, Result};

use crate::repo::Repo;
use crate::{run, tools};

/// What the build reads, relative to the repository.
const INPUTS: [&str; 4] =
    ["Cargo.toml", "Cargo.lock", "crates/pagekin-core", "crates/pagekin-wasm"];
/// What it makes.
const OUTPUT: &str = "www/pkg";
const NAME: &str = "pagekin_wasm";

/// Makes www/pkg what the sources say, installing what that needs.
pub(crate) fn build(repo: &Repo) -> Result<()> {
    let tools = tools::wasm(repo)?;
    let compiler = run::output(Command::new("rustc").arg("--version"))?;
    let versions = format!("{compiler}{}", tools.versions);

    let output = repo.path(OUTPUT);
    let stamp = repo.target("tools/www-pkg.stamp");
    // Taken before the build: what is edited meanwhile has not been built.
    let inputs = fingerprint(repo, &INPUTS)?;
    let state = || -> io::Result<String> {
        Ok(format!("{versions}\n{inputs}\n{}\n", fingerprint(repo, &[OUTPUT])?))
    };
    if fs::read_to_string(&stamp).is_ok_and(|old| state().is_ok_and(|now| old == now)) {
        return Ok(());
    }

    let fresh = repo.target("www-pkg");
    let mut command = Command::new(&tools.wasm_pack);
    command
        .args([
            "--log-level",
            "error",
            "build",
            "--target",
            "web",
            "--profile",
            "web",
            "--mode",
            "no-install",
        ])
        .args(["--no-pack", "--no-gitignore", "--out-name", NAME, "--out-dir"])
        .arg(&fresh)
        .arg(repo.path("crates/pagekin-wasm"))
        .env("PATH", &tools.search_path);
    match fs::remove_dir_all(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot empty {}", fresh.display()));
        }
        _ => {}
    }
    run::visible(&mut command)?;
    mirror(&fresh, &output)
        .with_context(|| format!("cannot copy {} to {}", fresh.display(), output.display()))?;
    fs::write(&stamp, state()?).with_context(|| format!("cannot write {}", stamp.display()))
}

/// A hash of the names and bytes of files, to tell whether they are what they were.
fn fingerprint(repo: &Repo, paths: &[&str]) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    for path in paths {
        for file in files(&repo.path(path))? {
            let bytes = fs::read(&file)?;
            hasher.write(file.as_os_str().as_encoded_bytes());
            hasher.write_usize(bytes.len());
            hasher.write(&bytes);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The files at and below a path, sorted.
fn files(path: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![path.to_owned()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                waiting.push(entry?.path());
            }
        } else {
            found.insert(path);
        }
    }
    Ok(found)
}

/// Makes the flat folder `to` hold the files of `from` and no others, leaving equal files alone.
fn mirror(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for file in files(to)? {
        if !file.file_name().is_some_and(|name| from.join(name).is_file()) {
            fs::remove_file(file)?;
        }
    }
    for file in files(from)? {
        let Some(name) = file.file_name() else { continue };
        let copy = to.join(name);
        let bytes = fs::read(&file)?;
        if !fs::read(&copy).is_ok_and(|old| old == bytes) {
            fs::write(copy, bytes)?;
        }
    }
    Ok(())
}
