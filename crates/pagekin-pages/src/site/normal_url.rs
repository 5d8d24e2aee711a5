//! The normal form of a URL, which identifies pages of a crawl.
//!
//! # Rules
//!
//! 1. The URL is resolved against that of its page, or against the page's `<base>`, as browsers do
//!    (WHATWG URL, with the `url` crate): lower-case scheme and host, no default port, no `..`.
//! 2. Only `http` and `https` lead to pages. `mailto:`, `javascript:`, `data:`, `ftp:` and others
//!    do not.
//! 3. User name, password and fragment are dropped, except for a fragment that is a route of a
//!    single-page application: `#/guide`, `#!/guide`.
//! 4. The name of an index file at the end of the path is dropped, in any case: `index` or
//!    `default` with one of the endings in [`INDEX_ENDINGS`].
//! 5. Parameters that only identify the origin of a visitor are dropped: [`TRACKING`], and names
//!    that start with one of [`TRACKING_PREFIXES`]. The others remain unchanged, in order. A query
//!    without parameters is dropped.
//! 6. A URL of more than [`MAX_BYTES`] bytes has no normal form.
//!
//! Normalization is idempotent.
//!
//! # Quirks
//!
//! 1. `http` and `https`, and hosts with and without `www.`, are different: the crawl records which
//!    of them redirects.
//! 2. `/a`, `/a/` and `/a.html` are three URLs, and so are `%7e`, `%7E` and `~` in a path.

use url::Url;

use crate::site::resolve;

/// The assumed base URL of pages if the options do not name one.
pub const LOCALHOST: &str = "https://localhost/";

/// Maximum number of bytes of a normal form.
pub const MAX_BYTES: usize = 2_048;

/// The endings of index files, `index.html` and `Default.aspx`.
pub const INDEX_ENDINGS: &[&str] =
    &["html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cgi"];

/// Parameters that only identify the origin of a visitor.
pub const TRACKING: &[&str] = &[
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "dclid",
    "fbclid",
    "gbraid",
    "gclid",
    "gclsrc",
    "igshid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "srsltid",
    "ttclid",
    "twclid",
    "vero_id",
    "wbraid",
    "wickedid",
    "yclid",
];

/// Prefixes of families of such parameters.
pub const TRACKING_PREFIXES: &[&str] = &["utm_", "mtm_", "pk_"];

/// Returns the normal form of an absolute URL, or `None` if it does not lead to a page.
#[must_use]
pub fn normal(address: &str) -> Option<String> {
    normal_of(resolve::alone(address)?)
}

/// The base of the relative URLs of a page.
#[derive(Debug, Clone)]
pub struct Place(resolve::Place);

impl Place {
    /// Creates the base of a page at `address`. `base` is the `href` of its first `<base>`, which
    /// is ignored if it is not an `http` or `https` URL. Returns `None` if `address` does not lead
    /// to a page.
    #[must_use]
    pub fn new(address: &str, base: Option<&str>) -> Option<Self> {
        resolve::Place::new(address, base).map(Self)
    }

    /// Returns the normal form of a URL on the page, or `None` if it does not lead to a page.
    #[must_use]
    pub fn resolve(&self, href: &str) -> Option<String> {
        normal_of(self.0.resolve(href)?)
    }
}

fn normal_of(mut url: Url) -> Option<String> {
    if !url.fragment().is_some_and(is_route) {
        url.set_fragment(None);
    }
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    if let Some((folder, name)) = url.path().rsplit_once('/')
        && is_index(name)
    {
        let folder = format!("{folder}/");
        url.set_path(&folder);
    }
    if let Some(query) = url.query() {
        let kept: Vec<_> = query.split('&').filter(|part| !is_tracking(part)).collect();
        let kept = kept.join("&");
        url.set_query(Some(&*kept).filter(|query| !query.is_empty()));
    }
    Some(String::from(url)).filter(|url| url.len() <= MAX_BYTES)
}

/// Returns whether a fragment is a route of a single-page application: it starts with `/` or `!`,
/// and has further characters.
fn is_route(fragment: &str) -> bool {
    fragment.starts_with(['/', '!']) && !fragment.trim_matches(['/', '!']).is_empty()
}

fn is_index(name: &str) -> bool {
    name.split_once('.').is_some_and(|(stem, ending)| {
        let is_one =
            |of: &[&str], word: &str| of.iter().any(|known| word.eq_ignore_ascii_case(known));
        is_one(&["index", "default"], stem) && is_one(INDEX_ENDINGS, ending)
    })
}

