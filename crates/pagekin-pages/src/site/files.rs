//! The files of a site that are read: those that are listed, without what the caller leaves out.

use std::io;
use std::path::{Path, PathBuf};

use crate::ledger::SkipReason;
use crate::progress::Observer;
use crate::site::error::SiteError;
use crate::site::exclude::Exclude;
use crate::site::listing::{self, HtmlFile, Listing, Naming};
use crate::site::options::SiteOptions;
use crate::site::skipped::SkippedFiles;

/// How many HTML files are below `site`, but not below `output`.
///
/// # Errors
///
/// If there is no such folder.
pub fn count_html_files(
    site: &Path,
    output: &Path,
    options: &SiteOptions,
) -> Result<u64, SiteError> {
    let listing = listing::list(site, output, options.naming())?;
    Ok((listing.files.len() + listing.duplicates.len()) as u64)
}

/// The files of a site that are read.
#[derive(Debug)]
pub struct SiteFiles {
    /// In the order of their addresses, each address once.
    pub files: Vec<HtmlFile>,
    /// How many there are with those that are not read.
    pub html_files: u64,
    /// What could not be listed.
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

impl SiteFiles {
    /// Those below `site`, but not below `output`, which may be the empty path. What is left out is
    /// counted as skipped.
    ///
    /// # Errors
    ///
    /// If there is no such folder, or it has no HTML file.
    pub fn list(
        site: &Path,
        output: &Path,
        options: &SiteOptions,
        exclude: &mut Exclude<'_>,
        skipped: &mut SkippedFiles<'_>,
        observer: &dyn Observer,
    ) -> Result<Self, SiteError> {
        let listing = listed(site, output, options.naming(), exclude)?;
        let html_files =
            (listing.files.len() + listing.left_out.len() + listing.unreadable.len()) as u64;
        if html_files == 0 {
            return Err(SiteError::NoHtml { path: site.to_owned(), files: listing.other_files });
        }
        if let Some(example) = listing.linked_twice.first() {
            let (n, example) = (listing.linked_twice.len(), example.display());
            observer.warn(&format!(
                "{n} links to folders that are also read by another path were not followed, for example {example}"
            ));
        }
        skipped.came_in(html_files);
        for (path, reason) in &listing.left_out {
            skipped.add(*reason, path);
        }
        Ok(Self { files: listing.files, html_files, unreadable: listing.unreadable })
    }
}

/// The files of a folder, and those that are left out before any is read.
pub(crate) struct ListedFiles {
    /// In the order of their addresses, each address once.
    pub(crate) files: Vec<HtmlFile>,
    /// Those that are excluded, and those whose address another file has.
    pub(crate) left_out: Vec<(PathBuf, SkipReason)>,
    /// What could not be listed.
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
    /// Links to folders that are listed by another path.
    linked_twice: Vec<PathBuf>,
    /// Files of other types.
    other_files: u64,
}

/// Lists the files below `site`, but not below `output`, which may be the empty path.
pub(crate) fn listed(
    site: &Path,
    output: &Path,
    naming: Naming<'_>,
    exclude: &mut Exclude<'_>,
) -> Result<ListedFiles, SiteError> {
    let Listing { mut files, duplicates, unreadable, linked_twice, other_files } =
        listing::list(site, output, naming)?;
    let excluded = files.extract_if(.., |file| exclude.has_file(&file.path, site));
    let excluded = excluded.map(|file| (file.path, SkipReason::Excluded));
    let mut left_out: Vec<_> = excluded.collect();
    left_out.extend(duplicates.into_iter().map(|path| (path, SkipReason::DuplicateUrl)));
    Ok(ListedFiles { files, left_out, unreadable, linked_twice, other_files })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use std::fs;

    #[test]
    fn all_html_files_are_counted_and_those_that_are_left_out() {
        let site = tempfile::tempdir().unwrap();
        fs::create_dir(site.path().join("out")).unwrap();
        for name in ["a.html", "b.html", "c.htm", "d.html", "notes.txt", "out/e.html"] {
            fs::write(site.path().join(name), "").unwrap();
        }
        let options = SiteOptions::default().with(|options| options.exclude.push("b*".to_owned()));
        let mut exclude = Exclude::new(&options.exclude).unwrap();
        let mut skipped = SkippedFiles::new(site.path());
        let (path, output) = (site.path(), site.path().join("out"));
        let found =
            SiteFiles::list(path, &output, &options, &mut exclude, &mut skipped, &Silent).unwrap();
        let urls: Vec<_> = found.files.iter().map(|file| file.url.as_str()).collect();
        assert_eq!(urls, ["/a.html", "/c.htm", "/d.html"]);
        assert_eq!((found.html_files, found.unreadable.len()), (4, 0));
        let ledger = skipped.finish(3).unwrap();
        assert_eq!((ledger.came_in, ledger.skipped[&SkipReason::Excluded].first()), (4, "b.html"));
        let none = tempfile::tempdir().unwrap();
        fs::write(none.path().join("notes.txt"), "").unwrap();
        let mut skipped = SkippedFiles::new(none.path());
        let found =
            SiteFiles::list(none.path(), &output, &options, &mut exclude, &mut skipped, &Silent);
        assert!(matches!(found, Err(SiteError::NoHtml { files: 1, .. })));
    }
}
