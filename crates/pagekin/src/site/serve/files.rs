//! Files that are in the folders that are served, not what links in them lead to elsewhere.
//!
//! Where a name leads is found out first. Then the file is opened by a path without links, from its
//! folder on and step by step: what is opened is in the folder, whatever was put there meanwhile.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The folders that are served.
#[derive(Debug, Clone)]
pub(super) struct Folders {
    roots: Arc<[PathBuf]>,
    follow_symlinks: bool,
}

/// What is at a path.
#[derive(Debug)]
pub(super) enum Found {
    File(Opened),
    Folder,
}

/// A regular file, to be read.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: File,
    /// As it was asked for, which tells its type.
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) modified: Option<SystemTime>,
}

/// Why nothing is served.
#[derive(Debug)]
pub(super) enum RefusedFile {
    Missing,
    LeadsOut,
    NoFile,
    Failed,
}

impl From<io::Error> for RefusedFile {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::PermissionDenied
            | ErrorKind::InvalidFilename => Self::Missing,
            // Too many open files, for one.
            _ => Self::Failed,
        }
    }
}

impl Folders {
    /// With `follow_symlinks` what links lead to is served wherever it is.
    pub(super) fn new<'a>(roots: impl Iterator<Item = &'a PathBuf>, follow_symlinks: bool) -> Self {
        Self { roots: roots.cloned().collect(), follow_symlinks }
    }

    /// What the last of some names is, each of which is in the one before and the first in a
    /// folder.
    pub(super) fn find(&self, folder: &Path, names: &[String]) -> Result<Found, RefusedFile> {
        let real = self.real(folder, names)?;
        let top = || real.ancestors().last().map(Path::to_owned);
        let root = if self.follow_symlinks { top() } else { self.root_of(&real) };
        let root = root.ok_or(RefusedFile::LeadsOut)?;
        // Looked at before it is opened: that alone can do something to a device.
        let kind = fs::symlink_metadata(&real)?.file_type();
        if kind.is_dir() {
            return Ok(Found::Folder);
        }
        if !kind.is_file() {
            return Err(RefusedFile::NoFile);
        }
        let file = open_below(&root, &real)?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(RefusedFile::NoFile);
        }
        let name = names.last().cloned().unwrap_or_default();
        Ok(Found::File(Opened { file, name, bytes: found.len(), modified: found.modified().ok() }))
    }

    /// Where names really lead. Of what is outside nothing is told, not even whether it is there.
    fn real(&self, folder: &Path, names: &[String]) -> Result<PathBuf, RefusedFile> {
        let mut real = fs::canonicalize(folder)?;
        for name in names {
            let path = real.join(name);
            real = match fs::canonicalize(&path) {
                Ok(real) => real,
                Err(_) if !self.follow_symlinks && path.is_symlink() => {
                    return Err(RefusedFile::LeadsOut);
                }
                Err(error) => return Err(error.into()),
            };
            if !self.follow_symlinks && self.root_of(&real).is_none() {
                return Err(RefusedFile::LeadsOut);
            }
        }
        Ok(real)
    }

    /// The folder that a real path is in. Folders may have been replaced since the last request.
    fn root_of(&self, real: &Path) -> Option<PathBuf> {
        let mut roots = self.roots.iter().filter_map(|root| fs::canonicalize(root).ok());
        roots.find(|root| real.starts_with(root))
    }
}

/// Opens a file by its real path, as one of its folder's: a link on the way from there is an error.
/// Does not wait for who writes into a pipe.
#[cfg(unix)]
fn open_below(root: &Path, real: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = flags | OFlags::NOCTTY;
    let mut opened = openat(CWD, root, flags, Mode::empty())?;
    for name in real.strip_prefix(root).map_err(io::Error::other)? {
        opened = openat(&opened, name, flags, Mode::empty())?;
    }
    Ok(opened.into())
}

/// The same on Windows, where a folder that is held open and not shared for deletion cannot be
/// moved away: each one on the way is, until the file is open.
#[cfg(windows)]
fn open_below(root: &Path, real: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;
    const SHARE_READ_AND_WRITE: u32 = 0x3;
    const BACKUP_SEMANTICS: u32 = 0x0200_0000;
    const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    let mut path = root.to_owned();
    let mut held = Vec::new();
    for name in real.strip_prefix(root).map_err(io::Error::other)? {
        let folder = File::options()
            .read(true)
            .share_mode(SHARE_READ_AND_WRITE)
            .custom_flags(BACKUP_SEMANTICS | OPEN_REPARSE_POINT)
            .open(&path)?;
        if !held.is_empty() && !folder.metadata()?.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        held.push(folder);
        path.push(name);
    }
    let file = File::options().read(true).custom_flags(OPEN_REPARSE_POINT).open(&path)?;
    if !file.metadata()?.is_file() {
        return Err(ErrorKind::NotFound.into());
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_opened_by_its_real_path() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/file"), "x").unwrap();
        let top = root.ancestors().last().unwrap().to_owned();
        for from in [&root, &root.join("a"), &top] {
            let mut file = open_below(from, &root.join("a").join("b").join("file")).unwrap();
            let mut text = String::new();
            io::Read::read_to_string(&mut file, &mut text).unwrap();
            assert_eq!(text, "x");
        }
        assert!(open_below(&root.join("a/b"), &root.join("a")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_is_put_in_place_of_a_folder_or_file_is_not_followed() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let (root, out) = (place.join("site"), place.join("out"));
        for folder in [&root, &out] {
            fs::create_dir_all(folder.join("inside")).unwrap();
            fs::write(folder.join("inside/file"), folder.as_os_str().as_encoded_bytes()).unwrap();
        }
        let real = root.join("inside/file");
        assert!(open_below(&root, &real).is_ok());
        // The path was found to be real, and then:
        fs::rename(root.join("inside"), root.join("moved")).unwrap();
        symlink(out.join("inside"), root.join("inside")).unwrap();
        assert!(real.exists() && open_below(&root, &real).is_err());
        fs::remove_file(root.join("inside")).unwrap();
        fs::create_dir(root.join("inside")).unwrap();
        symlink(out.join("inside/file"), &real).unwrap();
        assert!(real.exists() && open_below(&root, &real).is_err());
    }
}
