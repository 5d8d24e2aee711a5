//! The HTML files of a site and the addresses of their pages.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::address;
use pagekin_core::shard::MANIFEST_NAME;
use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use walkdir::{DirEntry, WalkDir};

use crate::error::BuildError;
use crate::site::html;

/// What must be escaped in a segment of a path (RFC 3986, section 3.3, less the characters it allows).
const SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A file to read and the address its page has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HtmlFile {
    pub(crate) path: PathBuf,
    pub(crate) url: String,
}

/// What lies below a site's folder.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// In the order of their addresses, each address once.
    pub(crate) files: Vec<HtmlFile>,
    /// Files whose address another file has already.
    pub(crate) duplicates: Vec<PathBuf>,
    /// What could not be listed.
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
    /// Links that lead back to a folder they are in. What they would list is listed already.
    pub(crate) loops: Vec<PathBuf>,
    /// Files of other types.
    pub(crate) other_files: u64,
}

/// Lists the HTML files below `site`: links are followed; hidden folders, the output and folders
/// that hold an index are skipped.
pub(crate) fn list(site: &Path, output: &Path, base_url: &str) -> Result<Listing, BuildError> {
    let no_site = |found: String| BuildError::NoSite { path: site.to_owned(), found };
    match std::fs::metadata(site) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Err(no_site("a file".to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(no_site("nothing".to_owned()));
        }
        Err(error) => return Err(no_site(error.to_string())),
    }
    let output = std::path::absolute(output).unwrap_or_else(|_| output.to_owned());
    let is_site = |entry: &DirEntry| {
        if entry.depth() == 0 || !entry.file_type().is_dir() {
            return true;
        }
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let ours = std::path::absolute(entry.path()).is_ok_and(|path| path == output)
            || entry.path().join(MANIFEST_NAME).is_file();
        !hidden && !ours
    };
    let mut listing = Listing::default();
    let walk = WalkDir::new(site).follow_links(true).sort_by_file_name();
    for entry in walk.into_iter().filter_entry(is_site) {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) if html::is_html_name(entry.file_name().as_ref()) => {
                let url = url_of(site, entry.path(), base_url);
                listing.files.push(HtmlFile { path: entry.into_path(), url });
            }
            Ok(_) => listing.other_files += 1,
            Err(error) => {
                let path = error.path().unwrap_or(site).to_owned();
                if error.loop_ancestor().is_some() {
                    listing.loops.push(path);
                } else if path.is_symlink() && !html::is_html_name(&path) {
                    // A link to nowhere that is no page.
                    listing.other_files += 1;
                } else {
                    listing.unreadable.push((path, error.into()));
                }
            }
        }
    }
    // Stable: of files with one address, the first in the order of the walk stays.
    listing.files.sort_by(|a, b| a.url.cmp(&b.url));
    let mut files: Vec<HtmlFile> = Vec::with_capacity(listing.files.len());
    for file in listing.files {
        if files.last().is_some_and(|last| last.url == file.url) {
            listing.duplicates.push(file.path);
        } else {
            files.push(file);
        }
    }
    listing.files = files;
    Ok(listing)
}

/// The address of a file: its path below the site behind the base address, an index file as its folder.
fn url_of(site: &Path, file: &Path, base_url: &str) -> String {
    let below = file.strip_prefix(site).unwrap_or(file);
    let mut url = base_url.trim_end_matches('/').to_owned();
    for segment in below {
        url.push('/');
        url.push_str(&self::segment(segment));
    }
    address::normal(&url).to_owned()
}

/// The name of a file or folder, as a segment of a path.
pub(crate) fn segment(name: &OsStr) -> String {
    percent_encode(name.as_encoded_bytes(), SEGMENT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn addresses_are_paths_behind_the_base() {
        let url =
            |file: &str, base: &str| url_of(Path::new("/s"), &Path::new("/s").join(file), base);
        assert_eq!(url("a/b.html", "/"), "/a/b.html");
        assert_eq!(url("index.html", "/"), "/");
        assert_eq!(url("a/index.html", "https://x.org/docs/"), "https://x.org/docs/a/");
        assert_eq!(url("a b/ü#.html", "/"), "/a%20b/%C3%BC%23.html");
    }

    #[test]
    fn a_site_is_listed_without_what_is_not_of_it() {
        let site = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = site.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        };
        for path in
            ["index.html", "a/index.htm", "a/index.html", "a/x.HTML", "a/y.txt", ".git/z.html"]
        {
            write(path);
        }
        for path in ["out/index.html", "old/pagekin.manifest", "old/index.html"] {
            write(path);
        }
        let listing = list(site.path(), &site.path().join("out"), "/").unwrap();
        let urls: Vec<_> = listing.files.iter().map(|file| file.url.as_str()).collect();
        assert_eq!(urls, ["/", "/a/", "/a/x.HTML"]);
        assert_eq!(listing.duplicates, [site.path().join("a/index.html")]);
        assert_eq!(listing.other_files, 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_once_and_dangling_ones_told() {
        use std::os::unix::fs::symlink;
        let site = tempfile::tempdir().unwrap();
        fs::create_dir(site.path().join("a")).unwrap();
        fs::write(site.path().join("a/x.html"), "x").unwrap();
        symlink(site.path().join("a"), site.path().join("b")).unwrap();
        symlink(site.path(), site.path().join("a/loop")).unwrap();
        symlink("nowhere", site.path().join("gone.html")).unwrap();
        symlink("nowhere", site.path().join("gone.png")).unwrap();
        let listing = list(site.path(), Path::new("/none"), "/").unwrap();
        let urls: Vec<_> = listing.files.iter().map(|file| file.url.as_str()).collect();
        assert_eq!(urls, ["/a/x.html", "/b/x.html"]);
        assert_eq!(listing.loops.len(), 2);
        assert_eq!(listing.unreadable.len(), 1);
        assert_eq!(listing.unreadable[0].0, site.path().join("gone.html"));
    }
}
