//! `cargo xtask test NAME…`: the tests of a name are found in the sources, so that only what they
//! need is compiled.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, mem};

use anyhow::{Context, Result, bail};

use super::{browser_test_files, node_tests};
use crate::repo::{Built, EVERYTHING, Package, Repo, Target};
use crate::{quick, run, tools, web};

/// A target of Cargo with tests, and which of them are asked for.
struct Chosen<'a> {
    package: &'a Package,
    target: &'a Target,
    /// None for all.
    tests: Option<Vec<String>>,
}

/// A file for Node.js's test runner.
struct ChosenFile {
    path: PathBuf,
    /// The titles of its tests that are asked for; none for all.
    titles: Option<Vec<String>>,
}

pub(super) fn run(repo: &Repo, names: &[String]) -> Result<()> {
    let has_name = |text: &str| names.iter().any(|name| text.contains(name));
    let rust = in_crates(repo, &has_name)?;
    let browser = in_browser_tests(repo, &has_name)?;
    if rust.is_empty() && browser.is_empty() {
        bail!(
            "expected a test with {} in its name, or in that of its file or crate, found none. \
             Spark's tests are run by `cargo xtask test --only spark`",
            names.join(" or ")
        );
    }
    let (end_to_end, units): (Vec<_>, Vec<_>) =
        rust.into_iter().partition(|chosen| chosen.target.is("test"));
    let embeds = |chosen: &Chosen<'_>| chosen.target.is("bin");
    if !end_to_end.is_empty() || !browser.is_empty() || units.iter().any(embeds) {
        make_client(repo, browser.is_empty())?;
    }
    // As many as there are are run, so that all that fail are seen.
    let mut failed = Vec::new();
    if !units.is_empty() {
        run_rust(&units, &build_units(repo, &units)?, None, &mut failed)?;
    }
    if !end_to_end.is_empty() {
        let built = build_end_to_end(repo, &end_to_end)?;
        let python = tools::python_reader(repo)?;
        let program = Some((built.program("pagekin")?, python.as_path()));
        run_rust(&end_to_end, &built, program, &mut failed)?;
    }
    if !browser.is_empty() {
        tools::browser_test_packages(repo)?;
        let (chromium, pagekin) = (tools::chromium(repo)?, repo.program_for_tests()?);
        run_in_browser(repo, &browser, &chromium, &pagekin, &mut failed)?;
    }
    if !failed.is_empty() {
        bail!("tests failed: {}", failed.join(", "));
    }
    Ok(())
}

/// Makes the client that programs carry: the quick one where a released one cannot be made and no
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

/// The unit and end-to-end tests.
fn in_crates<'a>(repo: &'a Repo, has_name: &dyn Fn(&str) -> bool) -> Result<Vec<Chosen<'a>>> {
    let mut chosen = Vec::new();
    for package in &repo.packages {
        let of_package = has_name(&package.name);
        for target in &package.targets {
            if ["bench", "example", "custom-build"].iter().any(|kind| target.is(kind)) {
                continue;
            }
            if of_package || (target.is("test") && has_name(&target.name)) {
                chosen.push(Chosen { package, target, tests: None });
                continue;
            }
            let mut tests = Vec::new();
            for module in modules(&target.src_path)? {
                let path = module.file.strip_prefix(repo.path(""))?.to_string_lossy().into_owned();
                let of_file = has_name(&path);
                tests.extend(module.tests.into_iter().filter(|test| of_file || has_name(test)));
            }
            if !tests.is_empty() {
                chosen.push(Chosen { package, target, tests: Some(tests) });
            }
        }
    }
    // What is chosen as a whole may have nothing.
    let mut with_tests = Vec::new();
    for one in chosen {
        let any = match &one.tests {
            None => modules(&one.target.src_path)?.iter().any(|module| !module.tests.is_empty()),
            Some(_) => true,
        };
        if any {
            with_tests.push(one);
        }
    }
    Ok(with_tests)
}

fn in_browser_tests(repo: &Repo, has_name: &dyn Fn(&str) -> bool) -> Result<Vec<ChosenFile>> {
    let mut chosen = Vec::new();
    for path in browser_test_files(repo)? {
        let relative = path.strip_prefix(repo.path(""))?.to_string_lossy().into_owned();
        if has_name(&relative) {
            chosen.push(ChosenFile { path, titles: None });
            continue;
        }
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let titles: Vec<_> =
            titles(&text).filter(|title| has_name(title)).map(str::to_owned).collect();
        if !titles.is_empty() {
            chosen.push(ChosenFile { path, titles: Some(titles) });
        }
    }
    Ok(chosen)
}

