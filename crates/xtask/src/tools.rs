//! The tools that commands need beyond Rust: found, or installed.
//!
//! A [`Tool`] has a purpose, a way to find it and commands that install it. If a tool is missing,
//! its purpose and the commands are printed before anything is installed. [`system`] installs
//! programs of the operating system.
//!
//! Versions are pinned here, except wasm-bindgen's, which has to equal the one in Cargo.lock and is
//! read from there.

mod system;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::repo::Repo;
use crate::run;
use system::{SystemPackages, by_hand};

pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";
const WASM_PACK: &str = "0.15.1";
const CYCLONEDX: &str = "0.5.9";
const CARGO_MUTANTS: &str = "27.1.0";
const BINARYEN: &str = "132.0.0";
const ESBUILD: &str = "0.28.2";
const HATCHLING: &str = "1.33.0";
const PAGEFIND: &str = "1.6.0";
const LUNR: &str = "2.3.9";
const MDBOOK: &str = "0.5.4";
/// A linter with a page for each of its rules. The packages of later versions contain no pages.
const STYLELINT: &str = "13.13.1";
const BINARYEN_OF_SYSTEM: SystemPackages = SystemPackages::new(
    &["wasm-split"],
    &["binaryen"],
    ["binaryen", "binaryen"],
    Some("usr/bin/wasm-split"),
);
/// The headless shell, the engine without a window, takes two thirds of the time.
const CHROMIUM: SystemPackages = SystemPackages::new(
    &[
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ],
    &["chromium-headless-shell", "fonts-dejavu-core"],
    ["chromium-headless", "--cask chromium"],
    Some("usr/lib/chromium/chromium-headless-shell"),
);
const CHROMEDRIVER: SystemPackages = SystemPackages::new(
    &["chromedriver"],
    &["chromium-driver"],
    ["chromedriver", "--cask chromedriver"],
    Some("usr/bin/chromedriver"),
);
const STRACE: SystemPackages =
    SystemPackages::new(&["strace"], &["strace"], ["strace", ""], Some("usr/bin/strace"));
const CURL: SystemPackages =
    SystemPackages::new(&["curl"], &["curl"], ["curl", "curl"], Some("usr/bin/curl"));
const MUSL: SystemPackages =
    SystemPackages::new(&["musl-gcc"], &["musl-tools"], ["musl-gcc", ""], None);

/// The oldest Node.js whose test runner has the options that `cargo xtask test` uses.
const NODE_AT_LEAST: [u32; 2] = [20, 11];

struct Tool<'a> {
    name: String,
    /// Completes the sentence "It is needed to …".
    purpose: &'a str,
    find: &'a dyn Fn() -> Option<PathBuf>,
    /// Empty if nothing here can install it.
    install: Vec<Command>,
    /// The remedy if `install` failed: a whole sentence.
    by_hand: &'a str,
}

impl Tool<'_> {
    /// The tool's path, after installing the tool if it is missing.
    fn get(self, repo: &Repo) -> Result<PathBuf> {
        if let Some(path) = (self.find)() {
            return Ok(path);
        }
        let Self { name, purpose, by_hand, .. } = &self;
        if self.install.is_empty() {
            bail!("{name} is not installed. It is needed to {purpose}. {by_hand}");
        }
        eprintln!("Installing {name}, needed to {purpose}; this can take a minute:");
        let start = Instant::now();
        let log = repo.target(&format!("tools/log/{}.log", name.replace([' ', '@', '/'], "-")));
        let failure =
            format!("{name} could not be installed. It is needed to {purpose}. {by_hand}");
        for mut command in self.install {
            eprintln!("    {}", run::line(&command));
            run::logged(&mut command, &log).with_context(|| failure.clone())?;
        }
        let Some(path) = (self.find)() else {
            bail!("{failure} (Its installation reported no error: {}.)", log.display());
        };
        eprintln!("    done in {:.0} s", start.elapsed().as_secs_f64());
        Ok(path)
    }
}

/// The tools that build the client. `binaryen` is a folder, `esbuild` a script for Node.js.
pub(crate) struct WebTools {
    binaryen: PathBuf,
    pub(crate) wasm_split: PathBuf,
    pub(crate) esbuild: PathBuf,
    /// Names and versions: an earlier build with others is outdated.
    pub(crate) versions: String,
}

impl WebTools {
    pub(crate) fn wasm_opt(&self) -> PathBuf {
        self.binaryen_program("wasm-opt")
    }

    pub(crate) fn binaryen_program(&self, name: &str) -> PathBuf {
        self.binaryen.join("node_modules/binaryen/bin").join(name)
    }
}

