//! Folders and files beside an output while it is made, and what an end without warning leaves of
//! them.
//!
//! Their names begin with `.pagekin-`. Each is held locked as long as somebody works on it, a
//! folder by a file in it, which is the last that is removed: so whatever moment a process ends at,
//! the next one recognises what is left and removes it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::output::file_list::FILES_NAME;

const PREFIX: &str = ".pagekin-";
/// The file in a folder by which it is locked, and known to be ours.
pub const LOCK: &str = ".lock";

/// A folder that is removed with all that is in it, unless it was swept away or moved before.
#[derive(Debug)]
pub struct TemporaryFolder {
    path: PathBuf,
    lock: Option<File>,
}

impl TemporaryFolder {
    /// A new, empty and locked one in `parent`.
    pub fn create(parent: &Path) -> io::Result<Self> {
        loop {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX);
            #[cfg(unix)]
            {
                // As any new folder; a temporary one is closed to others, and the web server is
                // another.
                use std::os::unix::fs::PermissionsExt;
                builder.permissions(fs::Permissions::from_mode(0o777));
            }
            // From here on it is removed by us: a `TempDir` would remove the lock in any order.
            let path = builder.tempdir_in(parent)?.keep();
            match File::create(path.join(LOCK)) {
                Ok(lock) => {
                    // Where locks are not supported, nothing is taken for left behind either.
                    let _ = lock.lock();
                    let folder = Self { path, lock: Some(lock) };
                    if folder.path.join(LOCK).exists() {
                        return Ok(folder);
                    }
                    // Swept in between.
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let _ = fs::remove_dir(&path);
                    return Err(error);
                }
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whatever has this name now is unlocked and removed, and where it cannot be, its path is
    /// answered with the reason: the next sweep tries it again.
    pub(crate) fn remove(mut self) -> Result<(), (PathBuf, io::Error)> {
        let path = self.path.clone();
        self.remove_now().map_err(|error| (path, error))
    }

    fn remove_now(&mut self) -> io::Result<()> {
        let Some(lock) = self.lock.take() else { return Ok(()) };
        if !self.path.exists() {
            return Ok(());
        }
        // What was swapped in has no lock of its own.
        let _ = File::create(self.path.join(LOCK));
        drop(lock);
        match remove_lock_last(&self.path) {
            // Somebody else's sweep may have been quicker.
            Err(error) if self.path.exists() => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = self.remove_now();
    }
}

/// A new and locked file in `parent`.
pub fn file(parent: &Path) -> io::Result<NamedTempFile> {
    loop {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            // As any new file; a temporary one is closed to others.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(parent)?;
        let _ = file.as_file().lock();
        if file.path().exists() {
            return Ok(file);
        }
    }
}

/// Removes a folder with all that is in it. An end before the last step leaves its lock, or an
/// empty folder.
pub fn remove_lock_last(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == LOCK {
            continue;
        }
        // A link is removed, and not what it leads to.
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    match fs::remove_file(folder.join(LOCK)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::remove_dir(folder)
}

/// Removes what was left behind in `parent`: folders and files of ours that nobody holds locked.
/// What cannot be removed now is left to the next time.
pub fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let lock = if is_folder { path.join(LOCK) } else { path.clone() };
        match File::open(&lock) {
            Ok(lock) if lock.try_lock().is_ok() => {
                let _ = if is_folder { remove_lock_last(&path) } else { fs::remove_file(&path) };
            }
            // An earlier output that was swapped out and not locked yet.
            Err(_) if is_folder && path.join(FILES_NAME).is_file() => {
                let _ = remove_lock_last(&path);
            }
            // Only if it is empty: nobody came to lock it, or to its end.
            Err(_) if is_folder => drop(fs::remove_dir(&path)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap();
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn what_nobody_holds_is_swept() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        for left in [".pagekin-a", ".pagekin-b", ".pagekin-c"] {
            fs::create_dir(at(left)).unwrap();
        }
        fs::write(at(".pagekin-a/.lock"), "").unwrap();
        fs::create_dir(at(".pagekin-a/index")).unwrap();
        fs::write(at(".pagekin-c/diary"), "mine").unwrap();
        fs::create_dir(at(".pagekin-e")).unwrap();
        fs::write(at(".pagekin-e").join(FILES_NAME), "").unwrap();
        fs::write(at(".pagekin-d"), "half a report").unwrap();
        let (folder, file) =
            (TemporaryFolder::create(place.path()).unwrap(), file(place.path()).unwrap());
        sweep(place.path());
        let mut left = names(place.path());
        left.sort();
        let mut held = [folder.path(), file.path()]
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .to_vec();
        held.push(".pagekin-c".to_owned());
        held.sort();
        assert_eq!(left, held);
        drop((folder, file));
        assert_eq!(names(place.path()), [".pagekin-c"]);
    }
}