/// The titles of the tests in a script.
fn titles(script: &str) -> impl Iterator<Item = &str> {
    script.lines().filter_map(|line| {
        let call = ["test(\"", "it(\""].iter().find_map(|call| line.trim().strip_prefix(call))?;
        Some(call.split_once('"')?.0)
    })
}

/// Builds the unit tests of some crates. The crates that are programs only are named as well:
/// nothing of them is built, but what they need is part of what Cargo agrees on, so that nearly all
/// has the features of `cargo xtask test` and is compiled already.
fn build_units(repo: &Repo, chosen: &[Chosen<'_>]) -> Result<Built> {
    let mut command = repo.cargo(&["test", "--no-run", "--all-features"]);
    for chosen in chosen {
        command.args(["--package", &chosen.package.name]);
        if chosen.target.is("bin") {
            command.args(["--bin", &chosen.target.name]);
        }
    }
    // Cargo takes it once.
    if chosen.iter().any(|chosen| !chosen.target.is("bin")) {
        command.arg("--lib");
    }
    for package in repo.packages.iter().filter(|package| package.library().is_none()) {
        command.args(["--package", &package.name]);
    }
    repo.built(&mut command)
}

/// Builds end-to-end tests and the program that they try, likewise.
fn build_end_to_end(repo: &Repo, chosen: &[Chosen<'_>]) -> Result<Built> {
    let mut command = repo.cargo(&["build", "--bin", "pagekin"]);
    command.args(EVERYTHING).args(chosen.iter().flat_map(|chosen| ["--test", &chosen.target.name]));
    repo.built(&mut command)
}

/// Runs tests where Cargo would.
fn run_rust(
    chosen: &[Chosen<'_>],
    built: &Built,
    program: Option<(&Path, &Path)>,
    failed: &mut Vec<String>,
) -> Result<()> {
    for Chosen { package, target, tests } in chosen {
        let mut made = built.tests().filter(|(made, _)| made.target == **target);
        let (_, test) =
            made.next().with_context(|| format!("Cargo made no tests of {}", target.name))?;
        eprintln!("== {}: {}", package.name, target.name);
        let mut command = Command::new(test);
        command.args(tests.iter().flatten()).current_dir(package.folder());
        command.env("CARGO_MANIFEST_DIR", package.folder());
        if let Some((pagekin, python)) = program {
            command.env("PAGEKIN", pagekin).env("DUCKDB_PYTHON", python);
        }
        if run::visible(&mut command).is_err() {
            failed.push(target.name.clone());
        }
    }
    Ok(())
}

fn run_in_browser(
    repo: &Repo,
    chosen: &[ChosenFile],
    chromium: &Path,
    pagekin: &Path,
    failed: &mut Vec<String>,
) -> Result<()> {
    let (whole, parts): (Vec<_>, Vec<_>) = chosen.iter().partition(|file| file.titles.is_none());
    let mut commands = Vec::new();
    if !whole.is_empty() {
        let mut command = node_tests(repo, pagekin, chromium)?;
        command.args(whole.iter().map(|file| &file.path));
        commands.push(command);
    }
    if !parts.is_empty() {
        let mut command = node_tests(repo, pagekin, chromium)?;
        for title in parts.iter().filter_map(|file| file.titles.as_ref()).flatten() {
            command.arg(format!("--test-name-pattern=^{}$", literal(title)));
        }
        command.args(parts.iter().map(|file| &file.path));
        commands.push(command);
    }
    for mut command in commands {
        if run::visible(&mut command).is_err() {
            failed.push("browser tests".to_owned());
        }
    }
    Ok(())
}

/// A regular expression for a text.
fn literal(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        if !character.is_alphanumeric() && !character.is_whitespace() {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

/// A file of a crate.
struct Module {
    file: PathBuf,
    /// Its tests, as the program that runs them calls them.
    tests: Vec<String>,
}

/// The files that a target is compiled of, by the `mod` lines in them.
fn modules(root: &Path) -> Result<Vec<Module>> {
    let folder = root.parent().context("a file is in a folder")?;
    let mut waiting = vec![(root.to_owned(), folder.to_owned(), String::new())];
    let mut found = Vec::new();
    while let Some((file, folder, path)) = waiting.pop() {
        let text =
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let read = read(&text);
        let below =
            |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") };
        for (name, place) in read.modules {
            let inside = folder.join(&name);
            let file = match place {
                Some(place) => file.parent().unwrap_or(&folder).join(place),
                None => [inside.with_extension("rs"), inside.join("mod.rs")]
                    .into_iter()
                    .find(|file| file.is_file())
                    .with_context(|| format!("there is no file of {}", inside.display()))?,
            };
            waiting.push((file, inside, below(&name)));
        }
        found.push(Module { file, tests: read.tests.iter().map(|test| below(test)).collect() });
    }
    Ok(found)
}

/// What a file says of itself.
#[derive(Default, Debug, PartialEq)]
struct Source {
    /// The names of its tests, with the modules in it.
    tests: Vec<String>,
    /// The modules in files of their own, with the path that an attribute gives one.
    modules: BTreeMap<String, Option<String>>,
}

/// Reads a file that rustfmt has laid out: each item begins a line, and a `}` with the indentation
/// of its first line ends it.
fn read(text: &str) -> Source {
    let mut source = Source::default();
    let mut inside: Vec<(String, &str)> = Vec::new();
    let (mut is_test, mut place) = (false, None);
    for line in text.lines() {
        let item = line.trim_start();
        let indentation = &line[..line.len() - item.len()];
        let code = item.strip_prefix("pub ").unwrap_or(item);
        let code = match code.strip_prefix("pub(") {
            Some(rest) => rest.split_once(") ").map_or(code, |(_, code)| code),
            None => code,
        };
        if item == "}" && inside.last().is_some_and(|(_, start)| *start == indentation) {
            inside.pop();
        } else if item.starts_with("#[") {
            is_test |= item.ends_with("test]") || item.ends_with(" test)]");
            let path = item.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]"));
            place = place.or(path.map(str::to_owned));
        } else if let Some(module) = code.strip_prefix("mod ") {
            let place = place.take();
            if let Some(name) = module.strip_suffix(';') {
                source.modules.insert(name.to_owned(), place);
            } else if let Some(name) = module.strip_suffix(" {") {
                inside.push((name.to_owned(), indentation));
            }
            is_test = false;
        } else if let Some(function) =
            code.strip_prefix("async ").unwrap_or(code).strip_prefix("fn ")
        {
            if mem::take(&mut is_test) {
                let name = function.split(['(', '<']).next().unwrap_or_default();
                let modules = inside.iter().map(|(name, _)| format!("{name}::"));
                source.tests.push(modules.collect::<String>() + name);
            }
        } else if !item.is_empty() && !item.starts_with("//") && !item.starts_with([')', ']']) {
            // An attribute belongs to the next item, which may not be a function.
            is_test &= item.starts_with('#') || indentation.is_empty() && item.ends_with(',');
            place = None;
        }
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_modules_are_read_from_a_file() {
        let text = "//! A room.\n\nmod one;\npub(crate) mod two;\n#[path = \"else/where.rs\"]\nmod three;\n\n\
                    #[test]\nfn at_the_top() {\n    let x = 1;\n}\n\nfn helper() {}\n\n\
                    #[cfg(test)]\nmod tests {\n    use super::*;\n\n    /// Says why.\n    #[test]\n    \
                    #[should_panic]\n    fn inside() {\n        if x {\n        }\n    }\n\n    \
                    proptest! {\n        #[test]\n        fn of_all(n in 0..9) {\n        }\n    }\n}\n";
        let source = read(text);
        assert_eq!(source.tests, ["at_the_top", "tests::inside", "tests::of_all"]);
        let place = Some("else/where.rs".to_owned());
        let modules = [("one", None), ("two", None), ("three", place)];
        assert_eq!(source.modules, modules.map(|(name, place)| (name.to_owned(), place)).into());
    }

    #[test]
    fn tests_have_the_names_of_their_modules() {
        let root = Repo::locate().unwrap().path("crates/xtask/src/main.rs");
        let names: Vec<_> =
            modules(&root).unwrap().into_iter().flat_map(|module| module.tests).collect();
        let own = "test::named::tests::tests_have_the_names_of_their_modules".to_owned();
        assert!(names.contains(&own), "{names:?}");
    }

    #[test]
    fn titles_are_found_in_scripts() {
        let script = "test(\"a find is told\", async () => {\n  await t.test(\"no\", f);\n  test(\"another\", f);\n";
        assert_eq!(titles(script).collect::<Vec<_>>(), ["a find is told", "another"]);
        assert_eq!(literal("is (not) found"), "is \\(not\\) found");
    }
}
