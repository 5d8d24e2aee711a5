//! Pages into what they link to in their main text.
//!
//! A link counts if the page's text has it, as a build reads it, it leads to another page of the
//! site, and it says something of it: see [`LinkGraph`].

use pagekin_pages::site::link_graph::LinkGraph;
use pagekin_pages::site::links::Paths;

use crate::evaluate::pages::page::{EvaluatedLink, EvaluatedPage};

/// The links that count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SiteLinks {
    graph: LinkGraph,
    /// Per page, whether it is a listing.
    listings: Vec<bool>,
    /// Per page, whether its links do not count for another reason; nothing if all do.
    left_out: Vec<bool>,
    paths: Paths,
}

impl SiteLinks {
    pub(crate) fn new(pages: &[EvaluatedPage]) -> Self {
        let paths = Paths::new(pages.iter().map(|page| (0, page.url.as_str())));
        let listings: Vec<bool> = pages.iter().map(|page| page.listing).collect();
        let target = |link: &EvaluatedLink| paths.page(link.to);
        let to = pages.iter().map(|page| page.links.iter().filter_map(target).collect()).collect();
        Self { graph: LinkGraph::new(to, &listings), listings, left_out: Vec::new(), paths }
    }

    /// Only those of some pages.
    pub(crate) fn of_pages(&self, some: impl Fn(u32) -> bool) -> Self {
        let left_out = (0..self.listings.len() as u32).map(|page| !some(page)).collect();
        Self { graph: self.graph.of_pages(some), left_out, ..self.clone() }
    }

    /// Whether a page is a listing.
    pub(crate) fn is_listing(&self, page: u32) -> bool {
        self.listings[page as usize]
    }

    /// The page that a link of a page leads to, if it counts.
    pub(crate) fn target(&self, from: u32, link: u64) -> Option<u32> {
        let to = self.paths.page(link).filter(|&to| to != from)?;
        let left_out = self.left_out.get(from as usize).copied().unwrap_or(false);
        (!left_out && !self.is_listing(from) && !self.graph.is_everywhere(to)).then_some(to)
    }

    /// Which pages they are between.
    pub(crate) fn graph(&self) -> &LinkGraph {
        &self.graph
    }

    /// How many pages are listings.
    pub(crate) fn count_listings(&self) -> u64 {
        self.listings.iter().filter(|&&listing| listing).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::site::links::hash_of;

    /// Pages of 100 words, each link with so many words.
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
    fn links_are_those_to_pages_of_the_site_that_say_something() {
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
