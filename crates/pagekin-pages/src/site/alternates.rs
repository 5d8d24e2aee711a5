//! Translations that a page names: `<link rel="alternate" hreflang="de" href="/de/a">`.
//!
//! A page may also name itself, as search engines request. `x-default` is not a language, so it
//! does not name a translation.

use pagekin_core::address;

use crate::site::links::{Pointing, key_of};

/// Returns the hashes ([`key_of`]) of the paths of the translations of the page at `url`,
/// ascending. A page that names itself below another path reveals where the site is published. Then
/// the paths without that prefix are included.
pub fn hashes(url: &str, hrefs: &[String], pointing: Option<&Pointing>) -> Vec<u64> {
    let to = |href: &String| pointing.and_then(|pointing| pointing.to(href));
    let paths: Vec<String> = hrefs.iter().filter_map(to).collect();
    let own = address::key(address::path(url));
    let below = |path: &String| address::key(path).strip_suffix(&own).map(str::to_owned);
    let below = paths.iter().filter_map(below).min_by_key(String::len).unwrap_or_default();
    let inside = paths.iter().filter_map(|path| path.strip_prefix(&*below));
    let mut hashes: Vec<u64> = paths.iter().map(String::as_str).chain(inside).map(key_of).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.shrink_to_fit();
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, hrefs: &[&str], expected: &[&str]) {
        let hrefs: Vec<String> = hrefs.iter().map(|&href| href.to_owned()).collect();
        let mut expected: Vec<u64> = expected.iter().map(|path| key_of(path)).collect();
        expected.sort_unstable();
        assert_eq!(hashes(url, &hrefs, Pointing::from(url, None).as_ref()), expected, "{url}");
    }

    #[test]
    fn translations_are_identified_by_path() {
        check("/a/b.html", &["/fr/b.html", "../de/b/", "mailto:a@b.c"], &["/fr/b", "/de/b"]);
        check("/a", &["https://x.org/a", "https://x.org/de/a?x"], &["/a", "/de/a"]);
        check("https://x.org/a", &["https://x.org/de/a", "https://x.de/a"], &["/de/a", "/a"]);
        check("/", &["/de/"], &["/de", "/"]);
        check("/a", &[], &[]);
    }

    #[test]
    fn a_page_that_names_itself_reveals_the_path_of_the_site() {
        let (own, german) = ("https://x.org/docs/a/", "https://x.org/docs/de/a/");
        check("/a/", &[own, german], &["/docs/a", "/docs/de/a", "/a", "/de/a"]);
        let home = ["/docs/de/", "/docs/", "/docs/fr/"];
        check("/", &home, &["/docs", "/docs/de", "/docs/fr", "/", "/de", "/fr"]);
    }
}
