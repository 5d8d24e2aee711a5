//! `cargo xtask test`: the checks of CI, in the order that fails soonest; or the tests of a name.
//!
//! [`steps`] measures the parts and compares them with their budgets. [`named`] finds tests by
//! their names. If a tool cannot be installed, its tests are skipped, and the summary lists them.

mod named;
mod steps;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::{fs, thread};

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::repo::{Built, EVERYTHING, Repo};
use crate::{dependencies, faults, own_site, package, quick, run, sizes, tidy, tools, web};
use steps::Steps;

/// Long tests run if this variable is set.
const ALL: &str = "PAGEKIN_ALL";
/// The tests that only pass with the released client.
const OF_RELEASED_CLIENT: &str = "tests of packages, in a browser, of offline bundles and of mirrors: the quick client is tested";
/// Parts of the names of such tests of the workspace: of bundles and mirrors, and of the number and
/// sizes of files.
const NAMES_OF_RELEASED_CLIENT: [&str; 9] = [
    "a_truncated_write",
    "an_output_contains_what_a_site_needs",
    "a_site_gets_the_module_for_its_languages",
    "nothing_else_loads_a_component",
    "mirror",
    "offline",
    "on_several_hosts",
    "outputs_are_written_through_links",
    "outputs_are_readable_whatever_the_umask",
];
/// Parts of the paths of pagekin-spark and of the stages that it runs.
const OF_SPARK: [&str; 2] = ["spark", "stage"];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run only the tests with one of these in their names, or in those of their files or crates
    #[arg(value_name = "NAME", conflicts_with_all = ["only", "all"])]
    names: Vec<String>,
    /// Run only these parts, in this program's order
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Also run long checks: all tests, many faults, the packages with the released program, and
    /// Spark
    #[arg(long)]
    all: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The layout and order of the code, and its dependencies
    Fmt,
    /// The lints, natively and for the browser, with warnings as errors
    Clippy,
    /// Unit, property, end-to-end and documentation tests of the workspace
    Rust,
    /// A few killed processes, full disks and damaged files, as `cargo xtask faults`
    Faults,
    /// The documentation builds without a warning
    Docs,
    /// The types of the JavaScript, and the sizes of the client
    Js,
    /// The packages that people install: built, installed and used
    Package,
    /// The demo, the JavaScript client and pagekin's own site in Chromium
    Browser,
    /// pagekin-spark finds the same as `pagekin crawl cluster`; by default only if the branch
    /// changes it
    Spark,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    if !arguments.names.is_empty() {
        return named::run(repo, &arguments.names);
    }
    // The budgets are for a whole run, in which the first part that needs a crate compiles it.
    let landing = !arguments.all && arguments.only.is_empty();
    let steps = if landing { Steps::with_budgets(repo)? } else { Steps::new() };
    let mut check = Check { repo, arguments, steps, built: None };
    let result = check.run();
    check.steps.summarize();
    result
}

struct Check<'a> {
    repo: &'a Repo,
    arguments: &'a Arguments,
    steps: Steps,
    /// None until they are needed.
    built: Option<Rc<Built>>,
}