pub(crate) fn web(repo: &Repo) -> Result<WebTools> {
    node()?;
    rust_target(repo, WASM_TARGET, "compile for the browser")?;
    rust_source(repo)?;
    let purpose = "make the WebAssembly smaller (wasm-opt)";
    let binaryen = npm_package(repo, "binaryen", BINARYEN, purpose)?;
    // npm's Binaryen has no wasm-split.
    let purpose = "split the WebAssembly in what a lookup needs and the rest";
    let wasm_split = BINARYEN_OF_SYSTEM.get(repo, purpose)?;
    let esbuild = esbuild(repo)?;
    Ok(WebTools {
        binaryen,
        wasm_split,
        esbuild,
        versions: format!("binaryen {BINARYEN}, esbuild {ESBUILD}"),
    })
}

pub(crate) fn wasm_pack(repo: &Repo) -> Result<PathBuf> {
    let purpose = "make the modules of a release";
    cargo_program(repo, "wasm-pack", WASM_PACK, purpose)
}

/// The search path on which wasm-pack finds exactly our wasm-bindgen and wasm-opt.
pub(crate) fn for_wasm_pack(repo: &Repo) -> Result<OsString> {
    let bindgen = wasm_bindgen(repo, "make the modules of a release")?;
    let bindgen = bindgen.parent().context("a program is in a folder")?;
    search_path(&[bindgen, &web(repo)?.binaryen.join("node_modules/.bin")])
}

fn wasm_bindgen(repo: &Repo, purpose: &str) -> Result<PathBuf> {
    let version = locked_version(repo, "wasm-bindgen")?;
    cargo_program(repo, "wasm-bindgen-cli", &version, purpose)
}

pub(crate) fn cyclonedx(repo: &Repo) -> Result<PathBuf> {
    let purpose = "list the crates of a released program";
    cargo_program(repo, "cargo-cyclonedx", CYCLONEDX, purpose)
}

pub(crate) fn cargo_mutants(repo: &Repo) -> Result<PathBuf> {
    let purpose = "break the code in order to test its tests";
    cargo_program(repo, "cargo-mutants", CARGO_MUTANTS, purpose)
}

pub(crate) fn esbuild(repo: &Repo) -> Result<PathBuf> {
    let purpose = "bundle the scripts of the client";
    let folder = npm_package(repo, "esbuild", ESBUILD, purpose)?;
    Ok(folder.join("node_modules/esbuild/bin/esbuild"))
}

/// The search path, with some folders before it.
pub(crate) fn search_path(first: &[&Path]) -> Result<OsString> {
    let search = env::var_os("PATH").unwrap_or_default();
    let first = first.iter().map(|folder| folder.to_path_buf());
    Ok(env::join_paths(first.chain(env::split_paths(&search)))?)
}

/// A part of the Rust toolchain, which rustup installs with these arguments.
fn rustup(
    repo: &Repo,
    name: &str,
    purpose: &str,
    arguments: [&str; 3],
    find: &dyn Fn() -> Option<PathBuf>,
) -> Result<()> {
    let by_hand = "Install it with rustup, or with the package manager that installed Rust.";
    let install = vec![command("rustup", arguments)];
    Tool { name: name.to_owned(), purpose, find, install, by_hand }.get(repo).map(drop)
}

/// A path that rustc prints, if `below` exists there.
fn printed_by_rustc(arguments: &[&str], below: &str) -> Option<PathBuf> {
    let output = Command::new("rustc").arg("--print").args(arguments).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end()).join(below);
    path.exists().then_some(path)
}

/// Installs the standard library of a target.
pub(crate) fn rust_target(repo: &Repo, target: &str, purpose: &str) -> Result<()> {
    rustup(repo, &format!("the Rust target {target}"), purpose, ["target", "add", target], &|| {
        printed_by_rustc(&["target-libdir", "--target", target], "")
    })
}

/// The source of the standard library, which is compiled for the browser without the messages of
/// panics.
fn rust_source(repo: &Repo) -> Result<()> {
    let purpose = "compile a standard library that is small in the browser";
    rustup(repo, "rust-src", purpose, ["component", "add", "rust-src"], &|| {
        printed_by_rustc(&["sysroot"], "lib/rustlib/src/rust/library/Cargo.lock")
    })
}

/// The compiler of statically linked programs on Linux, whose allocator is written in C.
pub(crate) fn musl(repo: &Repo, target: &str) -> Result<()> {
    rust_target(repo, target, "link the program statically")?;
    MUSL.get(repo, "compile the allocator of the program that is linked statically").map(drop)
}

