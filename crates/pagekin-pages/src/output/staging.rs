//! An output folder: built beside its place, then put there in one step.
//!
//! Until that step the earlier output is as it was; if the build fails or is interrupted it stays.
//! On Linux the step exchanges the two folders in one system call. Elsewhere, and on file systems
//! that cannot do that, it is three renames: for a moment there is no output, and who ends within
//! it leaves the earlier one beside its place. What an end without warning leaves behind, a folder
//! next to the output whose name begins with `.pagekin-`, is put back or removed by the next build.

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

/// An output that is being built.
#[derive(Debug)]
pub struct Staging {
    output: PathBuf,
    mark: &'static str,
    folder: TemporaryFolder,
}

impl Staging {
    /// Checks that `output` may be written, and makes a folder beside it. `mark` is the file that
    /// every output of the kind has; `inputs` are what it is made of.
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

    /// The folder to write into.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes down what is ours, with the checksums of the files at some paths, and answers how
    /// many bytes that took. Nothing may be added after it.
    pub fn list_files<'a>(
        &self,
        checked: impl IntoIterator<Item = &'a str>,
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
        let list = FileList { names, below, checksums }.encode();
        let path = folder.join(FILES_NAME);
        fs::write(&path, &list).map_err(FileError::io("write", &path))?;
        Ok(list.len() as u64)
    }

    /// Puts the folder in its place. The earlier output is gone then; if it cannot be removed,
    /// `observer` is told where it is.
    pub fn publish(self, observer: &dyn Observer) -> Result<(), OutputError> {
        // Once more: somebody may have put something there meanwhile.
        check_entries(&self.output, self.mark)?;
        let put = if self.output.exists() {
            replace(self.folder.path(), &self.output)
        } else {
            rename(self.folder.path(), &self.output)
        };
        put.map_err(FileError::io("move the new index to", &self.output))?;
        // The temporary name now has the earlier output, or nothing.
        let _ = fs::remove_file(self.output.join(LOCK));
        if let Err((left, error)) = self.folder.remove() {
            observer.warn(&format!(
                "cannot remove what is left of the earlier output, {}: {error}. Remove it; the new output is complete",
                left.display()
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

/// Everything in `output`, at its top and in its folders, must be of an earlier build: what its
/// list does not name was put there by somebody else. Empty folders are nothing to lose.
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

/// Calls `found` with the paths of all files below a name in a folder: with slashes, from the
/// folder on. A link is a file.
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

/// The names in a folder, sorted.
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
        // The file system cannot exchange.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => replace_in_steps(new, old),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn replace(new: &Path, old: &Path) -> io::Result<()> {
    replace_in_steps(new, old)
}

/// Swaps two folders by three renames; if the second fails, the first is taken back.
fn replace_in_steps(new: &Path, old: &Path) -> io::Result<()> {
    let aside = temporary::aside(new, old);
    rename(old, &aside)?;
    if let Err(error) = rename(new, old) {
        rename(&aside, old)?;
        return Err(error);
    }
    rename(&aside, new)
}

/// Renames a folder. On Windows that fails while a file in it is open, as a scanner of viruses or a
/// preview has it for a moment: it is tried for two seconds.
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
    fn folders_swap_in_steps_too() {
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
    fn what_a_killed_build_left_is_removed_and_a_running_one_is_not() {
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
    fn names_are_all_there_are_in_order() {
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
