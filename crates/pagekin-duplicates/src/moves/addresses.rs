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

/// What distinguishes the name of a page from others of a series. The name of an index page is that
/// of its folder. Parent folders are ignored, since they usually are versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    /// The numbers: `4` in `/notes-4.html` and `/notes/4/`.
    numbers: Vec<String>,
    /// The single letters that no other letter or digit follows, and no letter precedes: `s` in
    /// `/shirt-s.html` and `/Annex_4S/`, none in `/v4.html`.
    letters: Vec<String>,
}

impl Label {
    pub(super) fn from_url(url: &str) -> Self {
        let name = address::clean(address::normal(url)).trim_end_matches('/');
        let name = name.rsplit('/').next().unwrap_or_default();
        let numbers = name.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
        let numbers = numbers.map(|number| number.trim_start_matches('0').to_owned()).collect();
        let parts = name.split(|c: char| !c.is_alphanumeric());
        let parts = parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
        let letters = parts.filter(|part| part.chars().count() == 1);
        Self { numbers, letters: letters.map(str::to_lowercase).collect() }
    }

    /// Returns whether both labels have numbers, or both have letters, and these are different.
    pub(super) fn contradicts(&self, other: &Self) -> bool {
        let differ = |a: &[String], b: &[String]| !a.is_empty() && !b.is_empty() && a != b;
        differ(&self.numbers, &other.numbers) || differ(&self.letters, &other.letters)
    }

    /// Returns whether both labels have the same numbers, and at least one.
    pub(super) fn shares_numbers(&self, other: &Self) -> bool {
        !self.numbers.is_empty() && self.numbers == other.numbers
    }

    /// Returns whether both labels have the same letters, at least one, and no other numbers.
    pub(super) fn shares_letters(&self, other: &Self) -> bool {
        !self.letters.is_empty() && self.letters == other.letters && !self.contradicts(other)
    }
}

/// Returns the last segment of a URL, which is empty for an index page.
fn file_name(url: &str) -> &str {
    address::normal(url).rsplit('/').next().unwrap_or_default()
}

/// Returns the folder named like a page: `/guide/` for `/guide.html`.
pub(super) fn folder_of_stem(url: &str) -> String {
    format!("{}/", address::clean(address::normal(url)).trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_numbers_and_single_letters() {
        let of = |url: &str| {
            let Label { numbers, letters } = Label::from_url(url);
            (numbers.join(" "), letters.join(" "))
        };
        let cases = [
            ("/shirt-S.html", "", "s"),
            ("/2/p7_s/", "7", "s"),
            ("/annex-04b.html", "4", "b"),
            ("/v4.html", "4", ""),
            ("/a/notes.html", "", ""),
            ("/size-xl.html", "", ""),
            ("/", "", ""),
        ];
        for (url, numbers, letters) in cases {
            assert_eq!(of(url), (numbers.to_owned(), letters.to_owned()), "{url}");
        }
        let is_other = |a, b| Label::from_url(a).contradicts(&Label::from_url(b));
        assert!(is_other("/a-4.html", "/a-5.html") && is_other("/p0-s.html", "/p0-m.html"));
        assert!(!is_other("/n-4.html", "/r/4.html") && !is_other("/p0-s.html", "/p0.html"));
    }
}
