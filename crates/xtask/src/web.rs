//! Builds the client: crates/pagekin-wasm and crates/pagekin-lab-wasm -> www/pkg, the WebAssembly
//! and its bindings; these and www/*.js -> www/dist, the published client and the lab's core.
//!
//! The `pagekin` program contains www/dist, so every other build follows this one. Modules and
//! scripts are built separately, and only if inputs or outputs changed since the last build. Only
//! files whose bytes changed are replaced, so that Cargo only rebuilds `pagekin` when necessary.

use std::hash::{DefaultHasher, Hasher};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io, iter, thread};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::bundle;
use crate::files::{copy, files, mirror};
use crate::repo::Repo;
use crate::run;
use crate::split::{self, Later};
use crate::tools::{self, WebTools};

/// The sources of the modules, relative to the repository.
const MODULE_INPUTS: [&str; 7] = [
    "Cargo.toml",
    "Cargo.lock",
    "crates/pagekin-core",
    "crates/pagekin-lab-wasm",
    "crates/pagekin-wasm",
    "crates/xtask/src/split.rs",
    "crates/xtask/src/web.rs",
];
/// The sources of the scripts, including the bindings of the modules.
const SCRIPT_INPUTS: [&str; 8] = [
    "www/client",
    "www/demo",
    "www/elements",
    "www/lab",
    "www/offline",
    PKG,
    "crates/xtask/src/bundle.rs",
    "crates/xtask/src/web.rs",
];
/// The Cargo profile of the modules.
const PROFILE: &str = "web";
const PKG: &str = "www/pkg";
const DIST: &str = "www/dist";
/// The published scripts of www/, each bundled with its imports.
pub(crate) const SCRIPTS: [&str; 14] = [
    "box.js",
    "browse.js",
    "duplicates.js",
    "engine.js",
    "filters.js",
    "lab/core.js",
    "mirrored/engine.js",
    "mirrored/lab-core.js",
    "mirrored/worker.js",
    "pagekin.js",
    "phrases.js",
    "related.js",
    "several.js",
    "worker.js",
];

/// The scripts and the style of the demo. Most are only fetched when they are used.
pub(crate) const DEMO: [&str; 7] = [
    "demo-beside.js",
    "demo-judge.js",
    "demo-map.js",
    "demo-recent.js",
    "offline.js",
    "demo.css",
    "demo.js",
];

/// The lab's own scripts and style, without [its core](SCRIPTS): every page of the lab imports some
/// of them, so they are minified, but not bundled.
pub(crate) const LAB: [&str; 14] = [
    "lab/bag.js",
    "lab/center.js",
    "lab/copies.js",
    "lab/draw.js",
    "lab/frame.js",
    "lab/glossary.js",
    "lab/lab.css",
    "lab/lookup.js",
    "lab/lsh.js",
    "lab/meaning.js",
    "lab/minhash.js",
    "lab/start.js",
    "lab/take.js",
    "lab/teach.js",
];

/// A module, its crate, and the flags of `cargo build`.
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    flags: &'static [&'static str],
    /// Whether the code that its crate lists as `later` is published, as a second part.
    has_rest: bool,
}

/// For sites in all languages, for the lab, and for sites that only need the English stemmer. The
/// first two have the same features of the core, so it is compiled once for both.
pub(crate) const VARIANTS: [Variant; 3] = [
    Variant { name: "all-languages", package: "pagekin-wasm", flags: &[], has_rest: true },
    Variant { name: "lab", package: "pagekin-lab-wasm", flags: &[], has_rest: false },
    Variant {
        name: "english",
        package: "pagekin-wasm",
        flags: &["--no-default-features"],
        has_rest: true,
    },
];

impl Variant {
    /// The name of its bindings.
    pub(crate) fn bindings(&self) -> String {
        self.package.replace('-', "_")
    }

    fn raw_name(&self) -> String {
        format!("{}.wasm", self.name)
    }

    /// The module before it is split and compressed.
    pub(crate) fn raw(&self, repo: &Repo) -> PathBuf {
        repo.path(PKG).join(self.raw_name())
    }

    /// The names of its published files, without extension.
    pub(crate) fn parts(&self) -> Vec<String> {
        let rest = self.has_rest.then(|| format!("{}-rest", self.name));
        iter::once(self.name.to_owned()).chain(rest).collect()
    }
}

/// The names of the published files of all modules.
pub(crate) fn packed() -> impl Iterator<Item = String> {
    VARIANTS.iter().flat_map(Variant::parts).map(|part| format!("{part}.wasm.gz"))
}

