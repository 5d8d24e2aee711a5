//! Assigns pages to classes of a hierarchy, and computes the distances of classes.
//!
//! A class is named by its path from the top, like a folder: `std/collections/hash_map`. The first
//! three parts of a path count, as in the paper. The *familial distance* of a page from a source is
//!
//! - 0 if it is in the same class;
//! - 1 if it is in a sibling class: the parent of the source's class contains both;
//! - 2 if it is in a cousin class: the grandparent contains both;
//! - 3 if it is unrelated: only the whole site contains both.
//!
//! So it is the number of steps from the source's class up to the first class that contains both,
//! as in the paper's definition, where all classes are of the third level. In addition, a class
//! below the source's own is at distance 1, and pages of the top folder are unrelated to all pages
//! outside it.

use std::collections::BTreeMap;
use std::path::Path;

use pagekin_core::address;
use pagekin_pages::site::class_file;
use percent_encoding::percent_decode_str;

use crate::evaluate::error::EvaluateError;

/// Number of parts of a path that count.
const DEPTH: usize = 3;
/// Number of familial distances.
pub(crate) const DISTANCES: usize = 4;

/// The classes of pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Classes {
    /// The number of the class of each page, if it has one.
    classes: Vec<Option<u32>>,
    /// The same, by the complete path.
    folders: Vec<Option<u32>>,
    /// The path of each class.
    paths: Vec<Vec<String>>,
}

/// URLs in a file of classes that are not pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnknownUrls {
    /// Number of these URLs.
    pub count: u64,
    /// One of these URLs.
    pub example: String,
}

impl Classes {
    /// Creates classes from the paths of pages, numbered in order.
    pub(crate) fn from_paths(paths: &[Option<Vec<String>>]) -> Self {
        let numbered = |depth: usize| {
            let mut numbers: BTreeMap<&[String], u32> = BTreeMap::new();
            for path in paths.iter().flatten() {
                numbers.insert(&path[..path.len().min(depth)], 0);
            }
            for (number, (_, of)) in (0..).zip(&mut numbers) {
                *of = number;
            }
            let number = |path: &Vec<String>| numbers.get(&path[..path.len().min(depth)]).copied();
            let of_pages = paths.iter().map(|path| path.as_ref().and_then(number)).collect();
            (of_pages, numbers.keys().map(|path| path.to_vec()).collect())
        };
        let (classes, paths_of_classes) = numbered(DEPTH);
        let (folders, _): (_, Vec<_>) = numbered(usize::MAX);
        Self { classes, folders, paths: paths_of_classes }
    }

    /// Uses the folders of URLs as classes.
    pub(crate) fn by_folders<'a>(urls: impl Iterator<Item = &'a str>, base_url: &str) -> Self {
        let base = base_url.trim_end_matches('/');
        let paths: Vec<_> = urls
            .map(|url| {
                let below = url.strip_prefix(base).unwrap_or(address::path(url));
                let folders = below.trim_start_matches('/').rsplit_once('/').map_or("", |of| of.0);
                Some(parts(folders))
            })
            .collect();
        Self::from_paths(&paths)
    }

    /// Reads a file with the columns `url` and `class`: the URL of a page, or its path, and the
    /// path of its class with the separator `/`. Pages that are not in the file have no class.
    pub(crate) fn by_file<'a>(
        urls: impl ExactSizeIterator<Item = &'a str>,
        base_url: &str,
        file: &Path,
    ) -> Result<(Self, UnknownUrls), EvaluateError> {
        let mut paths = vec![None; urls.len()];
        let numbers: BTreeMap<&str, usize> = urls.zip(0..).collect();
        let mut unknown = UnknownUrls::default();
        class_file::read(file, |url, class| {
            let mut variants = address::variants(url, base_url).into_iter();
            match variants.find_map(|variant| numbers.get(&*variant)) {
                Some(&page) => paths[page] = Some(parts(class)),
                None => {
                    unknown.count += 1;
                    if unknown.example.is_empty() {
                        url.clone_into(&mut unknown.example);
                    }
                }
            }
        })?;
        Ok((Self::from_paths(&paths), unknown))
    }

    /// Returns the number of classes.
    pub(crate) fn count(&self) -> u32 {
        self.paths.len() as u32
    }

    /// Returns the class of a page.
    pub(crate) fn class(&self, page: u32) -> Option<u32> {
        self.classes[page as usize]
    }

    /// Returns the number of a page's folder, by its complete path.
    pub(crate) fn folder(&self, page: u32) -> Option<u32> {
        self.folders[page as usize]
    }

    /// Returns whether two pages are in one folder, by the complete path; `None` if the first has
    /// none.
    pub(crate) fn share_folder(&self, a: u32, b: u32) -> Option<bool> {
        let of_a = self.folders[a as usize]?;
        Some(self.folders[b as usize] == Some(of_a))
    }

    /// Returns the familial distance of each class from `source`.
    pub(crate) fn distances_from(&self, source: u32) -> Vec<u8> {
        let source = &self.paths[source as usize];
        self.paths.iter().map(|other| familial_distance(source, other)).collect()
    }
}

