//! Converts HTML or a text, with a URL, to a page of a crawl.

use pagekin_core::address;
use pagekin_core::anchor::AnchorWindows;
use pagekin_core::links::PageLinks;

use crate::input::options::InputOptions;
use crate::ledger::SkipReason;
use crate::site::canonical::is_other_page;
use crate::site::html::{ReadPage, read_html_at};
use crate::site::normal_url::Place;
use crate::site::{bounds, normal_url};

/// A page of a crawl. Its URLs are in the [normal form](crate::site::normal_url).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CrawlPage {
    /// Its URL.
    pub url: String,
    /// Its title, one line; empty if it has none.
    pub title: String,
    /// The tag of its language as written, such as `pt-BR`, or empty.
    pub lang: String,
    /// The indexed text, extracted as for a page of a site.
    pub text: String,
    /// Its links in order, without those that must not be followed (`rel=nofollow`, or all with
    /// `meta robots`), links to itself, and links that do not lead to a page. Two links to the same
    /// page are listed twice.
    pub links: Vec<CrawlLink>,
    /// The other page that it redirects to (`meta refresh`).
    pub redirect_to: Option<String>,
    /// The other page that it names as canonical (`rel=canonical`).
    pub canonical: Option<String>,
    /// Whether it is `noindex`.
    pub noindex: bool,
    /// When it was captured, or an empty string if unknown. Of several captures of a URL, the
    /// newest is the last in alphabetical order.
    pub captured: String,
    /// Why the page was truncated, if it was.
    pub truncated: Option<&'static str>,
}

impl CrawlPage {
    /// Returns why the page is not a separate one according to its own metadata. Its links are used
    /// anyway.
    #[must_use]
    pub fn folded(&self) -> Option<SkipReason> {
        match self {
            Self { redirect_to: Some(_), .. } => Some(SkipReason::Redirect),
            Self { noindex: true, .. } => Some(SkipReason::NoIndex),
            Self { canonical: Some(_), .. } => Some(SkipReason::Canonical),
            _ => None,
        }
    }
}

/// A link on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlLink {
    /// The page it leads to.
    pub target: String,
    /// Its anchor window (see [`pagekin_core::anchor`]), or, for a link of a JSONL line, the text
    /// in that line.
    pub window: String,
}

/// Maximum number of bytes of the URLs and windows of a page's links.
const MAX_LINK_BYTES: usize = 32 << 20;

/// Reads a page of HTML. `charset` is the external label of its encoding.
pub(super) fn of_html(
    url: &str,
    bytes: &[u8],
    charset: Option<&str>,
    options: &InputOptions,
) -> Result<CrawlPage, SkipReason> {
    let (read, links) = read_html_at(url, bytes, charset);
    of_read(url, read, &links, options)
}

/// Converts an HTML page that was read with its links.
pub(super) fn of_read(
    url: &str,
    read: ReadPage,
    links: &PageLinks,
    options: &InputOptions,
) -> Result<CrawlPage, SkipReason> {
    let url = normal_url::normal(url).ok_or(SkipReason::NoAddress)?;
    let place = Place::new(&url, links.base.as_deref()).ok_or(SkipReason::NoAddress)?;
    let other_page = |href: &String| place.resolve(href).filter(|target| *target != url);
    let mut page = CrawlPage {
        redirect_to: read.page.redirect.as_ref().and_then(other_page),
        canonical: read.page.canonical.as_ref().and_then(other_page),
        title: read.page.title,
        lang: read.page.lang,
        text: read.page.text,
        noindex: read.page.noindex,
        captured: String::new(),
        truncated: read.cut,
        links: Vec::new(),
        url: String::new(),
    };
    if !links.nofollow && !links.links.is_empty() {
        let windows = AnchorWindows::new(&links.text);
        let mut bytes = 0;
        for link in links.links.iter().filter(|link| !link.nofollow) {
            let Some(target) = other_page(&link.href) else { continue };
            let window = windows.of(&link.text, options.window_words);
            bytes += target.len() + window.len();
            if bytes > MAX_LINK_BYTES {
                page.truncated = page.truncated.or(Some("more than 32 MiB of links"));
                break;
            }
            page.links.push(CrawlLink { target, window });
        }
    }
    page.url = url;
    Ok(page)
}

/// Converts a plain text, which has no title or links.
pub(super) fn of_text(url: &str, mut text: String) -> Result<CrawlPage, SkipReason> {
    let url = normal_url::normal(url).ok_or(SkipReason::NoAddress)?;
    let truncated = bounds::cut_text(&mut text);
    Ok(CrawlPage { url, text, truncated, ..CrawlPage::default() })
}

/// Removes a canonical URL that is only the page's own URL on the host where it is published, which
/// the options did not name.
pub(super) fn drop_own_canonical(page: &mut CrawlPage) {
    let is_other = |canonical: &String| is_other_page(address::path(&page.url), canonical);
    page.canonical = page.canonical.take().filter(is_other);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> CrawlPage {
        of_html("https://x.org/a/index.html", html.as_bytes(), None, &InputOptions::default())
            .unwrap()
    }

    #[test]
    fn links_have_normal_urls_and_windows() {
        let page = read(
            "<title>T</title><base href='/b/'><nav><a href=../>Start page</a></nav><main>Rye bread is \
             <a href='sour.html?utm_source=x#top'>sour <b>dough</b></a> bread</main>",
        );
        let expected = [
            ("https://x.org/", "Start page Rye bread is sour dough bread"),
            ("https://x.org/b/sour.html", "Start page Rye bread is sour dough bread"),
        ];
        let link = |(target, window): (&str, &str)| CrawlLink {
            target: target.to_owned(),
            window: window.to_owned(),
        };
        assert_eq!(page.links, expected.map(link));
        assert_eq!((&*page.url, &*page.title), ("https://x.org/a/", "T"));
        assert_eq!(
            page.text.split_whitespace().collect::<Vec<_>>(),
            ["Rye", "bread", "is", "sour", "dough", "bread"]
        );
    }

    #[test]
    fn links_of_a_long_base_are_bounded() {
        let links: String = (0..60_000).map(|at| format!("<a href={at}>x</a>")).collect();
        let page = read(&format!("<base href='/{}/'>{links}", "b".repeat(1_000)));
        assert_eq!(page.truncated, Some("more than 32 MiB of links"));
        assert!((30_000..35_000).contains(&page.links.len()), "{}", page.links.len());
    }

    #[test]
    fn links_with_nofollow_are_dropped() {
        let page = read(
            "<a href=x rel='ugc nofollow'>x</a><a href=#top>top</a><a href=index.html>self</a><a href=mailto:a@b>m</a><a href=y>y</a>",
        );
        assert_eq!(page.links.len(), 1);
        assert_eq!(page.links[0].target, "https://x.org/a/y");
        assert_eq!(read("<meta name=robots content=nofollow><a href=y>y</a>").links, []);
    }

    #[test]
    fn canonical_and_redirect_are_kept_only_if_they_differ() {
        let page =
            read("<link rel=canonical href=/a/><meta http-equiv=refresh content='0; url=../z'>");
        assert_eq!((page.canonical, page.redirect_to.as_deref()), (None, Some("https://x.org/z")));
        let mut page = read("<link rel=canonical href='https://docs.x.org/3/a/'>");
        assert_eq!(page.canonical.as_deref(), Some("https://docs.x.org/3/a/"));
        drop_own_canonical(&mut page);
        assert_eq!(page.canonical, None);
    }
}
