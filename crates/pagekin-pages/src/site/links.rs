//! The pages of a site that links and canonical URLs lead to.
//!
//! URLs are identified by their path, without query, fragment and the name of an index file.
//!
//! # Quirks
//!
//! 1. `/a` and `/a.html` are equal, as on hosts that hide the ending. `/a` and `/a/` are different,
//!    and so are `%7E` and `~`.
//! 2. If it is unknown where a site is published, all hosts belong to it.

use pagekin_core::{address, hash};
use rustc_hash::FxHashMap;

use crate::site::resolve::Place;

/// Resolves URLs on a page to paths of its site.
pub struct Pointing {
    place: Place,
    /// Whether the host of the site is known.
    published: bool,
}

impl Pointing {
    /// Creates the resolver of the page at `from`. `base` is the `href` of its `<base>`. Returns
    /// `None` if `from` is invalid.
    pub fn from(from: &str, base: Option<&str>) -> Option<Self> {
        let published = Place::new(from, base).map(|place| Self { place, published: true });
        published.or_else(|| {
            let place = Place::on_unknown_origin(address::path(from), base)?;
            Some(Self { place, published: false })
        })
    }

    /// Returns the path of a URL on the page, or `None` if it does not lead to a page of the same
    /// site, or only to a fragment of the page itself.
    pub fn to(&self, href: &str) -> Option<String> {
        let href = without_fragment(href);
        if href.is_empty() {
            return None;
        }
        let url = self.place.resolve(href)?;
        let own = !self.published || self.place.shares_origin(&url);
        own.then(|| address::normal(url.path()).to_owned())
    }

    /// Calls `each` with the hash of the path of each link on the page, and the link's data.
    pub(crate) fn each_to<'a, T>(
        &self,
        site: u32,
        links: impl Iterator<Item = (&'a str, T)>,
        mut each: impl FnMut(u64, T),
    ) {
        // Tables of contents and indexes link to many fragments of one page, and a lookup is faster
        // than resolving a URL again.
        let mut resolved: FxHashMap<&str, Option<u64>> = FxHashMap::default();
        for (href, link) in links {
            let href = without_fragment(href);
            let hash = || self.to(href).map(|path| hash_of(site, &path));
            if let Some(hash) = *resolved.entry(href).or_insert_with(hash) {
                each(hash, link);
            }
        }
    }

    /// Returns the hashes of the paths that links on the page lead to, ascending and unique.
    pub fn to_each<'a>(&self, site: u32, hrefs: impl Iterator<Item = &'a str>) -> Vec<u64> {
        let mut hashes = Vec::new();
        self.each_to(site, hrefs.map(|href| (href, ())), |hash, ()| hashes.push(hash));
        hashes.sort_unstable();
        hashes.dedup();
        hashes.shrink_to_fit();
        hashes
    }
}

/// Returns the URL that the page at `from` names as its own, or `None` if it is not below
/// `base_url`. A path without that of the base URL is below it. `base` is the `href` of the page's
/// `<base>`.
pub(crate) fn own_url(from: &str, base: Option<&str>, own: &str, base_url: &str) -> Option<String> {
    let known = Place::new(from, base);
    let origin = if known.is_some() { &from[..from.len() - address::path(from).len()] } else { "" };
    let place = known.or_else(|| {
        let with = |base| Place::on_unknown_origin(address::path(from), base);
        with(base).or_else(|| with(None))
    })?;
    let url = place.resolve(without_fragment(own)).filter(|url| place.shares_origin(url))?;
    let path = address::normal(url.path());
    let below = path.trim_start_matches('/');
    let urls = [format!("{origin}{path}"), format!("{}/{below}", base_url.trim_end_matches('/'))];
    urls.into_iter().find(|url| address::is_of_index(url, base_url, false))
}

fn without_fragment(href: &str) -> &str {
    href.split('#').next().unwrap_or_default()
}

