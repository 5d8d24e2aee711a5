//! Pages by all their addresses: `/guide/setup` is `guide/setup.html`, as on hosts that hide the
//! ending, `/guide/setup/` leads there, and `/guide.html` to `guide/index.html`.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;

use crate::site::serve::files::{Folders, Found, Opened, RefusedFile};

/// A folder that is served.
#[derive(Debug)]
pub(super) struct CleanUrls {
    pub(super) folders: Folders,
    pub(super) at: PathBuf,
    /// Whether its pages are served without `.html`.
    pub(super) are_clean: bool,
}

/// What is answered.
#[derive(Debug)]
pub(super) enum Meant {
    File(Opened),
    /// What is at another path, from which its links lead elsewhere: its reader is sent there.
    Other(String),
}

impl CleanUrls {
    /// What is meant by a path, which begins with a slash.
    pub(super) fn find(&self, path: &str) -> Result<Meant, RefusedFile> {
        let (names, is_folder) = names(path).ok_or(RefusedFile::Missing)?;
        let found = self.found(&names)?;
        let is_there = found.is_some();
        match found {
            Some(Found::File(file)) if !is_folder => return Ok(Meant::File(file)),
            Some(Found::Folder) if is_folder => {
                if let Some(index) = self.index(&names)? {
                    return Ok(Meant::File(index));
                }
            }
            _ => {}
        }
        if let Some(meant) = self.by_ending(path, &names, is_folder)? {
            return Ok(meant);
        }
        // A file that is asked for as a folder is not there.
        let is_folder_too = is_there && !is_folder;
        is_folder_too.then(|| Meant::Other(format!("{path}/"))).ok_or(RefusedFile::Missing)
    }

    /// Whether there is a file of a name, right in the folder.
    pub(super) fn has(&self, name: &str) -> bool {
        self.at.join(name).is_file()
    }

    /// What is meant if endings are hidden. As hosts do it, a page goes before the folder of its
    /// name.
    fn by_ending(
        &self,
        path: &str,
        names: &[String],
        is_folder: bool,
    ) -> Result<Option<Meant>, RefusedFile> {
        let Some((last, folder)) = names.split_last().filter(|_| self.are_clean) else {
            return Ok(None);
        };
        let named = |name: String| [folder, &[name]].concat();
        if let Some(Found::File(page)) = self.found(&named(format!("{last}.html")))? {
            let stem = path.strip_suffix('/').unwrap_or(path);
            return Ok(Some(if is_folder {
                Meant::Other(stem.to_owned())
            } else {
                Meant::File(page)
            }));
        }
        let stem = last.strip_suffix(".html").zip(path.strip_suffix(".html"));
        let Some((name, stem)) = stem.filter(|_| !is_folder) else { return Ok(None) };
        let index = self.index(&named(name.to_owned()))?;
        Ok(index.map(|_| Meant::Other(format!("{stem}/"))))
    }

    /// The page of a folder.
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

/// The names that a path is made of, and whether it is that of a folder. Nothing if no file can
/// have it.
fn names(path: &str) -> Option<(Vec<String>, bool)> {
    let mut parts: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    let is_folder = parts.pop_if(|last| last.is_empty()).is_some();
    let name = |part| {
        let name = percent_decode_str(part).decode_utf8().ok()?.into_owned();
        // On Windows these lead to another folder, drive or stream.
        let no_name: &[char] = if cfg!(windows) { &['/', '\0', '\\', ':'] } else { &['/', '\0'] };
        let is_name = !matches!(&*name, "" | "." | "..") && !name.contains(no_name);
        is_name.then_some(name)
    };
    Some((parts.into_iter().map(name).collect::<Option<_>>()?, is_folder))
}
