//! An output that is one file: written beside its place, then put there in one step, so that until
//! then an earlier one is as it was.
//!
//! | at the path | what is written |
//! | --- | --- |
//! | nothing | a new file |
//! | a file | one with the same mode, and the same owner if that is allowed, which replaces it |
//! | a device, a FIFO | goes there at once: there is nothing to replace |
//! | a link | what it leads to, as above; of a link to nothing, the file that it names |
//! | a folder, a socket, a file that may not be written | refused |

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::FileError;
use crate::output::error::OutputError;
use crate::output::temporary;

/// Links that may lead to a place, one after the other: as many as Linux follows.
const MAX_LINKS: usize = 40;

/// An output file that is being written.
#[derive(Debug)]
pub struct OutputFile {
    /// Without links.
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// Beside the place.
    Beside(NamedTempFile),
    /// What is there.
    Opened(File),
}

/// What a path leads to.
enum Place {
    /// A file, or nothing.
    File(PathBuf),
    /// What bytes go to at once; behind those that are there already, if it is a file.
    Open { append: bool },
}

impl OutputFile {
    /// The path without links of the file that would be made; `None` if what is there is written
    /// to.
    ///
    /// # Errors
    ///
    /// If there is a folder or a socket, or a file that may not be written.
    pub fn place(path: &Path) -> Result<Option<PathBuf>, OutputError> {
        Ok(match place(path)? {
            Place::File(path) => Some(path),
            Place::Open { .. } => None,
        })
    }

    /// Opens what is at `path`, or makes a file beside it. A FIFO is waited for until somebody
    /// reads it.
    ///
    /// # Errors
    ///
    /// Those of [`Self::place`], or if no file can be made.
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

    /// What to write to.
    pub fn file(&mut self) -> &mut File {
        match &mut self.sink {
            Sink::Beside(file) => file.as_file_mut(),
            Sink::Opened(file) => file,
        }
    }

    /// Puts it in its place. An earlier one is gone then.
    ///
    /// # Errors
    ///
    /// If that fails, which leaves the earlier one as it was.
    pub fn publish(self) -> Result<(), OutputError> {
        let Self { path, sink: Sink::Beside(file) } = self else { return Ok(()) };
        #[cfg(unix)]
        if let Ok(earlier) = fs::metadata(&path) {
            resemble(file.as_file(), &earlier).map_err(FileError::io("write", &path))?;
        }
        file.persist(&path).map_err(|error| FileError::io("write", &path)(error.error))?;
        Ok(())
    }
}

/// Writes an output file.
///
/// # Errors
///
/// If there is something else than a file, a device or a FIFO, or it cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    replace_file(path, |file| Ok(file.write_all(bytes).map_err(FileError::io("write", path))?))
}

/// [`write_file`] for what is too large for memory: `write` is given what to write to, and if it
/// fails, an earlier file is as it was.
///
/// # Errors
///
/// Those of [`write_file`] and of `write`.
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
        // Replacing it would not need the right to write it.
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

/// The file that a path is for, whether it is there or not: only the last part is followed, as the
/// system follows the others.
fn without_links(mut path: PathBuf) -> Result<Place, OutputError> {
    for _ in 0..MAX_LINKS {
        let Ok(to) = fs::read_link(&path) else { return Ok(Place::File(path)) };
        let parent = path.parent().unwrap_or(&path);
        // These links, as of /dev/stdout, lead to what is open, and only say how it was called.
        if fs::canonicalize(parent).is_ok_and(|parent| parent.starts_with("/proc")) {
            return Ok(Place::Open { append: true });
        }
        path = parent.join(to);
    }
    Err(taken(path, "links that lead to links"))
}

/// Gives a file the owner and the mode of an earlier one.
#[cfg(unix)]
fn resemble(file: &File, earlier: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    // Only root may give files away, and others to their groups: whoever may not keeps it.
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
    fn links_are_followed_and_what_they_lead_to_is_replaced_or_made() {
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
    fn a_file_that_is_replaced_keeps_its_mode() {
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
    fn what_is_no_file_is_written_to_or_refused() {
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
    fn what_is_open_is_written_to_though_its_link_has_a_name() {
        let place = tempfile::tempdir().unwrap();
        let mut file = File::options().create_new(true).append(true).open(place.path().join("x"));
        let file = file.as_mut().unwrap();
        file.write_all(b"before, ").unwrap();
        let link = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file));
        if !Path::new(&link).exists() {
            return;
        }
        write_file(Path::new(&link), b"x, ").unwrap();
        file.write_all(b"behind").unwrap();
        assert_eq!(fs::read_to_string(place.path().join("x")).unwrap(), "before, x, behind");
    }
}
