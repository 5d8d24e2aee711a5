//! Finds the links between pages in their main text.
//!
//! A link counts if it is in the text of a page, as read by a build, leads to another page of the
//! site, and is significant: see [`LinkGraph`].

use pagekin_pages::site::link_graph::LinkGraph;
use pagekin_pages::site::links::Paths;

use crate::evaluate::pages::page::{EvaluatedLink, EvaluatedPage};

/// The links that count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SiteLinks {
    graph: LinkGraph,
    /// Whether each page is a listing.
    listings: Vec<bool>,
    /// Whether the links of each page are excluded for another reason; empty if none are.
    excluded: Vec<bool>,
    paths: Paths,
}

impl SiteLinks {
    pub(crate) fn new(pages: &[EvaluatedPage]) -> Self {
        let paths = Paths::new(pages.iter().map(|page| (0, page.url.as_str())));
        let listings: Vec<bool> = pages.iter().map(|page| page.listing).collect();
        let target = |link: &EvaluatedLink| paths.page(link.to);
        let to = pages.iter().map(|page| page.links.iter().filter_map(target).collect()).collect();
        Self { graph: LinkGraph::new(to, &listings), listings, excluded: Vec::new(), paths }
    }

    /// Returns only the links of the pages for which `some` returns true.
    pub(crate) fn of_pages(&self, some: impl Fn(u32) -> bool) -> Self {
        let excluded = (0..self.listings.len() as u32).map(|page| !some(page)).collect();
        Self { graph: self.graph.of_pages(some), excluded, ..self.clone() }
    }

    /// Returns whether a page is a listing.
    pub(crate) fn is_listing(&self, page: u32) -> bool {
        self.listings[page as usize]
    }

    /// Returns the page that a link of a page leads to, if the link counts.
    pub(crate) fn target(&self, from: u32, link: u64) -> Option<u32> {
        let to = self.paths.page(link).filter(|&to| to != from)?;
        let excluded = self.excluded.get(from as usize).copied().unwrap_or(false);
        (!excluded && !self.is_listing(from) && !self.graph.is_everywhere(to)).then_some(to)
    }

    /// Returns the graph of links between pages.
    pub(crate) fn graph(&self) -> &LinkGraph {
        &self.graph
    }

    /// Returns the number of listings.
    pub(crate) fn count_listings(&self) -> u64 {
        self.listings.iter().filter(|&&listing| listing).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::site::links::hash_of;

    /// Pages of 100 words, with the number of words of each link.
    fn pages(links: &[(&str, &[&str], u32)]) -> Vec<EvaluatedPage> {
        let page = |&(url, links, words): &(&str, &[&str], u32)| EvaluatedPage {
            url: url.to_owned(),
            words: vec![0; 100],
            listing: links.len() >= 3 && links.len() as u32 * words >= 50,
            links: (0..)
                .zip(links)
                .map(|(at, to)| EvaluatedLink {
                    to: hash_of(0, to),
                    words: at * words..(at + 1) * words,
                    in_listing: false,
                })
                .collect(),
            ..EvaluatedPage::default()
        };
        links.iter().map(page).collect()
    }

    #[test]
    fn significant_links_to_pages_of_the_site_count() {
        let pages = pages(&[
            ("/a", &["/home", "/b", "/b", "/a", "/gone"], 1),
            ("/b", &["/home", "/c"], 1),
            ("/c", &["/home"], 1),
            ("/home", &["/a", "/c", "/d"], 30),
            ("/d", &["/b"], 1),
        ]);
        let links = SiteLinks::new(&pages);
        let graph = links.graph();
        assert_eq!(
            [0, 1, 2, 3, 4].map(|page| graph.linked_by(page)),
            [&[1][..], &[2], &[], &[], &[1]]
        );
        assert!(links.is_listing(3) && links.count_listings() == 1);
        assert_eq!(links.target(0, hash_of(0, "/b")), Some(1));
        let some = links.of_pages(|page| page != 0);
        assert_eq!(some.graph().linking_to(1), [4]);
        assert_eq!(some.target(0, hash_of(0, "/b")), None);
        assert_eq!(some.target(4, hash_of(0, "/b")), Some(1));
        let none = [(0, "/home"), (0, "/a"), (0, "/gone"), (3, "/d")];
        assert!(none.iter().all(|&(from, to)| links.target(from, hash_of(0, to)).is_none()));
    }
}
