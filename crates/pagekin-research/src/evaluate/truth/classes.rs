//! Pages into classes of a hierarchy, and how far these are from one another.
//!
//! A class is named by its path from the top, as a folder is: `std/collections/hash_map`. Of a path
//! the first three parts count, as in the paper. The *familial distance* of a page from a source is
//!
//! - 0 if it is in the same class;
//! - 1 if it is in a sibling class: the class above the source's has both;
//! - 2 if it is in a cousin class: the class two above has both;
//! - 3 if it is unrelated: only the whole site has both.
//!
//! So it is the number of steps from the source's class up to the first that has both, as in the
//! paper's definition, where all classes are of the third level. Of others: what is in a class
//! below the source's own is at distance 1, and pages of the top folder are unrelated to all but
//! one another.

use std::collections::BTreeMap;
use std::path::Path;

use pagekin_core::address;
use pagekin_pages::site::class_file;
use percent_encoding::percent_decode_str;

use crate::evaluate::error::EvaluateError;

/// The parts of a path that count.
const DEPTH: usize = 3;
/// How many familial distances there are.
pub(crate) const DISTANCES: usize = 4;

/// The classes of pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Classes {
    /// Per page, the number of its class, if it has one.
    classes: Vec<Option<u32>>,
    /// The same by its whole path.
    folders: Vec<Option<u32>>,
    /// Per class, its path.
    paths: Vec<Vec<String>>,
}

/// What of a file of classes belongs to no page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnknownUrls {
    /// How many of its URLs the site does not have.
    pub count: u64,
    /// One of them.
    pub example: String,
}

impl Classes {
    /// The classes of the paths of pages, by their order.
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

    /// By the folders of URLs.
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

    /// By a file with the columns `url` and `class`: the URL of a page, or its path, and the path
    /// of its class with `/` between the parts. Pages that it does not name have no class.
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

    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        self.paths.len() as u32
    }

    /// The class of a page.
    pub(crate) fn class(&self, page: u32) -> Option<u32> {
        self.classes[page as usize]
    }

    /// The folder of a page, by its whole path: a number.
    pub(crate) fn folder(&self, page: u32) -> Option<u32> {
        self.folders[page as usize]
    }

    /// Whether two pages are in one folder, by the whole path; `None` if the first is in none.
    pub(crate) fn share_folder(&self, a: u32, b: u32) -> Option<bool> {
        let of_a = self.folders[a as usize]?;
        Some(self.folders[b as usize] == Some(of_a))
    }

    /// The familial distance of each class from a class.
    pub(crate) fn distances_from(&self, source: u32) -> Vec<u8> {
        let source = &self.paths[source as usize];
        self.paths.iter().map(|other| familial_distance(source, other)).collect()
    }
}

/// The familial distance of what is in the class `other` from what is in the class `source`.
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
    fn familial_distances_are_steps_up() {
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
        // Three parts count, but folders are folders.
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
