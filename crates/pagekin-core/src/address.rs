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

/// The address of a page on a host that hides `.html`: `/guide/setup` for `/guide/setup.html`. One
/// that ends otherwise is itself.
#[must_use]
pub fn clean(address: &str) -> &str {
    let stem = address.strip_suffix(".html");
    stem.filter(|stem| !stem.is_empty() && !stem.ends_with('/')).unwrap_or(address)
}

/// An address, without query, with the percent escapes that `pagekin build` writes: of the bytes
/// that need one (RFC 3986, section 3.3) and of no others, in capitals. Links and browsers escape
/// more or fewer.
#[must_use]
pub fn written(address: &str) -> String {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut rest = address.as_bytes();
    let mut written = String::with_capacity(rest.len());
    while let [first, behind @ ..] = rest {
        rest = behind;
        let mut byte = *first;
        let mut escaped = !is_plain(byte) && byte != b'/';
        if let (b'%', &[high, low, ref behind @ ..]) = (byte, rest)
            && let (Some(high), Some(low)) = (digit(high), digit(low))
        {
            byte = high << 4 | low;
            escaped = !is_plain(byte);
            rest = behind;
        }
        if escaped {
            let digits = b"0123456789ABCDEF";
            written.push('%');
            for digit in [byte >> 4, byte & 15] {
                written.push(char::from(digits[usize::from(digit)]));
            }
        } else {
            written.push(char::from(byte));
        }
    }
    written
}

/// Whether a byte stands for itself in a segment of a path.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,:;=@".contains(&byte)
}

/// What all addresses share by which hosts serve one file: an address that is [`normal`] but for
/// its query and [`written`], without `.html` or a slash at its end. `/guide/setup.html`,
/// `/guide/setup` and `/guide/setup/` have the key `/guide/setup`; `/guide/index.html` and
/// `/guide/` have `/guide`.
#[must_use]
pub fn key(address: &str) -> String {
    let query = address.find('?').map_or("", |at| &address[at..]);
    let written = written(normal(address));
    stem(&written).to_owned() + query
}

/// An address without what hosts hide at its end: `.html`, slashes and index files.
fn stem(address: &str) -> &str {
    let hidden = ["/index.html", "/index.htm", ".html", "/"];
    let mut stem = address;
    while let Some(rest) = hidden.iter().find_map(|end| stem.strip_suffix(end)) {
        stem = rest;
    }
    stem
}

