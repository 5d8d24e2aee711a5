//! Lists the HTML files of a site and the URLs of their pages.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use pagekin_core::address;
use pagekin_core::shard::MANIFEST_NAME;
use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use rustc_hash::FxHashSet;
use walkdir::{DirEntry, WalkDir};

use crate::site::error::SiteError;
use crate::site::html;

/// Characters that must be escaped in a path segment (all except those that RFC 3986, section 3.3,
/// allows).
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

/// A file to read, and the URL of its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlFile {
    pub path: PathBuf,
    pub url: String,
}

/// How the pages of a site are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Naming<'a> {
    /// The start of all URLs.
    pub base_url: &'a str,
    /// Whether URLs omit `.html`, as on hosts of clean URLs.
    pub clean: bool,
}

/// The files below a site's folder.
#[derive(Debug, Default)]
pub struct Listing {
    /// Sorted by URL, with unique URLs.
    pub files: Vec<HtmlFile>,
    /// Files whose URL another file already has.
    pub duplicates: Vec<PathBuf>,
    /// Pages under the names of backups.
    pub backups: Vec<PathBuf>,
    /// Links with the names of pages to files that do not exist.
    pub dangling: Vec<PathBuf>,
    /// Files and folders that could not be listed.
    pub unreadable: Vec<(PathBuf, io::Error)>,
    /// Links to folders that are also listed by another path.
    pub linked_twice: Vec<PathBuf>,
    /// Number of files of other types.
    pub other_files: u64,
}

/// Lists the HTML files below `site`. They are recognized by name, or, if named by a crawler, by
/// their first bytes. Hidden folders, the output, and folders that contain an index are skipped.
/// Links are followed, but each folder is listed once: by its own path if it is in the site,
/// otherwise by the first link to it in the order of the walk.
pub fn list(site: &Path, output: &Path, naming: Naming<'_>) -> Result<Listing, SiteError> {
    check_folder(site)?;
    let output = std::path::absolute(output).unwrap_or_else(|_| output.to_owned());
    let mut walk = Walk { site, output, naming, listed: FxHashSet::default() };
    let mut listing = Listing::default();
    // Links to folders are followed after everything else is listed.
    let mut starts = VecDeque::from([site.to_owned()]);
    while let Some(start) = starts.pop_front() {
        walk.list_below(start, &mut listing, &mut starts);
    }
    // A stable sort: of files with the same URL, the first in the order of the walk is kept.
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

/// Fails if there is no such folder.
fn check_folder(site: &Path) -> Result<(), SiteError> {
    let found = match fs::metadata(site) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => "a file".to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => "nothing".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(SiteError::NoSite { path: site.to_owned(), found })
}

/// A walk through the folders of a site.
struct Walk<'a> {
    site: &'a Path,
    /// An absolute path.
    output: PathBuf,
    naming: Naming<'a>,
    /// The real paths of listed folders.
    listed: FxHashSet<PathBuf>,
}

