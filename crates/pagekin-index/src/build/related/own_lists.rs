//! Resolves the related pages that pages name themselves.
//!
//! A page is found by any URL under which links may refer to it: with or without `.html` and a
//! slash at its end, and with or without the path of the base URL, because authors write URLs
//! relative to the folder of their site.

use pagekin_core::address;
use pagekin_pages::site::links::{Paths, hash_of};

use crate::build::pages::vocabulary::WeightedPage;
use crate::build::summary::UnknownRelated;

/// Maximum number of pages in a list; the others are ignored.
const MAX: usize = 16;

/// Returns the pages that each page names, without repetitions and itself; `None` for a page that
/// names nothing. Also returns names that match no page, in the order of the pages' URLs.
pub(crate) fn resolve(
    pages: &[&WeightedPage],
    base_url: &str,
) -> (Vec<Option<Vec<u32>>>, Vec<UnknownRelated>) {
    let mut unknown = Vec::new();
    if pages.iter().all(|page| page.own_related.is_none()) {
        return (vec![None; pages.len()], unknown);
    }
    let paths = Paths::new(pages.iter().map(|page| (0, page.url.as_str())));
    let below = address::path(base_url).trim_end_matches('/');
    let find = |path: &str| {
        let path = address::written(path);
        let other = path.strip_suffix('/').map_or_else(|| format!("{path}/"), str::to_owned);
        let names = [format!("{below}{path}"), format!("{below}{other}")];
        let names = [path, other].into_iter().chain(names);
        names.filter_map(|name| paths.page(hash_of(0, &name))).next()
    };
    let mut lists = Vec::with_capacity(pages.len());
    for (number, page) in (0..).zip(pages) {
        lists.push(page.own_related.as_ref().map(|named| {
            let mut list = Vec::new();
            for named in named {
                match named.path.as_deref().and_then(find) {
                    Some(other) if other == number || list.contains(&other) => {}
                    Some(other) => list.push(other),
                    None => unknown.push(UnknownRelated {
                        page: page.url.clone(),
                        address: named.written.clone(),
                    }),
                }
            }
            list.truncate(MAX);
            list
        }));
    }
    unknown.sort();
    (lists, unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::site::links::Pointing;
    use pagekin_pages::site::own_related::named;

    fn page(url: &str, content: Option<&str>) -> WeightedPage {
        let own_related = content.map(|content| named(content, Pointing::from(url, None).as_ref()));
        WeightedPage { url: url.to_owned(), own_related, ..WeightedPage::default() }
    }

    #[test]
    fn pages_are_found_by_any_of_their_urls() {
        for base in ["", "/docs", "https://x.org/docs"] {
            let page = |path: &str, content| page(&format!("{base}{path}"), content);
            let content = "/a/, /b, c.html, /docs/c, https://y.org/z, /none/, /, /b.html";
            let pages = [
                page("/", Some(content)),
                page("/a/", None),
                page("/b.html", None),
                page("/c.html", Some("none")),
            ];
            let refs: Vec<_> = pages.iter().collect();
            let (lists, unknown) = resolve(&refs, &format!("{base}/"));
            assert_eq!(lists, [Some(vec![1, 2, 3]), None, None, Some(vec![])], "below {base}");
            let unknown: Vec<_> = unknown.iter().map(|unknown| unknown.address.as_str()).collect();
            let of_root = ["/docs/c", "/none/", "https://y.org/z"];
            assert_eq!(unknown, if base.is_empty() { &of_root } else { &of_root[1..] });
        }
    }
}
