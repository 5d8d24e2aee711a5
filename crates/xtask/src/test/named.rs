//! `cargo xtask test NAME…`: searches the sources for tests by their names, and only compiles what
//! they need.

use std::path::{Path, PathBuf};
use std::{fs, iter};

use anyhow::{Context, Result, bail};
use regex::Regex;

use super::{browser_test_files, node_tests};
use crate::files::files;
use crate::repo::{EVERYTHING, Package, Repo};
use crate::{quick, run, tools, web};

/// Filters for the tests of a program: parts of their paths. None for all tests.
type Filters = Option<Vec<String>>;

pub(super) fn run(repo: &Repo, names: &[String]) -> Result<()> {
    let (mut units, mut end_to_end) = (Vec::new(), Vec::new());
    for package in &repo.packages {
        let sources = package.folder().join("src");
        if let Some(filters) = filters(repo, names, &package.name, &sources)? {
            units.push((package, filters));
        }
        for target in package.targets.iter().filter(|target| target.is("test")) {
            let is_named = names.iter().any(|name| package.name.contains(name));
            let folder = target.src_path.parent().filter(|_| target.src_path.ends_with("main.rs"));
            let sources = folder.unwrap_or(&target.src_path);
            let found = filters(repo, names, &target.name, sources)?;
            if let Some(filters) = if is_named { Some(None) } else { found } {
                end_to_end.push((target.name.as_str(), filters));
            }
        }
    }
    let browser = in_browser(repo, names)?;
    if units.is_empty() && end_to_end.is_empty() && browser.is_empty() {
        bail!(
            "no test has {} in its name, or in the name of its file or crate. \
             `cargo xtask test --only spark` runs Spark's tests",
            names.join(" or ")
        );
    }
    let has_program = |(package, _): &(&Package, _)| package.library().is_none();
    if !end_to_end.is_empty() || !browser.is_empty() || units.iter().any(has_program) {
        make_client(repo, browser.is_empty())?;
    }
    // A failure does not keep other tests from running.
    let mut failed = run_units(repo, &units);
    failed += run_end_to_end(repo, &end_to_end)?;
    if !browser.is_empty() {
        tools::browser_test_packages(repo)?;
        let (chromium, pagekin) = (tools::chromium(repo)?, repo.program_for_tests()?);
        for (file, title) in browser {
            let mut command = node_tests(repo, &pagekin, &chromium)?;
            command.args(title.map(|title| format!("--test-name-pattern={title}"))).arg(file);
            failed += usize::from(run::visible(&mut command).is_err());
        }
    }
    if failed > 0 {
        bail!("tests of {failed} programs or files failed; they are listed above");
    }
    Ok(())
}

/// Makes the client that programs embed: the quick one if the released one cannot be made and no
/// browser test needs it.
fn make_client(repo: &Repo, may_be_quick: bool) -> Result<()> {
    match tools::web(repo) {
        Err(error) if may_be_quick => {
            eprintln!("The tests run with the quick client. {error:#}");
            repo.use_client(&quick::build(repo)?);
            Ok(())
        }
        Err(error) => Err(error),
        Ok(_) => web::build(repo),
    }
}

/// The filters for the tests in some files; nothing if no test there has one of the names, and
/// neither has the file or the whole.
fn filters(repo: &Repo, names: &[String], whole: &str, sources: &Path) -> Result<Option<Filters>> {
    let pattern = r"#\[(?:\w+::)?test\](?:\s*#\[.*\])*\s*(?:pub )?(?:async )?fn (\w+)";
    let test = Regex::new(pattern)?;
    let all = names.iter().any(|name| whole.contains(name));
    let (mut found, mut has_tests) = (Vec::new(), false);
    for file in files(sources)?.iter().filter(|file| file.extension().is_some_and(|e| e == "rs")) {
        let text =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let tests: Vec<_> = test.captures_iter(&text).map(|found| found[1].to_owned()).collect();
        has_tests |= !tests.is_empty();
        let path = file.strip_prefix(repo.path(""))?.to_string_lossy().replace('\\', "/");
        for name in names {
            if !tests.is_empty() && path.contains(&**name) {
                found.push(module_of(file, sources));
            } else if tests.iter().any(|test| test.contains(&**name)) {
                found.push(name.clone());
            }
        }
    }
    Ok(if all && has_tests {
        Some(None)
    } else if found.is_empty() {
        None
    } else {
        // The root of a crate has no name to filter by.
        Some(Some(found).filter(|found| !found.iter().any(String::is_empty)))
    })
}

