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

/// The path of an address: `/a/b` for `https://example.org/a/b`, and an address without a host
/// itself.
#[must_use]
pub fn path(address: &str) -> &str {
    // By the colon, as the standard search for a text of three characters is 2 kB of code in a
    // browser.
    let colons = address.match_indices(':').map(|(at, colon)| &address[at + colon.len()..]);
    let mut tails = colons.chain([address]);
    let Some(rest) = tails.find_map(|tail| tail.strip_prefix("//")) else {
        return address;
    };
    rest.find('/').map_or("/", |at| &rest[at..])
}

/// The addresses a page of the site may have that a person calls `given`: with its query, as pages
/// of a crawl may have one; as it stands, without its host, below the site's base address, and on
/// the site's host. Likeliest first, none twice.
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
}
