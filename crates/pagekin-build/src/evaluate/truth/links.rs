//! Pages into what they link to in their main text.
//!
//! A link counts if the page's text has it, as a build reads it, and
//!
//! 1. it leads to another page of the site;
//! 2. no more than half of the pages link there: what all pages link to is navigation;
//! 3. its page is no listing: contents and an index link to everything, and say nothing by it.
//!
//! Pages that a page links to twice it links to once.

use crate::evaluate::pages::page::Page;
use crate::site::links::Paths;

/// The links that count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Links {
    /// Per page, the pages that it links to, ascending.
    to: Vec<Vec<u32>>,
    /// Per page, the pages that link to it, ascending.
    from: Vec<Vec<u32>>,
    /// Per page, whether it is a listing.
    listings: Vec<bool>,
    /// Per page, whether more than half of the pages link to it.
    everywhere: Vec<bool>,
    /// Per page, whether its links do not count for another reason; nothing if all do.
    left_out: Vec<bool>,
    paths: Paths,
}

impl Links {
    pub(crate) fn of(pages: &[Page]) -> Self {
        let paths = Paths::of(pages.iter().map(|page| (0, page.url.as_str())));
        let listings: Vec<bool> = pages.iter().map(|page| page.listing).collect();
        let targets = |(at, page): (usize, &Page)| {
            let found = page.links.iter().filter_map(|link| paths.page(link.to));
            let mut to: Vec<u32> = found.filter(|&other| other as usize != at).collect();
            to.sort_unstable();
            to.dedup();
            to
        };
        let mut to: Vec<Vec<u32>> = pages.iter().enumerate().map(targets).collect();
        let mut linking = vec![0; pages.len()];
        for &other in to.iter().flatten() {
            linking[other as usize] += 1;
        }
        let everywhere: Vec<bool> =
            linking.iter().map(|&linking| 2 * linking > pages.len()).collect();
        let mut from = vec![Vec::new(); pages.len()];
        for (at, to) in to.iter_mut().enumerate() {
            to.retain(|&other| !listings[at] && !everywhere[other as usize]);
            for &other in &*to {
                from[other as usize].push(at as u32);
            }
        }
        Self { to, from, listings, everywhere, left_out: Vec::new(), paths }
    }

    /// Only those of some pages.
    pub(crate) fn of_pages(&self, some: impl Fn(u32) -> bool) -> Self {
        let mut links = self.clone();
        for (page, to) in (0..).zip(&mut links.to) {
            if !some(page) {
                to.clear();
            }
        }
        for from in &mut links.from {
            from.retain(|&page| some(page));
        }
        links.left_out = (0..links.to.len() as u32).map(|page| !some(page)).collect();
        links
    }

    /// Whether a page is a listing.
    pub(crate) fn is_listing(&self, page: u32) -> bool {
        self.listings[page as usize]
    }

    /// The page that a link of a page leads to, if it counts.
    pub(crate) fn target(&self, from: u32, link: u64) -> Option<u32> {
        let to = self.paths.page(link).filter(|&to| to != from)?;
        let left_out = self.left_out.get(from as usize).copied().unwrap_or(false);
        (!left_out && !self.is_listing(from) && !self.everywhere[to as usize]).then_some(to)
    }

    /// The pages that link to a page, ascending.
    pub(crate) fn linking_to(&self, page: u32) -> &[u32] {
        &self.from[page as usize]
    }

    /// Whether one of two pages links to the other.
    pub(crate) fn are_linked(&self, a: u32, b: u32) -> bool {
        let to = |a: u32, b: u32| self.to[a as usize].binary_search(&b).is_ok();
        to(a, b) || to(b, a)
    }

    /// Whether some page links to both of two.
    pub(crate) fn are_cocited(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.linking_to(a), self.linking_to(b));
        let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
        few.iter().any(|page| many.binary_search(page).is_ok())
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        self.to.iter().map(|to| to.len() as u64).sum()
    }

    /// How many pages are listings.
    pub(crate) fn count_listings(&self) -> u64 {
        self.listings.iter().filter(|&&listing| listing).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::pages::page::Link;
    use crate::site::links::hash_of;

    /// Pages of 100 words, each link with so many words.
    fn pages(links: &[(&str, &[&str], u32)]) -> Vec<Page> {
        let page = |&(url, links, words): &(&str, &[&str], u32)| Page {
            url: url.to_owned(),
            words: vec![0; 100],
            listing: links.len() >= 3 && links.len() as u32 * words >= 50,
            links: (0..)
                .zip(links)
                .map(|(at, to)| Link {
                    to: hash_of(0, to),
                    words: at * words..(at + 1) * words,
                    in_listing: false,
                })
                .collect(),
            ..Page::default()
        };
        links.iter().map(page).collect()
    }

    #[test]
    fn links_everywhere_and_of_listings_do_not_count() {
        let pages = pages(&[
            ("/a", &["/home", "/b", "/b", "/a", "/gone"], 1),
            ("/b", &["/home", "/c"], 1),
            ("/c", &["/home"], 1),
            ("/home", &["/a", "/c", "/d"], 30),
            ("/d", &["/b"], 1),
        ]);
        let links = Links::of(&pages);
        assert_eq!(links.to, [vec![1], vec![2], vec![], vec![], vec![1]]);
        assert!(links.is_listing(3) && links.count_listings() == 1 && links.count() == 3);
        assert!(links.are_linked(0, 1) && links.are_linked(1, 0) && !links.are_linked(0, 2));
        assert_eq!(links.linking_to(1), [0, 4]);
        assert_eq!(links.target(0, hash_of(0, "/b")), Some(1));
        let some = links.of_pages(|page| page != 0);
        assert_eq!((some.linking_to(1), some.count()), (&[4][..], 2));
        assert!(!some.are_linked(0, 1) && some.are_linked(1, 4));
        assert_eq!(some.target(0, hash_of(0, "/b")), None);
        assert_eq!(some.target(4, hash_of(0, "/b")), Some(1));
        let none = [(0, "/home"), (0, "/a"), (0, "/gone"), (3, "/d")];
        assert!(none.iter().all(|&(from, to)| links.target(from, hash_of(0, to)).is_none()));
    }

    #[test]
    fn pages_with_a_common_citing_page_are_cocited() {
        let pages =
            pages(&[("/a", &["/b", "/c"], 1), ("/b", &["/d"], 1), ("/c", &[], 1), ("/d", &[], 1)]);
        let links = Links::of(&pages);
        let cocited = |a, b| links.are_cocited(a, b) && links.are_cocited(b, a);
        assert!(cocited(1, 2) && !cocited(1, 3) && !cocited(0, 1));
    }
}
