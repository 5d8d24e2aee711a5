//! Compares the URLs of two pages that may be the same page, before and after a move.

use pagekin_core::address;

/// The similarity of two URLs; greater is more similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UrlSimilarity {
    same_name: bool,
    /// The number of last folders that are equal.
    common_suffix: usize,
    /// The number of folders of one URL that occur in the other.
    folders: usize,
    /// The length of the common prefix in bytes.
    common_prefix: usize,
}

impl UrlSimilarity {
    pub(super) fn between(a: &str, b: &str) -> Self {
        fn folders(url: &str) -> impl DoubleEndedIterator<Item = &str> {
            let url = address::normal(url);
            url[..url.len() - file_name(url).len()].split('/').filter(|name| !name.is_empty())
        }
        let reversed = folders(a).rev().zip(folders(b).rev());
        let common_prefix = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
        Self {
            same_name: file_name(a) == file_name(b),
            common_suffix: reversed.take_while(|(a, b)| a == b).count(),
            folders: folders(a).filter(|name| folders(b).any(|other| other == *name)).count(),
            common_prefix,
        }
    }
}

/// Returns the numbers in the name of a page, or in the name of its folder if it is an index page:
/// `4` for `/notes-4.html` and `/notes/4/`. Numbers of parent folders are ignored, since they
/// usually are versions.
pub(super) fn numbers_of(url: &str) -> Vec<&str> {
    let name = address::clean(address::normal(url)).trim_end_matches('/');
    let name = name.rsplit('/').next().unwrap_or_default();
    let numbers = name.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    numbers.map(|number| number.trim_start_matches('0')).collect()
}

/// Returns the last segment of a URL, which is empty for an index page.
fn file_name(url: &str) -> &str {
    address::normal(url).rsplit('/').next().unwrap_or_default()
}

/// Returns the folder named like a page: `/guide/` for `/guide.html`.
pub(super) fn folder_of_stem(url: &str) -> String {
    format!("{}/", address::clean(address::normal(url)).trim_end_matches('/'))
}
