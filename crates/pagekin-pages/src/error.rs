//! What rooms of all kinds may fail with: an option out of range, a file that cannot be read or
//! written. Each room has an error of its own with these among its reasons.

use std::io;
use std::path::{Path, PathBuf};

/// An option is out of range.
#[derive(Debug, thiserror::Error)]
#[error("{option} is {found}: expected {expected}")]
pub struct OptionError {
    /// Its name.
    pub option: &'static str,
    /// The range.
    pub expected: &'static str,
    /// What was given.
    pub found: String,
}

/// Reading or writing failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}{}", path.display(), hint(source))]
pub struct FileError {
    /// What was tried: `write`, `create`.
    pub action: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// The system's error.
    pub source: io::Error,
}

impl FileError {
    /// For what goes wrong while `action` is done to `path`.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { action, path, source }
    }
}

/// Whether what is to be renamed or removed is in use, as Windows says it: a folder with an open
/// file in it is denied.
pub(crate) fn is_in_use(error: &io::Error) -> bool {
    const DENIED: i32 = 5;
    const SHARED: i32 = 32;
    cfg!(windows) && matches!(error.raw_os_error(), Some(DENIED | SHARED))
}

/// What to do about the common failures.
fn hint(error: &io::Error) -> &'static str {
    if is_in_use(error) {
        return ". Close the programs that have a file in it open, or choose a writable path; the earlier output is unchanged";
    }
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            ". Free some space, or choose an output path on another disk; the earlier output is unchanged"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            ". Choose a writable path; the earlier output is unchanged"
        }
        _ => "",
    }
}
