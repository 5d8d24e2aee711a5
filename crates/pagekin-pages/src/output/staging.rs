//! Builds an output folder next to its place, then moves it there in one step.
//!
//! The earlier output is unchanged until that step, and remains if the build fails or is
//! interrupted. On Linux, the step exchanges the two folders with one system call. On other
//! systems, and on file systems without this call, it takes three renames: for a moment there is no
//! output, and a process that ends at that moment leaves the earlier output next to its place. A
//! process that is killed may leave a folder next to the output whose name starts with `.pagekin-`.
//! The next build restores or removes it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::error::{FileError, is_in_use};
use crate::output::error::OutputError;
use crate::output::file_list::{FILES_NAME, FileList, checksum};
use crate::output::temporary::{self, LOCK, TemporaryFolder};
use crate::progress::Observer;

/// An output folder in progress.
#[derive(Debug)]
pub struct Staging {
    output: PathBuf,
    mark: &'static str,
    folder: TemporaryFolder,
}

impl Staging {
    /// Checks that `output` may be written, and creates a folder next to it. `mark` is a file that
    /// every output of this kind contains. `inputs` are the sources of the output.
    pub fn begin<'a>(
        inputs: impl IntoIterator<Item = &'a Path>,
        output: &Path,
        mark: &'static str,
    ) -> Result<Self, OutputError> {
        let output = std::path::absolute(output).map_err(FileError::io("write to", output))?;
        check(inputs, &output, mark)?;
        let parent = output.parent().unwrap_or(&output).to_owned();
        fs::create_dir_all(&parent).map_err(FileError::io("create", &parent))?;
        temporary::sweep(&parent);
        let folder =
            TemporaryFolder::create(&parent).map_err(FileError::io("write to", &parent))?;
        Ok(Self { output, mark, folder })
    }

    /// Returns the folder to write into.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes the list of our files, with the checksums of the files at the paths `checked`, and
    /// returns its size. `site` is [`FileList::site`]. No files may be added after that.
    pub fn list_files<'a>(
        &self,
        checked: impl IntoIterator<Item = &'a str>,
        site: Option<String>,
    ) -> Result<u64, OutputError> {
        let folder = self.folder.path();
        let mut names = names_in(folder).map_err(FileError::io("list", folder))?;
        names.retain(|name| name != LOCK);
        let mut checksums = Vec::new();
        for name in checked {
            let path = folder.join(name);
            let bytes = fs::read(&path).map_err(FileError::io("read", &path))?;
            checksums.push((name.to_owned(), checksum(&bytes)));
        }
        let mut below = Vec::new();
        for name in &names {
            each_below(folder, name, |path| {
                below.push(path.to_owned());
                Ok(())
            })?;
        }
        below.sort();
        let list = FileList { site, names, below, checksums }.encode();
        let path = folder.join(FILES_NAME);
        fs::write(&path, &list).map_err(FileError::io("write", &path))?;
        Ok(list.len() as u64)
    }

    /// Moves the folder to its place, which removes the earlier output. If that cannot be removed,
    /// `observer` receives its path.
    pub fn publish(self, observer: &dyn Observer) -> Result<(), OutputError> {
        // Check again, because files may have been added in the meantime.
        check_entries(&self.output, self.mark)?;
        let put = if self.output.exists() {
            replace(self.folder.path(), &self.output)
        } else {
            rename(self.folder.path(), &self.output)
        };
        put.map_err(FileError::io("move the new index to", &self.output))?;
        // The temporary name now refers to the earlier output, or to nothing.
        let _ = fs::remove_file(self.output.join(LOCK));
        if let Err((rest, error)) = self.folder.remove() {
            observer.warn(&format!(
                "cannot remove the rest of the earlier output, {}: {error}. Remove it. The new output is complete",
                rest.display()
            ));
        }
        Ok(())
    }
}

fn check<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    output: &Path,
    mark: &str,
) -> Result<(), OutputError> {
    let taken =
        |found: &str| OutputError::OutputTaken { path: output.to_owned(), found: found.to_owned() };
    for site in inputs {
        if let (Ok(site), Ok(output)) = (fs::canonicalize(site), fs::canonicalize(output))
            && site.starts_with(&output)
        {
            return Err(OutputError::OutputHoldsSite { output, site });
        }
    }
    match fs::symlink_metadata(output) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(FileError::io("read", output)(error).into()),
        Ok(metadata) if metadata.is_symlink() => return Err(taken("a link")),
        Ok(metadata) if !metadata.is_dir() => return Err(taken("a file")),
        Ok(_) => {}
    }
    check_entries(output, mark)
}

