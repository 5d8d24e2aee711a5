//! URLs of pages: normal forms, and the candidates for a URL that a person enters.

/// Returns `address` without its query, its fragment and the name of an index file at its end:
/// `/std/vec/` for `/std/vec/index.html?x#y`.
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

/// Returns the path of a URL: `/a/b` for `https://example.org/a/b`. A URL without a host is its own
/// path.
#[must_use]
pub fn path(address: &str) -> &str {
    // Searches for the colon, because the standard search for a string of three characters is 2 kB
    // of code in a browser.
    let colons = address.match_indices(':').map(|(at, colon)| &address[at + colon.len()..]);
    let mut tails = colons.chain([address]);
    let Some(rest) = tails.find_map(|tail| tail.strip_prefix("//")) else {
        return address;
    };
    rest.find('/').map_or("/", |at| &rest[at..])
}

/// Returns the URL of a page on a host that hides `.html`: `/guide/setup` for `/guide/setup.html`.
/// Other URLs are returned unchanged.
#[must_use]
pub fn clean(address: &str) -> &str {
    let stem = address.strip_suffix(".html");
    let is_name = |stem: &&str| !matches!(stem.rsplit('/').next(), None | Some("" | "." | ".."));
    stem.filter(is_name).unwrap_or(address)
}

