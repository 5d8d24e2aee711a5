//! What a browser gets: crates/pagekin-wasm and crates/pagekin-lab-wasm -> www/pkg, the WebAssembly
//! and its bindings; these and www/*.js -> www/dist, the client and the lab's core as they are
//! published.
//!
//! The `pagekin` program carries www/dist, so every other build comes after this one. Nothing runs
//! when the inputs and the outputs are what they were after the last build, and only files whose
//! bytes changed are replaced, so that Cargo builds `pagekin` again only when it has to.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use anyhow::{Context, Result, bail};

use crate::files::{files, mirror};
use crate::repo::Repo;
use crate::run;
use crate::tools::{self, WebTools};

/// What the build reads, relative to the repository.
const INPUTS: [&str; 27] = [
    "Cargo.toml",
    "Cargo.lock",
    "crates/pagekin-core",
    "crates/pagekin-lab-wasm",
    "crates/pagekin-wasm",
    "www/component.js",
    "www/demo-beside.js",
    "www/demo-draw.js",
    "www/demo-file.js",
    "www/demo-find.js",
    "www/demo-map.js",
    "www/demo-near.js",
    "www/demo-pages.js",
    "www/demo-recent.js",
    "www/demo-where.js",
    "www/demo.css",
    "www/demo.js",
    "www/duplicates.js",
    "www/engine.js",
    "www/fetches.js",
    "www/kin.js",
    "www/lab/core.js",
    "www/module.js",
    "www/pagekin.js",
    "www/related.js",
    "www/request.js",
    "www/worker.js",
];
/// What it makes.
const PKG: &str = "www/pkg";
const DIST: &str = "www/dist";
/// The scripts of www/ that are published, each with all that it imports.
pub(crate) const SCRIPTS: [&str; 6] =
    ["duplicates.js", "engine.js", "lab/core.js", "pagekin.js", "related.js", "worker.js"];

/// What the demo fetches when it is asked for, and its style: likewise.
pub(crate) const DEMO: [&str; 5] =
    ["demo-beside.js", "demo-map.js", "demo-recent.js", "demo.css", "demo.js"];

/// A module, the crate it is made of, and what `cargo build` is told to make it.
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    package: &'static str,
    flags: &'static [&'static str],
}

/// For sites of all languages, for those that need no other stemmer than English's, and for the
/// lab.
pub(crate) const VARIANTS: [Variant; 3] = [
    Variant { name: "all-languages", package: "pagekin-wasm", flags: &[] },
    Variant { name: "english", package: "pagekin-wasm", flags: &["--no-default-features"] },
    Variant { name: "lab", package: "pagekin-lab-wasm", flags: &[] },
];

impl Variant {
    /// The module as it was made.
    pub(crate) fn raw(&self, repo: &Repo) -> PathBuf {
        repo.path(PKG).join(self.name).with_extension("wasm")
    }

    /// The module as it is published.
    pub(crate) fn packed(&self, repo: &Repo) -> PathBuf {
        repo.path(DIST).join(self.name).with_extension("wasm.gz")
    }
}

/// A published script.
pub(crate) fn script(repo: &Repo, name: &str) -> PathBuf {
    repo.path(DIST).join(name)
}

