//! Addresses as they are written on a page, into where they lead: as browsers do it (WHATWG URL, by
//! the `url` crate).
//!
//! Only `http` and `https` lead to pages: `mailto:`, `javascript:`, `data:`, `ftp:` and others do
//! not.

use url::Url;

/// What is longer, in bytes, is not even parsed.
const MAX_BYTES: usize = 8_192;
/// Maximum number of bytes of a `<base>`: each address of the page begins with it.
const MAX_BASE_BYTES: usize = 1_024;

/// An address that stands alone; `None` if it is no page's.
pub(crate) fn alone(address: &str) -> Option<Url> {
    let address = Some(address).filter(|address| address.len() <= MAX_BYTES)?;
    Url::parse(address).ok().filter(is_page)
}

/// Where the relative addresses of a page begin.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    page: Url,
    /// The page, or its `<base>`.
    from: Url,
}

impl Place {
    /// Of a page at `address` whose first `<base>` has `base` as its `href`; a base that is no http
    /// or https address, or has more than 1,024 bytes, counts as none. `None` if `address` is no
    /// page's.
    pub(crate) fn new(address: &str, base: Option<&str>) -> Option<Self> {
        let page = alone(address)?;
        let base = base.and_then(|base| joined(&page, base));
        let base = base.filter(|base| base.as_str().len() <= MAX_BASE_BYTES);
        let from = base.unwrap_or_else(|| page.clone());
        Some(Self { page, from })
    }

    /// Where an address written on the page leads; `None` if it is no page's.
    pub(crate) fn resolve(&self, href: &str) -> Option<Url> {
        joined(&self.from, href)
    }

    /// Whether another page is at the same scheme, host and port.
    pub(crate) fn shares_origin(&self, other: &Url) -> bool {
        // As by `Url::origin`, without the texts that it makes.
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