/// Normalizes the percent-escapes of a URL without a query, as `pagekin build` writes them: escapes
/// exactly the bytes that need it (RFC 3986, section 3.3), in capitals. Links and browsers escape
/// more or fewer.
#[must_use]
pub fn written(address: &str) -> String {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut rest = address.as_bytes();
    let mut written = String::with_capacity(rest.len());
    while let [first, tail @ ..] = rest {
        rest = tail;
        let mut byte = *first;
        let mut escaped = !is_plain(byte) && byte != b'/';
        if let (b'%', &[high, low, ref tail @ ..]) = (byte, rest)
            && let (Some(high), Some(low)) = (digit(high), digit(low))
        {
            byte = high << 4 | low;
            escaped = !is_plain(byte);
            rest = tail;
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

/// Returns whether a byte needs no escape in a segment of a path.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,:;=@".contains(&byte)
}

/// Returns whether an index with this base URL may contain this URL, so that a forged shard cannot
/// create a link that runs a script or leaves the site.
///
/// 1. The URL starts with the base URL, without slashes at its end, followed by a slash. If the
///    base URL is empty, it starts with `http://` or `https://` and a host.
/// 2. Browsers resolve it to a page below the base URL: the rest is not interpreted as a host, and
///    no segment is `.` or `..`.
/// 3. It has no fragment. It has a query only if `with_query`, because pages of a crawl may have
///    one.
#[must_use]
#[inline(never)] // Inlined into each decoder, it would add code in a browser.
pub fn is_of_index(address: &str, base_url: &str, with_query: bool) -> bool {
    // Reads bytes, because anything else is twice the code in a browser.
    let (address, mut base) = (address.as_bytes(), base_url.as_bytes());
    while let Some(shorter) = base.strip_suffix(b"/") {
        base = shorter;
    }
    let host = address.strip_prefix(b"http://").or_else(|| address.strip_prefix(b"https://"));
    let is_below = match address.strip_prefix(base) {
        Some(_) if base_url.is_empty() => host.is_some(),
        Some([b'/', ..]) => true,
        _ => false,
    };
    let path = match host {
        Some(host) => path_after(host),
        None => Some(address).filter(|path| !path.starts_with(b"//")),
    };
    is_below && path.is_some_and(|path| is_plain_path(path, with_query))
}

/// Returns the part after a host, or `None` if the host is invalid.
fn path_after(mut rest: &[u8]) -> Option<&[u8]> {
    let mut length = 0;
    loop {
        match rest {
            [b'/', ..] if length > 0 => return Some(rest),
            [..=b' ' | b'/' | b'@' | b'\\' | b'?' | b'#', ..] | [] => return None,
            [_, tail @ ..] => rest = tail,
        }
        length += 1;
    }
}

/// Returns whether browsers do not change a path, and its query if `with_query`.
fn is_plain_path(mut rest: &[u8], with_query: bool) -> bool {
    // Number of dots in the current segment; 3 if it contains anything else.
    let mut dots = 3;
    let mut in_query = false;
    if !rest.starts_with(b"/") {
        return false;
    }
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match byte {
            // Browsers drop tabs and line breaks anywhere.
            ..b' ' | b'#' => return false,
            _ if in_query => {}
            b'\\' => return false,
            b'/' | b'?' if is_folder(dots) => return false,
            b'/' => dots = 0,
            b'?' if !with_query => return false,
            b'?' => (in_query, dots) = (true, 3),
            b'.' => dots += 1,
            b'%' if matches!(tail, [b'2', b'e' | b'E', ..]) => {
                (rest, dots) = (&tail[2..], dots + 1);
            }
            _ => dots = 3,
        }
    }
    !is_folder(dots)
}

/// Returns whether a segment of `dots` dots is the current or the parent folder.
fn is_folder(dots: usize) -> bool {
    matches!(dots, 1 | 2)
}

/// Returns whether an index may have this base URL: a path, or a URL of `http` or `https`.
#[must_use]
pub fn is_base(base_url: &str) -> bool {
    let root = base_url.trim_end_matches('/').to_owned() + "/";
    is_of_index(&root, base_url, false)
}

/// Returns a key that is equal for all URLs under which hosts serve the same file: the URL in
/// [`normal`] form, but with its query, then [`written`], without `.html` or slashes at its end.
/// `/guide/setup.html`, `/guide/setup` and `/guide/setup/` have the key `/guide/setup`;
/// `/guide/index.html` and `/guide/` have `/guide`.
#[must_use]
pub fn key(address: &str) -> String {
    let query = address.find('?').map_or("", |at| &address[at..]);
    let written = written(normal(address));
    stem(&written).to_owned() + query
}

/// Removes the endings that hosts hide: `.html`, slashes and index files.
fn stem(address: &str) -> &str {
    let hidden = ["/index.html", "/index.htm", ".html", "/"];
    let mut stem = address;
    while let Some(rest) = hidden.iter().find_map(|end| stem.strip_suffix(end)) {
        stem = rest;
    }
    stem
}

/// Returns the URLs that a page may have in the index if a person enters `given`, most likely
/// first, without duplicates.
///
/// 1. With its query, because pages of a crawl may have one.
/// 2. Without its query: on the site's host, and below the site's base URL; for a crawl of several
///    hosts, as written.
/// 3. For each of these, also without an ending, with `.html`, and as a folder, because hosts hide
///    endings and slashes.
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
    fn clean_urls_have_no_ending() {
        assert_eq!(clean("/guide/setup.html"), "/guide/setup");
        for same in [
            "/guide/",
            "/guide/setup",
            "/guide/.html",
            "/guide/..html",
            "/...html",
            ".html",
            "/a.htm",
            "/a.HTML",
            "",
        ] {
            assert_eq!(clean(same), same);
        }
    }

    /// URLs that a browser would run as a script, or follow to another host or out of `/docs/`.
    const FORGED: &[&str] = &[
        "",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "\u{1}javascript:alert(1)",
        "java\tscript:alert(1)",
        "javascript://x.org/%0aalert(1)",
        "javascript:/docs/",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:msgbox(1)",
        "blob:https://x.org/1",
        "file:///etc/passwd",
        "//evil.example/",
        "///evil.example/",
        "/\\evil.example/",
        "\\\\evil.example/",
        "/\t/evil.example/",
        "\n//evil.example/",
        "https:evil.example/",
        "https:/evil.example/",
        "https:\\evil.example/",
        "http://user@evil.example/",
        "https://x.org",
        "https://x.org@evil.example/docs/",
        "https://x.org\\@evil.example/docs/",
        "https://x.org?@evil.example/docs/",
        "https://",
        "https:///docs/",
        "docs/a.html",
        "a.html",
        "#a",
        "?a",
    ];

    #[test]
    fn forged_urls_are_rejected() {
        for base in ["", "/", "/docs/", "/docs", "https://x.org/docs/", "https://x.org/docs"] {
            for address in FORGED {
                assert!(!is_of_index(address, base, true), "{address:?} below {base:?}");
            }
        }
        for (base, below) in [("/docs", "/docs"), ("https://x.org/docs/", "https://x.org/docs")] {
            for end in [
                "",
                ".evil.example/",
                "-evil/",
                "@evil.example/",
                "\\a",
                "/../a",
                "/..",
                "/a/%2e%2E/b",
                "/.%2e",
                "/./a",
                "/%2E",
                "/a\\..\\..\\b",
                "/a\t",
                "/\r/a",
                "/a#b",
                "/a\u{0}",
            ] {
                let address = format!("{below}{end}");
                assert!(!is_of_index(&address, base, true), "{address:?} below {base:?}");
            }
        }
        assert!(!is_of_index("https://x.org.evil.example/", "https://x.org", true));
        // An invalid base URL contains no URLs, including itself.
        for base in
            ["docs/", "//evil.example/", "https://", "https:", "javascript:", "/\\evil/", "/a/../"]
        {
            assert!(!is_base(base), "{base:?}");
        }
    }

    #[test]
    fn urls_of_pages_are_accepted() {
        let check = |base: &str, address: &str| {
            assert!(is_of_index(address, base, true), "{address:?} below {base:?}");
            assert_eq!(is_of_index(address, base, false), !address.contains('?'), "{address:?}");
        };
        for below in [
            "",
            "a.html",
            "a/b/",
            "a//b",
            "...",
            "a/..b/.c/d../",
            "%2e%2e%2e/",
            "%2Ea",
            "~%C3%BC.html",
            "ü |\"<>^`{}",
            "javascript:alert(1)",
            "https://evil.example/",
            "@evil.example/",
            ":80/",
            "?id=3",
            "?a=../\\b/./",
            "a?b?c",
        ] {
            for base in
                ["/docs", "/docs/", "https://x.org/docs/", "https://x.org", "http://[::1]:8080"]
            {
                check(base, &format!("{}/{below}", base.trim_end_matches('/')));
            }
            check("", &format!("https://x.org/{below}"));
            check("", &format!("http://xn--bcher-kva.example:8080/{below}"));
        }
        for address in ["/", "/a.html", "/?id=3", "/javascript:alert(1)"] {
            check("/", address);
        }
    }

    #[test]
    fn escapes_are_minimal() {
        assert_eq!(written("/%7Ea/b%2Ec%2f%5b/"), "/~a/b.c%2F%5B/");
        assert_eq!(written("/a b/ü|%/%c3%BC%fF%4"), "/a%20b/%C3%BC%7C%25/%C3%BC%FF%254");
        assert_eq!(written("/-._~!$&'()*+,:;=@"), "/-._~!$&'()*+,:;=@");
        assert_eq!(
            written("/%2D%2e%5F%7e%21%24%26%27%28%29%2A%2B%2C%3A%3B%3D%40"),
            "/-._~!$&'()*+,:;=@"
        );
    }

    #[test]
    fn urls_of_the_same_file_have_the_same_key() {
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
    fn variants_include_the_usual_spellings() {
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
        fn normalized_paths_are_accepted(
            segments in prop::collection::vec("[^/\\PC]{0,4}".prop_filter("dots", |one| !matches!(&*written(one), "." | "..")), 1..5),
        ) {
            let below = written(&segments.join("/")) + "/";
            let below = below.trim_start_matches('/');
            for base in ["/", "/docs/", "https://x.org/"] {
                let address = format!("{base}{below}");
                prop_assert!(is_of_index(&address, base, false), "{}", address);
            }
        }

        #[test]
        fn variants_have_the_same_key(
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
