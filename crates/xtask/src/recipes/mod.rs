//! `cargo xtask recipes`: builds a site with each generator and related pages, as in the
//! documentation, with the plugins of the npm package and of the wheel, and tests it in a browser.
//!
//! `tests/recipes` contains a project for each generator, without pages, which [`pages`] writes. A
//! project is built at the root of a host and below a path.

mod pages;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::repo::Repo;
use crate::{files, package, run, tools, web};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The recipes to test, by their folders in tests/recipes [default: all]
    names: Vec<String>,
    /// Also write screenshots of the box and of related pages into this folder
    #[arg(long, value_name = "FOLDER")]
    screenshots: Option<PathBuf>,
}

/// The path of a site on its host.
const BASES: [(&str, &str); 2] = [("root", "/"), ("below", "/docs/")];

/// The content of `recipe.toml`.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Recipe {
    content: PathBuf,
    links: pages::Links,
    #[serde(default)]
    front_matter: bool,
    #[serde(default = "index")]
    index: String,
    #[serde(default)]
    summary: bool,
    /// The command of a shell that builds the site and its index.
    build: String,
    /// The folder that it writes.
    site: PathBuf,
    /// Variables for the generator. `{base}` is replaced with the path of the site, `{origin}` with
    /// the URL before it, `{repo}` with the folder of this repository.
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// A page with related pages, below the site.
    page: String,
    /// A script shows related pages.
    #[serde(default = "yes")]
    script: bool,
    /// Links to other pages of the site do not load a document.
    #[serde(default)]
    single_page: bool,
    /// Pages have a search box.
    #[serde(default)]
    r#box: bool,
    /// The selector of a menu with its button on a phone.
    #[serde(default)]
    menu: String,
}

fn index() -> String {
    "index.md".to_owned()
}

fn yes() -> bool {
    true
}

/// A site for the browser tests.
#[derive(Serialize)]
struct Tried {
    name: String,
    base: String,
    /// The root of the host.
    folder: PathBuf,
    page: String,
    /// The port of the host, which some generators write into their pages.
    port: u16,
    script: bool,
    single_page: bool,
    r#box: bool,
    menu: String,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let names = names(repo, &arguments.names)?;
    tools::node()?;
    web::build(repo)?;
    let pagekin = repo.program_for_tests()?;
    tools::browser_test_packages(repo)?;
    let chromium = tools::chromium(repo)?;
    let generators = tools::generators(repo)?;
    let wheel = package::wheel_around(repo, &pagekin)?;
    let mut pip = Command::new(generators.python.join("python"));
    pip.args(["-m", "pip", "install", "--no-index", "--no-deps", "--force-reinstall"]);
    pip.args(["--disable-pip-version-check"]).arg(&wheel);
    run::logged(&mut pip, &repo.target("recipes/log/pip.log"))?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let mut tried = Vec::new();
    for name in &names {
        tried.extend(build(repo, name, port, &pagekin, &generators)?);
    }
    let sites = repo.target("recipes/sites.json");
    fs::write(&sites, serde_json::to_vec_pretty(&tried)?)?;
    let node = || -> Result<Command> {
        let mut command = Command::new(tools::node()?);
        command.env("PAGEKIN", &pagekin).env("CHROMIUM", &chromium).env("RECIPES", &sites);
        Ok(command)
    };
    // Before the tests, as screenshots show problems.
    if let Some(folder) = &arguments.screenshots {
        let script = repo.path("tests/recipes/screenshots.mjs");
        run::visible(node()?.arg(script).env("SCREENSHOTS", folder))?;
    }
    run::visible(
        node()?
            .args(["--test", "--test-reporter=spec", "--test-timeout=3600000"])
            .arg(repo.path("tests/recipes/recipes.test.mjs")),
    )
}

