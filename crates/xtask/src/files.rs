//! Listing and copying files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result};

/// The files at and below a path, sorted.
pub(crate) fn files(path: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![path.to_owned()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                waiting.push(entry?.path());
            }
        } else {
            found.insert(path);
        }
    }
    Ok(found)
}

/// Makes the folder `to` contain the files in and below `from`, and no others. Equal files are not
/// written.
pub(crate) fn mirror(from: &Path, to: &Path) -> Result<()> {
    let copy = || -> io::Result<()> {
        fs::create_dir_all(to)?;
        for file in files(to)? {
            if !file.strip_prefix(to).is_ok_and(|name| from.join(name).is_file()) {
                fs::remove_file(file)?;
            }
        }
        for file in files(from)? {
            let Ok(name) = file.strip_prefix(from) else { continue };
            let copy = to.join(name);
            let bytes = fs::read(&file)?;
            if !fs::read(&copy).is_ok_and(|old| old == bytes) {
                fs::create_dir_all(copy.parent().unwrap_or(to))?;
                fs::write(copy, bytes)?;
            }
        }
        Ok(())
    };
    copy().with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// Copies a file with its permissions, and creates its folders.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let copy = || {
        fs::create_dir_all(to.parent().unwrap_or(to))?;
        fs::copy(from, to)
    };
    copy().with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Copies the files in and below a folder into another, with permissions.
pub(crate) fn copy_all(from: &Path, to: &Path) -> Result<()> {
    let all = files(from).with_context(|| format!("cannot list {}", from.display()))?;
    for file in all {
        copy(&file, &to.join(file.strip_prefix(from)?))?;
    }
    Ok(())
}