/// Returns the familial distance of the class `other` from the class `source`.
fn familial_distance(source: &[String], other: &[String]) -> u8 {
    if source == other {
        return 0;
    }
    let common = source.iter().zip(other).take_while(|(a, b)| a == b).count();
    match (common, source.len() - common) {
        (0, _) => 3,
        (_, steps) => steps.clamp(1, 3) as u8,
    }
}

fn parts(path: &str) -> Vec<String> {
    let parts = path.split('/').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn familial_distances_count_steps_up() {
        let distance = |a: &str, b: &str| familial_distance(&parts(a), &parts(b));
        for (source, other, expected) in [
            ("a/b/c", "a/b/c", 0),
            ("a/b/c", "a/b/d", 1),
            ("a/b/c", "a/b", 1),
            ("a/b", "a/b/c", 1),
            ("a/b/c", "a/d/c", 2),
            ("a/b/c", "a", 2),
            ("a/b/c", "d/b/c", 3),
            ("a", "b", 3),
            ("a", "a/b/c", 1),
            ("", "a", 3),
            ("", "", 0),
        ] {
            assert_eq!(distance(source, other), expected, "{other} from {source}");
        }
    }

    #[test]
    fn folders_are_classes() {
        let urls = [
            "/docs/",
            "/docs/a/b/c/d.html",
            "/docs/a/b/c/e/f.html",
            "/docs/a/b/x.html",
            "/docs/g.html",
        ];
        let classes = Classes::by_folders(urls.into_iter(), "/docs/");
        assert_eq!(classes.class(0), classes.class(4));
        // Only three parts count for classes, but all parts for folders.
        assert_eq!(classes.class(1), classes.class(2));
        assert_eq!(classes.share_folder(1, 2), Some(false));
        assert_eq!(classes.share_folder(0, 4), Some(true));
        assert_eq!(classes.count(), 3);
        let distances = classes.distances_from(classes.class(1).unwrap());
        assert_eq!(distances[classes.class(3).unwrap() as usize], 1);
        assert_eq!(distances[classes.class(0).unwrap() as usize], 3);
    }

    #[test]
    fn a_file_names_classes_by_url() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("classes.csv");
        let urls = ["/docs/", "/docs/a.html", "/docs/b.html"];
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Classes::by_file(urls.into_iter(), "/docs/", &file)
        };
        let text = "Title,URL, class\nx,https://x.org/docs/a.html,top / a\ny,/docs/index.html,top/b\nz,/gone,c\nz,/lost,c\n";
        let (classes, unknown) = read(text).unwrap();
        assert_eq!(classes.paths, [parts("top/a"), parts("top/b")]);
        assert_eq!([0, 1, 2].map(|page| classes.class(page)), [Some(1), Some(0), None]);
        assert_eq!((unknown.count, &*unknown.example), (2, "/gone"));
        let error = read("page,class\n/docs/,a\n").unwrap_err().to_string();
        assert!(
            error.contains("columns url and class") && error.contains("the columns page, class"),
            "{error}"
        );
        assert!(read("url,class\n/docs/\n").is_err());
    }
}
