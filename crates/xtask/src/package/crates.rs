//! The crates as they are published, and the program built from these alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::platform::Platform;
use super::{VERSION, bytes};
use crate::files::{copy, mirror};
use crate::repo::Repo;
use crate::{run, tools};

/// Crates that run once, or wait for people and disks: small before fast.
const SMALL: &str = "arrow-array arrow-buffer arrow-data arrow-ipc arrow-schema arrow-select chrono \
    clap_builder clap_complete clap_mangen csv csv-core flatbuffers http hyper hyper-util \
    icu_normalizer icu_properties idna indicatif jiff jiff-core mio notify num-bigint \
    pagekin parquet plotters plotters-svg quick-junit quick-xml rmcp rustls rustls-webpki \
    schemars serde_spanned tokio tokio-util toml toml_edit toml_parser ureq ureq-proto \
    winnow";
/// Maximum size of the program. It has 15.2 MB, of which `pagekin mcp` takes 1.3, mainly HTTPS.
const MAX_BYTES: u64 = 15_500_000;

/// The published crates, each after its dependencies: the program and its libraries.
pub(super) fn published(repo: &Repo) -> Result<Vec<&str>> {
    let mut waiting = repo.crates_of("pagekin", &["--all-features"])?;
    if let Some(package) = waiting.iter().find(|package| !package.is_published()) {
        bail!(
            "pagekin cannot be published, as it depends on {}, which is not published. Remove \
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

/// Builds the file of each crate, in target/packages.
pub(super) fn package(repo: &Repo) -> Result<Vec<PathBuf>> {
    made(repo)?;
    keep(repo, &published(repo)?, &repo.target("package"))
}

/// Builds the file of each crate, in the folder of Cargo.
pub(super) fn made(repo: &Repo) -> Result<Vec<PathBuf>> {
    let mut command = repo.cargo(&["package", "--quiet", "--no-verify", "--allow-dirty"]);
    let published = published(repo)?;
    command.args(published.iter().flat_map(|name| ["--package", name]));
    run::visible(&mut command)?;
    let file = |name: &&str| repo.target("package").join(format!("{name}-{VERSION}.crate"));
    Ok(published.iter().map(file).collect())
}

/// The files of the crates in a folder.
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

/// Unpacks the crates into a workspace that contains nothing else of this repository, and returns
/// its folder. Unchanged files are not written, so that Cargo only rebuilds changed ones.
pub(super) fn unpack(repo: &Repo, crates: &[PathBuf]) -> Result<PathBuf> {
    let fresh = repo.emptied("packages/build/fresh")?;
    for made in crates {
        // All files in a crate have one old date, so Cargo would consider them unchanged.
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

/// Builds the program for a platform with some features, and checks that it runs on all machines of
/// that platform. Copies it into a folder of target/packages/build.
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
        // Otherwise it needs a library that Windows does not contain.
        let alone = "rustflags=['-Ctarget-feature=+crt-static']";
        build.args(["--config", &format!("target.{target}.{alone}")]);
    }
    if target.ends_with("musl") {
        // A statically linked program has a relocation for each pointer in its data: a megabyte,
        // unless packed.
        let packed = "rustflags=['-Clink-arg=-Wl,-z,pack-relative-relocs']";
        build.args(["--config", &format!("target.{target}.{packed}")]);
    }
    run::visible(&mut build)?;
    let built = repo.target(&format!("{target}/release")).join(platform.program());
    let program = repo.emptied(&format!("packages/build/{name}"))?.join(platform.program());
    copy(&built, &program)?;
    if target.ends_with("musl") {
        // With packed relocations, GNU's linker ignores the option to strip symbols.
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
                "expected a statically linked program, but {} needs a dynamic linker",
                program.display()
            );
        }
    }
    Ok(program)
}
