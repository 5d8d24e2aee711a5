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
    // By the colon, as the standard search for a text of three characters is 2 kB of code in a browser.
    let colons = address.match_indices(':').map(|(at, colon)| &address[at + colon.len()..]);
    let mut tails = colons.chain([address]);
    let Some(rest) = tails.find_map(|tail| tail.strip_prefix("//")) else {
        return address;
    };
    rest.find('/').map_or("/", |at| &rest[at..])
}

/// What stands in front of the path of an address that has a host: `https://example.org`.
fn host(address: &str) -> &str {
    address.strip_suffix(path(address)).unwrap_or(address)
}

/// The addresses a page of the site may have that a person calls `given`: with its query, as pages of a crawl may have one;
/// as it stands, without its host, below the site's base address, and on the site's host. Likeliest first, none twice.
#[must_use]
pub fn variants(given: &str, base_url: &str) -> Vec<String> {
    let normal = normal(given);
    let path = path(normal);
    let below = format!("{}/{}", base_url.trim_end_matches('/'), path.trim_start_matches('/'));
    let given = given.trim();
    let whole = given.find('#').map_or(given, |fragment| &given[..fragment]);
    let first = if whole.contains('?') { whole } else { normal };
    let mut variants = vec![first.to_owned()];
    let host = base_url.strip_suffix(self::path(base_url)).unwrap_or_default();
    for variant in [normal.to_owned(), path.to_owned(), below, format!("{host}{path}")] {
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
        let same_host = host(own).eq_ignore_ascii_case(host(canonical));
        return !same_host || bare(path(own)) != bare(path(canonical));
    }
    let (own, canonical) = (bare(path(own)), bare(path(canonical)));
    !(canonical == own || own.is_empty() || canonical.ends_with(&format!("/{own}")))
}

/// A path as hosts that hide endings see it: without slashes at its ends, `.html` and the like, and with its percent
/// escapes decoded. `/a/b.html`, `/a/b` and `/a/b/` are one.
fn bare(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.trim_matches('/').as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |byte: &u8| char::from(*byte).to_digit(16);
        rest = match tail {
            [high, low, after @ ..] if *first == b'%' => match (hex(high), hex(low)) {
                (Some(high), Some(low)) => {
                    bytes.push((high * 16 + low) as u8);
                    after
                }
                _ => {
                    bytes.push(*first);
                    tail
                }
            },
            _ => {
                bytes.push(*first);
                tail
            }
        };
    }
    let mut path = String::from_utf8_lossy(&bytes).into_owned();
    for ending in [".html", ".htm", ".xhtml"] {
        if let Some(stem) = path.strip_suffix(ending) {
            path.truncate(stem.len());
            break;
        }
    }
    path
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
    bare(&segments.join("/")) == bare(expected)
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
        // Of many hosts.
        assert_eq!(variants("http://x.org/a#b", ""), ["http://x.org/a", "/a"]);
        let with_query = ["https://x.org/?id=3", "https://x.org/", "/"];
        assert_eq!(variants(" https://x.org/?id=3#b", ""), with_query);
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
        assert!(!is_other_page("/a/b.html", "https://x.org/a/b"));
        assert!(!is_other_page("/a/", "https://x.org/docs/a"));
        assert!(!is_other_page("/caf%C3%A9.html", "https://x.org/caf%c3%a9.html"));
        assert!(!is_other_page("https://x.org/a.html", "https://X.org/a"));
        assert!(!is_other_page("/", "https://x.org/docs/"));
        assert!(!is_other_page("/a/b.html", "b"));
        assert!(is_other_page("/a/xb.html", "/a/b.html"));
    }
}
