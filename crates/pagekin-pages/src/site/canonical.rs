//! Compares the canonical URL or redirect target of a page with its own URL.

use pagekin_core::address::{normal, path};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::site::links::{Paths, Pointing};
use crate::site::resolve::Place;

/// Returns whether a page at `address` whose canonical URL is `canonical` refers to another page.
///
/// If the site's own host is known (`address` contains one), whole URLs are compared. Otherwise the
/// site may be published below any URL, so a canonical URL that ends with the page's path is the
/// page itself. A relative canonical URL is compared by path. A URL with a scheme other than `http`
/// or `https` does not refer to a page.
#[must_use]
pub fn is_other_page(address: &str, canonical: &str) -> bool {
    let Some(meant) = resolve(address, canonical) else { return false };
    let (own, canonical) = (normal(address), normal(canonical));
    if canonical.is_empty() {
        return false;
    }
    if !canonical.contains("://") && !canonical.starts_with('/') {
        return bare(meant.path()) != bare(path(own));
    }
    if own.contains("://") && canonical.contains("://") {
        let same_host = host(own).eq_ignore_ascii_case(host(canonical));
        return !same_host || bare(path(own)) != bare(path(canonical));
    }
    let (own, canonical) = (bare(path(own)), bare(path(canonical)));
    !(canonical == own || own.is_empty() || canonical.ends_with(&format!("/{own}")))
}

/// Returns whether a page at `address` whose canonical URL is `canonical` refers to another page of
/// the site with the pages `pages`. Pages elsewhere do not replace it: a mirror, an older version,
/// and an article first published elsewhere name pages that visitors do not find on this site.
pub(crate) fn is_other_page_of(pages: &Paths, address: &str, canonical: &str) -> bool {
    is_other_page(address, canonical)
        && Pointing::from(address, None)
            .and_then(|pointing| pointing.to(canonical))
            .is_some_and(|path| pages.page_anywhere(0, &path).is_some())
}

/// Returns whether a page at `address` that redirects to `target` leads to another page instead of
/// reloading itself.
#[must_use]
pub fn redirects_elsewhere(address: &str, target: &str) -> bool {
    let Some(meant) = resolve(address, target) else { return false };
    let Some(own) = resolve(address, "") else { return true };
    meant.host_str() != own.host_str()
        || meant.query().is_some()
        || normal(meant.path()) != normal(own.path())
}

/// Resolves a URL on a page at `address`, with an assumed origin if the page's is unknown.
/// Returns `None` if it does not lead to a page.
fn resolve(address: &str, href: &str) -> Option<Url> {
    let is_whole = address.contains("://");
    let place =
        if is_whole { Place::new(address, None) } else { Place::on_unknown_origin(address, None) };
    place?.resolve(href)
}

/// Returns the part of a URL before its path: `https://example.org`.
fn host(address: &str) -> &str {
    address.strip_suffix(path(address)).unwrap_or(address)
}

/// Returns a path as hosts that hide endings see it: without slashes at its ends, without `.html`
/// and similar endings, and with percent-escapes decoded. `/a/b.html`, `/a/b` and `/a/b/` are
/// equal.
fn bare(path: &str) -> String {
    let path = percent_decode_str(path.trim_matches('/')).decode_utf8_lossy();
    let stem = [".html", ".htm", ".xhtml"].iter().find_map(|ending| path.strip_suffix(ending));
    stem.unwrap_or(&path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_urls_are_compared_with_the_page() {
        assert!(!is_other_page("/std/vec/", "https://doc.example.org/stable/std/vec/index.html"));
        assert!(is_other_page("/core/vec/", "https://doc.example.org/stable/std/vec/"));
        assert!(is_other_page("https://a.org/x", "https://b.org/x"));
        assert!(!is_other_page("https://a.org/x", "/x"));
        assert!(!is_other_page("/a/b.html", "b.html"));
        assert!(!is_other_page("/a/b.html", "../a/b.html"));
        assert!(is_other_page("/a/b.html", "c.html"));
        assert!(is_other_page("/a/b.html", "../c.html"));
        assert!(!is_other_page("/a/b.html", ""));
        assert!(!is_other_page("/a/b.html", "https://x.org/a/b"));
        assert!(!is_other_page("/a/", "https://x.org/docs/a"));
        assert!(!is_other_page("/caf%C3%A9.html", "https://x.org/caf%c3%a9.html"));
        assert!(!is_other_page("https://x.org/a.html", "https://X.org/a"));
        assert!(!is_other_page("/", "https://x.org/docs/"));
        assert!(!is_other_page("/a/b.html", "b"));
        assert!(is_other_page("/a/xb.html", "/a/b.html"));
    }

    #[test]
    fn another_page_must_be_on_the_site() {
        let other = |urls: &[&str], address, canonical| {
            let pages = Paths::new(urls.iter().map(|&url| (0, url)));
            is_other_page_of(&pages, address, canonical)
        };
        let docs = ["/std/vec/", "/core/vec/", "/de/vec/"];
        assert!(other(&docs, "/core/vec/", "https://doc.example.org/stable/std/vec/index.html"));
        assert!(!other(&docs, "/std/vec/", "https://doc.example.org/stable/std/vec/"));
        // A mirror with languages in folders, whose original lacks one of them.
        assert!(!other(&docs, "/de/vec/", "https://doc.example.org/stable/vec/"));
        assert!(other(&["/a/b.html", "/a/c.html"], "/a/b.html", "c.html"));
        assert!(!other(&["/a/b.html"], "/a/b.html", "c.html"));
        // An article that was published elsewhere first is not a copy of the start page.
        let blog = ["/", "/posts/rye/"];
        assert!(!other(&blog, blog[1], "https://elsewhere.example.org/2024/rye-bread/"));
        assert!(other(&blog, blog[1], "/"));
        let old = ["https://x.org/1.0/a", "https://x.org/1.0/b"];
        assert!(!other(&old, old[0], "https://x.org/stable/a"));
        assert!(!other(&old, old[0], "https://y.org/1.0/b"));
        assert!(other(&old, old[0], "https://x.org/1.0/b.html"));
    }

    #[test]
    fn only_pages_are_canonical_or_redirected_to() {
        for address in ["/a/b.html", "https://x.org/a/b.html"] {
            for none in [
                "javascript:x()",
                " java\nscript://x/y",
                "mailto:a@b.c",
                "data:text/html,x",
                "ftp://x.org/y",
                "https://",
            ] {
                assert!(!is_other_page(address, none), "{none}");
                assert!(!redirects_elsewhere(address, none), "{none}");
            }
            for same in ["b.html", "/a/b.html", "#top", "../a/b.html"] {
                assert!(!redirects_elsewhere(address, same), "{same}");
            }
            for other in
                ["/a/b/", "b", "?lang=de", "https://y.org/a/b.html", "//y.org/a/b.html", "c.html"]
            {
                assert!(redirects_elsewhere(address, other), "{other}");
            }
        }
        assert!(!redirects_elsewhere("/a/", "index.html"));
    }
}
