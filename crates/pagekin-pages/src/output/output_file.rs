//! Writes an output file next to its place, then moves it there in one step, so that an earlier
//! file is unchanged until then.
//!
//! | at the path | result |
//! | --- | --- |
//! | nothing | a new file |
//! | a file | replaced by a file with the same mode, and the same owner if permitted |
//! | a device, a FIFO | written directly, because there is nothing to replace |
//! | a link | as above for its target; if that does not exist, it is created |
//! | a folder, a socket, a read-only file | rejected |

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::FileError;
use crate::output::error::OutputError;
use crate::output::temporary;

/// Maximum number of links that are followed in a row, as on Linux.
const MAX_LINKS: usize = 40;

/// An output file in progress.
#[derive(Debug)]
pub struct OutputFile {
    /// The path with links resolved.
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// A file next to the place.
    Beside(NamedTempFile),
    /// The existing file, device or FIFO.
    Opened(File),
}

/// The target of a path.
enum Place {
    /// A file to replace or create.
    File(PathBuf),
    /// Written directly; appended to if it is a file.
    Open { append: bool },
}

impl OutputFile {
    /// Returns the path, with links resolved, of the file that would be created, or `None` if the
    /// existing target would be written directly.
    ///
    /// # Errors
    ///
    /// Returns an error if the target is a folder, a socket or a read-only file.
    pub fn place(path: &Path) -> Result<Option<PathBuf>, OutputError> {
        Ok(match place(path)? {
            Place::File(path) => Some(path),
            Place::Open { .. } => None,
        })
    }

    /// Opens the target of `path`, or creates a file next to it. Blocks on a FIFO until it has a
    /// reader.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Self::place`], or an error if the file cannot be created.
    pub fn begin(path: &Path) -> Result<Self, OutputError> {
        match place(path)? {
            Place::Open { append } => {
                let opened = OpenOptions::new().write(true).append(append).open(path);
                let sink = Sink::Opened(opened.map_err(FileError::io("write to", path))?);
                Ok(Self { path: path.to_owned(), sink })
            }
            Place::File(path) => {
                let parent = path.parent().unwrap_or(&path);
                fs::create_dir_all(parent).map_err(FileError::io("create", parent))?;
                temporary::sweep(parent);
                let file = temporary::file(parent).map_err(FileError::io("write to", parent))?;
                Ok(Self { path, sink: Sink::Beside(file) })
            }
        }
    }

    /// Returns the file to write to.
    pub fn file(&mut self) -> &mut File {
        match &mut self.sink {
            Sink::Beside(file) => file.as_file_mut(),
            Sink::Opened(file) => file,
        }
    }

    /// Moves the file to its place, replacing an earlier one.
    ///
    /// # Errors
    ///
    /// Returns an error if that fails. The earlier file is unchanged then.
    pub fn publish(self) -> Result<(), OutputError> {
        let Self { path, sink: Sink::Beside(file) } = self else { return Ok(()) };
        #[cfg(unix)]
        if let Ok(earlier) = fs::metadata(&path) {
            copy_owner_and_mode(file.as_file(), &earlier).map_err(FileError::io("write", &path))?;
        }
        file.persist(&path).map_err(|error| FileError::io("write", &path)(error.error))?;
        Ok(())
    }
}

/// Writes an output file with the content `bytes`.
///
/// # Errors
///
/// Returns an error if the target is not a file, a device or a FIFO, or cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    replace_file(path, |file| Ok(file.write_all(bytes).map_err(FileError::io("write", path))?))
}

/// Like [`write_file`] for content that does not fit in memory. `write` receives the file to write
/// to. If it fails, an earlier file is unchanged.
///
/// # Errors
///
/// Returns the errors of [`write_file`] and of `write`.
pub fn replace_file<E: From<OutputError> + From<FileError>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let mut output = OutputFile::begin(path)?;
    write(output.file())?;
    Ok(output.publish()?)
}

fn place(path: &Path) -> Result<Place, OutputError> {
    let path = std::path::absolute(path).map_err(FileError::io("write to", path))?;
    match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(FileError::io("write to", &path)(error).into()),
        Ok(found) if found.is_dir() => return Err(taken(path, "a folder")),
        Ok(found) if !found.is_file() && is_socket(&found) => return Err(taken(path, "a socket")),
        Ok(found) if !found.is_file() => return Ok(Place::Open { append: false }),
        // Replacing a file does not check that it is writable.
        Ok(_) => {
            let opened = OpenOptions::new().write(true).open(&path);
            opened.map_err(FileError::io("write to", &path))?;
        }
    }
    without_links(path)
}

