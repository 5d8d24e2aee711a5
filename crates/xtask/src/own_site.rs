//! `cargo xtask site`: pagekin's own site. A generator builds it from the documents, with an index
//! of itself, the demo and the lab.
//!
//! `www/site` contains the project of the generator. The site is built twice: the first time for
//! the index, the second time with the related pages of each page. The teaching site is below it,
//! with an index of its own, for the lab.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::files::copy_all;
use crate::repo::Repo;
use crate::{demo, run, tools};

const SOURCES: &str = "www/site";
/// The index, the client, the demo and the lab, below the site.
const INDEX: &str = "pagekin";
/// The teaching site, with an index of its own: the lab needs pages that everyone understands.
const TEACHING_SOURCES: &str = "tests/site";
const TEACHING: &str = "teaching";
/// The path on GitHub Pages of the site of a repository of this name.
const BASE: &str = "/pagekin/";
/// A file of every site that this command built. It does not empty a folder without this file.
const SIGN: &str = "assets/site.css";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder to write; the files of an earlier run are removed [default: target/site]
    folder: Option<PathBuf>,
    /// The path of the site on its host
    #[arg(long, value_name = "PATH", default_value = BASE)]
    base_url: String,
    /// Then serve it at 127.0.0.1
    #[arg(long, conflicts_with = "check")]
    serve: bool,
    /// Then test it in Chromium: the box, related pages, light and dark, its content security
    /// policy
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let Arguments { folder, base_url, serve, check } = arguments;
    tools::node()?;
    let pagekin = demo::program(repo, demo::Client::Released)?;
    let folder = folder.clone().unwrap_or_else(|| repo.target("site"));
    set_up(repo)?;
    let site = OwnSite::make(repo, &pagekin, &folder, base_url)?;
    if *check {
        tools::browser_test_packages(repo)?;
        site.check(repo, &pagekin, &tools::chromium(repo)?)?;
    }
    let mut preview = Command::new(&pagekin);
    preview.args(["serve", "--no-config", "--site"]).arg(&site.folder).arg(site.index());
    if *serve {
        eprintln!("The site is at the path {} of this host:", site.base);
        return run::instead_of_this(&mut preview);
    }
    eprintln!("To see it, at the path {}:\n    {}", site.base, run::line(&preview));
    Ok(())
}

pub(crate) fn set_up(repo: &Repo) -> Result<()> {
    tools::npm_project(repo, &repo.path(SOURCES), SOURCES, "build the site")
}

/// Builds the site with a program, and tests it.
pub(crate) fn check(repo: &Repo, pagekin: &Path, chromium: &Path) -> Result<()> {
    let site = OwnSite::make(repo, pagekin, &repo.target("site-tests"), BASE)?;
    site.check(repo, pagekin, chromium)
}

struct OwnSite {
    folder: PathBuf,
    /// Its path on the host: begins and ends with `/`.
    base: String,
}

impl OwnSite {
    /// Builds the site in a folder that is new, empty, or contains an earlier one.
    fn make(repo: &Repo, pagekin: &Path, folder: &Path, base: &str) -> Result<Self> {
        let base = format!("/{}/", base.trim_matches('/')).replace("//", "/");
        empty(folder)?;
        let folder = folder.canonicalize()?;
        let site = Self { folder, base };
        site.generate(repo)?;
        let mut build = Command::new(pagekin);
        build.args(["build", "--quiet", "--base-url", &site.base, "--config"]);
        build.arg(repo.path(SOURCES).join("pagekin.toml"));
        run::visible(build.arg("--output").arg(site.index()).arg(&site.folder))?;
        site.generate(repo)?;
        site.teach(repo, pagekin)?;
        let mut links = node(repo, "links.js")?;
        run::visible(links.arg(&site.folder).arg(&site.base))?;
        Ok(site)
    }

    /// Adds the teaching site, which is not in the site's own index, with the lab. Its blocks are
    /// small, so that a lookup reads lists first, and there are vectors, as on a large site.
    fn teach(&self, repo: &Repo, pagekin: &Path) -> Result<()> {
        let folder = self.folder.join(TEACHING);
        copy_all(&repo.path(TEACHING_SOURCES), &folder)?;
        let mut build = Command::new(pagekin);
        build.args([
            "build",
            "--quiet",
            "--no-config",
            "--pages",
            "lab",
            "--block-pages",
            "4",
            "--base-url",
        ]);
        build.arg(format!("{}{TEACHING}/", self.base));
        run::visible(build.arg("--output").arg(folder.join(INDEX)).arg(&folder))
    }

    fn index(&self) -> PathBuf {
        self.folder.join(INDEX)
    }

    /// Writes the pages, with their related pages if the index exists.
    fn generate(&self, repo: &Repo) -> Result<()> {
        let mut eleventy = node(repo, "node_modules/@11ty/eleventy/cmd.cjs")?;
        eleventy.arg("--quiet").env("BASE", &self.base).env("OUTPUT", &self.folder);
        eleventy.env("RELATED", self.index().join("related.json"));
        run::logged(&mut eleventy, &repo.target("tools/log/site.log"))
    }

    fn check(&self, repo: &Repo, pagekin: &Path, chromium: &Path) -> Result<()> {
        let mut tests = Command::new(tools::node()?);
        tests
            .args(["--test", "--test-reporter=spec", "--test-timeout=300000"])
            .arg(repo.path("tests/browser/site/site.test.mjs"))
            .env("PAGEKIN", pagekin)
            .env("CHROMIUM", chromium)
            .env("SITE", &self.folder)
            .env("BASE", &self.base);
        run::visible(&mut tests)
    }
}

/// A script of the project of the generator, run in its folder.
fn node(repo: &Repo, script: &str) -> Result<Command> {
    let mut command = Command::new(tools::node()?);
    command.arg(script).current_dir(repo.path(SOURCES));
    Ok(command)
}

/// Empties a folder, unless it contains files of others.
fn empty(folder: &Path) -> Result<()> {
    let has_files = folder.read_dir().is_ok_and(|mut files| files.next().is_some());
    if has_files && !folder.join(SIGN).is_file() {
        bail!(
            "expected a folder that is new, empty, or contains an earlier site, found other files in {}",
            folder.display()
        );
    }
    if has_files {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_other_files_is_not_emptied() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("pagekin-own-site-{}", std::process::id()));
        fs::create_dir_all(folder.join("assets"))?;
        fs::write(folder.join("letter.txt"), "keep")?;
        let message = empty(&folder).unwrap_err().to_string();
        assert!(message.contains("other files"), "{message}");
        assert!(folder.join("letter.txt").is_file());
        fs::write(folder.join(SIGN), "")?;
        empty(&folder)?;
        assert_eq!(folder.read_dir()?.count(), 0);
        fs::remove_dir(&folder)?;
        Ok(())
    }
}