/// The addresses that a page of the site may have that a person calls `given`, likeliest first,
/// none twice.
///
/// 1. With its query, as pages of a crawl may have one.
/// 2. Without: on the site's host, below the site's base address; of a crawl of many hosts, as it
///    stands.
/// 3. Of each of these that without an ending, that with `.html` and that of a folder, as hosts
///    hide endings and slashes.
#[must_use]
pub fn variants(given: &str, base_url: &str) -> Vec<String> {
    let given = given.trim();
    let whole = given.find('#').map_or(given, |fragment| &given[..fragment]);
    let (normal, base) = (normal(given), base_url.trim_end_matches('/'));
    let addresses = if base_url.is_empty() {
        vec![normal.to_owned()]
    } else {
        let path = path(normal);
        let host = base_url.strip_suffix(self::path(base_url)).unwrap_or_default();
        vec![format!("{host}{path}"), format!("{base}/{}", path.trim_start_matches('/'))]
    };
    let mut variants: Vec<String> = Vec::new();
    let mut add = |variant: &str| {
        let below = variant.strip_prefix(base).is_some_and(|path| path.starts_with('/'));
        if (below || base_url.is_empty()) && !variants.iter().any(|other| other == variant) {
            variants.push(variant.to_owned());
        }
    };
    if whole.contains('?') {
        add(whole);
    }
    for address in addresses {
        let written = written(&address);
        let stem = stem(&written);
        [&address, &written, stem].into_iter().for_each(&mut add);
        for end in [".html", "/"] {
            add(&format!("{stem}{end}"));
        }
    }
    variants
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
    fn clean_addresses_have_no_ending() {
        assert_eq!(clean("/guide/setup.html"), "/guide/setup");
        for same in ["/guide/", "/guide/setup", "/guide/.html", ".html", "/a.htm", "/a.HTML", ""] {
            assert_eq!(clean(same), same);
        }
    }

    #[test]
    fn escapes_are_those_that_must_be() {
        assert_eq!(written("/%7Ea/b%2Ec%2f%5b/"), "/~a/b.c%2F%5B/");
        assert_eq!(written("/a b/ü|%/%c3%BC%fF%4"), "/a%20b/%C3%BC%7C%25/%C3%BC%FF%254");
        assert_eq!(written("/-._~!$&'()*+,:;=@"), "/-._~!$&'()*+,:;=@");
        assert_eq!(
            written("/%2D%2e%5F%7e%21%24%26%27%28%29%2A%2B%2C%3A%3B%3D%40"),
            "/-._~!$&'()*+,:;=@"
        );
    }

    #[test]
    fn what_hosts_serve_alike_has_one_key() {
        for address in ["/a/b.html", "/a/b", "/a/b/", "/a/b/index.html", "/a/%62.html#c"] {
            assert_eq!(key(address), "/a/b", "{address}");
        }
        assert_eq!(key("/"), "");
        assert_eq!(key("https://x.org/"), "https://x.org");
        assert_eq!(key("https://x.org/a/?id=%62"), "https://x.org/a?id=%62");
    }

    #[track_caller]
    fn check(given: &str, base_url: &str, expected: &[&str]) {
        assert_eq!(variants(given, base_url), expected, "{given} below {base_url}");
    }

    #[test]
    fn a_page_is_found_by_the_names_people_give_it() {
        check("/a/index.html", "/", &["/a/", "/a", "/a.html"]);
        check("a.html", "/docs/", &["/docs/a.html", "/docs/a", "/docs/a/"]);
        let whole = ["https://x.org/a", "https://x.org/a.html", "https://x.org/a/"];
        check("https://x.org/a", "https://x.org/", &whole);
        check("/a", "https://x.org", &whole);
        check(
            "/d/a/",
            "https://x.org/d/",
            &[
                "https://x.org/d/a/",
                "https://x.org/d/a",
                "https://x.org/d/a.html",
                "https://x.org/d/d/a/",
                "https://x.org/d/d/a",
                "https://x.org/d/d/a.html",
            ],
        );
        let folder = ["/docs/", "/docs/docs", "/docs/docs.html", "/docs/docs/"];
        check("/docs", "/docs/", &folder);
        check("/", "/", &["/"]);
        check(
            "/%7e%c3%bc.html",
            "/",
            &["/%7e%c3%bc.html", "/~%C3%BC.html", "/~%C3%BC", "/~%C3%BC/"],
        );
    }

    #[test]
    fn pages_of_crawls_have_hosts_and_queries() {
        let ends = ["http://x.org/a", "http://x.org/a.html", "http://x.org/a/"];
        check("http://x.org/a#b", "", &ends);
        let with_query =
            ["https://x.org/?id=3", "https://x.org/", "https://x.org", "https://x.org.html"];
        check(" https://x.org/?id=3#b", "", &with_query);
        check("/a?id=3", "/", &["/a?id=3", "/a", "/a.html", "/a/"]);
    }

    proptest! {
        #[test]
        fn what_is_found_by_an_address_has_its_key(
            path in prop::collection::vec(
                prop::sample::select(vec!["/", "a", ".", ".html", "index.html", "%2e", "%2F", " ", "ü", "%"]), 0..8),
        ) {
            let address = format!("/x{}", path.concat());
            prop_assert_eq!(written(&written(&address)), written(&address));
            for variant in variants(&address, "/") {
                prop_assert_eq!(key(&variant), key(&address), "{}", variant);
            }
        }
    }
}