fn taken(path: PathBuf, found: &str) -> OutputError {
    OutputError::FileTaken { path, found: found.to_owned() }
}

/// Returns the target of a path, which need not exist. Only links at the last component are
/// resolved; the system resolves the others.
fn without_links(mut path: PathBuf) -> Result<Place, OutputError> {
    for _ in 0..MAX_LINKS {
        let Ok(to) = fs::read_link(&path) else { return Ok(Place::File(path)) };
        let parent = path.parent().unwrap_or(&path);
        // These links, such as that of /dev/stdout, lead to open files. Their target is only the
        // file's former name.
        if fs::canonicalize(parent).is_ok_and(|parent| parent.starts_with("/proc")) {
            return Ok(Place::Open { append: true });
        }
        path = parent.join(to);
    }
    Err(taken(path, "a chain of too many links"))
}

/// Copies the owner and the mode of an earlier file.
#[cfg(unix)]
fn copy_owner_and_mode(file: &File, earlier: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    // Only root may change the owner, and others only the group to one of their own. Ignore
    // failures.
    let _ = fchown(file, None, Some(earlier.gid()));
    let _ = fchown(file, Some(earlier.uid()), None);
    file.set_permissions(fs::Permissions::from_mode(earlier.mode() & 0o777))
}

#[cfg(unix)]
fn is_socket(found: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&found.file_type())
}

#[cfg(not(unix))]
fn is_socket(_: &fs::Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;
    use std::thread;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    #[test]
    fn links_are_followed_and_their_targets_replaced_or_created() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("far")).unwrap();
        fs::write(at("far/there"), "earlier").unwrap();
        for (link, to) in [("a", "far/there"), ("b", "a"), ("c", "far/new/x"), ("d", "c")] {
            symlink(to, at(link)).unwrap();
        }
        for (link, file) in [("a", "far/there"), ("b", "far/there"), ("d", "far/new/x")] {
            write_file(&at(link), link.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(at(file)).unwrap(), link);
            assert!(at(link).is_symlink() && !at(file).is_symlink());
        }
        symlink("loop", at("loop")).unwrap();
        assert!(write_file(&at("loop"), b"x").is_err());
        symlink("far", at("folder")).unwrap();
        let error = write_file(&at("folder"), b"x").unwrap_err().to_string();
        assert!(error.contains("found a folder"), "{error}");
    }

    #[test]
    fn a_replaced_file_keeps_its_mode() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x");
        for mode in [0o600, 0o751] {
            fs::write(&path, "earlier").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write_file(&path, b"x").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
            assert_eq!(fs::read_to_string(&path).unwrap(), "x");
        }
    }

    #[test]
    fn other_targets_are_written_directly_or_rejected() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        symlink("pipe", at("link")).unwrap();
        for path in [at("pipe"), at("link")] {
            let pipe = at("pipe");
            let reader = thread::spawn(move || fs::read_to_string(pipe).unwrap());
            write_file(&path, b"x").unwrap();
            assert_eq!(reader.join().unwrap(), "x");
        }
        let _socket = UnixListener::bind(at("socket")).unwrap();
        let error = write_file(&at("socket"), b"x").unwrap_err().to_string();
        assert!(error.contains("found a socket"), "{error}");
        let mut names: Vec<_> = fs::read_dir(place.path()).unwrap().flatten().collect();
        names.sort_by_key(fs::DirEntry::file_name);
        assert_eq!(names.len(), 3, "{names:?}");
    }

    #[test]
    fn open_files_are_written_although_their_link_has_a_name() {
        let place = tempfile::tempdir().unwrap();
        let mut file = File::options().create_new(true).append(true).open(place.path().join("x"));
        let file = file.as_mut().unwrap();
        file.write_all(b"before, ").unwrap();
        let link = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file));
        if !Path::new(&link).exists() {
            return;
        }
        write_file(Path::new(&link), b"x, ").unwrap();
        file.write_all(b"after").unwrap();
        assert_eq!(fs::read_to_string(place.path().join("x")).unwrap(), "before, x, after");
    }
}