/// Returns whether a part of a query is empty or a tracking parameter.
fn is_tracking(part: &str) -> bool {
    let name = part.split_once('=').map_or(part, |(name, _)| name);
    let begins = |prefix: &&str| {
        name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    part.is_empty()
        || TRACKING.iter().any(|known| name.eq_ignore_ascii_case(known))
        || TRACKING_PREFIXES.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(address: &str, expected: &str) {
        assert_eq!(normal(address).as_deref(), Some(expected));
    }

    #[test]
    fn urls_are_normalized() {
        check("HTTP://Me:pw@Example.ORG:80/a/../b?#top", "http://example.org/b");
        check("https://example.org", "https://example.org/");
        check("https://example.org:8443/x#y", "https://example.org:8443/x");
        check("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC");
    }

    #[test]
    fn routes_of_applications_are_pages() {
        check("https://x.org/#/guide", "https://x.org/#/guide");
        check("https://x.org/index.html#!/guide?a=b", "https://x.org/#!/guide?a=b");
        check("https://x.org/#!guide", "https://x.org/#!guide");
        for home in ["#", "#/", "#!/", "#top", "#a/b"] {
            check(&format!("https://x.org/{home}"), "https://x.org/");
        }
    }

    #[test]
    fn index_files_are_their_folder() {
        check("https://x.org/index.html", "https://x.org/");
        check("https://x.org/a/Default.ASPX?id=3", "https://x.org/a/?id=3");
        check("https://x.org/a/index.php/b", "https://x.org/a/index.php/b");
        check("https://x.org/genindex.html", "https://x.org/genindex.html");
    }

    #[test]
    fn parameters_of_trackers_are_dropped() {
        check("https://x.org/?utm_source=a&id=3&FBCLID=b&&page=2", "https://x.org/?id=3&page=2");
        check("https://x.org/?utm_source=a&gclid", "https://x.org/");
        check("https://x.org/?autm_x=1&gclids=2", "https://x.org/?autm_x=1&gclids=2");
    }

    #[test]
    fn other_schemes_and_very_long_urls_are_rejected() {
        for address in [
            "mailto:a@b.org",
            "javascript:void(0)",
            "data:text/html,x",
            "ftp://x.org/",
            "/a",
            "",
            "https://",
        ] {
            assert_eq!(normal(address), None, "{address}");
        }
        let long = |n: usize| normal(&format!("https://x.org/{}", "a".repeat(n)));
        assert!(long(MAX_BYTES - 14).is_some());
        assert_eq!(long(MAX_BYTES - 13), None);
        assert_eq!(normal(&format!("https://x.org/#{}", "a".repeat(100_000))), None);
    }

    #[test]
    fn urls_are_relative_to_the_page_or_its_base() {
        let resolve =
            |base, href| Place::new("https://x.org/a/b.html", base).unwrap().resolve(href);
        let is = |base, href, expected: &str| assert_eq!(resolve(base, href).unwrap(), expected);
        is(None, "c.html", "https://x.org/a/c.html");
        is(None, "../index.html#x", "https://x.org/");
        is(None, "", "https://x.org/a/b.html");
        is(None, "//y.org/z", "https://y.org/z");
        is(None, " c\n.html ", "https://x.org/a/c.html");
        is(Some("/d/"), "c.html", "https://x.org/d/c.html");
        is(Some("https://y.org/e"), "?q", "https://y.org/e?q");
        is(Some("data:x"), "c", "https://x.org/a/c");
        assert_eq!(resolve(None, "mailto:a@b.org"), None);
        assert!(Place::new("file:///a", None).is_none());
    }

    proptest! {
        #[test]
        fn normalization_is_idempotent(
            scheme in "https?|HTTP|ftp", host in "[a-zA-Zü.%@:0-9]{1,12}", path in prop::collection::vec(
                prop::sample::select(vec!["/", "a", "..", ".", "index.html", "index.php", "%2e", "%2F", " ", "ü", "\\", ";", "\t"]), 0..8),
            query in prop::collection::vec(prop::sample::select(vec!["?", "&", "=", "a", "utm_x", "gclid", "#", "%", "'", "ü", "+"]), 0..8),
        ) {
            let address = format!("{scheme}://{host}/{}{}", path.concat(), query.concat());
            if let Some(once) = normal(&address) {
                prop_assert_eq!(normal(&once), Some(once.clone()));
                prop_assert!(resolve::alone(&once).is_some_and(|url| url.query() != Some("")));
            }
        }

        #[test]
        fn any_text_is_handled(address: String, base: String, href: String) {
            let _ = normal(&address);
            if let Some(url) = Place::new("https://x.org/", Some(&base)).and_then(|place| place.resolve(&href)) {
                prop_assert_eq!(normal(&url), Some(url));
            }
        }
    }
}
