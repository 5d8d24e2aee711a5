//! The sites that contain a text.
//!
//! The site of a page is the first segment of its path: the folder it comes from if several were
//! given, or a part of the site if there was only one. A text of several pages is on all their
//! sites.

use std::collections::{BTreeMap, BTreeSet};

use pagekin_core::address;
use pagekin_duplicates::{PagePair, PairKind, SitePage};

/// The sites of texts, by the likely original page of each.
#[derive(Debug)]
pub struct Sites<'a> {
    of: BTreeMap<u32, BTreeSet<&'a str>>,
    pages: &'a [SitePage],
}

impl<'a> Sites<'a> {
    /// Collects the sites from the exact copies among the pairs.
    #[must_use]
    pub fn new(pages: &'a [SitePage], pairs: &[PagePair]) -> Self {
        let mut of: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
        for pair in pairs.iter().filter(|pair| pair.kind == PairKind::Copy) {
            let sites = of.entry(pair.a).or_default();
            sites.extend([pair.a, pair.b].map(|page| site(&pages[page as usize].url)));
        }
        Self { of, pages }
    }

    /// Whether a site contains both texts of a pair.
    #[must_use]
    pub fn same(&self, pair: &PagePair) -> bool {
        match (self.of.get(&pair.a), self.of.get(&pair.b)) {
            (Some(a), Some(b)) => !a.is_disjoint(b),
            (Some(sites), None) => sites.contains(self.own(pair.b)),
            (None, Some(sites)) => sites.contains(self.own(pair.a)),
            (None, None) => self.own(pair.a) == self.own(pair.b),
        }
    }

    fn own(&self, page: u32) -> &'a str {
        site(&self.pages[page as usize].url)
    }
}

/// Returns the first segment of a path, which is empty for a page in no folder.
fn site(url: &str) -> &str {
    let path = address::path(url).trim_start_matches('/');
    path.split_once('/').map_or("", |(site, _)| site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::near::shingles::Shared;

    fn page(url: &str) -> SitePage {
        SitePage { url: url.to_owned(), ..SitePage::default() }
    }

    fn pair(a: u32, b: u32, exact: bool) -> PagePair {
        let shared = Shared { both: 1, a: 1, b: 1 };
        let kind = if exact { PairKind::Copy } else { PairKind::NearDuplicate };
        PagePair { a, b, kind, shared, similarities: None }
    }

    #[test]
    fn sites_are_first_segments() {
        assert_eq!(site("/std/vec/index.html"), "std");
        assert_eq!(site("https://example.org/std/"), "std");
        assert_eq!(site("/all.html"), "");
    }

    #[test]
    fn a_text_is_on_the_sites_of_its_copies() {
        let pages = ["/new/a", "/old/a", "/new/b", "/old/c", "/new/d", "/old/d"].map(page);
        let copies = [pair(0, 1, true), pair(4, 5, true)];
        let sites = Sites::new(&pages, &copies);
        assert!(sites.same(&pair(0, 2, false)));
        assert!(sites.same(&pair(0, 3, false)));
        assert!(sites.same(&pair(3, 4, false)));
        assert!(sites.same(&pair(0, 4, false)));
        assert!(!sites.same(&pair(2, 3, false)));
    }
}
