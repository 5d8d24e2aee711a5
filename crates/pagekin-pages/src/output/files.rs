//! Writes files into a folder.

use std::fs;
use std::path::Path;

use crate::error::FileError;
use crate::output::error::OutputError;
use crate::output::part::Part;

/// Writes files of one kind in order.
pub fn write_files<N: AsRef<str>, B: AsRef<[u8]>>(
    kind: &'static str,
    files: impl IntoIterator<Item = (N, B)>,
    into: &Path,
) -> Result<Part, OutputError> {
    let mut part = Part { name: kind, files: 0, bytes: 0 };
    for (name, bytes) in files {
        part.files += 1;
        part.bytes += write_file(into, name.as_ref(), bytes.as_ref())?;
    }
    Ok(part)
}

/// Writes a file into a folder and returns its size.
pub fn write_file(into: &Path, name: &str, bytes: &[u8]) -> Result<u64, OutputError> {
    let path = into.join(name);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(FileError::io("create", folder))?;
    }
    fs::write(&path, bytes).map_err(FileError::io("write", &path))?;
    Ok(bytes.len() as u64)
}
