//! Finds pages by any of their URLs. `/guide/setup` serves `guide/setup.html`, as on hosts that
//! hide the extension; `/guide/setup/` redirects there, and `/guide.html` to `guide/index.html`.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;

use crate::site::serve::files::{Folders, Found, Opened, RefusedFile};

/// A served folder.
#[derive(Debug)]
pub(super) struct CleanUrls {
    pub(super) folders: Folders,
    pub(super) at: PathBuf,
    /// Whether pages are served without `.html`.
    pub(super) are_clean: bool,
}

/// The target of a path.
#[derive(Debug)]
pub(super) enum Target {
    File(Opened),
    /// Another path, to redirect to because relative links depend on it.
    Redirect(String),
}

impl CleanUrls {
    /// Finds the target of a path that starts with a slash.
    pub(super) fn find(&self, path: &str) -> Result<Target, RefusedFile> {
        let (names, is_folder) = names(path).ok_or(RefusedFile::Missing)?;
        let found = self.found(&names)?;
        let is_there = found.is_some();
        match found {
            Some(Found::File(file)) if !is_folder => return Ok(Target::File(file)),
            Some(Found::Folder) if is_folder => {
                if let Some(index) = self.index(&names)? {
                    return Ok(Target::File(index));
                }
            }
            _ => {}
        }
        if let Some(target) = self.without_extension(path, &names, is_folder)? {
            return Ok(target);
        }
        // A file requested as a folder is missing.
        let is_folder_too = is_there && !is_folder;
        is_folder_too.then(|| Target::Redirect(format!("{path}/"))).ok_or(RefusedFile::Missing)
    }

    /// Returns whether the folder itself contains a file.
    pub(super) fn has(&self, name: &str) -> bool {
        self.at.join(name).is_file()
    }

    /// Finds the target with the extension hidden. As on hosts, a page takes precedence over the
    /// folder of the same name.
    fn without_extension(
        &self,
        path: &str,
        names: &[String],
        is_folder: bool,
    ) -> Result<Option<Target>, RefusedFile> {
        let Some((last, folder)) = names.split_last().filter(|_| self.are_clean) else {
            return Ok(None);
        };
        let named = |name: String| [folder, &[name]].concat();
        if let Some(Found::File(page)) = self.found(&named(format!("{last}.html")))? {
            let stem = path.strip_suffix('/').unwrap_or(path);
            return Ok(Some(if is_folder {
                Target::Redirect(stem.to_owned())
            } else {
                Target::File(page)
            }));
        }
        let stem = last.strip_suffix(".html").zip(path.strip_suffix(".html"));
        let Some((name, stem)) = stem.filter(|_| !is_folder) else { return Ok(None) };
        let index = self.index(&named(name.to_owned()))?;
        Ok(index.map(|_| Target::Redirect(format!("{stem}/"))))
    }

    /// Finds the page of a folder.
    fn index(&self, names: &[String]) -> Result<Option<Opened>, RefusedFile> {
        for index in ["index.html", "index.htm"] {
            if let Some(Found::File(file)) = self.found(&[names, &[index.to_owned()]].concat())? {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    fn found(&self, names: &[String]) -> Result<Option<Found>, RefusedFile> {
        match self.folders.find(&self.at, names) {
            Err(RefusedFile::Missing) => Ok(None),
            found => found.map(Some),
        }
    }
}

/// Splits a path into names, and returns whether it ends with a slash. `None` if no file can have
/// the path.
fn names(path: &str) -> Option<(Vec<String>, bool)> {
    let mut parts: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    let is_folder = parts.pop_if(|last| last.is_empty()).is_some();
    let name = |part| {
        let name = percent_decode_str(part).decode_utf8().ok()?.into_owned();
        // On Windows, these characters lead to another folder, drive or stream.
        let no_name: &[char] = if cfg!(windows) { &['/', '\0', '\\', ':'] } else { &['/', '\0'] };
        let is_name = !matches!(&*name, "" | "." | "..") && !name.contains(no_name);
        is_name.then_some(name)
    };
    Some((parts.into_iter().map(name).collect::<Option<_>>()?, is_folder))
}
