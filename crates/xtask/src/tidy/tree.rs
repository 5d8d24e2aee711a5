//! The files of the repository as a map, and the packages of its workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use toml::Table;

use crate::repo::Repo;
use crate::run;

/// Paths relative to the repository, with `/`; texts of the files that are text.
#[derive(Default)]
pub(super) struct Tree {
    texts: BTreeMap<String, String>,
    /// All files, and all folders that have some.
    paths: BTreeSet<String>,
}

/// A package of the workspace.
pub(super) struct Package {
    pub(super) name: String,
    pub(super) folder: String,
    /// The names of what it needs to run or to build, tests apart.
    pub(super) needs: BTreeSet<String>,
}

impl Package {
    /// Whether it is written for users, unlike the tests and the commands of the repository.
    pub(super) fn is_production(&self) -> bool {
        self.folder.starts_with("crates/") && self.name != "xtask"
    }
}

impl Tree {
    /// Reads what Git tracks, and what it would if it were asked to: new files are judged before
    /// they are added.
    pub(super) fn read(repo: &Repo) -> Result<Self> {
        let root = repo.path("");
        let mut git = std::process::Command::new("git");
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listed = run::output(git.current_dir(&root))?;
        let mut tree = Self::default();
        for path in listed.split('\0').filter(|path| !path.is_empty()) {
            let file = root.join(path);
            // A link to a folder is there, though it cannot be read; a file may have been removed.
            if file.symlink_metadata().is_ok() {
                let text = fs::read(file).ok().and_then(|bytes| String::from_utf8(bytes).ok());
                tree.add(path, text);
            }
        }
        Ok(tree)
    }

    #[cfg(test)]
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.add(path, Some((*text).to_owned()));
        }
        tree
    }

    fn add(&mut self, path: &str, text: Option<String>) {
        let names = Path::new(path).ancestors().filter_map(Path::to_str);
        self.paths.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
        self.texts.extend(text.map(|text| (path.to_owned(), text)));
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    /// The texts by their paths, in order.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Those whose names end in one of these, such as `.rs`.
    pub(super) fn ending<'a>(
        &'a self,
        ends: &'a [&str],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.texts().filter(|(path, _)| ends.iter().any(|end| path.ends_with(end)))
    }

    /// Whether this is a file, a folder, or a pattern that some match: `*` stands for any part.
    pub(super) fn has(&self, path: &str) -> bool {
        match path.split_once('*') {
            None => self.paths.contains(path),
            Some((start, end)) => {
                self.paths.iter().any(|path| path.starts_with(start) && path.ends_with(end))
            }
        }
    }

    /// The members of the workspace, by their manifests.
    pub(super) fn packages(&self) -> Result<Vec<Package>> {
        let root = self.manifest("Cargo.toml")?;
        let members = root.get("workspace").and_then(|workspace| workspace.get("members"));
        let members = members.and_then(|members| members.as_array());
        let mut packages = Vec::new();
        for member in members.into_iter().flatten().filter_map(|member| member.as_str()) {
            let folders: Vec<String> = match member.strip_suffix("/*") {
                None => vec![member.to_owned()],
                Some(parent) => {
                    self.paths.iter().filter(|path| is_in(path, parent)).cloned().collect()
                }
            };
            for folder in folders.iter().filter(|folder| self.has(&format!("{folder}/Cargo.toml")))
            {
                packages.push(self.package(folder)?);
            }
        }
        Ok(packages)
    }

    fn package(&self, folder: &str) -> Result<Package> {
        let manifest = self.manifest(&format!("{folder}/Cargo.toml"))?;
        let name = manifest.get("package").and_then(|package| package.get("name"));
        let name = name.and_then(|name| name.as_str()).context("a package has no name")?;
        let mut needs = BTreeSet::new();
        let mut add = |table: &Table| {
            for kind in ["dependencies", "build-dependencies"] {
                let dependencies = table.get(kind).and_then(|table| table.as_table());
                for (name, source) in dependencies.into_iter().flatten() {
                    let renamed = source.get("package").and_then(|name| name.as_str());
                    needs.insert(renamed.unwrap_or(name).to_owned());
                }
            }
        };
        add(&manifest);
        let targets = manifest.get("target").and_then(|targets| targets.as_table());
        targets.into_iter().flatten().filter_map(|(_, target)| target.as_table()).for_each(add);
        Ok(Package { name: name.to_owned(), folder: folder.to_owned(), needs })
    }

    fn manifest(&self, path: &str) -> Result<Table> {
        let text = self.text(path).with_context(|| format!("expected {path}, found none"))?;
        text.parse().with_context(|| format!("cannot read {path}"))
    }
}

/// Whether a path lies directly in a folder.
fn is_in(path: &str, folder: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(parent, _)| parent == folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_the_members_of_the_workspace_with_what_they_need() -> Result<()> {
        let tree = Tree::new(&[
            ("Cargo.toml", "[workspace]\nmembers = ['crates/*', 'tests']"),
            ("crates/README.md", ""),
            ("crates/a/Cargo.toml", "[package]\nname = 'a'\n[dependencies]\nb.workspace = true"),
            (
                "crates/b/Cargo.toml",
                "[package]\nname = 'b'\n[dev-dependencies]\na.workspace = true\n\
                 [target.'cfg(unix)'.dependencies]\nc = { package = 'd', version = '1' }",
            ),
            ("tests/Cargo.toml", "[package]\nname = 'all-tests'"),
        ]);
        let packages = tree.packages()?;
        let seen: Vec<_> = packages
            .iter()
            .map(|package| (package.name.as_str(), package.needs.iter().cloned().collect()))
            .collect();
        let expected = [("a", vec!["b".to_owned()]), ("b", vec!["d".to_owned()])];
        assert_eq!(seen[..2], expected);
        assert_eq!(seen[2], ("all-tests", Vec::new()));
        Ok(())
    }

    #[test]
    fn files_folders_and_patterns_are_there() {
        let tree = Tree::new(&[("www/lab/core.js", "")]);
        assert!(tree.has("www/lab/core.js") && tree.has("www/lab") && tree.has("www"));
        assert!(tree.has("www/lab/*.js") && !tree.has("www/*.css") && !tree.has("ww"));
    }
}
