//! Errors that modules share: an option out of range, and a file that cannot be read or written.
//! Each module has an error type that includes these.

use std::io;
use std::path::{Path, PathBuf};

/// An option is out of range.
#[derive(Debug, thiserror::Error)]
#[error("{option} is {found}: expected {expected}")]
pub struct OptionError {
    /// The name of the option.
    pub option: &'static str,
    /// The valid range.
    pub expected: &'static str,
    /// The value that was passed.
    pub found: String,
}

/// Reading or writing failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}{}", path.display(), hint(source))]
pub struct FileError {
    /// The failed action: `write`, `create`.
    pub action: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// The system's error.
    pub source: io::Error,
}

impl FileError {
    /// Returns a function that creates the error for a failed `action` on `path`.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { action, path, source }
    }
}

/// Returns whether a file or folder to rename or remove is in use. Windows denies access to a
/// folder that contains an open file.
pub(crate) fn is_in_use(error: &io::Error) -> bool {
    const DENIED: i32 = 5;
    const SHARED: i32 = 32;
    cfg!(windows) && matches!(error.raw_os_error(), Some(DENIED | SHARED))
}

/// Returns the remedy for common failures.
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
