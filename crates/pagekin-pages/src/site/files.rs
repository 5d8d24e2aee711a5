//! The files of a site to read: the listed files without those that the caller excludes.

use std::io;
use std::path::{Path, PathBuf};

use crate::ledger::SkipReason;
use crate::progress::Observer;
use crate::site::error::SiteError;
use crate::site::exclude::Exclude;
use crate::site::listing::{self, HtmlFile, Listing, Naming};
use crate::site::options::SiteOptions;
use crate::site::skipped::SkippedFiles;

/// Counts the HTML files below `site`, except those below `output`.
///
/// # Errors
///
/// Returns an error if there is no such folder.
pub fn count_html_files(
    site: &Path,
    output: &Path,
    options: &SiteOptions,
) -> Result<u64, SiteError> {
    let listing = listing::list(site, output, options.naming())?;
    let Listing { files, duplicates, backups, dangling, .. } = listing;
    Ok((files.len() + duplicates.len() + backups.len() + dangling.len()) as u64)
}

/// The files of a site to read.
#[derive(Debug)]
pub struct SiteFiles {
    /// Sorted by URL, with unique URLs.
    pub files: Vec<HtmlFile>,
    /// Number of HTML files, including those that are not read.
    pub html_files: u64,
    /// Files and folders that could not be listed.
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

impl SiteFiles {
    /// Lists the files below `site`, except those below `output`, which may be the empty path.
    /// Excluded files are counted as skipped.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such folder, or if it contains no HTML files.
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
            (listing.files.len() + listing.skipped_files.len() + listing.unreadable.len()) as u64;
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
        for (path, reason) in &listing.skipped_files {
            skipped.add(*reason, path);
        }
        Ok(Self { files: listing.files, html_files, unreadable: listing.unreadable })
    }

    /// Adds other files. Those whose URL an earlier file has are skipped.
    pub fn extend(&mut self, others: Self, skipped: &mut SkippedFiles<'_>) {
        self.html_files += others.html_files;
        self.unreadable.extend(others.unreadable);
        self.files.extend(others.files);
        // The sort is stable, so earlier files are first.
        self.files.sort_by(|a, b| a.url.cmp(&b.url));
        self.files.dedup_by(|file, earlier| {
            let is_duplicate = file.url == earlier.url;
            if is_duplicate {
                skipped.add(SkipReason::DuplicateUrl, &file.path);
            }
            is_duplicate
        });
    }
}

/// The files of a folder, and those that are skipped before any is read.
pub(crate) struct ListedFiles {
    /// Sorted by URL, with unique URLs.
    pub(crate) files: Vec<HtmlFile>,
    /// Files that are excluded, backups, dangling links, and files whose URL another file has.
    pub(crate) skipped_files: Vec<(PathBuf, SkipReason)>,
    /// Files and folders that could not be listed.
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
    /// Links to folders that are also listed by another path.
    linked_twice: Vec<PathBuf>,
    /// Number of files of other types.
    other_files: u64,
}

/// Lists the files below `site`, except those below `output`, which may be the empty path.
pub(crate) fn listed(
    site: &Path,
    output: &Path,
    naming: Naming<'_>,
    exclude: &mut Exclude<'_>,
) -> Result<ListedFiles, SiteError> {
    let Listing {
        mut files,
        duplicates,
        backups,
        dangling,
        mut unreadable,
        linked_twice,
        other_files,
    } = listing::list(site, output, naming)?;
    let excluded = files.extract_if(.., |file| exclude.has_file(&file.path, site));
    let mut excluded: Vec<_> = excluded.map(|file| file.path).collect();
    let unlisted = unreadable.extract_if(.., |(path, _)| exclude.has_file(path, site));
    excluded.extend(unlisted.map(|(path, _)| path));
    let mut skipped_files: Vec<_> =
        excluded.into_iter().map(|path| (path, SkipReason::Excluded)).collect();
    skipped_files.extend(duplicates.into_iter().map(|path| (path, SkipReason::DuplicateUrl)));
    skipped_files.extend(backups.into_iter().map(|path| (path, SkipReason::Backup)));
    skipped_files.extend(dangling.into_iter().map(|path| (path, SkipReason::Dangling)));
    Ok(ListedFiles { files, skipped_files, unreadable, linked_twice, other_files })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use std::fs;

    #[test]
    fn html_files_are_counted_including_excluded_ones() {
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
        let (mut files, more) = (found, ["/c.htm", "/b"]);
        let file = |url: &str| HtmlFile { path: format!("more{url}").into(), url: url.to_owned() };
        let more =
            SiteFiles { files: more.map(file).into(), html_files: 2, unreadable: Vec::new() };
        let mut skipped = SkippedFiles::new(site.path());
        skipped.came_in(5);
        files.extend(more, &mut skipped);
        let urls: Vec<_> = files.files.iter().map(|file| file.url.as_str()).collect();
        assert_eq!((urls, files.html_files), (vec!["/a.html", "/b", "/c.htm", "/d.html"], 6));
        assert!(files.files[2].path.starts_with(site.path()));
        let ledger = skipped.finish(4).unwrap();
        assert_eq!(ledger.skipped[&SkipReason::DuplicateUrl].first(), "more/c.htm");
        let none = tempfile::tempdir().unwrap();
        fs::write(none.path().join("notes.txt"), "").unwrap();
        let mut skipped = SkippedFiles::new(none.path());
        let found =
            SiteFiles::list(none.path(), &output, &options, &mut exclude, &mut skipped, &Silent);
        assert!(matches!(found, Err(SiteError::NoHtml { files: 1, .. })));
    }
}