/// Returns the hash of a path of a site, ignoring `.html`.
pub fn hash_of(site: u32, path: &str) -> u64 {
    hash::of_bytes(address::clean(path).as_bytes()) ^ hash::mix(u64::from(site))
}

/// Returns the hash of the [`address::key`] of a path.
pub fn key_of(path: &str) -> u64 {
    hash::of_bytes(address::key(path).as_bytes())
}

/// The pages of sites by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths(FxHashMap<u64, u32>);

impl Paths {
    /// Creates the map from the sites and URLs of pages, in order.
    pub fn new<'a>(urls: impl Iterator<Item = (u32, &'a str)>) -> Self {
        Self(
            urls.zip(0..)
                .map(|((site, url), at)| (hash_of(site, address::path(url)), at))
                .collect(),
        )
    }

    /// Returns the page whose path has this hash.
    pub fn page(&self, hash: u64) -> Option<u32> {
        self.0.get(&hash).copied()
    }

    /// Returns the page that a path of a site refers to if it is unknown where the site is
    /// published: the one that matches the longest ending. The start page matches only `/`, because
    /// the paths of all folders end with a slash.
    pub fn page_anywhere(&self, site: u32, path: &str) -> Option<u32> {
        let ends = path.match_indices('/').map(|(at, _)| &path[at..]);
        let mut ends = ends.filter(|&end| end != "/" || path == "/");
        ends.find_map(|end| self.page(hash_of(site, end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: &str, base: Option<&str>, href: &str, expected: Option<&str>) {
        let pointing = Pointing::from(from, base).unwrap();
        assert_eq!(pointing.to(href).as_deref(), expected);
    }

    #[test]
    fn a_page_names_its_own_url() {
        let own = |own: &str, base_url: &str| {
            let from = format!("{}/a/b.html", base_url.trim_end_matches('/'));
            own_url(&from, None, own, base_url).unwrap_or_default()
        };
        assert_eq!(own("/x/index.html#y", "/"), "/x/");
        assert_eq!(own("c?d", "/"), "/a/c");
        assert_eq!(own("/docs/x", "/docs/"), "/docs/x");
        assert_eq!(own("/x", "/docs/"), "/docs/x");
        assert_eq!(own("/x", "https://x.org/docs/"), "https://x.org/docs/x");
        assert_eq!(
            own("https://x.org/docs/x y", "https://x.org/docs/"),
            "https://x.org/docs/x%20y"
        );
        for other in ["https://y.org/docs/x", "http://x.org/docs/x", "//y.org/", "javascript:x"] {
            assert_eq!(own(other, "https://x.org/docs/"), "", "{other}");
            assert_eq!(own(other, "/"), "", "{other}");
        }
    }

    #[test]
    fn links_are_resolved_as_in_browsers() {
        check("/a/b.html", None, "c.html#d", Some("/a/c.html"));
        check("/a/b.html", None, "../c/", Some("/c/"));
        check("/a/b.html", None, "./", Some("/a/"));
        check("/a/b.html", None, "..", Some("/"));
        check("/a/b.html", None, "/c/index.html?d", Some("/c/"));
        check("/a/b.html", None, "index.html", Some("/a/"));
        check("/a/b.html", None, "../../../c", Some("/c"));
        check("/a/b.html", None, "#d", None);
        check("/a/b.html", None, "mailto:a@example.org", None);
        check("/a/b.html", None, "https://example.org/c", Some("/c"));
        check("https://example.org/a/", None, "//other.org/c", None);
        check("https://example.org/a/", None, "https://Example.org/a/c", Some("/a/c"));
        check("https://example.org/a/", None, "https://other.org/c", None);
        check("https://example.org/a/", None, "c", Some("/a/c"));
        check("/a/b.html", Some("/d/"), "c", Some("/d/c"));
        let long = format!("/{}/", "d".repeat(1_024));
        check("/a/b.html", Some(&long), "c", Some("/a/c"));
        check("/a/b.html", Some("../d/e.html"), "c", Some("/d/c"));
    }

    #[test]
    fn hosts_without_a_scheme_are_hosts() {
        check("/a/b.html", None, "//example.org/c", Some("/c"));
        check("https://example.org/a/", None, "//example.org/c", Some("/c"));
        check("https://example.org/a/", None, "//example.org", Some("/"));
        check("https://example.org/a/", None, "//example.org:8443/c", None);
        check("https://example.org/a/", None, "https://example.org:443/c", Some("/c"));
    }

    #[test]
    fn only_relative_links_follow_a_base_on_another_host() {
        let base = Some("https://other.org/d/");
        check("https://example.org/a/", base, "c", None);
        check("https://example.org/a/", base, "https://example.org/c", Some("/c"));
        check("/a/b.html", base, "c", Some("/d/c"));
        check("/a/b.html", Some("mailto:a@example.org"), "c", Some("/a/c"));
    }

    #[test]
    fn unusual_spellings_are_resolved() {
        check("/a/b.html", None, "?c=d", Some("/a/b.html"));
        check("/a/b.html", None, "c.html?d#e", Some("/a/c.html"));
        check("/a/b.html", None, r"..\c\d", Some("/c/d"));
        check("/a/b.html", None, "./c/./d/../e/.", Some("/a/c/e/"));
        check("/a/b.html", None, "%2e%2E/c", Some("/c"));
        check("/a/b.html", None, " c\n/d ", Some("/a/c/d"));
        check("/a/b.html", None, "c d/ü.html", Some("/a/c%20d/%C3%BC.html"));
        check("/a%20b/c.html", None, "d", Some("/a%20b/d"));
        check("/a/b.html", None, "%7Ec", Some("/a/%7Ec"));
        check("/a/b.html", None, "~c", Some("/a/~c"));
        check("/a/b.html", None, "", None);
        check("/a/b.html", None, "https://", None);
        check("/a/b.html", None, "javascript:void(0)", None);
    }

    #[test]
    fn paths_are_unique() {
        let pointing = Pointing::from("/a/b.html", None).unwrap();
        let hrefs = ["c", "#d", "./c#d", "c?d", "/e", "mailto:a@example.org"];
        let mut expected = [hash_of(3, "/a/c"), hash_of(3, "/e")];
        expected.sort_unstable();
        assert_eq!(pointing.to_each(3, hrefs.into_iter()), expected);
    }

    #[test]
    fn pages_are_found_by_the_ends_of_paths() {
        let paths =
            Paths::new([(0, "/std/"), (0, "/std/vec/"), (0, "/vec/"), (1, "/std/")].into_iter());
        assert_eq!(paths.page(hash_of(0, "/std/vec/")), Some(1));
        assert_eq!(paths.page(hash_of(0, "/stable/std/vec/")), None);
        assert_eq!(paths.page_anywhere(0, "/stable/std/vec/"), Some(1));
        assert_eq!(paths.page_anywhere(0, "/other/"), None);
        assert_eq!(paths.page(hash_of(1, "/std/")), Some(3));
        let paths = Paths::new([(0, "/a/b.html"), (0, "/a/c")].into_iter());
        assert_eq!(paths.page(hash_of(0, "/a/b")), Some(0));
        assert_eq!(paths.page(hash_of(0, "/a/c.html")), Some(1));
        assert_eq!(paths.page(hash_of(0, "/a/b/")), None);
        assert_eq!(paths.page_anywhere(1, "/std/vec/"), None);
        let paths = Paths::new([(0, "/"), (0, "/a/")].into_iter());
        assert_eq!(paths.page_anywhere(0, "/"), Some(0));
        assert_eq!(paths.page_anywhere(0, "/docs/a/"), Some(1));
        assert_eq!(paths.page_anywhere(0, "/docs/b/"), None);
    }
}