/// The path of the module in a file below a folder; empty for the root of the crate.
fn module_of(file: &Path, sources: &Path) -> String {
    let path = file.with_extension("");
    let names = path.strip_prefix(sources).unwrap_or(Path::new("")).iter();
    let names = names.filter_map(|name| name.to_str());
    names
        .filter(|name| !["lib", "main", "mod"].contains(name))
        .map(|name| format!("{name}::"))
        .collect()
}

/// Runs the unit tests of some packages; returns the number of commands that failed. The packages
/// without a library are named as well: Cargo builds nothing of them, but agrees on the features
/// of `cargo xtask test`, with which almost everything is compiled already.
fn run_units(repo: &Repo, units: &[(&Package, Filters)]) -> usize {
    let mut failed = 0;
    for (package, filters) in units {
        let mut command = repo.cargo(&["test", "--all-features", "--package", &package.name]);
        if package.library().is_some() {
            command.arg("--lib");
        }
        let programs = package.targets.iter().filter(|target| target.is("bin"));
        command.args(programs.flat_map(|program| ["--bin", &program.name]));
        for other in repo.packages.iter().filter(|other| other.library().is_none()) {
            command.args(["--package", &other.name]);
        }
        command.arg("--").args(filters.iter().flatten());
        failed += usize::from(run::visible(&mut command).is_err());
    }
    failed
}

fn run_end_to_end(repo: &Repo, tests: &[(&str, Filters)]) -> Result<usize> {
    if tests.is_empty() {
        return Ok(0);
    }
    let targets = || tests.iter().flat_map(|(name, _)| ["--test", *name]);
    let built =
        repo.built(repo.cargo(&["build", "--bin", "pagekin"]).args(EVERYTHING).args(targets()))?;
    let python = tools::python_reader(repo)?;
    let mut failed = 0;
    for (name, filters) in tests {
        let mut command = repo.cargo(&["test", "--test", name]);
        command.args(EVERYTHING).arg("--").args(filters.iter().flatten());
        command.env("PAGEKIN", built.program("pagekin")?).env("DUCKDB_PYTHON", &python);
        failed += usize::from(run::visible(&mut command).is_err());
    }
    Ok(failed)
}

/// The files of browser tests, with a pattern of the titles unless all tests of the file run.
fn in_browser(repo: &Repo, names: &[String]) -> Result<Vec<(PathBuf, Option<String>)>> {
    let title = Regex::new(r#"(?m)^\s*(?:test|it)\("([^"]*)""#)?;
    let mut chosen = Vec::new();
    for path in browser_test_files(repo)? {
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let has_name = |text: &str| names.iter().any(|name| text.contains(&**name));
        let mut titles = title.captures_iter(&text).filter(|title| has_name(&title[1])).peekable();
        if has_name(&path.strip_prefix(repo.path(""))?.to_string_lossy()) {
            chosen.push((path, None));
        } else if let Some(first) = titles.next() {
            let titles = iter::once(first).chain(titles).map(|title| regex::escape(&title[1]));
            let pattern = format!("^({})$", titles.collect::<Vec<_>>().join("|"));
            chosen.push((path, Some(pattern)));
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_by_their_names_and_their_files() {
        let repo = Repo::locate().unwrap();
        let sources = repo.path("crates/xtask/src");
        let found = |name: &str| filters(&repo, &[name.to_owned()], "xtask", &sources).unwrap();
        let own = "tests_are_found_by_their_names";
        assert_eq!(found(own), Some(Some(vec![own.to_owned()])));
        assert_eq!(found("test/named.rs"), Some(Some(vec!["test::named::".to_owned()])));
        assert_eq!(found("xtas"), Some(None));
        assert_eq!(found(&["no", "where"].concat()), None);
        let files = in_browser(&repo, &["offline.test".to_owned()]).unwrap();
        assert!(matches!(&files[..], [(path, None)] if path.ends_with("offline.test.mjs")));
    }
}