impl Walk<'_> {
    /// Lists the files below a folder unless it has been listed. Adds links to folders to `links`.
    fn list_below(&mut self, start: PathBuf, listing: &mut Listing, links: &mut VecDeque<PathBuf>) {
        let real = match fs::canonicalize(&start) {
            Ok(real) => real,
            Err(error) => {
                listing.unreadable.push((start, error));
                return;
            }
        };
        if !self.listed.insert(real.clone()) {
            listing.linked_twice.push(start);
            return;
        }
        let mut entries = WalkDir::new(&start).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            match entry {
                // The start itself, which may be a link.
                Ok(entry) if entry.depth() == 0 => {}
                Ok(entry) if entry.file_type().is_dir() => {
                    let below = entry.path().strip_prefix(&start).unwrap_or(entry.path());
                    if !self.is_of_site(entry.path()) || !self.listed.insert(real.join(below)) {
                        entries.skip_current_dir();
                    }
                }
                Ok(entry) => self.list_file(entry, listing, links),
                Err(error) => {
                    let path = error.path().unwrap_or(self.site).to_owned();
                    listing.unreadable.push((path, error.into()));
                }
            }
        }
    }

    /// Returns whether a folder is not hidden, not the output, and does not contain an index.
    fn is_of_site(&self, folder: &Path) -> bool {
        let name = folder.file_name().unwrap_or_default();
        let hidden = name.as_encoded_bytes().starts_with(b".");
        let ours = std::path::absolute(folder).is_ok_and(|folder| folder == self.output)
            || folder.join(MANIFEST_NAME).is_file();
        !hidden && !ours
    }

    /// Lists a file. Adds a link to a folder to `links`.
    fn list_file(&self, entry: DirEntry, listing: &mut Listing, links: &mut VecDeque<PathBuf>) {
        let is_html = html::is_html_name(entry.file_name().as_ref());
        let file_type = if entry.file_type().is_symlink() {
            fs::metadata(entry.path()).map(|target| target.file_type())
        } else {
            Ok(entry.file_type())
        };
        match file_type {
            Ok(folder) if folder.is_dir() => {
                if entry.path_is_symlink() && self.is_of_site(entry.path()) {
                    links.push_back(entry.into_path());
                }
            }
            Ok(file) if is_html || file.is_file() && html::begins_as_page(entry.path()) => {
                if is_backup(entry.path()) {
                    listing.backups.push(entry.into_path());
                    return;
                }
                let url = self.naming.url_of(self.site, entry.path());
                listing.files.push(HtmlFile { path: entry.into_path(), url });
            }
            Err(error) if is_html && error.kind() == io::ErrorKind::NotFound => {
                listing.dangling.push(entry.into_path());
            }
            Err(error) if is_html => listing.unreadable.push((entry.into_path(), error)),
            // This includes dangling links that are not pages.
            Ok(_) | Err(_) => listing.other_files += 1,
        }
    }
}

/// Returns whether editors and other programs give such a name to an older version of a file.
fn is_backup(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    let is_known = ["bak", "old", "orig", "save", "tmp"].iter();
    path.as_os_str().as_encoded_bytes().ends_with(b"~")
        || is_known.into_iter().any(|known| extension.eq_ignore_ascii_case(known))
}

impl Naming<'_> {
    /// Returns the URL of a file: its path below the site, after the base URL. An index file has
    /// the URL of its folder.
    fn url_of(self, site: &Path, file: &Path) -> String {
        let below = file.strip_prefix(site).unwrap_or(file);
        let mut url = self.base_url.trim_end_matches('/').to_owned();
        for segment in below {
            url.push('/');
            url.push_str(&self::segment(segment));
        }
        let url = address::normal(&url);
        if self.clean { address::clean(url) } else { url }.to_owned()
    }
}

