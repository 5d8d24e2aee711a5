//! The checkout: its folders, its crates, and building its programs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs, io};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use crate::run;

/// The arguments of `cargo` for all builds, checks and documentation of tests. With fewer packages,
/// Cargo would agree on other features of dependencies, and compile most of them again.
pub(crate) const EVERYTHING: [&str; 2] = ["--workspace", "--all-features"];

/// The features of the program for pagekin-spark, which include Arrow.
pub(crate) const ON_SPARK: [&str; 3] = ["--no-default-features", "--features", "stage"];

/// The variable that names another client than `www/dist` to the build script of `pagekin`. Its
/// name does not begin with `PAGEKIN_`, as tests inherit it, and such variables are options.
pub(crate) const CLIENT_FOLDER: &str = "XTASK_CLIENT";

pub(crate) struct Repo {
    root: PathBuf,
    target: PathBuf,
    /// The folder of the client that programs are built with, if that is not `www/dist`.
    client: OnceLock<PathBuf>,
    pub(crate) packages: Vec<Package>,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    manifest_path: PathBuf,
    pub(crate) targets: Vec<Target>,
    pub(crate) dependencies: Vec<Dependency>,
    /// The registries that it may be published to. If empty, it is not published.
    publish: Option<Vec<String>>,
    pub(crate) metadata: Value,
}

/// A library, a program, a test or an example of a crate.
#[derive(Deserialize, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
    pub(crate) src_path: PathBuf,
}

#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `dev` or `build`, or none for a dependency of the crate itself.
    pub(crate) kind: Option<String>,
    /// Its folder, if it is in this repository.
    pub(crate) path: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Metadata {
    target_directory: PathBuf,
    packages: Vec<Package>,
}

impl Package {
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }

    pub(crate) fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|registries| !registries.is_empty())
    }

    pub(crate) fn library(&self) -> Option<&Target> {
        let programs = ["bin", "test", "bench", "example", "custom-build"];
        self.targets.iter().find(|target| !programs.iter().any(|kind| target.is(kind)))
    }
}

impl Target {
    pub(crate) fn is(&self, kind: &str) -> bool {
        self.kind.iter().any(|own| own == kind)
    }
}

/// The programs that Cargo built, as it reports them.
pub(crate) struct Built(Vec<Artifact>);

#[derive(Deserialize)]
pub(crate) struct Artifact {
    pub(crate) target: Target,
    profile: ArtifactProfile,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct ArtifactProfile {
    test: bool,
}

impl Built {
    /// The path of a program or an example.
    pub(crate) fn program(&self, name: &str) -> Result<&Path> {
        let mut programs = self.0.iter().filter(|made| !made.profile.test);
        let found = programs.find(|made| made.target.name == name && made.executable.is_some());
        found
            .and_then(|made| made.executable.as_deref())
            .with_context(|| format!("Cargo did not report the path of the program {name}"))
    }

    /// The programs that run tests or benches.
    pub(crate) fn tests(&self) -> impl Iterator<Item = (&Artifact, &Path)> {
        let tests = self.0.iter().filter(|made| made.profile.test);
        tests.filter_map(|made| Some((made, made.executable.as_deref()?)))
    }
}

const OWN_FOLDER: &str = "crates/xtask";

/// The repository that contains a folder.
fn root_around(folder: &Path) -> Result<PathBuf> {
    let found = folder.ancestors().find(|folder| folder.join(OWN_FOLDER).is_dir());
    let found = found.map(Path::to_owned);
    found.with_context(|| format!("expected a checkout of pagekin around {}", folder.display()))
}

/// Refuses a program of another checkout: Cargo considers it fresh in a checkout that was copied
/// with its target folder, and in checkouts that share one.
fn check_origin(built_in: &Path, root: &Path) -> Result<()> {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if whole(built_in) != whole(&root.join(OWN_FOLDER)) {
        bail!(
            "expected an xtask that was built in {}, found one of {}: `cargo clean --package \
             xtask` makes Cargo build it again",
            root.display(),
            built_in.display()
        );
    }
    Ok(())
}

impl Repo {
    /// Finds the checkout that contains the current folder, and its target folder.
    pub(crate) fn locate() -> Result<Self> {
        let of_cargo = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let root = root_around(&of_cargo.map_or_else(env::current_dir, Ok)?)?;
        check_origin(Path::new(env!("CARGO_MANIFEST_DIR")), &root)?;
        let mut command = Command::new("cargo");
        command.args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(&root);
        let metadata: Metadata = serde_json::from_str(&run::output(&mut command)?)?;
        Ok(Self {
            target: metadata.target_directory,
            packages: metadata.packages,
            client: OnceLock::new(),
            root,
        })
    }

    /// Makes all later Cargo commands build programs with the client in this folder.
    pub(crate) fn use_client(&self, folder: &Path) {
        self.client.get_or_init(|| folder.to_owned());
    }

    /// Whether programs contain another client than `www/dist`.
    pub(crate) fn has_other_client(&self) -> bool {
        self.client.get().is_some()
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// A path below Cargo's target folder, which contains everything that is built or fetched.
    pub(crate) fn target(&self, relative: &str) -> PathBuf {
        self.target.join(relative)
    }

    pub(crate) fn package(&self, name: &str) -> Result<&Package> {
        let found = self.packages.iter().find(|package| package.name == name);
        found.with_context(|| format!("there is no crate {name} in the workspace"))
    }

    /// The names of the programs of the workspace, except this one, which is running.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &str> {
        let packages = self.packages.iter();
        let targets = packages.flat_map(|package| package.targets.iter());
        let programs = targets.filter(|target| target.is("bin")).map(|target| target.name.as_str());
        programs.filter(|&name| name != env!("CARGO_PKG_NAME"))
    }