impl Check<'_> {
    fn wants(&self, part: Part) -> bool {
        let Arguments { only, all, .. } = self.arguments;
        match part {
            // They take longer than all others, so they only run if they may fail.
            Part::Spark if only.is_empty() => *all || lands(self.repo, &OF_SPARK),
            _ => only.is_empty() || only.contains(&part),
        }
    }

    fn wants_any(&self, parts: &[Part]) -> bool {
        parts.iter().any(|&part| self.wants(part))
    }

    fn run(&mut self) -> Result<()> {
        let repo = self.repo;
        let mut has_components = false;
        if self.wants_any(&[Part::Fmt, Part::Clippy]) {
            let name = "set-up: Rust components";
            let set_up = || tools::rust_components(repo);
            has_components = self.steps.set_up(name, "lints and layout", set_up)?.is_some();
        }
        if self.wants(Part::Fmt) {
            if has_components {
                self.steps.cargo(repo, "layout", &["fmt", "--all", "--check"])?;
            }
            self.steps.run("dependencies", || dependencies::check(repo))?;
            self.steps.run("tidy", || tidy::run(repo))?;
        }
        if self.arguments.only != [Part::Fmt] {
            self.client()?;
        }
        if self.wants(Part::Clippy) && has_components {
            self.clippy()?;
        }
        if self.wants(Part::Rust) {
            self.rust_tests()?;
        }
        if self.wants(Part::Faults) {
            self.faults()?;
        }
        if self.wants(Part::Docs) {
            self.steps.run("documentation", || documentation(repo))?;
        }
        if !repo.has_other_client() {
            self.client_tests()?;
        }
        if self.wants(Part::Spark) {
            self.spark_tests()?;
        } else if self.arguments.only.is_empty() {
            eprintln!(
                "Spark is not tested, as this branch does not change it: use `--only spark` or `--all`"
            );
        }
        Ok(())
    }

    /// Builds the client that programs contain: the quick one if the tools of a release are
    /// missing.
    fn client(&mut self) -> Result<()> {
        let repo = self.repo;
        let name = "set-up: tools for WebAssembly";
        let tools = self.steps.set_up(name, OF_RELEASED_CLIENT, || tools::web(repo))?;
        if tools.is_some() {
            return self.steps.run("WebAssembly and client", || web::build(repo));
        }
        let folder = self.steps.run("quick client", || quick::build(repo))?;
        repo.use_client(&folder);
        Ok(())
    }

    /// The parts that need the released client.
    fn client_tests(&mut self) -> Result<()> {
        let repo = self.repo;
        if self.wants_any(&[Part::Js, Part::Package, Part::Browser]) {
            let name = "set-up: npm packages";
            let set_up = || tools::browser_test_packages(repo);
            let tests = "types of the JavaScript, tests of packages and in a browser";
            if self.steps.set_up(name, tests, set_up)?.is_none() {
                return Ok(());
            }
        }
        if self.wants(Part::Js) {
            self.steps.run("types of the JavaScript", || javascript_types(repo))?;
            self.steps.run("sizes of the client", || sizes::check(repo))?;
        }
        if self.wants(Part::Package) {
            self.packages()?;
        }
        if self.wants(Part::Browser) {
            self.browser_tests()?;
        }
        Ok(())
    }

    fn clippy(&mut self) -> Result<()> {
        let repo = self.repo;
        let deny = ["--", "--deny", "warnings"];
        let native = [&["clippy", "--all-targets"][..], &EVERYTHING, &deny].concat();
        self.steps.cargo(repo, "lints", &native)?;
        let browser = ["clippy", "--target", tools::WASM_TARGET, "--package", "pagekin-wasm"];
        let both = [&browser[..], &["--package", "pagekin-lab-wasm"], &deny].concat();
        self.steps.cargo(repo, "lints for the browser", &both)?;
        let english = [&browser[..], &["--no-default-features"], &deny].concat();
        self.steps.cargo(repo, "lints for the browser, English only", &english)?;
        let for_spark = ["check", "--package", "pagekin", "--no-default-features", "--features"];
        self.steps.cargo(repo, "program for Spark", &[&for_spark[..], &["stage"]].concat())
    }

    /// The programs, examples and tests that the parts run, compiled with one command.
    fn built(&mut self) -> Result<Rc<Built>> {
        if let Some(built) = &self.built {
            return Ok(Rc::clone(built));
        }
        let (repo, rust) = (self.repo, self.wants(Part::Rust));
        let built = self.steps.run("programs and tests, compiled", || {
            let mut command = repo.cargo(&["build"]);
            command.args(EVERYTHING).args(repo.programs().flat_map(|program| ["--bin", program]));
            command.args(if rust { &["--tests", "--examples"][..] } else { &["--examples"] });
            repo.built(&mut command)
        })?;
        Ok(Rc::clone(self.built.insert(Rc::new(built))))
    }

    fn rust_tests(&mut self) -> Result<()> {
        let (repo, all) = (self.repo, self.arguments.all);
        let built = self.built()?;
        let name = "set-up: Python packages";
        let tests = "tests that read pagekin's files with DuckDB";
        let python = self.steps.set_up(name, tests, || tools::python_reader(repo))?;
        let nextest = run::output(&mut repo.cargo(&["--list"]))?
            .lines()
            .any(|line| line.split_whitespace().next() == Some("nextest"));
        // Clippy compiles the benches. Running them would not test anything.
        let runner = if nextest { &["nextest", "run"][..] } else { &["test"] };
        let what = ["--lib", "--bins", "--tests", "--no-fail-fast"];
        let pagekin = built.program("pagekin")?;
        self.steps.run("tests", || {
            let mut command = repo.cargo(runner);
            command.args(EVERYTHING).args(what).env("PAGEKIN", pagekin);
            command.envs(python.map(|python| ("DUCKDB_PYTHON", python)));
            if repo.has_other_client() {
                command.arg("--");
                command.args(NAMES_OF_RELEASED_CLIENT.iter().flat_map(|name| ["--skip", name]));
            }
            run::visible(with_long(&mut command, all))
        })?;
        let english = ["test", "--package", "pagekin-core", "--lib", "--no-default-features"];
        let english = [&english[..], &["index::"]].concat();
        self.steps.cargo(repo, "tests of the core, English only", &english)?;
        let documentation = [&["test", "--doc", "--quiet"][..], &EVERYTHING].concat();
        self.steps.cargo(repo, "documentation tests", &documentation)?;
        self.steps.run("examples", || examples(repo, &built))
    }

    fn faults(&mut self) -> Result<()> {
        let (repo, all) = (self.repo, self.arguments.all);
        let tests = "builds killed at their system calls, and full disks";
        let strace = self.steps.set_up("set-up: strace", tests, || tools::strace(repo))?;
        let Some(strace) = strace else { return Ok(()) };
        let built = self.built()?;
        let (faults, pagekin) = (built.program("faults")?, built.program("pagekin")?);
        self.steps.run("faults", || faults::run_few(faults, pagekin, &strace))?;
        if all {
            self.steps.run("many faults", || faults::run_optimized(repo, &strace, &[]))?;
        }
        Ok(())
    }

    fn packages(&mut self) -> Result<()> {
        let (repo, all) = (self.repo, self.arguments.all);
        let name = "set-up: tools for packages";
        if self.steps.set_up(name, "tests of packages", || package::set_up(repo))?.is_none() {
            return Ok(());
        }
        let packages = if all {
            self.steps.run("modules of a release", || web::check_release(repo))?;
            self.steps.run("packages", || package::make(repo))?
        } else {
            let built = self.built()?;
            let pagekin = built.program("pagekin")?;
            self.steps.run("packages", || package::make_around(repo, pagekin))?
        };
        self.steps.run("packages, installed", || package::try_out(repo, &packages))
    }

    fn browser_tests(&mut self) -> Result<()> {
        let (repo, all) = (self.repo, self.arguments.all);
        let name = "set-up: browser";
        let tests = "browser tests, pagekin's own site";
        let Some(chromium) = self.steps.set_up(name, tests, || tools::chromium(repo))? else {
            return Ok(());
        };
        let name = "set-up: browser's driver and wasm-bindgen";
        let driver = self.steps.set_up(name, "tests of the WebAssembly by itself", || {
            Ok((tools::chromedriver(repo)?, tools::wasm_test_runner(repo)?))
        })?;
        if let Some((driver, runner)) = driver {
            let run = || wasm_tests(repo, &runner, &chromium, &driver);
            self.steps.run("tests of the WebAssembly", run)?;
        }
        let quick =
            self.steps.run("program with the quick client", || quick::program_for_tests(repo))?;
        self.steps.run("demo with the quick client", || {
            let mut command = node_tests(repo, &quick, &chromium)?;
            run::visible(command.arg(repo.path(DEMO_TESTS)))?;
            quick::expect_refusal(repo, &quick)
        })?;
        // It replaced the program that was built before.
        self.built = None;
        let built = self.built()?;
        let pagekin = built.program("pagekin")?;
        let files = browser_test_files(repo)?;
        self.steps.run("browser tests", || {
            let mut command = node_tests(repo, pagekin, &chromium)?;
            run::visible(with_long(command.args(files), all))
        })?;
        let set_up = || own_site::set_up(repo);
        if self.steps.set_up("set-up: site generator", "pagekin's own site", set_up)?.is_some() {
            self.steps.run("own site", || own_site::check(repo, pagekin, &chromium))?;
        }
        Ok(())
    }

    fn spark_tests(&mut self) -> Result<()> {
        let (repo, all) = (self.repo, self.arguments.all);
        let set_up = || tools::python_spark(repo);
        let Some(python) = self.steps.set_up("set-up: Spark", "tests of Spark", set_up)? else {
            return Ok(());
        };
        let built = self.built()?;
        let (pagekin, crawl) = (built.program("pagekin")?, built.program("crawl")?);
        self.steps.run("tests of pagekin-spark", || spark_tests(repo, &python, pagekin, crawl, all))
    }
}