/// Whether a command succeeds.
fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = command(program, arguments);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

pub(crate) fn rust_components(repo: &Repo) -> Result<()> {
    for (component, subcommand, purpose) in
        [("rustfmt", "fmt", "check the code's layout"), ("clippy", "clippy", "lint the code")]
    {
        rustup(repo, component, purpose, ["component", "add", component], &|| {
            succeeds("cargo", &[subcommand, "--version"]).then(|| PathBuf::from("cargo"))
        })?;
    }
    Ok(())
}

/// Checks that Node.js is installed and new enough: nothing here installs Node.js, Rust and Python.
pub(crate) fn node() -> Result<PathBuf> {
    let [major, minor] = NODE_AT_LEAST;
    let needed = format!(
        "Node.js {major}.{minor} or newer, with npm, is needed for wasm-opt, esbuild and the browser tests"
    );
    let node = PathBuf::from("node");
    let Some(found) = run::version(&node) else {
        bail!(
            "{needed}, and there is no working `node` on the PATH. Install it with `sudo apt-get \
             install nodejs npm` on Debian 13 or newer, `sudo dnf install nodejs` on Fedora or `brew \
             install node` on macOS, then run this again"
        );
    };
    let mut numbers = found.trim_start_matches('v').split('.').map_while(|part| part.parse().ok());
    let version = [numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)];
    if version < NODE_AT_LEAST {
        bail!("{needed}, and `node` here is {found}. Install a newer one, then run this again");
    }
    Ok(node)
}

/// A Chromium or Chrome: the program that the variable CHROMIUM names, else one on the PATH.
pub(crate) fn chromium(repo: &Repo) -> Result<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM") {
        let path = PathBuf::from(path);
        if run::version(&path).is_none() {
            bail!("CHROMIUM is {}, which does not start. Correct or unset it", path.display());
        }
        return Ok(path);
    }
    CHROMIUM.get(repo, "test the demo in a real browser")
}

pub(crate) fn strace(repo: &Repo) -> Result<PathBuf> {
    STRACE.get(repo, "kill a build at each of its system calls")
}

/// The program that the variable CHROMEDRIVER names, else one on the PATH.
pub(crate) fn chromedriver(repo: &Repo) -> Result<PathBuf> {
    match env::var_os("CHROMEDRIVER") {
        Some(path) => Ok(PathBuf::from(path)),
        None => CHROMEDRIVER.get(repo, "run the tests of the WebAssembly in Chromium"),
    }
}

/// The program that runs the tests of a crate in a browser: a part of wasm-bindgen's.
pub(crate) fn wasm_test_runner(repo: &Repo) -> Result<PathBuf> {
    let program = wasm_bindgen(repo, "run the tests of the WebAssembly in Chromium")?;
    Ok(program.with_file_name("wasm-bindgen-test-runner"))
}

pub(crate) fn curl(repo: &Repo) -> Result<()> {
    CURL.get(repo, "try the GitHub Action").map(drop)
}

pub(crate) fn browser_test_packages(repo: &Repo) -> Result<()> {
    let folder = repo.path("tests/browser");
    npm_project(repo, &folder, "tests/browser", "check the JavaScript and drive the browser")
}

