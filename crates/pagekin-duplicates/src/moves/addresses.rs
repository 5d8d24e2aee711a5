//! What two addresses say of whether a page went from the one to the other.

use pagekin_core::address;

/// How alike two addresses are: of two the higher is more so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Likeness {
    same_name: bool,
    /// The folders that both end in.
    ending: usize,
    /// The folders of one that the other has.
    folders: usize,
    /// The bytes that both begin with.
    beginning: usize,
}

impl Likeness {
    pub(super) fn between(a: &str, b: &str) -> Self {
        fn folders(url: &str) -> impl DoubleEndedIterator<Item = &str> {
            let url = address::normal(url);
            url[..url.len() - file_name(url).len()].split('/').filter(|name| !name.is_empty())
        }
        let both_end_in = folders(a).rev().zip(folders(b).rev());
        let beginning = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
        Self {
            same_name: file_name(a) == file_name(b),
            ending: both_end_in.take_while(|(a, b)| a == b).count(),
            folders: folders(a).filter(|name| folders(b).any(|other| other == *name)).count(),
            beginning,
        }
    }
}

/// The numbers in the name of a page, or in that of its folder if it is the page of one: `4` of
/// `/notes-4.html` and of `/notes/4/`. Those of folders say of which version a page is.
pub(super) fn numbers_of(url: &str) -> Vec<&str> {
    let name = address::clean(address::normal(url)).trim_end_matches('/');
    let name = name.rsplit('/').next().unwrap_or_default();
    let numbers = name.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    numbers.map(|number| number.trim_start_matches('0')).collect()
}

/// The last segment of an address, which is empty for the page of a folder.
fn file_name(url: &str) -> &str {
    address::normal(url).rsplit('/').next().unwrap_or_default()
}

/// The folder of a page's name: `/guide/` of `/guide.html`.
pub(super) fn folder_of_stem(url: &str) -> String {
    format!("{}/", address::clean(address::normal(url)).trim_end_matches('/'))
}