/// Tests of the demo page.
const DEMO_TESTS: &str = "tests/browser/demo.test.mjs";

/// Whether the branch changes a file with one of these words in its path, compared with `origin`.
/// True if Git does not know.
fn lands(repo: &Repo, words: &[&str]) -> bool {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        let output = git.args(arguments).current_dir(repo.path("")).stderr(Stdio::null()).output();
        output.ok().filter(|output| output.status.success()).map(|output| output.stdout)
    };
    let changed = git(&["merge-base", "HEAD", "origin/HEAD"])
        .and_then(|base| git(&["diff", "--name-only", String::from_utf8_lossy(&base).trim()]));
    changed.is_none_or(|paths| {
        let paths = String::from_utf8_lossy(&paths);
        paths.lines().any(|path| words.iter().any(|word| path.contains(word)))
    })
}

/// Also runs long tests.
fn with_long(command: &mut Command, all: bool) -> &mut Command {
    if all { command.env(ALL, "1") } else { command }
}

/// The example programs, and a part of the output of each.
const EXAMPLES: [(&str, &str); 5] = [
    ("ask_an_index", "/kitchen/bread/sourdough.html"),
    ("compare_texts", "both: feed the starter"),
    ("index_in_memory", "coverage 100%  /garden/beans.html"),
    ("cluster_a_crawl", "4 URLs, 2 similar pairs, 2 clusters"),
    ("find_duplicates", "67 pages, 12 groups"),
];

