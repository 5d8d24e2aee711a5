//! Classes that depend on each URL alone.

use rustc_hash::FxHashMap;

use crate::cluster::classes::Classes;

/// Name of the class of URLs without a known class.
pub(crate) const UNCLASSIFIED: &str = "unclassified";

/// Numbers names in the order of their first occurrence.
#[derive(Debug, Default)]
pub(crate) struct Names {
    numbers: FxHashMap<Box<str>, u32>,
    names: Vec<String>,
}

impl Names {
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.into(), number);
        number
    }

    pub(crate) fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// Returns all names in the order of their numbers.
    pub(crate) fn finish(self) -> Vec<String> {
        self.names
    }
}

/// Collects the classes of URLs in their order.
#[derive(Debug, Default)]
pub(crate) struct ByName {
    names: Names,
    of: Vec<u32>,
    unclassified: u32,
}

impl ByName {
    /// Adds the class of the next URL, if it is known.
    pub(crate) fn push(&mut self, class: Option<&str>) {
        self.unclassified += u32::from(class.is_none());
        let number = self.names.number(class.unwrap_or(UNCLASSIFIED));
        self.of.push(number);
    }

    pub(crate) fn finish(self) -> Classes {
        let mut classes = Classes::new(self.of, self.names.finish());
        classes.summary.unclassified = self.unclassified;
        classes
    }
}

/// Returns the host of a URL in its normal form, with any nonstandard port.
pub(crate) fn host(url: &str) -> &str {
    folder(url, 0)
}

/// Returns the host of a URL with at most `depth` first folders: `x.org/docs/` for
/// `https://x.org/docs/a/b.html` and 1.
pub(crate) fn folder(url: &str, depth: u8) -> &str {
    let below = url.split_once("://").map_or(url, |(_, below)| below);
    let path = &below[..below.find(['?', '#']).unwrap_or(below.len())];
    let mut ends = path.match_indices('/').map(|(at, _)| at + 1);
    let Some(host) = ends.next() else { return path };
    if depth == 0 {
        return &path[..host - 1];
    }
    &path[..ends.take(depth.into()).last().unwrap_or(host)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_those_of_the_path() {
        let url = "https://x.org:81/docs/a/b.html?of=/c/";
        for (depth, expected) in [
            (0, "x.org:81"),
            (1, "x.org:81/docs/"),
            (2, "x.org:81/docs/a/"),
            (9, "x.org:81/docs/a/"),
        ] {
            assert_eq!(folder(url, depth), expected);
        }
        assert_eq!(
            (folder("https://x.org/", 1), folder("https://x.org/a", 1)),
            ("x.org/", "x.org/")
        );
        assert_eq!((host("https://x.org/a"), host("https://x.org")), ("x.org", "x.org"));
    }

    #[test]
    fn classes_are_counted_and_the_largest_come_first() {
        let mut classes = ByName::default();
        for name in [Some("b"), None, Some("a"), Some("b"), Some("a"), Some("b")] {
            classes.push(name);
        }
        let Classes { of, summary } = classes.finish();
        assert_eq!(of, [0, 1, 2, 0, 2, 0]);
        let largest = [("b", 3), ("a", 2), (UNCLASSIFIED, 1)].map(|(name, n)| (name.to_owned(), n));
        assert_eq!(
            (summary.classes, summary.unclassified, &*summary.largest),
            (3, 1, &largest[..])
        );
    }
}
