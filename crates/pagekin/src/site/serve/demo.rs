//! The demo and the lab of an index that was built without: a preview has them, the output has not.

use std::path::Path;

use pagekin_index::AssetFile;

use crate::bundle::{ASSETS, DEMO, LAB};

/// The page of the demo.
const PAGE: &str = "index.html";

/// What is at a path below the index; of an index on several hosts, by the scripts for it.
pub(super) fn file(path: &str, is_mirrored: bool) -> Option<AssetFile<'static>> {
    let name = path.strip_prefix('/')?;
    let index = format!("{name}{PAGE}");
    let name = if name.is_empty() || name.ends_with('/') { &index } else { name };
    let is_it = |file: &&AssetFile<'static>| file.path == name;
    let found = *DEMO.iter().chain(LAB).find(is_it)?;
    let mirrored = ASSETS.mirrored.iter().find(is_it).filter(|_| is_mirrored);
    Some(mirrored.copied().unwrap_or(found))
}

/// Whether an output has the demo itself.
pub(super) fn is_in(output: &Path) -> bool {
    output.join(PAGE).is_file()
}