/// Runs every example without arguments.
fn examples(repo: &Repo, built: &Built) -> Result<()> {
    let targets = repo.packages.iter().flat_map(|package| &package.targets);
    for example in targets.filter(|target| target.is("example")) {
        let known = EXAMPLES.iter().find(|(name, _)| *name == example.name);
        let (name, expected) = known.with_context(|| {
            format!("crates/xtask/src/test.rs does not list the example {}", example.name)
        })?;
        let mut command = Command::new(built.program(name)?);
        let printed = run::output(command.current_dir(repo.path("")))?;
        if !printed.contains(expected) {
            bail!("expected {expected:?} from the example {name}, found:\n{printed}");
        }
    }
    Ok(())
}

/// Builds the documentation of the workspace and of the examples. With the examples, dependencies
/// have the features of tests, with which Clippy has compiled them already.
fn documentation(repo: &Repo) -> Result<()> {
    let mut command = repo.cargo(&["doc", "--no-deps", "--quiet", "--lib"]);
    command
        .args(EVERYTHING)
        .args(repo.documented_programs().flat_map(|program| ["--bin", program]));
    run::visible(command.arg("--examples").env("RUSTDOCFLAGS", "--deny warnings"))
}

fn javascript_types(repo: &Repo) -> Result<()> {
    let compiler = repo.path("tests/browser/node_modules/typescript/bin/tsc");
    for project in repo.tracked("jsconfig.json")? {
        let mut command = Command::new(tools::node()?);
        run::visible(command.arg(&compiler).arg("--project").arg(project))?;
    }
    Ok(())
}

/// Node.js's test runner, without files.
fn node_tests(repo: &Repo, pagekin: &Path, chromium: &Path) -> Result<Command> {
    let mut command = Command::new(tools::node()?);
    let processors = thread::available_parallelism().map_or(1, usize::from);
    command
        .args(["--test", "--test-reporter=spec", "--test-timeout=300000"])
        .arg(format!("--test-concurrency={processors}"))
        .current_dir(repo.path("tests/browser"))
        .env("PAGEKIN", pagekin)
        .env("CHROMIUM", chromium);
    Ok(command)
}

fn spark_tests(repo: &Repo, python: &Path, pagekin: &Path, crawl: &Path, all: bool) -> Result<()> {
    let mut command = Command::new(python);
    command
        .arg(repo.path("tests/spark/test_spark.py"))
        .env("PAGEKIN", pagekin)
        .env("CRAWL", crawl)
        .env("FOLDER", repo.emptied("spark-tests")?)
        .env("PYTHONPATH", repo.path("crates/pagekin-spark/src"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    run::visible(with_long(&mut command, all))
}

/// The tests of crates/pagekin-wasm in Chromium, with overflow checks, unlike the published
/// modules.
fn wasm_tests(repo: &Repo, runner: &Path, chromium: &Path, driver: &Path) -> Result<()> {
    // The options of the browser: the runner passes them to the driver.
    let place = repo.emptied("wasm-tests")?;
    let arguments =
        ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];
    let browser = json!({ "goog:chromeOptions": { "binary": chromium, "args": arguments } });
    let path = place.join("webdriver.json");
    fs::write(&path, browser.to_string())
        .with_context(|| format!("cannot write {}", path.display()))?;
    let mut command = repo.cargo(&["test", "--package", "pagekin-wasm", "--test", "answers"]);
    command
        .args(["--target", tools::WASM_TARGET])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", &path)
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
        .env("CHROMEDRIVER", driver);
    run::visible(&mut command)
}

fn browser_test_files(repo: &Repo) -> Result<Vec<PathBuf>> {
    let folder = repo.path("tests/browser");
    let mut files = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("expected *.test.mjs files in {}, found none", folder.display());
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_that_need_the_released_client_exist() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tests");
        let sources: Vec<_> = crate::files::files(&folder)
            .unwrap()
            .into_iter()
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        for name in NAMES_OF_RELEASED_CLIENT {
            let contains = |source: &String| {
                source.lines().any(|line| line.starts_with("fn ") && line.contains(name))
                    || source.contains(&format!("mod {name}"))
            };
            assert!(sources.iter().any(contains), "{name}");
        }
    }
}
