//! `cargo xtask test`: what CI runs, in the order that fails soonest.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::repo::{Profile, Repo};
use crate::{dependencies, faults, package, run, sizes, tools, web};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run only these parts, in this program's order
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The code's layout, and what it depends on
    Fmt,
    /// The lints, natively and for the browser, with warnings as errors
    Clippy,
    /// Unit, property, end-to-end and documentation tests of the workspace
    Rust,
    /// Processes killed, disks full, files damaged: a few of what `cargo xtask faults` does
    Faults,
    /// The documentation builds without a warning
    Docs,
    /// The types of the JavaScript, and what the client costs to fetch
    Js,
    /// The packages that people install: made, installed and used
    Package,
    /// The demo and the JavaScript client in Chromium
    Browser,
    /// pagekin-spark, on this machine and on a cluster of which a worker is killed, finds what
    /// `pagekin cluster` finds
    Spark,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let wanted = |part| arguments.only.is_empty() || arguments.only.contains(&part);
    let mut steps = Steps::default();
    let result = run_parts(repo, &wanted, &mut steps);
    steps.summarise();
    result
}

fn run_parts(repo: &Repo, wanted: &dyn Fn(Part) -> bool, steps: &mut Steps) -> Result<()> {
    if wanted(Part::Fmt) || wanted(Part::Clippy) {
        steps.run("set-up: Rust components", || tools::rust_components(repo))?;
    }
    if wanted(Part::Fmt) {
        steps.cargo(repo, "layout", &["fmt", "--all", "--check"])?;
        steps.run("dependencies", || dependencies::check(repo))?;
    }
    let beyond_layout = [
        Part::Clippy,
        Part::Rust,
        Part::Faults,
        Part::Docs,
        Part::Js,
        Part::Package,
        Part::Browser,
        Part::Spark,
    ];
    if beyond_layout.into_iter().any(wanted) {
        steps.run("WebAssembly and client", || web::build(repo))?;
    }
    if wanted(Part::Clippy) {
        let deny = ["--", "--deny", "warnings"];
        let native = ["clippy", "--workspace", "--all-targets"];
        steps.cargo(repo, "lints", &[&native[..], &deny].concat())?;
        let browser = ["clippy", "--package", "pagekin-wasm", "--target", "wasm32-unknown-unknown"];
        steps.cargo(repo, "lints for the browser", &[&browser[..], &deny].concat())?;
        let lab = ["clippy", "--package", "pagekin-lab-wasm", "--target", "wasm32-unknown-unknown"];
        steps.cargo(repo, "lints for the browser, the lab", &[&lab[..], &deny].concat())?;
        let english = [&browser[..], &["--no-default-features"], &deny].concat();
        steps.cargo(repo, "lints for the browser, English only", &english)?;
    }
    if wanted(Part::Rust) {
        rust_tests(repo, steps)?;
    }
    if wanted(Part::Faults) {
        steps.run("faults", || faults::run_few(repo))?;
    }
    if wanted(Part::Docs) {
        steps.run("documentation", || {
            let mut command = repo.cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
            run::visible(command.env("RUSTDOCFLAGS", "--deny warnings"))
        })?;
    }
    if wanted(Part::Js) || wanted(Part::Package) || wanted(Part::Browser) {
        steps.run("set-up: npm packages", || tools::browser_test_packages(repo))?;
    }
    if wanted(Part::Js) {
        steps.run("types of the JavaScript", || javascript_types(repo))?;
        steps.run("sizes of the client", || sizes::check(repo))?;
    }
    if wanted(Part::Package) {
        let packages = steps.run("packages", || package::make(repo))?;
        steps.run("packages, installed", || package::try_out(repo, &packages))?;
    }
    if wanted(Part::Browser) {
        browser_tests(repo, steps)?;
    }
    if wanted(Part::Spark) {
        let python = steps.run("set-up: Spark", || tools::python_spark(repo))?;
        let pagekin = steps.run("the pagekin program", || repo.build_pagekin(Profile::Dev))?;
        steps.run("tests of pagekin-spark", || spark_tests(repo, &python, &pagekin))?;
    }
    Ok(())
}

fn rust_tests(repo: &Repo, steps: &mut Steps) -> Result<()> {
    let pagekin = steps.run("the pagekin program", || repo.build_pagekin(Profile::Dev))?;
    let python = steps.run("set-up: Python packages", || tools::python_reader(repo))?;
    let nextest = run::output(&mut repo.cargo(&["--list"]))?
        .lines()
        .any(|line| line.split_whitespace().next() == Some("nextest"));
    let runner: &[&str] = if nextest {
        &["nextest", "run", "--workspace", "--no-fail-fast"]
    } else {
        &["test", "--workspace", "--all-targets", "--no-fail-fast"]
    };
    steps.run("tests", || {
        run::visible(repo.cargo(runner).env("PAGEKIN", &pagekin).env("DUCKDB_PYTHON", &python))
    })?;
    let english = ["test", "--package", "pagekin-core", "--lib", "--no-default-features"];
    steps.cargo(repo, "tests of the core, English only", &[&english[..], &["index::"]].concat())?;
    steps.cargo(repo, "documentation tests", &["test", "--workspace", "--doc", "--quiet"])?;
    steps.run("examples", || examples(repo))
}

