//! Which pages of a site others point to, by links and canonical addresses.
//!
//! Addresses are told apart by their paths as they are written, resolved as browsers do it, without query and fragment and
//! the name of an index file. The `url` crate would do more, and take longer than all else that is done with a page.
//!
//! # Quirks
//!
//! 1. `/a` and `/a.html` are two addresses, and so are `%7E` and `~`.

use std::borrow::Cow;

use pagekin_core::{address, hash};
use rustc_hash::FxHashMap;

/// The path of an address that stands on the page at `from` or, with its `<base>`, seems to stand there. `None` if it
/// leads to no page of the same site.
pub(super) fn resolve(from: &str, base: Option<&str>, href: &str) -> Option<String> {
    let based = match base {
        Some(base) => Cow::Owned(resolve(from, None, base)?),
        None => Cow::Borrowed(address::path(from)),
    };
    let href = address::normal(href);
    if let Some(host) = origin(href) {
        let same = origin(from).is_none_or(|own| own.eq_ignore_ascii_case(host));
        return same.then(|| joined("/", address::path(href)));
    }
    let head = href.split('/').next().unwrap_or_default();
    if href.is_empty() || head.contains(':') {
        // The page itself, or mailto: and the like.
        return None;
    }
    let folder = if href.starts_with('/') { "/" } else { &based[..=based.rfind('/')?] };
    Some(joined(folder, href))
}

/// Scheme and host, if an address has them.
fn origin(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once("//")?;
    let is_scheme = scheme.is_empty() || (scheme.ends_with(':') && !scheme.contains('/'));
    is_scheme.then(|| &address[..address.len() - rest.len() + rest.find('/').unwrap_or(rest.len())])
}

/// `path` seen from `folder`, without `.` and `..`.
fn joined(folder: &str, path: &str) -> String {
    let mut joined = folder.trim_end_matches('/').to_owned();
    let mut parts = path.trim_start_matches('/').split('/').peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        match part {
            "." | ".." => {
                if part == ".." {
                    joined.truncate(joined.rfind('/').unwrap_or(0));
                }
                if last {
                    joined.push('/');
                }
            }
            _ => {
                joined.push('/');
                joined.push_str(part);
            }
        }
    }
    joined
}

/// A path of a site, in few bytes.
pub(super) fn hash_of(site: u32, path: &str) -> u64 {
    hash::of_bytes(path.as_bytes()) ^ hash::mix(u64::from(site))
}

/// The pages of sites by their paths.
#[derive(Debug)]
pub(super) struct Paths(FxHashMap<u64, u32>);

impl Paths {
    /// Of pages of these sites with these addresses.
    pub(super) fn of<'a>(urls: impl Iterator<Item = (u32, &'a str)>) -> Self {
        Self(
            urls.zip(0..)
                .map(|((site, url), at)| (hash_of(site, address::path(url)), at))
                .collect(),
        )
    }

    /// The page whose path has this hash.
    pub(super) fn page(&self, hash: u64) -> Option<u32> {
        self.0.get(&hash).copied()
    }

    /// The page that is meant by a path of a site, although it is not known where the site is published: the one that has most of
    /// its end.
    pub(super) fn page_anywhere(&self, site: u32, path: &str) -> Option<u32> {
        path.match_indices('/').find_map(|(at, _)| self.page(hash_of(site, &path[at..])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_resolved_as_in_browsers() {
        #[track_caller]
        fn check(from: &str, base: Option<&str>, href: &str, expected: Option<&str>) {
            assert_eq!(resolve(from, base, href).as_deref(), expected);
        }
        check("/a/b.html", None, "c.html#d", Some("/a/c.html"));
        check("/a/b.html", None, "../c/", Some("/c/"));
        check("/a/b.html", None, "./", Some("/a/"));
        check("/a/b.html", None, "..", Some("/"));
        check("/a/b.html", None, "/c/index.html?d", Some("/c/"));
        check("/a/b.html", None, "../../../c", Some("/c"));
        check("/a/b.html", None, "#d", None);
        check("/a/b.html", None, "mailto:a@example.org", None);
        check("/a/b.html", None, "https://example.org/c", Some("/c"));
        check("https://example.org/a/", None, "//other.org/c", None);
        check("https://example.org/a/", None, "https://Example.org/a/c", Some("/a/c"));
        check("https://example.org/a/", None, "https://other.org/c", None);
        check("https://example.org/a/", None, "c", Some("/a/c"));
        check("/a/b.html", Some("/d/"), "c", Some("/d/c"));
        check("/a/b.html", Some("../d/e.html"), "c", Some("/d/c"));
    }

    #[test]
    fn pages_are_known_by_the_ends_of_paths() {
        let paths =
            Paths::of([(0, "/std/"), (0, "/std/vec/"), (0, "/vec/"), (1, "/std/")].into_iter());
        assert_eq!(paths.page(hash_of(0, "/std/vec/")), Some(1));
        assert_eq!(paths.page(hash_of(0, "/stable/std/vec/")), None);
        assert_eq!(paths.page_anywhere(0, "/stable/std/vec/"), Some(1));
        assert_eq!(paths.page_anywhere(0, "/other/"), None);
        assert_eq!(paths.page(hash_of(1, "/std/")), Some(3));
        assert_eq!(paths.page_anywhere(1, "/std/vec/"), None);
    }
}