    /// The names of the programs whose documentation is not in the folder of a library.
    pub(crate) fn documented_programs(&self) -> impl Iterator<Item = &str> {
        self.programs().filter(|name| {
            let name = name.replace('-', "_");
            let mut libraries = self.packages.iter().filter_map(Package::library);
            libraries.all(|library| library.name.replace('-', "_") != name)
        })
    }

    /// The files of a name that Git tracks.
    pub(crate) fn tracked(&self, name: &str) -> Result<Vec<PathBuf>> {
        let mut git = Command::new("git");
        git.args(["ls-files", &format!(":(glob)**/{name}")]).current_dir(&self.root);
        let found: Vec<_> = run::output(&mut git)?.lines().map(|path| self.path(path)).collect();
        if found.is_empty() {
            bail!("expected a file {name}, found none that Git tracks");
        }
        Ok(found)
    }

    /// Creates an empty folder below Cargo's target folder. Removes an earlier one.
    pub(crate) fn emptied(&self, relative: &str) -> Result<PathBuf> {
        let folder = self.target(relative);
        let empty = match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs::create_dir_all(&folder),
        };
        empty.with_context(|| format!("cannot empty {}", folder.display()))?;
        Ok(folder)
    }

    /// A cargo command, run at the root of the repository. In CI, it stores nothing for incremental
    /// builds and no lines for backtraces, which halves the target folder.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(&self.root);
        if let Some(folder) = self.client.get() {
            command.env(CLIENT_FOLDER, folder);
        }
        if env::var_os("CI").is_some() {
            for name in ["CARGO_INCREMENTAL", "CARGO_PROFILE_DEV_DEBUG"] {
                if env::var_os(name).is_none() {
                    command.env(name, "0");
                }
            }
        }
        command
    }

    /// Runs a cargo command that builds, and returns the programs.
    pub(crate) fn built(&self, command: &mut Command) -> Result<Built> {
        let messages = run::output(command.arg("--message-format=json-render-diagnostics"))?;
        let mut made = Vec::new();
        for line in messages.lines() {
            let message: Value = serde_json::from_str(line)?;
            if message["reason"] == "compiler-artifact" {
                made.push(serde_json::from_value(message)?);
            }
        }
        Ok(Built(made))
    }

    /// Builds the `pagekin` program as the tests use it, with the features that only tests enable:
    /// Cargo adds them if it builds an example. `www/dist` must exist: the program contains it.
    pub(crate) fn program_for_tests(&self) -> Result<PathBuf> {
        Ok(self.built(&mut self.build_for_tests()?)?.program("pagekin")?.to_owned())
    }

    pub(crate) fn build_for_tests(&self) -> Result<Command> {
        let mut command = self.cargo(&["build", "--bin", "pagekin"]);
        command.args(EVERYTHING).args(["--example", self.an_example()?]);
        Ok(command)
    }

    fn an_example(&self) -> Result<&str> {
        let mut targets = self.packages.iter().flat_map(|package| &package.targets);
        let example = targets.find(|target| target.is("example"));
        Ok(&example.context("no crate has an example")?.name)
    }

    /// Builds the optimized `pagekin` program, and returns its path. `www/dist` must exist.
    pub(crate) fn optimized_pagekin(&self) -> Result<PathBuf> {
        self.optimized("pagekin", "pagekin", &[])
    }

    /// The same with the stages of a crawl, and without the commands for sites.
    pub(crate) fn optimized_stages(&self) -> Result<PathBuf> {
        self.optimized("pagekin", "pagekin", &ON_SPARK)
    }

    /// Builds an optimized program of `tests/`, and returns its path.
    pub(crate) fn optimized_of_tests(&self, program: &str) -> Result<PathBuf> {
        self.optimized("pagekin-tests", program, &[])
    }

    fn optimized(&self, package: &str, program: &str, features: &[&str]) -> Result<PathBuf> {
        let mut command = self.cargo(&["build", "--release", "--package", package]);
        command.args(features);
        let built = self.built(command.args(["--bin", program]))?;
        Ok(built.program(program)?.to_owned())
    }

    /// Builds a bench of `tests/`, and returns the path of its program.
    pub(crate) fn optimized_bench(&self, bench: &str) -> Result<PathBuf> {
        let mut command = self.cargo(&["bench", "--no-run", "--quiet"]);
        let built = self.built(command.args(["--package", "pagekin-tests", "--bench", bench]))?;
        let found = built.tests().find(|(made, _)| made.target.name == bench);
        let (_, program) = found.with_context(|| format!("Cargo names no program of {bench}"))?;
        Ok(program.to_owned())
    }

    /// The crates of the workspace in the build of a package with some features, including itself.
    pub(crate) fn crates_of(&self, package: &str, features: &[&str]) -> Result<Vec<&Package>> {
        let mut tree = self.cargo(&["tree", "--quiet", "--package", package]);
        tree.args(["--edges", "normal", "--prefix", "none", "--format", "{p}"]).args(features);
        let needed = run::output(&mut tree)?;
        let names: BTreeSet<_> =
            needed.lines().filter_map(|line| line.split_whitespace().next()).collect();
        let own = self.packages.iter();
        Ok(own.filter(|package| names.contains(package.name.as_str())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_only_works_on_the_checkout_around_it() {
        let own = env::current_dir().unwrap();
        let root = root_around(&own.join("src")).unwrap();
        assert_eq!(root.join(OWN_FOLDER), own);
        assert!(root_around(&env::temp_dir()).is_err());
        check_origin(&own, &root).unwrap();
        let message = check_origin(&root.join("other/xtask"), &root).unwrap_err().to_string();
        assert!(message.contains("cargo clean --package xtask"), "{message}");
    }
}
