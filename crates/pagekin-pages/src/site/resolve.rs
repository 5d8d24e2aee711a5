//! Resolves URLs on a page, as browsers do (WHATWG URL, with the `url` crate).
//!
//! Only `http` and `https` lead to pages. `mailto:`, `javascript:`, `data:`, `ftp:` and others do
//! not.

use url::Url;

/// Maximum number of bytes of a URL. Longer ones are not parsed.
const MAX_BYTES: usize = 8_192;
/// Maximum number of bytes of a `<base>`, which starts each relative URL of the page.
const MAX_BASE_BYTES: usize = 1_024;
/// The origin of a site if it is unknown where it is published.
const PLACEHOLDER_ORIGIN: &str = "http://site.invalid";

/// Parses an absolute URL. Returns `None` if it does not lead to a page.
pub(crate) fn alone(address: &str) -> Option<Url> {
    let address = Some(address).filter(|address| address.len() <= MAX_BYTES)?;
    Url::parse(address).ok().filter(is_page)
}

/// The base of the relative URLs of a page.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    page: Url,
    /// The page, or its `<base>`.
    from: Url,
}

impl Place {
    /// Creates the base of a page at `address`. `base` is the `href` of its first `<base>`, which
    /// is ignored if it is not an `http` or `https` URL or has more than 1,024 bytes. Returns
    /// `None` if `address` does not lead to a page.
    pub(crate) fn new(address: &str, base: Option<&str>) -> Option<Self> {
        let page = alone(address)?;
        let base = base.and_then(|base| joined(&page, base));
        let base = base.filter(|base| base.as_str().len() <= MAX_BASE_BYTES);
        let from = base.unwrap_or_else(|| page.clone());
        Some(Self { page, from })
    }

    /// Creates the base of the page at a path of a site whose origin is unknown.
    pub(crate) fn on_unknown_origin(path: &str, base: Option<&str>) -> Option<Self> {
        Self::new(&format!("{PLACEHOLDER_ORIGIN}{path}"), base)
    }

    /// Resolves a URL on the page. Returns `None` if it does not lead to a page.
    pub(crate) fn resolve(&self, href: &str) -> Option<Url> {
        joined(&self.from, href)
    }

    /// Returns whether another page has the same scheme, host and port.
    pub(crate) fn shares_origin(&self, other: &Url) -> bool {
        // Equals `Url::origin`, without its allocations.
        let page = &self.page;
        page.scheme() == other.scheme()
            && page.host_str() == other.host_str()
            && page.port() == other.port()
    }
}

fn joined(from: &Url, href: &str) -> Option<Url> {
    let href = Some(href).filter(|href| href.len() <= MAX_BYTES)?;
    from.join(href).ok().filter(is_page)
}

fn is_page(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}