/// Escapes the name of a file or folder as a path segment.
pub fn segment(name: &OsStr) -> String {
    percent_encode(name.as_encoded_bytes(), SEGMENT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const AT_ROOT: Naming<'_> = Naming { base_url: "/", clean: false };

    #[test]
    fn urls_are_paths_after_the_base() {
        let named = |file: &str, base_url: &str, clean: bool| {
            let naming = Naming { base_url, clean };
            naming.url_of(Path::new("/s"), &Path::new("/s").join(file))
        };
        let url = |file: &str, base: &str| named(file, base, false);
        assert_eq!(url("a/b.html", "/"), "/a/b.html");
        assert_eq!(url("index.html", "/"), "/");
        assert_eq!(url("a/index.html", "https://x.org/docs/"), "https://x.org/docs/a/");
        assert_eq!(url("a b/ü#.html", "/"), "/a%20b/%C3%BC%23.html");
        assert_eq!(named("a/b.html", "/docs", true), "/docs/a/b");
        assert_eq!(named("a/index.html", "/", true), "/a/");
        assert_eq!(named("a/b.htm", "/", true), "/a/b.htm");
    }

    #[test]
    fn backups_are_no_pages() {
        let site = tempfile::tempdir().unwrap();
        let names = ["a.html", "a.html~", "a.html.bak", "a.html.ORIG", "old", "b.html.1", "c.bak"];
        for name in names {
            let content = if name == "c.bak" { "words" } else { "<!doctype html><p>words" };
            fs::write(site.path().join(name), content).unwrap();
        }
        let listing = list(site.path(), Path::new(""), AT_ROOT).unwrap();
        let urls: Vec<_> = listing.files.iter().map(|file| file.url.as_str()).collect();
        assert_eq!(urls, ["/a.html", "/b.html.1", "/old"]);
        assert_eq!((listing.backups.len(), listing.other_files), (3, 1));
    }

    #[test]
    fn hidden_folders_outputs_and_indexes_are_skipped() {
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
        // File names of wget.
        for (name, start) in [
            ("about", "<!DOCTYPE html>"),
            ("item?id=1", "\u{feff} <!-- a > b --><HTML>"),
            ("page.php", "<?xml version='1.0'?><html>"),
            ("news.html.1", "<head>"),
            ("readme", "words <html>"),
            ("template.php", "<?php ?><html>"),
            ("part", "<p>"),
            ("a.css", "<html>"),
        ] {
            fs::write(site.path().join(name), start).unwrap();
        }
        let listing = list(site.path(), &site.path().join("out"), AT_ROOT).unwrap();
        let urls: Vec<_> = listing.files.iter().map(|file| file.url.as_str()).collect();
        let of_wget = ["/about", "/item%3Fid=1", "/news.html.1", "/page.php"];
        assert_eq!(urls, [&["/", "/a/", "/a/x.HTML"], &of_wget[..]].concat());
        assert_eq!(listing.duplicates, [site.path().join("a/index.html")]);
        assert_eq!(listing.other_files, 5);
    }

    #[cfg(unix)]
    #[test]
    fn folders_are_listed_once_and_dangling_links_counted() {
        use std::os::unix::fs::symlink;
        let site = tempfile::tempdir().unwrap();
        fs::create_dir(site.path().join("a")).unwrap();
        fs::write(site.path().join("a/x.html"), "x").unwrap();
        // The link comes first in the order of names, the folder keeps its own path.
        symlink(site.path().join("a"), site.path().join("A")).unwrap();
        symlink(site.path(), site.path().join("a/loop")).unwrap();
        symlink("nowhere", site.path().join("gone.html")).unwrap();
        symlink("nowhere", site.path().join("gone.png")).unwrap();
        let listing = list(site.path(), Path::new("/none"), AT_ROOT).unwrap();
        let urls: Vec<_> = listing.files.iter().map(|file| file.url.as_str()).collect();
        assert_eq!(urls, ["/a/x.html"]);
        let twice = ["A", "a/loop"].map(|link| site.path().join(link));
        assert_eq!(listing.linked_twice, twice);
        assert_eq!(listing.other_files, 1);
        assert!(listing.unreadable.is_empty());
        assert_eq!(listing.dangling, [site.path().join("gone.html")]);
    }

    #[cfg(unix)]
    #[test]
    fn folders_elsewhere_are_listed_by_the_first_link_to_them() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let site = place.path().join("site");
        for folder in ["site/.versions/2", "site/b", "else/where"] {
            fs::create_dir_all(place.path().join(folder)).unwrap();
            fs::write(place.path().join(folder).join("x.html"), "x").unwrap();
        }
        symlink(".versions/2", site.join("latest")).unwrap();
        symlink(place.path().join("else"), site.join("b/one")).unwrap();
        symlink(place.path().join("else/where"), site.join("b/two")).unwrap();
        symlink(place.path(), site.join("c")).unwrap();
        let listing = list(&site, Path::new("/none"), AT_ROOT).unwrap();
        let urls: Vec<_> = listing.files.iter().map(|file| file.url.as_str()).collect();
        assert_eq!(urls, ["/b/one/where/x.html", "/b/x.html", "/latest/x.html"]);
        assert_eq!(listing.linked_twice, [site.join("b/two")]);
    }
}