pub(crate) fn published(repo: &Repo, name: &str) -> PathBuf {
    repo.path(DIST).join(name)
}

/// Updates www/pkg and www/dist, and installs the tools for that.
pub(crate) fn build(repo: &Repo) -> Result<()> {
    let tools = tools::web(repo)?;
    let compiler = run::output(Command::new("rustc").arg("--version"))?;
    let versions = format!("{compiler}{}", tools.versions);
    let packed: Vec<_> = packed().map(|name| repo.path(DIST).join(name)).collect();

    made(
        repo,
        "modules",
        &versions,
        &MODULE_INPUTS,
        || fingerprint(iter::once(repo.path(PKG)).chain(packed.clone())),
        || {
            let (pkg, dist) = (repo.emptied("www/pkg")?, repo.emptied("www/packed")?);
            modules(repo, &tools, &pkg, &dist)?;
            mirror(&pkg, &repo.path(PKG))?;
            fs::create_dir_all(repo.path(DIST))?;
            for path in &packed {
                let name = path.file_name().context("a module has a name")?;
                fs::copy(dist.join(name), path)?;
            }
            Ok(())
        },
    )?;
    let outputs = || fingerprint([repo.path(DIST)]);
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

/// Runs `make` unless the inputs and outputs are those of the last run.
pub(crate) fn made(
    repo: &Repo,
    name: &str,
    versions: &str,
    inputs: &[&str],
    outputs: impl Fn() -> io::Result<String>,
    make: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let stamp = repo.target(&format!("tools/www-{name}.stamp"));
    // Computed before the build, which may miss later edits.
    let inputs = fingerprint(inputs.iter().map(|path| repo.path(path)))?;
    let state = || -> io::Result<String> { Ok(format!("{versions}\n{inputs}\n{}\n", outputs()?)) };
    if fs::read_to_string(&stamp).is_ok_and(|old| state().is_ok_and(|now| old == now)) {
        return Ok(());
    }
    make()?;
    fs::create_dir_all(repo.target("tools"))?;
    fs::write(&stamp, state()?).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Builds all modules in the folder `pkg`, with the bindings that all variants of a crate share,
/// and compresses them into the folder `dist`. While Cargo compiles the next ones, the first are
/// optimized, which takes as long.
fn modules(repo: &Repo, tools: &WebTools, pkg: &Path, dist: &Path) -> Result<()> {
    let fresh = repo.emptied("www/fresh")?;
    thread::scope(|scope| {
        let mut finishing = Vec::new();
        for variants in VARIANTS.chunk_by(|one, next| one.flags == next.flags) {
            compile(repo, variants)?;
            for variant in variants {
                // The compiled files of the variants of one crate have the same name.
                let folder = fresh.join(variant.name);
                let compiled = compiled(repo, variant);
                copy(&compiled, &folder.join(variant.bindings()).with_extension("wasm"))?;
                finishing.push(scope.spawn(move || finish(repo, tools, variant, &folder, dist)));
            }
        }
        finishing
            .into_iter()
            .try_for_each(|work| work.join().expect("building modules does not panic"))
    })?;
    for variant in &VARIANTS {
        gather(variant, &fresh.join(variant.name), pkg)?;
    }
    Ok(())
}

/// Compiles the crates of variants with the same flags.
fn compile(repo: &Repo, variants: &[Variant]) -> Result<()> {
    let mut command = repo.cargo(&["build", "--lib", "--profile", PROFILE]);
    command.args(["--target", tools::WASM_TARGET]).args(variants[0].flags);
    command.args(variants.iter().flat_map(|variant| ["--package", variant.package]));
    run::visible(small(repo, &mut command)?)
}

/// The target folder of the modules: in the usual one, [`small`] would make Cargo recompile all.
const COMPILED: &str = "client";

/// A standard library that only contains functions that are called, without the messages of panics:
/// they are a tenth of the module. A panic is the trap `unreachable` then. Stable compilers accept
/// these options with the variable `RUSTC_BOOTSTRAP`.
const STANDARD_LIBRARY: [&str; 2] =
    ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];
const WITHOUT_MESSAGES: [&str; 4] =
    ["-Zunstable-options", "-Cpanic=immediate-abort", "-Zlocation-detail=none", "-Zfmt-debug=none"];

/// Makes Cargo compile small modules.
fn small<'a>(repo: &Repo, command: &'a mut Command) -> Result<&'a mut Command> {
    let flags = path_flags(repo)?.into_iter().chain(WITHOUT_MESSAGES.map(str::to_owned));
    let flags: Vec<_> = flags.collect();
    Ok(command
        .args(STANDARD_LIBRARY)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", repo.target(COMPILED))
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")))
}