/// Checks that everything in `output`, including its folders, is from an earlier build. Other files
/// are not ours. Empty folders may be lost.
fn check_entries(output: &Path, mark: &str) -> Result<(), OutputError> {
    if !output.exists() {
        return Ok(());
    }
    let read = |error| OutputError::from(FileError::io("read", output)(error));
    let list = if output.join(mark).is_file() {
        fs::read_to_string(output.join(FILES_NAME)).unwrap_or_default()
    } else {
        String::new()
    };
    let ours: BTreeSet<&str> = list.lines().collect();
    let check = |path: &str, is_ours: bool| match is_ours {
        true => Ok(()),
        false => Err(OutputError::OutputTaken {
            path: output.to_owned(),
            found: format!("a folder that contains {path}"),
        }),
    };
    let names = names_in(output).map_err(read)?;
    for name in &names {
        let is_list = name == FILES_NAME && !ours.is_empty();
        check(name, ours.contains(&**name) || is_list || name == LOCK)?;
    }
    for name in &names {
        each_below(output, name, |path| check(path, ours.contains(path)))?;
    }
    Ok(())
}

/// Calls `found` with the paths of all files below `name`: with slashes, relative to `folder`. A
/// link counts as a file.
fn each_below(
    folder: &Path,
    name: &str,
    mut found: impl FnMut(&str) -> Result<(), OutputError>,
) -> Result<(), OutputError> {
    let failed = |error| FileError::io("read", folder)(error);
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let mut folders = vec![(name.to_owned(), folder.join(name))];
    folders.retain(|(_, path)| is_folder(path));
    while let Some((path, place)) = folders.pop() {
        for entry in fs::read_dir(&place).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = format!("{path}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push((path, entry.path()));
            } else {
                found(&path)?;
            }
        }
    }
    Ok(())
}

/// Returns the names in a folder, sorted.
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

#[cfg(target_os = "linux")]
fn replace(new: &Path, old: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // The file system does not support exchanging.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => replace_in_steps(new, old),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn replace(new: &Path, old: &Path) -> io::Result<()> {
    replace_in_steps(new, old)
}

/// Swaps two folders with three renames. If the second fails, the first is undone.
fn replace_in_steps(new: &Path, old: &Path) -> io::Result<()> {
    let aside = temporary::aside(new, old);
    rename(old, &aside)?;
    if let Err(error) = rename(new, old) {
        rename(&aside, old)?;
        return Err(error);
    }
    rename(&aside, new)
}

/// Renames a folder. On Windows this fails while a file in the folder is open, for example in a
/// virus scanner or a preview, so it is retried for two seconds.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let mut pauses_left = 40;
    loop {
        match fs::rename(from, to) {
            Err(error) if is_in_use(&error) && pauses_left > 0 => {
                pauses_left -= 1;
                thread::sleep(Duration::from_millis(50));
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_also_swapped_in_steps() {
        let place = tempfile::tempdir().unwrap();
        let (new, old) = (place.path().join("new"), place.path().join("old"));
        for (folder, text) in [(&new, "new"), (&old, "old")] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("x"), text).unwrap();
        }
        replace_in_steps(&new, &old).unwrap();
        assert_eq!(fs::read_to_string(old.join("x")).unwrap(), "new");
        assert_eq!(fs::read_to_string(new.join("x")).unwrap(), "old");
        replace(&new, &old).unwrap();
        assert_eq!(fs::read_to_string(old.join("x")).unwrap(), "old");
    }

    #[test]
    fn remains_of_a_killed_build_are_removed_but_not_of_a_running_one() {
        let place = tempfile::tempdir().unwrap();
        let site = tempfile::tempdir().unwrap();
        let left = place.path().join(".pagekin-left");
        fs::create_dir(&left).unwrap();
        let lock =
            if cfg!(windows) { place.path().join(".pagekin-left.lock") } else { left.join(LOCK) };
        fs::write(lock, "").unwrap();
        let running = Staging::begin([site.path()], &place.path().join("a"), "mark").unwrap();
        assert!(!left.exists());
        let other = Staging::begin([site.path()], &place.path().join("b"), "mark").unwrap();
        assert!(running.path().exists());
        other.publish(&crate::progress::Silent).unwrap();
        assert!(place.path().join("b").is_dir());
        drop(running);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn names_are_complete_and_sorted() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(names_in(place.path()).unwrap(), [""; 0]);
        for name in ["c", "a", "b"] {
            fs::write(place.path().join(name), "").unwrap();
        }
        fs::create_dir(place.path().join("aa")).unwrap();
        fs::write(place.path().join("aa/below"), "").unwrap();
        assert_eq!(names_in(place.path()).unwrap(), ["a", "aa", "b", "c"]);
        assert!(names_in(&place.path().join("none")).is_err());
    }
}
