//! Temporary folders and files next to an output, and the removal of those that killed processes
//! left behind.
//!
//! Their names start with `.pagekin-`. Each is locked while it is in use. The lock of a folder is a
//! file in it, which is removed last, so that the next process can recognize and remove the remains
//! of a process killed at any moment. Windows cannot rename a folder while a file in it is open:
//! there the lock is next to the folder.
//!
//! If two folders cannot be exchanged atomically, the earlier output is next to its place for a
//! moment, under a name that identifies it. A process killed at that moment leaves no output, and
//! the next sweep restores it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::output::file_list::FILES_NAME;

const PREFIX: &str = ".pagekin-";
/// The lock file of a folder, which also marks it as ours. On Windows this is appended to the name
/// of a temporary folder.
pub const LOCK: &str = ".lock";
/// Separates the name of a temporary folder from that of the output that it replaces, in the name
/// of an earlier output that is being replaced.
const ASIDE: &str = "-was-";

/// A folder that is removed with its content on drop, unless it was removed or moved before.
#[derive(Debug)]
pub struct TemporaryFolder {
    path: PathBuf,
    lock: Option<File>,
}

impl TemporaryFolder {
    /// Creates an empty, locked folder in `parent`.
    pub fn create(parent: &Path) -> io::Result<Self> {
        loop {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX);
            #[cfg(unix)]
            {
                // The mode of any new folder. A temporary one is not accessible to others, such as
                // the web server.
                use std::os::unix::fs::PermissionsExt;
                builder.permissions(fs::Permissions::from_mode(0o777));
            }
            // We remove the folder ourselves, because a `TempDir` would remove the lock in any
            // order.
            let path = builder.tempdir_in(parent)?.keep();
            match File::create(lock_of(&path)) {
                Ok(lock) => {
                    // Without support for locks, no folder counts as left behind, either.
                    let _ = lock.lock();
                    let folder = Self { path, lock: Some(lock) };
                    let is_there = !cfg!(windows) || folder.path.exists();
                    if is_there && lock_of(&folder.path).exists() {
                        return Ok(folder);
                    }
                    // Another process swept it in the meantime.
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

    /// Unlocks and removes the folder that has this name now. If that fails, returns its path and
    /// the error. The next sweep tries again.
    pub(crate) fn remove(mut self) -> Result<(), (PathBuf, io::Error)> {
        let path = self.path.clone();
        self.remove_now().map_err(|error| (path, error))
    }

    fn remove_now(&mut self) -> io::Result<()> {
        let Some(lock) = self.lock.take() else { return Ok(()) };
        if !self.path.exists() {
            drop(lock);
            return remove_separate_lock(&self.path);
        }
        if !cfg!(windows) {
            // The swapped-in folder has no lock.
            let _ = File::create(self.path.join(LOCK));
        }
        drop(lock);
        match remove_locked(&self.path) {
            // Another process may have swept it in the meantime.
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

/// Creates a locked file in `parent`.
pub fn file(parent: &Path) -> io::Result<NamedTempFile> {
    loop {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            // The mode of any new file. A temporary one is not accessible to others.
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

/// Returns the lock file of a temporary folder.
fn lock_of(folder: &Path) -> PathBuf {
    if !cfg!(windows) {
        return folder.join(LOCK);
    }
    let mut lock = folder.as_os_str().to_owned();
    lock.push(LOCK);
    lock.into()
}

/// Removes a temporary folder, then its lock.
fn remove_locked(folder: &Path) -> io::Result<()> {
    remove_lock_last(folder, None)?;
    remove_separate_lock(folder)
}

fn remove_separate_lock(folder: &Path) -> io::Result<()> {
    if !cfg!(windows) {
        return Ok(());
    }
    match fs::remove_file(lock_of(folder)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the path of an earlier output while a temporary folder takes its place.
pub fn aside(folder: &Path, output: &Path) -> PathBuf {
    let mut aside = folder.as_os_str().to_owned();
    aside.push(ASIDE);
    aside.push(output.file_name().unwrap_or_default());
    aside.into()
}

/// Returns the temporary folder and the output from the name of an earlier output that is being
/// replaced.
fn parse_aside(aside: &Path) -> Option<(PathBuf, PathBuf)> {
    let (folder, output) = aside.file_name()?.to_str()?.split_once(ASIDE)?;
    Some((aside.with_file_name(folder), aside.with_file_name(output)))
}

/// Restores an earlier output that was being replaced when a process ended, or removes it if the
/// new one is in its place.
fn restore(aside: &Path, folder: &Path, output: &Path) -> io::Result<()> {
    let is_held = |lock: PathBuf| File::open(lock).is_ok_and(|lock| lock.try_lock().is_err());
    // The new output contains its lock until everything is done, wherever it is.
    if is_held(lock_of(folder)) || !cfg!(windows) && is_held(output.join(LOCK)) {
        return Ok(());
    }
    if output.exists() { remove_lock_last(aside, None) } else { fs::rename(aside, output) }
}

/// Removes a folder with its content, then releases its lock if it is `held`. A process killed
/// before the last step leaves the lock, or an empty folder.
pub fn remove_lock_last(folder: &Path, held: Option<File>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == LOCK {
            continue;
        }
        // Removes a link, not its target.
        let removed = match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path()),
            false => fs::remove_file(entry.path()),
        };
        // Another thread may remove a file of its own at the same time.
        removed.or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
    }
    // On Windows, a removed file keeps its name while it is open.
    let held = held.filter(|_| !cfg!(windows));
    match fs::remove_file(folder.join(LOCK)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let removed = fs::remove_dir(folder);
    drop(held);
    removed
}

/// Removes folders and files of ours in `parent` that are not locked. Restores an earlier output
/// that was being replaced if there is no other in its place. What cannot be removed now is left to
/// the next sweep.
pub fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && contains(&entry.file_name(), ASIDE) {
            if let Some((folder, output)) = parse_aside(&path) {
                let _ = restore(&path, &folder, &output);
            }
            continue;
        }
        // The lock is removed with its folder.
        if cfg!(windows) && !is_folder && path.with_extension("").is_dir() {
            continue;
        }
        let lock = if is_folder { lock_of(&path) } else { path.clone() };
        match File::open(&lock) {
            Ok(lock) if lock.try_lock().is_ok() => {
                let _ = if is_folder { remove_locked(&path) } else { fs::remove_file(&path) };
            }
            // An earlier output that was swapped out but not locked yet.
            Err(_) if is_folder && path.join(FILES_NAME).is_file() => {
                let _ = remove_lock_last(&path, None);
            }
            // Only if it is empty: it was never locked, or almost removed.
            Err(_) if is_folder => drop(fs::remove_dir(&path)),
            _ => {}
        }
    }
}

/// Returns whether a name, in any encoding, contains `part`.
fn contains(name: &OsStr, part: &str) -> bool {
    name.as_encoded_bytes().windows(part.len()).any(|window| window == part.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap();
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn unlocked_remains_are_swept() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        for left in [".pagekin-a", ".pagekin-b", ".pagekin-c"] {
            fs::create_dir(at(left)).unwrap();
        }
        fs::write(lock_of(&at(".pagekin-a")), "").unwrap();
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
        if cfg!(windows) {
            held.push(lock_of(Path::new(&held[0])).into_os_string().into_string().unwrap());
        }
        held.sort();
        assert_eq!(left, held);
        drop((folder, file));
        assert_eq!(names(place.path()), [".pagekin-c"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_whose_lock_cannot_be_created_is_removed() {
        // The path of a temporary folder just fits; that of its lock is too long.
        const MAX: usize = 4_095;
        let name = format!("/{PREFIX}123456");
        let place = tempfile::tempdir().unwrap();
        let mut parent = place.path().to_owned();
        loop {
            let left = MAX - name.len() - parent.as_os_str().len();
            match left {
                0..2 => break,
                _ => parent.push("x".repeat((left - 1).min(200))),
            }
            fs::create_dir(&parent).unwrap();
        }
        let error = TemporaryFolder::create(&parent).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidFilename);
        assert_eq!(names(&parent), [""; 0]);
    }

    #[test]
    fn an_interrupted_replacement_is_restored_or_removed() {
        let place = tempfile::tempdir().unwrap();
        let (new, output) = (place.path().join(".pagekin-Ab1"), place.path().join("a-was-b"));
        let aside = aside(&new, &output);
        let make = |folder: &Path| {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join(FILES_NAME), folder.as_os_str().as_encoded_bytes()).unwrap();
        };
        // The replacing process is running.
        make(&aside);
        make(&new);
        let lock = File::create(lock_of(&new)).unwrap();
        lock.lock().unwrap();
        sweep(place.path());
        assert!(aside.is_dir() && new.is_dir() && !output.exists());
        // Killed before the new one was in place, which is removed.
        drop(lock);
        sweep(place.path());
        assert_eq!(names(place.path()), ["a-was-b"]);
        let list = fs::read(output.join(FILES_NAME)).unwrap();
        assert_eq!(list, aside.as_os_str().as_encoded_bytes());
        // Killed after that.
        make(&aside);
        sweep(place.path());
        assert_eq!(names(place.path()), ["a-was-b"]);
        assert_eq!(fs::read(output.join(FILES_NAME)).unwrap(), list);
    }
}