/// The file that Cargo compiles for a variant.
fn compiled(repo: &Repo, variant: &Variant) -> PathBuf {
    let file = Path::new(tools::WASM_TARGET).join(PROFILE).join(variant.bindings());
    repo.target(COMPILED).join(file.with_extension("wasm"))
}

/// Creates the bindings and an optimized module from a compiled one in its folder, as wasm-pack
/// does, and the published files in the folder `dist`.
fn finish(
    repo: &Repo,
    tools: &WebTools,
    variant: &Variant,
    folder: &Path,
    dist: &Path,
) -> Result<()> {
    let bindings = variant.bindings();
    let compiled = folder.join(&bindings).with_extension("wasm");
    let bind = |folder: &Path, has_symbols: bool| -> Result<PathBuf> {
        let mut bindgen = Bindgen::new();
        bindgen.input_path(&compiled).out_name(&bindings).typescript(true).demangle(!has_symbols);
        // The default of the program.
        bindgen.omit_default_module_path(false).web(true)?.generate(folder)?;
        Ok(folder.join(format!("{bindings}_bg.wasm")))
    };
    let metadata = &repo.package(variant.package)?.metadata;
    let options = strings(&metadata["wasm-pack"]["profile"]["custom"]["wasm-opt"])
        .context("its Cargo.toml has wasm-opt's options")?;
    let optimize = |from: &Path, to: &Path, more: &[String]| {
        let mut optimize = Command::new(tools::node()?);
        optimize.arg(tools.wasm_opt()).arg(from).arg("-o").arg(to).args(more).args(&options);
        run::visible(&mut optimize)?;
        fs::remove_file(from).with_context(|| format!("cannot remove {}", from.display()))
    };
    let raw = folder.join(variant.raw_name());
    optimize(&bind(folder, false)?, &raw, &[])?;
    // With names that are symbols: only these are unique.
    let bound = bind(&dist.join(variant.name), true)?;
    let file = |end: &str| dist.join(format!("{}{end}.wasm", variant.name));
    let later = &metadata["later"];
    let later = Later {
        exports: strings(&later["exports"]).context("its Cargo.toml has later exports")?,
        functions: strings(&later["functions"]).context("and later functions")?,
    };
    let apart = later.functions.iter().map(|part| format!("--no-inline=*{part}*"));
    let named = file(".named");
    optimize(&bound, &named, &apart.chain(["--debuginfo".to_owned()]).collect::<Vec<_>>())?;
    let parts = [file(""), file("-rest")];
    split::split(tools, &later, &named, parts.each_ref().map(PathBuf::as_path), &options)?;
    for (part, name) in parts.iter().zip(variant.parts()) {
        let bytes = fs::read(part).with_context(|| format!("cannot read {}", part.display()))?;
        pack(&bytes, &dist.join(name).with_extension("wasm.gz"), Gzip::Smallest)?;
    }
    fs::remove_file(&compiled).with_context(|| format!("cannot remove {}", compiled.display()))
}

