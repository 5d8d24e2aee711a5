//! The embedded demo and lab, which a preview serves even if the output does not contain them.

use std::path::Path;

use pagekin_index::AssetFile;

use crate::bundle::{ASSETS, DEMO, LAB};

const PAGE: &str = "index.html";

/// Returns the embedded file at a path below the index. An index with mirrors gets the scripts that
/// support them.
pub(super) fn file(path: &str, is_mirrored: bool) -> Option<AssetFile<'static>> {
    let name = path.strip_prefix('/')?;
    let index = format!("{name}{PAGE}");
    let name = if name.is_empty() || name.ends_with('/') { &index } else { name };
    let is_it = |file: &&AssetFile<'static>| file.path == name;
    let found = *DEMO.iter().chain(LAB).find(is_it)?;
    let mirrored = ASSETS.mirrored.iter().find(is_it).filter(|_| is_mirrored);
    Some(mirrored.copied().unwrap_or(found))
}

/// Returns whether the output contains the demo.
pub(super) fn is_in(output: &Path) -> bool {
    output.join(PAGE).is_file()
}
