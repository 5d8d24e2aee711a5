//! Small sites: some of the pages of larger ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pagekin_core::hash;
use pagekin_tests::measuring::pages::Pages;
use pagekin_tests::measuring::{Failure, written};
use walkdir::WalkDir;

/// Copies `n` pages of a site into the folder `into`: those that the handwritten queries want,
/// which are in `file` if one is given, and others by a hash of their paths.
pub(crate) fn of_site(
    site: &Path,
    n: usize,
    file: Option<&Path>,
    into: &Path,
) -> Result<Pages, Failure> {
    let written = written::queries(file, |page| site.join(page).is_file())?;
    let queries = written.into_iter().flat_map(|(_, queries)| queries);
    let wanted: BTreeSet<PathBuf> =
        queries.flat_map(|query| query.wanted).map(PathBuf::from).collect();
    let mut pages = Vec::new();
    for entry in WalkDir::new(site).follow_links(true) {
        // A link that leads nowhere is no page.
        let Ok(entry) = entry else { continue };
        let is_page = entry.path().extension().is_some_and(|extension| extension == "html");
        if is_page && entry.file_type().is_file() {
            pages.push(entry.path().strip_prefix(site)?.to_owned());
        }
    }
    pages.sort_by_cached_key(|page| {
        let key = hash::of_bytes(page.as_os_str().as_encoded_bytes());
        (!wanted.contains(page), key, page.clone())
    });
    for page in pages.iter().take(n) {
        let copy = into.join(page);
        fs::create_dir_all(copy.parent().unwrap_or(into))?;
        fs::copy(site.join(page), copy)?;
    }
    Ok(Pages::Site(into.to_owned()))
}