/// The example programs, by crate, and a part of what each prints on its own data.
const EXAMPLES: [(&str, &str, &str); 5] = [
    ("pagekin-core", "ask_an_index", "/kitchen/bread/sourdough.html"),
    ("pagekin-core", "compare_texts", "both: feed the starter"),
    ("pagekin-build", "index_in_memory", "100 % found  /garden/beans.html"),
    ("pagekin-build", "cluster_a_crawl", "4 URLs, 2 similar pairs, 2 clusters"),
    ("pagekin-build", "find_duplicates", "67 pages, 12 groups"),
];

/// Runs every example without arguments.
fn examples(repo: &Repo) -> Result<()> {
    for (package, example, expected) in EXAMPLES {
        let arguments = ["run", "--quiet", "--package", package, "--example", example];
        let printed = run::output(&mut repo.cargo(&arguments))?;
        if !printed.contains(expected) {
            bail!("expected {expected:?} from the example {example}, found:\n{printed}");
        }
    }
    let mut programs = 0;
    for folder in ["crates/pagekin-core/examples", "crates/pagekin-build/examples"] {
        let folder = repo.path(folder);
        programs +=
            folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))?.count();
    }
    if programs != EXAMPLES.len() {
        bail!("expected {} examples, found {programs}: add the new ones here", EXAMPLES.len());
    }
    Ok(())
}

fn javascript_types(repo: &Repo) -> Result<()> {
    let compiler = repo.path("tests/browser/node_modules/typescript/bin/tsc");
    let report = "crates/pagekin-build/src/duplicates/report/jsconfig.json";
    for project in ["www/jsconfig.json", report, "tests/browser/jsconfig.json"] {
        let mut command = Command::new(tools::node()?);
        run::visible(command.arg(&compiler).arg("--project").arg(repo.path(project)))?;
    }
    Ok(())
}

fn browser_tests(repo: &Repo, steps: &mut Steps) -> Result<()> {
    let chromium = steps.run("set-up: browser", || tools::chromium(repo))?;
    let driver = steps.run("set-up: browser's driver", || tools::chromedriver(repo))?;
    steps.run("tests of the WebAssembly", || wasm_tests(repo, &chromium, &driver))?;
    let pagekin = steps.run("the pagekin program", || repo.build_pagekin(Profile::Dev))?;
    steps.run("browser tests", || {
        let mut command = Command::new(tools::node()?);
        command
            .args(["--test", "--test-reporter=spec", "--test-timeout=300000"])
            .args(browser_test_files(repo)?)
            .current_dir(repo.path("tests/browser"))
            .env("PAGEKIN", &pagekin)
            .env("CHROMIUM", &chromium);
        run::visible(&mut command)
    })
}

fn spark_tests(repo: &Repo, python: &Path, pagekin: &Path) -> Result<()> {
    let crawl = repo.build_crawl(Profile::Dev)?;
    let mut command = Command::new(python);
    command
        .arg(repo.path("tests/spark/test_spark.py"))
        .env("PAGEKIN", pagekin)
        .env("CRAWL", crawl)
        .env("FOLDER", repo.emptied("spark-tests")?)
        .env("PYTHONPATH", repo.path("crates/pagekin-spark/src"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    run::visible(&mut command)
}

/// The tests of crates/pagekin-wasm in Chromium, compiled with overflow checks, unlike the modules
/// that are published.
fn wasm_tests(repo: &Repo, chromium: &Path, driver: &Path) -> Result<()> {
    // What the runner tells the driver of the browser; it looks for the file where it runs.
    let place = repo.emptied("wasm-tests")?;
    let arguments =
        ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];
    let browser = json!({ "goog:chromeOptions": { "binary": chromium, "args": arguments } });
    let path = place.join("webdriver.json");
    fs::write(&path, browser.to_string())
        .with_context(|| format!("cannot write {}", path.display()))?;
    let mut command = repo.cargo(&["test", "--package", "pagekin-wasm", "--test", "answers"]);
    command
        .args(["--target", "wasm32-unknown-unknown"])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", tools::wasm_test_runner(repo)?)
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

/// The steps so far, their times, and whether the last one failed.
#[derive(Default)]
struct Steps {
    done: Vec<(&'static str, Duration)>,
    failed: Option<&'static str>,
}

impl Steps {
    fn run<T>(&mut self, name: &'static str, step: impl FnOnce() -> Result<T>) -> Result<T> {
        eprintln!("== {name}");
        let start = Instant::now();
        let result = step();
        self.done.push((name, start.elapsed()));
        if result.is_err() {
            self.failed = Some(name);
        }
        result
    }

    fn cargo(&mut self, repo: &Repo, name: &'static str, arguments: &[&str]) -> Result<()> {
        self.run(name, || run::visible(&mut repo.cargo(arguments)))
    }

    fn summarise(&self) {
        eprintln!("== summary");
        for (name, time) in &self.done {
            eprintln!("{:>7.1} s  {name}", time.as_secs_f64());
        }
        let total: Duration = self.done.iter().map(|(_, time)| *time).sum();
        let end = match self.failed {
            Some(name) => format!("in all; failed: {name}"),
            None => "in all; everything passed".to_owned(),
        };
        eprintln!("{:>7.1} s  {end}", total.as_secs_f64());
    }
}
