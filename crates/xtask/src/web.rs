//! What a browser gets: crates/pagekin-wasm and crates/pagekin-lab-wasm -> www/pkg, the WebAssembly
//! and its bindings; these and www/*.js -> www/dist, the client and the lab's core as they are
//! published.
//!
//! The `pagekin` program carries www/dist, so every other build comes after this one. Modules and
//! scripts are made apart: what has the inputs and outputs of the last build is not made again, and only files whose
//! bytes changed are replaced, so that Cargo builds `pagekin` again only when it has to.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use anyhow::{Context, Result, bail};

use crate::bundle;
use crate::files::{files, mirror};
use crate::repo::Repo;
use crate::run;
use crate::tools::{self, WebTools};

/// What the modules are made of, relative to the repository.
const MODULE_INPUTS: [&str; 5] = [
    "Cargo.toml",
    "Cargo.lock",
    "crates/pagekin-core",
    "crates/pagekin-lab-wasm",
    "crates/pagekin-wasm",
];
/// What the scripts are made of, beside the modules' bindings.
const SCRIPT_INPUTS: [&str; 3] = ["www", "crates/xtask/src/bundle.rs", "crates/xtask/src/web.rs"];
/// What it makes.
const PKG: &str = "www/pkg";
const DIST: &str = "www/dist";
/// The scripts of www/ that are published, each with all that it imports.
pub(crate) const SCRIPTS: [&str; 11] = [
    "box.js",
    "browse.js",
    "duplicates.js",
    "engine.js",
    "lab/core.js",
    "mirrored/engine.js",
    "mirrored/lab-core.js",
    "mirrored/worker.js",
    "pagekin.js",
    "related.js",
    "worker.js",
];

/// What the demo fetches when it is asked for, and its style: likewise.
pub(crate) const DEMO: [&str; 7] = [
    "demo-beside.js",
    "demo-judge.js",
    "demo-map.js",
    "demo-recent.js",
    "offline.js",
    "demo.css",
    "demo.js",
];

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
    let packed = VARIANTS.map(|variant| variant.packed(repo));

    made(
        repo,
        "modules",
        &versions,
        &MODULE_INPUTS,
        || {
            let mut outputs = vec![fingerprint(repo, &[PKG])?];
            for path in &packed {
                outputs.push(checksum(path)?);
            }
            Ok(outputs.join(" "))
        },
        || {
            let pkg = repo.emptied("www/pkg")?;
            for variant in &VARIANTS {
                module(repo, &tools, variant, &pkg)?;
            }
            mirror(&pkg, &repo.path(PKG))?;
            fs::create_dir_all(repo.path(DIST))?;
            for variant in &VARIANTS {
                pack(&variant.raw(repo), &variant.packed(repo))?;
            }
            Ok(())
        },
    )?;
    let outputs = || fingerprint(repo, &[DIST]);
    made(repo, "scripts", &versions, &SCRIPT_INPUTS, outputs, || {
        let dist = repo.emptied("www/dist")?;
        scripts(repo, &tools, &dist)?;
        bundle::make(repo, &tools, &dist)?;
        for path in &packed {
            let name = path.file_name().context("a module has a name")?;
            fs::copy(path, dist.join(name))?;
        }
        mirror(&dist, &repo.path(DIST))
    })
}

/// Runs `make` unless the inputs and outputs are what they were after the last time.
fn made(
    repo: &Repo,
    name: &str,
    versions: &str,
    inputs: &[&str],
    outputs: impl Fn() -> io::Result<String>,
    make: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let stamp = repo.target(&format!("tools/www-{name}.stamp"));
    // Taken before the build: what is edited meanwhile has not been built.
    let inputs = fingerprint(repo, inputs)?;
    let state = || -> io::Result<String> { Ok(format!("{versions}\n{inputs}\n{}\n", outputs()?)) };
    if fs::read_to_string(&stamp).is_ok_and(|old| state().is_ok_and(|now| old == now)) {
        return Ok(());
    }
    make()?;
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
fn scripts(repo: &Repo, tools: &WebTools, dist: &Path) -> Result<()> {
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

/// A hash of the names and bytes of files, to tell whether they are what they were; not of what
/// is made in www/, unless it is named.
fn fingerprint(repo: &Repo, paths: &[&str]) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    let made = repo.path(DIST);
    for path in paths {
        let folder = repo.path(path);
        for file in files(&folder)? {
            if file.starts_with(&made) && folder != made {
                continue;
            }
            let bytes = fs::read(&file)?;
            hasher.write(file.as_os_str().as_encoded_bytes());
            hasher.write_usize(bytes.len());
            hasher.write(&bytes);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The same of one file.
fn checksum(path: &Path) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    hasher.write(&fs::read(path)?);
    Ok(format!("{:016x}", hasher.finish()))
}
