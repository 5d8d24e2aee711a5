//! The files of an index that lookups read.

use std::path::Path;

use pagekin_pages::FileError;
use walkdir::WalkDir;

use crate::build::error::BuildError;

/// Lists the files of the index that lookups read, sorted by name.
pub(crate) fn index_files(output: &Path) -> Result<Vec<String>, BuildError> {
    let folder = output.join("index");
    let mut names = Vec::new();
    for entry in WalkDir::new(&folder).sort_by_file_name() {
        let entry = entry.map_err(|error| FileError::io("list", &folder)(error.into()))?;
        let below = entry.path().strip_prefix(output).unwrap_or(entry.path());
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        // Lookups don't read related pages.
        if entry.file_type().is_file() && !parts.iter().any(|part| part == "related") {
            names.push(parts.join("/"));
        }
    }
    Ok(names)
}
