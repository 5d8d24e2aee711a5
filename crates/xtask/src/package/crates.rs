//! The crates as crates.io gets them, and the program built from these alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::platform::Platform;
use super::{VERSION, bytes};
use crate::files::{copy, mirror};
use crate::repo::Repo;
use crate::{run, tools};

/// What runs once, or waits for people and disks: small before fast.
const SMALL: &str = "arrow-array arrow-buffer arrow-data arrow-ipc arrow-schema arrow-select chrono \
    clap_builder clap_complete clap_mangen csv csv-core flatbuffers http hyper hyper-util \
    icu_normalizer icu_properties idna indicatif jiff jiff-core mio notify num-bigint \
    pagekin parquet plotters plotters-svg quick-junit quick-xml rmcp rustls rustls-webpki \
    schemars serde_spanned tokio tokio-util toml toml_edit toml_parser ureq ureq-proto \
    winnow";
/// The most that the program may take: of 15.2 MB, `pagekin mcp` is 1.3, most of it HTTPS.
const MAX_BYTES: u64 = 15_500_000;

/// The crates that are published, each behind those that it needs: the program and its libraries.
pub(super) fn published(repo: &Repo) -> Result<Vec<&str>> {
    let mut waiting = repo.crates_of("pagekin", &["--all-features"])?;
    if let Some(package) = waiting.iter().find(|package| !package.is_published()) {
        bail!(
            "pagekin cannot be published, as it may need {}, which is not to be: remove \
             `publish = false` there, or the dependency",
            package.name
        );
    }
    let mut order = Vec::new();
    while !waiting.is_empty() {
        let names: Vec<_> = waiting.iter().map(|package| package.name.as_str()).collect();
        let (ready, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|package| {
            let mut needed = package
                .dependencies
                .iter()
                .filter(|needed| needed.path.is_some() && needed.kind.as_deref() != Some("dev"));
            needed.all(|needed| !names.contains(&needed.name.as_str()))
        });
        assert!(!ready.is_empty(), "Cargo refuses crates that need one another");
        order.extend(ready.into_iter().map(|package| package.name.as_str()));
        waiting = later;
    }
    Ok(order)
}

/// Makes a file of each crate, and keeps them.
pub(super) fn package(repo: &Repo) -> Result<Vec<PathBuf>> {
    made(repo)?;
    keep(repo, &published(repo)?, &repo.target("package"))
}

/// Makes a file of each crate, where Cargo puts them.
pub(super) fn made(repo: &Repo) -> Result<Vec<PathBuf>> {
    let mut command = repo.cargo(&["package", "--quiet", "--no-verify", "--allow-dirty"]);
    let published = published(repo)?;
    command.args(published.iter().flat_map(|name| ["--package", name]));
    run::visible(&mut command)?;
    let file = |name: &&str| repo.target("package").join(format!("{name}-{VERSION}.crate"));
    Ok(published.iter().map(file).collect())
}

/// The files of the crates in a folder, made elsewhere.
pub(super) fn of(repo: &Repo, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut made = Vec::new();
    for name in published(repo)? {
        let file = folder.join(format!("{name}-{VERSION}.crate"));
        if !file.is_file() {
            bail!("expected the crates of version {VERSION}, found no file {}", file.display());
        }
        made.push(file);
    }
    Ok(made)
}

fn keep(repo: &Repo, published: &[&str], from: &Path) -> Result<Vec<PathBuf>> {
    let folder = repo.emptied("packages/crates")?;
    let mut made = Vec::new();
    for name in published {
        let file = format!("{name}-{VERSION}.crate");
        let to = folder.join(&file);
        copy(&from.join(file), &to)?;
        made.push(to);
    }
    Ok(made)
}

/// Unpacks the crates into a workspace in which they find one another, and nothing else of this
/// repository; returns that folder. Files that are as they were last time are left alone, so that
/// Cargo builds again only what has changed.
pub(super) fn unpack(repo: &Repo, crates: &[PathBuf]) -> Result<PathBuf> {
    let fresh = repo.emptied("packages/build/fresh")?;
    for made in crates {
        // In a crate all files have one old date, by which Cargo would take them for unchanged.
        let mut tar = Command::new("tar");
        run::visible(tar.arg("-xzmf").arg(made).arg("-C").arg(&fresh))?;
    }
    fs::write(fresh.join("Cargo.toml"), workspace(&published(repo)?))?;
    copy(&repo.path("Cargo.lock"), &fresh.join("Cargo.lock"))?;
    let source = repo.target("packages/build/source");
    mirror(&fresh, &source)?;
    Ok(source)
}

fn workspace(published: &[&str]) -> String {
    let paths: Vec<_> = published.iter().map(|name| format!("{name}-{VERSION}")).collect();
    let patches: String = published
        .iter()
        .map(|name| format!("{name} = {{ path = \"{name}-{VERSION}\" }}\n"))
        .collect();
    let small: String = SMALL
        .split(' ')
        .map(|name| format!("[profile.release.package.{name}]\nopt-level = \"s\"\n"))
        .collect();
    format!(
        "[workspace]\nresolver = \"3\"\nmembers = {paths:?}\n\n\
         [patch.crates-io]\n{patches}\n\
         [profile.release]\nlto = \"fat\"\ncodegen-units = 1\nstrip = \"symbols\"\n\n{small}"
    )
}

/// Builds the program for a platform with some features, and checks that it runs wherever that
/// platform is. It is put into the folder target/packages/build of a name.
pub(super) fn program(
    repo: &Repo,
    source: &Path,
    platform: &Platform,
    features: &[&str],
    name: &str,
) -> Result<PathBuf> {
    let target = platform.target;
    if target.ends_with("musl") {
        tools::musl(repo, target)?;
    } else {
        tools::rust_target(repo, target, "build the program")?;
    }
    let mut build = Command::new("cargo");
    build
        .args(["build", "--release", "--package", "pagekin", "--target", target, "--target-dir"])
        .arg(repo.target(""))
        .args(features)
        .current_dir(source);
    if target.ends_with("msvc") {
        // Else it needs a library that Windows does not bring.
        let alone = "rustflags=['-Ctarget-feature=+crt-static']";
        build.args(["--config", &format!("target.{target}.{alone}")]);
    }
    if target.ends_with("musl") {
        // A program that is linked statically and loaded anywhere has a relocation for each pointer
        // in its data: a megabyte, unless packed.
        let packed = "rustflags=['-Clink-arg=-Wl,-z,pack-relative-relocs']";
        build.args(["--config", &format!("target.{target}.{packed}")]);
    }
    run::visible(&mut build)?;
    let built = repo.target(&format!("{target}/release")).join(platform.program());
    let program = repo.emptied(&format!("packages/build/{name}"))?.join(platform.program());
    copy(&built, &program)?;
    if target.ends_with("musl") {
        // With packed relocations GNU's linker leaves the symbols, though it is told to strip them.
        run::visible(Command::new("strip").arg(&program))?;
    }
    let size = bytes(&program)?;
    if size > MAX_BYTES {
        bail!(
            "expected a program of at most {MAX_BYTES} bytes, found {size}: {}",
            program.display()
        );
    }
    if target.ends_with("musl") {
        // The segment that names a dynamic linker.
        let mut headers = Command::new("readelf");
        let headers = run::output(headers.args(["--program-headers", "--wide"]).arg(&program))?;
        if headers.contains("INTERP") {
            bail!(
                "expected a program that is linked statically, found that {} needs a dynamic linker",
                program.display()
            );
        }
    }
    Ok(program)
}
