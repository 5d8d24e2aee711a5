//! Opens files in the served folders, but nothing outside that links in them lead to.
//!
//! A name is first resolved to a path without links. Then the file is opened step by step from the
//! served folder, refusing links. So the opened file is in the folder, even if something was
//! replaced in the meantime.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The served folders.
#[derive(Debug, Clone)]
pub(super) struct Folders {
    roots: Arc<[PathBuf]>,
    follow_symlinks: bool,
}

#[derive(Debug)]
pub(super) enum Found {
    File(Opened),
    Folder,
}

/// An opened regular file.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: File,
    /// The requested name, which determines the content type.
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) modified: Option<SystemTime>,
}

/// The reason why a file is not served.
#[derive(Debug)]
pub(super) enum RefusedFile {
    Missing,
    LeadsOut,
    NoFile,
    RowError,
}

impl From<io::Error> for RefusedFile {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::PermissionDenied
            | ErrorKind::InvalidFilename => Self::Missing,
            // For example, too many open files.
            _ => Self::RowError,
        }
    }
}

impl Folders {
    /// Creates the set of served folders. With `follow_symlinks`, links may lead out of them.
    pub(super) fn new<'a>(roots: impl Iterator<Item = &'a PathBuf>, follow_symlinks: bool) -> Self {
        Self { roots: roots.cloned().collect(), follow_symlinks }
    }

    /// Finds the file or folder at a path of names below a folder.
    pub(super) fn find(&self, folder: &Path, names: &[String]) -> Result<Found, RefusedFile> {
        let real = self.real(folder, names)?;
        let top = || real.ancestors().last().map(Path::to_owned);
        let root = if self.follow_symlinks { top() } else { self.root_of(&real) };
        let root = root.ok_or(RefusedFile::LeadsOut)?;
        // Checked before opening, because opening a device can have side effects.
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

    /// Resolves names to a path without links. Errors do not reveal whether a file outside exists.
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

    /// Returns the served folder that contains a real path. The folders are resolved for each
    /// request, because they may have been replaced.
    fn root_of(&self, real: &Path) -> Option<PathBuf> {
        let mut roots = self.roots.iter().filter_map(|root| fs::canonicalize(root).ok());
        roots.find(|root| real.starts_with(root))
    }
}

/// Opens a file by its real path, step by step from `root`. Links on the way are errors. Does not
/// block on pipes.
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

/// Opens a file by its real path on Windows. Each folder on the way is held open without sharing
/// for deletion until the file is open, so that it cannot be moved away.
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
    fn a_folder_or_file_replaced_by_a_link_is_not_opened() {
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
        // Replace parts of the path after it was resolved.
        fs::rename(root.join("inside"), root.join("moved")).unwrap();
        symlink(out.join("inside"), root.join("inside")).unwrap();
        assert!(real.exists() && open_below(&root, &real).is_err());
        fs::remove_file(root.join("inside")).unwrap();
        fs::create_dir(root.join("inside")).unwrap();
        symlink(out.join("inside/file"), &real).unwrap();
        assert!(real.exists() && open_below(&root, &real).is_err());
    }
}