/// Installs the packages that the lock file in a folder names into its node_modules.
pub(crate) fn npm_project(repo: &Repo, folder: &Path, name: &str, purpose: &str) -> Result<()> {
    node()?;
    let lock = folder.join("package-lock.json");
    let wanted = fs::read(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    let packages = folder.join("node_modules");
    let stamp = packages.join(".installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let mut install = command(run::NPM, NPM_QUIETLY);
    install.arg("ci").current_dir(folder);
    let tool = Tool {
        name: format!("the packages of {name}"),
        purpose,
        find: &|| packages.is_dir().then(|| packages.clone()),
        install: vec![install],
        by_hand: "Run `npm ci` there to see why.",
    };
    // They may be those of another lock file. npm would empty the folder anyway.
    let _ = fs::remove_dir_all(&packages);
    tool.get(repo)?;
    fs::write(&stamp, &wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Pagefind's own program, without the Node.js wrapper that usually starts it.
pub(crate) struct Pagefind {
    pub(crate) program: PathBuf,
    pub(crate) version: &'static str,
}

pub(crate) fn pagefind(repo: &Repo) -> Result<Pagefind> {
    let purpose = "compare it with pagekin";
    let folder = npm_package(repo, "pagefind", PAGEFIND, purpose)?;
    let platforms = folder.join("node_modules/@pagefind");
    let entries = fs::read_dir(&platforms)
        .with_context(|| format!("pagefind {PAGEFIND} has no program for this platform"))?;
    // npm only installs the package of this platform, whose wrapper prefers this program.
    let program = entries
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .flat_map(|bin| [bin.join("pagefind_extended"), bin.join("pagefind")])
        .map(|path| path.with_extension(env::consts::EXE_EXTENSION))
        .find(|path| path.is_file())
        .with_context(|| format!("no program of pagefind in {}", platforms.display()))?;
    Ok(Pagefind { program, version: PAGEFIND })
}

pub(crate) fn lunr(repo: &Repo) -> Result<PathBuf> {
    let folder = npm_package(repo, "lunr", LUNR, "compare it with pagekin")?;
    Ok(folder.join("node_modules/lunr"))
}

pub(crate) fn python_peers(repo: &Repo) -> Result<PathBuf> {
    python_of(repo, "tests/peers", "compare them with pagekin", "tools/python")
}

pub(crate) fn python_reader(repo: &Repo) -> Result<PathBuf> {
    python_of(repo, "tests/second_reader", "read files that pagekin wrote", "tools/reader")
}

pub(crate) fn python_vectors(repo: &Repo) -> Result<PathBuf> {
    python_of(repo, "crates/pagekin-index/english", "make the English table", "tools/vectors")
}

/// PySpark among them, and Java for it.
pub(crate) fn python_spark(repo: &Repo) -> Result<PathBuf> {
    java(repo)?;
    python_of(repo, "tests/spark", "test pagekin-spark", "tools/spark")
}

/// A Python with the packages that the `requirements.txt` in a folder names, in an environment of
/// its own.
fn python_of(repo: &Repo, folder: &str, purpose: &str, environment: &str) -> Result<PathBuf> {
    let requirements = format!("{folder}/requirements.txt");
    let name = format!("the packages of {requirements}");
    python_packages(repo, &name, purpose, environment, &repo.path(&requirements))?;
    Ok(run::in_venv(&repo.target(environment), "python"))
}

fn java(repo: &Repo) -> Result<()> {
    let debian = &["openjdk-17-jre-headless"];
    let tool = Tool {
        name: "Java".to_owned(),
        purpose: "run Spark",
        find: &|| run::version(Path::new("java")).map(|_| PathBuf::from("java")),
        install: system::install(repo, debian),
        by_hand: &by_hand(debian, "java-21-openjdk-headless", "openjdk@21"),
    };
    tool.get(repo).map(drop)
}

/// The tools of the recipes, except those that npm installs into each project.
pub(crate) struct Generators {
    /// The folder of the programs that pip installed.
    pub(crate) python: PathBuf,
    pub(crate) mdbook: PathBuf,
    /// A package that contains pages in Markdown.
    pub(crate) pages: PathBuf,
}

pub(crate) fn generators(repo: &Repo) -> Result<Generators> {
    let python = python_of(repo, "tests/recipes", "make sites with them", "tools/recipes")?;
    let mdbook = cargo_program(repo, "mdbook", MDBOOK, "make a site with it")?;
    let pages = npm_package(repo, "stylelint", STYLELINT, "take its pages")?;
    Ok(Generators {
        python: python.parent().context("a program is in a folder")?.to_owned(),
        mdbook: mdbook.parent().context("a program is in a folder")?.to_owned(),
        pages: pages.join("node_modules/stylelint"),
    })
}

pub(crate) fn hatch(repo: &Repo) -> Result<PathBuf> {
    let requirements = repo.target("tools/hatchling.txt");
    fs::create_dir_all(repo.target("tools"))?;
    fs::write(&requirements, format!("hatchling=={HATCHLING}\n"))?;
    let name = format!("hatchling {HATCHLING}");
    python_packages(repo, &name, "make the Python wheels", "tools/hatchling", &requirements)?;
    Ok(run::in_venv(&repo.target("tools/hatchling"), "hatchling"))
}

/// Installs the packages that a file of requirements names into an environment of their own below
/// the target folder.
fn python_packages(
    repo: &Repo,
    name: &str,
    purpose: &str,
    environment: &str,
    requirements: &Path,
) -> Result<()> {
    let environment = repo.target(environment);
    // Its programs contain the path of their Python, so they do not start in a tree that moved.
    let mut wanted = format!("# {}\n", environment.display()).into_bytes();
    wanted.extend(
        fs::read(requirements)
            .with_context(|| format!("cannot read {}", requirements.display()))?,
    );
    let stamp = environment.join(".installed-requirements.txt");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    python_venv(repo)?;
    let python = run::in_venv(&environment, "python");
    let mut make = command(run::PYTHON, ["-m", "venv", "--clear"]);
    make.arg(&environment);
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
    install.arg(requirements);
    let _ = fs::remove_dir_all(&environment);
    let tool = Tool {
        name: name.to_owned(),
        purpose,
        find: &|| run::in_venv(&environment, "pip").is_file().then(|| python.clone()),
        install: vec![make, install],
        by_hand: "Python 3.11 or newer with its venv is needed, and pip must reach its registry.",
    };
    tool.get(repo)?;
    fs::write(&stamp, &wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Checks that Python makes environments. Debian has a package of its own for that.
pub(crate) fn python_venv(repo: &Repo) -> Result<()> {
    let debian = &["python3-venv"];
    let tool = Tool {
        name: "Python's venv".to_owned(),
        purpose: "install Python packages in an environment of their own",
        find: &|| {
            succeeds(run::PYTHON, &["-c", "import ensurepip, venv"]).then(|| run::PYTHON.into())
        },
        install: system::install(repo, debian),
        by_hand: &by_hand(debian, "python3", "python"),
    };
    tool.get(repo).map(drop)
}

/// The program of tests/peers with the crates that are compared with pagekin, in a workspace of its
/// own.
pub(crate) fn crate_peers(repo: &Repo) -> Result<PathBuf> {
    let folder = repo.target("tools/peers");
    let program = folder.join("release/pagekin-peers").with_extension(env::consts::EXE_EXTENSION);
    if !program.is_file() {
        eprintln!("Compiling the crates of tests/peers, to compare them with pagekin:");
    }
    let mut build = repo.cargo(&["build", "--release", "--quiet", "--locked", "--manifest-path"]);
    build.arg(repo.path("tests/peers/Cargo.toml")).arg("--target-dir").arg(&folder);
    run::visible(&mut build)?;
    Ok(program)
}

const CARGO_PROGRAMS_BUILD: &str = "tools/build";

/// A program from a crate, in target/tools/bin. It is not optimized: the inputs are small, and
/// compiling takes longer than running.
fn cargo_program(repo: &Repo, package: &str, version: &str, purpose: &str) -> Result<PathBuf> {
    let program = package.trim_end_matches("-cli");
    let path = repo.target("tools/bin").join(program).with_extension(env::consts::EXE_EXTENSION);
    let find = || {
        let found = run::version(&path)?;
        let named = found.split_whitespace().nth(1)?;
        (named.trim_start_matches('v') == version).then(|| path.clone())
    };
    let mut install = command("cargo", ["install", package, "--version"]);
    install.arg(format!("={version}"));
    install.args(["--locked", "--debug", "--config", "profile.dev.debug=0", "--root"]);
    install.arg(repo.target("tools")).arg("--target-dir").arg(repo.target(CARGO_PROGRAMS_BUILD));
    let tool = Tool {
        name: format!("{package} {version}"),
        purpose,
        find: &find,
        install: vec![install],
        by_hand: "Check that cargo reaches its registry, then run this again.",
    };
    let path = tool.get(repo);
    // Only the installation needs these 500 MB.
    let _ = fs::remove_dir_all(repo.target(CARGO_PROGRAMS_BUILD));
    path
}

const NPM_QUIETLY: [&str; 4] = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];

/// A package from npm, in a folder of its own in target/tools. Returns that folder.
fn npm_package(repo: &Repo, package: &str, version: &str, purpose: &str) -> Result<PathBuf> {
    let folder = repo.target("tools/npm").join(package);
    let manifest = folder.join("node_modules").join(package).join("package.json");
    let find = || {
        let manifest: Value = serde_json::from_slice(&fs::read(&manifest).ok()?).ok()?;
        (manifest["version"] == version).then(|| folder.clone())
    };
    let mut install = command(run::NPM, ["install", "--no-save", "--no-package-lock"]);
    install.args(NPM_QUIETLY).arg("--prefix").arg(&folder).arg(format!("{package}@{version}"));
    if find().is_none() {
        node()?;
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let tool = Tool {
        name: format!("{package} {version}"),
        purpose,
        find: &find,
        install: vec![install],
        by_hand: "Check that npm reaches its registry, then run this again.",
    };
    tool.get(repo)
}

/// The version of a crate in Cargo.lock.
fn locked_version(repo: &Repo, package: &str) -> Result<String> {
    let path = repo.path("Cargo.lock");
    let lock =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = \""));
    let version = version.and_then(|rest| rest.strip_suffix('"'));
    version
        .map(str::to_owned)
        .with_context(|| format!("{} names no version of {package}", path.display()))
}

fn command<S: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}
