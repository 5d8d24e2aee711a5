//! The files of the repository as a map, and the packages of its workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::repo::{self, Repo};
use crate::run;

/// Paths relative to the repository, with `/`; texts of the files that are text.
#[derive(Default)]
pub(super) struct Tree {
    texts: BTreeMap<String, String>,
    /// All files, and all folders that contain files.
    paths: BTreeSet<String>,
}

/// A package of the workspace.
pub(super) struct Package {
    pub(super) name: String,
    pub(super) folder: String,
    /// The names of its dependencies, except those of its tests.
    pub(super) needs: BTreeSet<String>,
}

impl Package {
    pub(super) fn new(package: &repo::Package, root: &Path) -> Self {
        let folder = package.folder().strip_prefix(root).unwrap_or(package.folder());
        let needs = package.dependencies.iter().filter(|one| one.kind.as_deref() != Some("dev"));
        Self {
            name: package.name.clone(),
            folder: folder.to_string_lossy().replace('\\', "/"),
            needs: needs.map(|dependency| dependency.name.clone()).collect(),
        }
    }

    #[cfg(test)]
    pub(super) fn of_test(name: &str, folder: &str, needs: &[&str]) -> Self {
        let needs = needs.iter().map(|&need| need.to_owned()).collect();
        Self { name: name.to_owned(), folder: folder.to_owned(), needs }
    }

    /// Whether it is written for users, unlike the tests and the commands of the repository.
    pub(super) fn is_production(&self) -> bool {
        self.folder.starts_with("crates/") && self.name != "xtask"
    }
}

impl Tree {
    /// Reads the files that Git tracks or would add: new files are checked before they are added.
    pub(super) fn read(repo: &Repo) -> Result<Self> {
        let root = repo.path("");
        let mut git = std::process::Command::new("git");
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listed = run::output(git.current_dir(&root))?;
        let mut tree = Self::default();
        for path in listed.split('\0').filter(|path| !path.is_empty()) {
            let file = root.join(path);
            // A link to a folder exists, although it cannot be read. A tracked file may be gone.
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

    /// The texts whose names end in one of these, such as `.rs`.
    pub(super) fn ending<'a>(
        &'a self,
        ends: &'a [&str],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.texts().filter(|(path, _)| ends.iter().any(|end| path.ends_with(end)))
    }

    /// Whether this is a file, a folder, or a pattern of one: `*` matches any part.
    pub(super) fn has(&self, path: &str) -> bool {
        match path.split_once('*') {
            None => self.paths.contains(path),
            Some((start, end)) => {
                self.paths.iter().any(|path| path.starts_with(start) && path.ends_with(end))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_folders_and_patterns_exist() {
        let tree = Tree::new(&[("www/lab/core.js", "")]);
        assert!(tree.has("www/lab/core.js") && tree.has("www/lab") && tree.has("www"));
        assert!(tree.has("www/lab/*.js") && !tree.has("www/*.css") && !tree.has("ww"));
    }
}
