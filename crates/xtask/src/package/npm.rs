//! The npm packages: one with the program for this platform, and `pagekin`, which starts it and
//! contains the client and the plugins of site generators.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::VERSION;
use super::platform::{PLATFORMS, Platform};
use crate::files::{copy, copy_all};
use crate::repo::Repo;
use crate::{run, tools, web};

/// The files of the client for bundlers, and the types of the client and of the elements.
const CLIENT: [&str; 9] = [
    "box.d.ts",
    "duplicates.d.ts",
    "limits.js",
    "link.js",
    "pagekin.d.ts",
    "pagekin.js",
    "protocol.js",
    "related.d.ts",
    "request.js",
];

pub(crate) struct NpmPackages {
    pub(super) platform: PathBuf,
    pub(super) pagekin: PathBuf,
}

pub(super) fn make(
    repo: &Repo,
    platform: &Platform,
    program: &Path,
    manual: &Path,
) -> Result<NpmPackages> {
    tools::node()?;
    let manifest = manifest(repo)?;
    let tarballs = repo.emptied("packages/npm")?;

    let folder = repo.emptied("packages/build/npm/platform")?;
    copy(program, &folder.join("bin").join(platform.program()))?;
    copy(&repo.path("LICENSE"), &folder.join("LICENSE"))?;
    fs::write(folder.join("README.md"), of_platform_for_people(platform))?;
    write(&folder, &of_platform(platform, &manifest))?;
    let of_platform = pack(&folder, &tarballs)?;

    // It is the same for all platforms, so only one of them builds the uploaded one.
    let all = if platform.is_first() { tarballs } else { repo.emptied("packages/build/npm/all")? };
    let folder = repo.emptied("packages/build/npm/pagekin")?;
    stage(repo, &folder)?;
    copy_all(manual, &folder.join("man"))?;
    Ok(NpmPackages { platform: of_platform, pagekin: pack(&folder, &all)? })
}

/// Writes the package `pagekin`, as it is installed but without man pages, into a folder.
pub(crate) fn stage(repo: &Repo, folder: &Path) -> Result<()> {
    copy_all(&repo.path("crates/pagekin/npm"), folder)?;
    for part in CLIENT {
        copy(&web::source(&repo.path("www"), part)?, &folder.join("client/www").join(part))?;
    }
    copy(&repo.path("LICENSE"), &folder.join("LICENSE"))?;
    write(folder, &of_pagekin(manifest(repo)?))
}

/// The manifest of `pagekin` as it is in the repository.
fn manifest(repo: &Repo) -> Result<Map<String, Value>> {
    let path = repo.path("crates/pagekin/npm/package.json");
    let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(serde_json::from_slice(&text)?)
}

/// The manifest of `pagekin`, which depends on the program of its own version for all platforms.
fn of_pagekin(mut manifest: Map<String, Value>) -> Map<String, Value> {
    let programs = PLATFORMS.iter().map(|platform| (platform.npm_name(), VERSION.into()));
    manifest.insert("version".to_owned(), VERSION.into());
    manifest.insert("optionalDependencies".to_owned(), Value::Object(programs.collect()));
    manifest
}

/// The manifest of the package of a platform, with the metadata of `pagekin`.
fn of_platform(platform: &Platform, manifest: &Map<String, Value>) -> Map<String, Value> {
    let (os, cpu) = platform.npm;
    let mut own = Map::new();
    own.insert("name".to_owned(), platform.npm_name().into());
    own.insert("version".to_owned(), VERSION.into());
    own.insert("description".to_owned(), format!("The pagekin program for {os} on {cpu}").into());
    for field in ["license", "homepage", "repository", "bugs", "engines", "publishConfig"] {
        own.insert(field.to_owned(), manifest[field].clone());
    }
    own.insert("os".to_owned(), json!([os]));
    own.insert("cpu".to_owned(), json!([cpu]));
    own.insert("preferUnplugged".to_owned(), true.into());
    own.insert("files".to_owned(), json!(["bin"]));
    own
}

fn of_platform_for_people(platform: &Platform) -> String {
    let (os, cpu) = platform.npm;
    format!(
        "# {}\n\nThe program of [pagekin](https://www.npmjs.com/package/pagekin) for {os} on {cpu}. \
         Install `pagekin`, which depends on the package for your platform.\n",
        platform.npm_name()
    )
}

fn write(folder: &Path, manifest: &Map<String, Value>) -> Result<()> {
    let text = serde_json::to_string_pretty(manifest)? + "\n";
    fs::write(folder.join("package.json"), text)?;
    Ok(())
}

/// Packs a folder as npm would publish it.
fn pack(folder: &Path, tarballs: &Path) -> Result<PathBuf> {
    let mut npm = Command::new(run::NPM);
    npm.args(["pack", "--silent", "--pack-destination"]).arg(tarballs).current_dir(folder);
    let name = run::output(&mut npm)?;
    Ok(tarballs.join(name.trim_end()))
}