fn names(repo: &Repo, asked: &[String]) -> Result<Vec<String>> {
    let mut known = Vec::new();
    for entry in fs::read_dir(repo.path("tests/recipes"))? {
        let entry = entry?;
        if entry.path().join("recipe.toml").is_file() {
            known.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    known.sort();
    if let Some(unknown) = asked.iter().find(|name| !known.contains(name)) {
        bail!("expected one of {}, found {unknown}", known.join(", "));
    }
    Ok(if asked.is_empty() { known } else { asked.to_vec() })
}

/// Builds the site of a project for each base.
fn build(
    repo: &Repo,
    name: &str,
    port: u16,
    pagekin: &Path,
    generators: &tools::Generators,
) -> Result<Vec<Tried>> {
    let origin = format!("http://127.0.0.1:{port}");
    let sources = sources(repo, name)?;
    let recipe = read(&sources)?;
    let mut tried = Vec::new();
    for (place, base) in BASES {
        eprintln!("== {name}, at {base}");
        let project = project(repo, name, &sources)?;
        let manner = pages::Manner {
            links: recipe.links,
            front_matter: recipe.front_matter,
            index: &recipe.index,
            summary: recipe.summary,
        };
        let count = pages::write(&generators.pages, &project.join(&recipe.content), manner)?;
        // Files of the recipe replace pages.
        for source in &sources {
            files::copy_all(source, &project)?;
        }
        let mut command = Command::new("sh");
        command.args(["-c", &recipe.build]).current_dir(&project);
        command.env("PATH", search_path(&project, pagekin, generators)?);
        command.env("PAGEKIN_BASE_URL", base).env("PAGEKIN_BINARY", pagekin);
        for (variable, value) in &recipe.environment {
            let value = value.replace("{base}", base).replace("{origin}", &origin);
            command.env(variable, value.replace("{repo}", &repo.path("").to_string_lossy()));
        }
        run::logged(&mut command, &repo.target(&format!("recipes/log/{name}-{place}.log")))
            .with_context(|| format!("{name}: {count} pages could not be built"))?;
        let folder = repo.emptied(&format!("recipes/sites/{name}-{place}"))?;
        files::copy_all(&project.join(&recipe.site), &folder.join(base.trim_matches('/')))?;
        tried.push(Tried {
            name: name.to_owned(),
            base: base.to_owned(),
            folder,
            page: format!("{base}{}", recipe.page),
            port,
            script: recipe.script,
            single_page: recipe.single_page,
            r#box: recipe.r#box,
            menu: recipe.menu.clone(),
        });
    }
    Ok(tried)
}

/// The folders with the files of a project: the folder of the recipe that it extends comes first.
fn sources(repo: &Repo, name: &str) -> Result<Vec<PathBuf>> {
    let own = repo.path("tests/recipes").join(name);
    Ok(match table(&own)?.get("like").and_then(toml::Value::as_str) {
        Some(like) => vec![own.with_file_name(like), own],
        None => vec![own],
    })
}

fn read(sources: &[PathBuf]) -> Result<Recipe> {
    let mut all = toml::Table::new();
    for source in sources {
        all.extend(table(source)?);
    }
    all.remove("like");
    Ok(all.try_into()?)
}

fn table(source: &Path) -> Result<toml::Table> {
    let path = source.join("recipe.toml");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("cannot read {}", path.display()))
}

/// A folder without the files of earlier runs, except the packages that npm installed.
fn project(repo: &Repo, name: &str, sources: &[PathBuf]) -> Result<PathBuf> {
    let project = repo.target("recipes/projects").join(name);
    fs::create_dir_all(&project)?;
    for entry in fs::read_dir(&project)? {
        let path = entry?.path();
        if path.ends_with("node_modules") {
            continue;
        }
        if path.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
    }
    for source in sources {
        files::copy_all(source, &project)?;
    }
    if project.join("package.json").is_file() {
        tools::npm_project(
            repo,
            &project,
            &format!("tests/recipes/{name}"),
            "build a site with them",
        )?;
        let package = project.join("node_modules/pagekin");
        // Files of earlier runs, and caches of generators, which only depend on versions.
        let _ = fs::remove_dir_all(&package);
        let _ = fs::remove_dir_all(project.join("node_modules/.cache"));
        package::stage_npm(repo, &package)?;
    }
    Ok(project)
}

fn search_path(project: &Path, pagekin: &Path, generators: &tools::Generators) -> Result<OsString> {
    let pagekin = pagekin.parent().context("a program is in a folder")?;
    tools::search_path(&[
        &project.join("node_modules/.bin"),
        pagekin,
        &generators.python,
        &generators.mdbook,
    ])
}