fn strings(list: &serde_json::Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Copies a module and its bindings into the folder of all modules.
fn gather(variant: &Variant, folder: &Path, pkg: &Path) -> Result<()> {
    for file in files(folder)? {
        let Some(name) = file.file_name() else { continue };
        let (shared, bytes) = (pkg.join(name), fs::read(&file)?);
        if shared.exists() && fs::read(&shared)? != bytes {
            bail!(
                "expected the same bindings for all variants of the module, but those of {} have \
                 another {}",
                variant.name,
                name.display()
            );
        }
        fs::write(shared, bytes)?;
    }
    Ok(())
}

/// Builds the modules of a release with wasm-pack, and checks that they equal those of www/pkg,
/// which are built without it, as its installation takes a minute.
pub(crate) fn check_release(repo: &Repo) -> Result<()> {
    let wasm_pack = tools::wasm_pack(repo)?;
    let search_path = tools::for_wasm_pack(repo)?;
    let pkg = repo.emptied("www/released")?;
    for variant in &VARIANTS {
        let folder = repo.emptied(&format!("www/{}", variant.name))?;
        let bindings = variant.bindings();
        let mut command = Command::new(&wasm_pack);
        command
            .args(["--log-level", "error", "build", "--target", "web", "--profile", PROFILE])
            .args(["--mode", "no-install", "--no-pack", "--no-gitignore", "--out-name", &bindings])
            .arg("--out-dir")
            .arg(&folder)
            .arg(repo.package(variant.package)?.folder())
            .args(variant.flags)
            .env("PATH", &search_path);
        run::visible(small(repo, &mut command)?)?;
        let raw = folder.join(format!("{bindings}_bg.wasm"));
        fs::rename(&raw, folder.join(variant.raw_name()))
            .with_context(|| format!("cannot move {}", raw.display()))?;
        gather(variant, &folder, &pkg)?;
    }
    let (released, made) = (files(&pkg)?, files(&repo.path(PKG))?);
    let same = released.len() == made.len()
        && released.iter().zip(&made).all(|(one, other)| {
            one.file_name() == other.file_name()
                && fs::read(one).is_ok_and(|one| fs::read(other).is_ok_and(|other| one == other))
        });
    if !same {
        bail!("expected the modules of {PKG} from wasm-pack, found others in {}", pkg.display());
    }
    Ok(())
}

/// Flags for rustc that keep the folders of this machine out of the module: panics name source
/// files.
fn path_flags(repo: &Repo) -> Result<Vec<String>> {
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
    let flag = |folder: &PathBuf| format!("--remap-path-prefix={}=", folder.join("").display());
    Ok(folders.iter().map(flag).collect())
}

/// Minifies the published scripts, and bundles those outside of the lab. Those of the demo do not
/// include the client, which is published next to them, nor the scripts of the demo that are only
/// fetched when they are used.
fn scripts(repo: &Repo, tools: &WebTools, dist: &Path) -> Result<()> {
    let external = |name: &&str| format!("--external:./{name}");
    let bundled = |names: &[&str], apart: &[&str]| {
        let options = apart.iter().map(external).chain(["--bundle".to_owned()]).collect();
        esbuild(repo, tools, dist, names, options)
    };
    bundled(&SCRIPTS, &[])?;
    let (apart, own) = DEMO.split_at(DEMO.len() - 1);
    bundled(apart, &["pagekin.js"])?;
    bundled(own, &[&["pagekin.js"][..], apart].concat())?;
    esbuild(repo, tools, dist, &LAB, vec![])
}

/// The folders of www/ whose files are published in one folder.
const FOLDERS: [&str; 4] = ["client", "elements", "demo", "offline"];

/// The source in www/ of a published file.
pub(crate) fn source(www: &Path, name: &str) -> Result<PathBuf> {
    let folders = FOLDERS.iter().map(|folder| www.join(folder).join(name));
    let mut places = folders.chain([www.join(name)]);
    places.find(|path| path.is_file()).with_context(|| {
        format!("expected {name} in {} or one of its folders {}", www.display(), FOLDERS.join(", "))
    })
}

fn esbuild(
    repo: &Repo,
    tools: &WebTools,
    dist: &Path,
    names: &[&str],
    options: Vec<String>,
) -> Result<()> {
    let www = repo.path("www");
    let mut command = Command::new(tools::node()?);
    command.arg(&tools.esbuild);
    for name in names {
        // `published=source`: published scripts are in one folder.
        let published = name.rsplit_once('.').map_or(*name, |(stem, _)| stem);
        command.arg(format!("{published}={}", source(&www, name)?.display()));
    }
    command
        .args(options)
        .current_dir(&www)
        .args(["--minify", "--format=esm", "--target=es2022", "--legal-comments=none"])
        .args(["--log-level=warning", "--charset=utf8"])
        .arg(format!("--outdir={}", dist.display()));
    run::visible(&mut command)
}

#[derive(Clone, Copy)]
pub(crate) enum Gzip {
    /// Takes seconds. Many hosts do not compress modules themselves.
    Smallest,
    /// A few percent larger, in a fraction of the time.
    Fast,
}

pub(crate) fn pack(bytes: &[u8], packed: &Path, effort: Gzip) -> Result<()> {
    let mut options = zopfli::Options::default();
    if let Gzip::Fast = effort {
        options.iteration_count = NonZeroU64::MIN;
    }
    let mut gzip = Vec::new();
    zopfli::compress(options, zopfli::Format::Gzip, bytes, &mut gzip)?;
    fs::write(packed, gzip).with_context(|| format!("cannot write {}", packed.display()))
}

/// A hash of the names and bytes of the files at and below some paths.
pub(crate) fn fingerprint(paths: impl IntoIterator<Item = PathBuf>) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    for path in paths {
        for file in files(&path)? {
            let bytes = fs::read(&file)?;
            hasher.write(file.as_os_str().as_encoded_bytes());
            hasher.write_usize(bytes.len());
            hasher.write(&bytes);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}