/// Makes www/pkg and www/dist what the sources say, installing what that needs.
pub(crate) fn build(repo: &Repo) -> Result<()> {
    let tools = tools::web(repo)?;
    let compiler = run::output(Command::new("rustc").arg("--version"))?;
    let versions = format!("{compiler}{}", tools.versions);

    let stamp = repo.target("tools/www.stamp");
    // Taken before the build: what is edited meanwhile has not been built.
    let inputs = fingerprint(repo, &INPUTS)?;
    let state = || -> io::Result<String> {
        Ok(format!("{versions}\n{inputs}\n{}\n", fingerprint(repo, &[PKG, DIST])?))
    };
    if fs::read_to_string(&stamp).is_ok_and(|old| state().is_ok_and(|now| old == now)) {
        return Ok(());
    }
    let pkg = repo.emptied("www/pkg")?;
    for variant in &VARIANTS {
        module(repo, &tools, variant, &pkg)?;
    }
    mirror(&pkg, &repo.path(PKG))?;
    let dist = repo.emptied("www/dist")?;
    bundle(repo, &tools, &dist)?;
    for variant in &VARIANTS {
        let packed = dist.join(variant.name).with_extension("wasm.gz");
        pack(&variant.raw(repo), &packed)?;
    }
    mirror(&dist, &repo.path(DIST))?;
    fs::write(&stamp, state()?).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Makes a variant of a module in the folder `pkg`, and the bindings that all variants of its crate
/// share.
fn module(repo: &Repo, tools: &WebTools, variant: &Variant, pkg: &Path) -> Result<()> {
    let fresh = repo.emptied(&format!("www/{}", variant.name))?;
    let bindings = variant.package.replace('-', "_");
    let mut command = Command::new(&tools.wasm_pack);
    command
        .args(["--log-level", "error", "build", "--target", "web", "--profile", "web"])
        .args(["--mode", "no-install", "--no-pack", "--no-gitignore", "--out-name", &bindings])
        .arg("--out-dir")
        .arg(&fresh)
        .arg(repo.path("crates").join(variant.package))
        .args(variant.flags)
        .env("PATH", &tools.search_path)
        .env("CARGO_ENCODED_RUSTFLAGS", path_flags(repo)?);
    run::visible(&mut command)?;
    let raw = fresh.join(format!("{bindings}_bg.wasm"));
    let named = pkg.join(variant.name).with_extension("wasm");
    fs::rename(&raw, &named).with_context(|| format!("cannot move {}", raw.display()))?;
    for file in files(&fresh)? {
        let Some(name) = file.file_name() else { continue };
        let (shared, bytes) = (pkg.join(name), fs::read(&file)?);
        if shared.exists() && fs::read(&shared)? != bytes {
            bail!(
                "expected the same bindings for all variants of the module, but those of {} have another {}",
                variant.name,
                name.display()
            );
        }
        fs::write(shared, bytes)?;
    }
    Ok(())
}

/// Flags for rustc that keep this machine's folders out of the module: panics name source files.
fn path_flags(repo: &Repo) -> Result<String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let registry =
        home.context("there is neither CARGO_HOME nor a home folder")?.join("registry/src");
    let mut folders = vec![repo.path("crates")];
    if registry.is_dir() {
        for entry in fs::read_dir(&registry)? {
            folders.push(entry?.path());
        }
    }
    let flags: Vec<_> = folders
        .iter()
        .map(|folder| format!("--remap-path-prefix={}=", folder.join("").display()))
        .collect();
    Ok(flags.join("\u{1f}"))
}

/// Makes each published script of those in www/. The demo's leave the client out, which is there
/// beside them, and those of the demo that it imports when it needs them.
fn bundle(repo: &Repo, tools: &WebTools, dist: &Path) -> Result<()> {
    esbuild(repo, tools, dist, &SCRIPTS, &[])?;
    let (apart, own) = DEMO.split_at(DEMO.len() - 1);
    esbuild(repo, tools, dist, apart, &["pagekin.js"])?;
    esbuild(repo, tools, dist, own, &[&["pagekin.js"][..], apart].concat())
}

fn esbuild(
    repo: &Repo,
    tools: &WebTools,
    dist: &Path,
    names: &[&str],
    external: &[&str],
) -> Result<()> {
    let www = repo.path("www");
    let mut command = Command::new(tools::node()?);
    command
        .arg(&tools.esbuild)
        .args(names.iter().map(|name| www.join(name)))
        .args(external.iter().map(|name| format!("--external:./{name}")))
        .current_dir(&www)
        .args(["--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none"])
        .args(["--log-level=warning", "--charset=utf8"])
        .arg(format!("--outdir={}", dist.display()));
    run::visible(&mut command)
}

/// Compresses a file as gzip, as small as it gets: many hosts compress none but the types they
/// know.
fn pack(raw: &Path, packed: &Path) -> Result<()> {
    let bytes = fs::read(raw).with_context(|| format!("cannot read {}", raw.display()))?;
    let mut gzip = Vec::new();
    zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, &bytes[..], &mut gzip)?;
    fs::write(packed, gzip).with_context(|| format!("cannot write {}", packed.display()))
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
