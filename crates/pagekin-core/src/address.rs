//! Addresses of pages: how a page is named, and how a name that a person gives finds it.

/// The address without its query, its fragment and the name of an index file at its end:
/// `/std/vec/index.html?x#y` is `/std/vec/`.
#[must_use]
pub fn normal(address: &str) -> &str {
    let address = address.trim();
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let address = &address[..end];
    for index in ["index.html", "index.htm"] {
        if let Some(folder) = address.strip_suffix(index)
            && (folder.is_empty() || folder.ends_with('/'))
        {
            return folder;
        }
    }
    address
}

/// The path of an address: `/a/b` for `https://example.org/a/b`, and an address without a host itself.
#[must_use]
pub fn path(address: &str) -> &str {
    let Some((_, rest)) =
        address.split_once("://").or_else(|| address.strip_prefix("//").map(|rest| ("", rest)))
    else {
        return address;
    };
    rest.find('/').map_or("/", |at| &rest[at..])
}

/// The addresses a page of the site may have that a person calls `given`: as it stands, without its host,
/// below the site's base address, and on the site's host. Likeliest first, none twice.
#[must_use]
pub fn variants(given: &str, base_url: &str) -> Vec<String> {
    let normal = normal(given);
    let path = path(normal);
    let below = format!("{}/{}", base_url.trim_end_matches('/'), path.trim_start_matches('/'));
    let mut variants = vec![normal.to_owned()];
    let host = base_url.strip_suffix(self::path(base_url)).unwrap_or_default();
    for variant in [path.to_owned(), below, format!("{host}{path}")] {
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    variants
}

/// Whether a page at `address` that calls `canonical` its canonical address means another page.
///
/// If the site's own host is known (`address` has one), both are compared whole. Otherwise the site may be
/// published below any address, so a canonical address that ends in the page's path is the page itself.
/// A relative canonical address is compared by its path.
#[must_use]
pub fn is_other_page(address: &str, canonical: &str) -> bool {
    let (own, canonical) = (normal(address), normal(canonical));
    if canonical.is_empty() {
        return false;
    }
    if !canonical.contains("://") && !canonical.starts_with('/') {
        // Relative to the page's folder.
        let folder = own.rfind('/').map_or("", |at| &own[..=at]);
        return !joins_to(folder, canonical, own);
    }
    if own.contains("://") && canonical.contains("://") {
        return own != canonical;
    }
    let (own, canonical) = (path(own), path(canonical));
    let tail = own.trim_start_matches('/');
    !(canonical == own || canonical.ends_with(&format!("/{tail}")))
}

/// Whether `relative`, seen from `folder`, is `expected`.
fn joins_to(folder: &str, relative: &str, expected: &str) -> bool {
    let mut segments: Vec<&str> = folder.trim_end_matches('/').split('/').collect();
    let mut parts = relative.split('/').peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        match part {
            "." | "" if !last => {}
            "." => segments.push(""),
            ".." => {
                segments.pop();
                if last {
                    segments.push("");
                }
            }
            _ => segments.push(part),
        }
    }
    segments.join("/") == expected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_files_are_their_folders() {
        assert_eq!(normal("/std/vec/index.html#x"), "/std/vec/");
        assert_eq!(normal("/std/vec/myindex.html?a=b"), "/std/vec/myindex.html");
        assert_eq!(normal("index.htm"), "");
    }

    #[test]
    fn paths_have_no_host() {
        assert_eq!(path("https://example.org/a/b"), "/a/b");
        assert_eq!(path("https://example.org"), "/");
        assert_eq!(path("//example.org/a"), "/a");
        assert_eq!(path("/a"), "/a");
    }

    #[test]
    fn a_page_is_found_by_the_names_people_give_it() {
        assert_eq!(variants("/a/index.html", "/"), ["/a/"]);
        assert_eq!(variants("a.html", "/docs/"), ["a.html", "/docs/a.html"]);
        assert_eq!(variants("https://x.org/a", "https://x.org/"), ["https://x.org/a", "/a"]);
        let of_a_link = ["/d/a", "https://x.org/d/d/a", "https://x.org/d/a"];
        assert_eq!(variants("/d/a", "https://x.org/d/"), of_a_link);
        assert_eq!(variants("/a", "https://x.org"), ["/a", "https://x.org/a"]);
    }

    #[test]
    fn a_canonical_address_is_the_page_or_another() {
        assert!(!is_other_page("/std/vec/", "https://doc.example.org/stable/std/vec/index.html"));
        assert!(is_other_page("/core/vec/", "https://doc.example.org/stable/std/vec/"));
        assert!(is_other_page("https://a.org/x", "https://b.org/x"));
        assert!(!is_other_page("https://a.org/x", "/x"));
        assert!(!is_other_page("/a/b.html", "b.html"));
        assert!(!is_other_page("/a/b.html", "../a/b.html"));
        assert!(is_other_page("/a/b.html", "c.html"));
        assert!(is_other_page("/a/b.html", "../c.html"));
        assert!(!is_other_page("/a/b.html", ""));
        assert!(is_other_page("/a/xb.html", "/a/b.html"));
    }
}
