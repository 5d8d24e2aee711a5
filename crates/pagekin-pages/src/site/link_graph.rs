//! The informative links between pages of a site, from their texts.
//!
//! 1. Pages that more than half of the pages link to are navigation. Links to them are dropped.
//! 2. Tables of contents and indexes link to everything. Links of these *listings* are dropped.
//! 3. Several links from one page to another count once. Links of a page to itself are dropped.

/// The links of a site, by page number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkGraph {
    /// The pages that each page links to, ascending.
    to: Vec<Vec<u32>>,
    /// The pages that link to each page, ascending.
    from: Vec<Vec<u32>>,
    /// Whether more than half of the pages link to each page.
    everywhere: Vec<bool>,
}

impl LinkGraph {
    /// Builds the graph from the pages that each page links to, in any order, and whether each page
    /// is a listing.
    pub fn new(mut to: Vec<Vec<u32>>, listings: &[bool]) -> Self {
        let mut linking = vec![0; to.len()];
        for (page, to) in (0..).zip(&mut to) {
            to.sort_unstable();
            to.dedup();
            to.retain(|&other| other != page);
            for &other in &*to {
                linking[other as usize] += 1;
            }
        }
        let everywhere: Vec<bool> = linking.iter().map(|&linking| 2 * linking > to.len()).collect();
        for (to, &listing) in to.iter_mut().zip(listings) {
            to.retain(|&other| !listing && !everywhere[other as usize]);
        }
        Self { from: inverted(&to), to, everywhere }
    }

    /// Returns the graph with only the links of some pages.
    pub fn of_pages(&self, some: impl Fn(u32) -> bool) -> Self {
        let mut to = self.to.clone();
        for (page, to) in (0..).zip(&mut to) {
            if !some(page) {
                to.clear();
            }
        }
        Self { from: inverted(&to), to, everywhere: self.everywhere.clone() }
    }

    /// Returns whether links to a page are dropped because too many pages link to it.
    pub fn is_everywhere(&self, page: u32) -> bool {
        self.everywhere[page as usize]
    }

    /// Returns the pages that a page links to, ascending.
    pub fn linked_by(&self, page: u32) -> &[u32] {
        &self.to[page as usize]
    }

    /// Returns the pages that link to a page, ascending.
    pub fn linking_to(&self, page: u32) -> &[u32] {
        &self.from[page as usize]
    }

    /// Returns whether one of two pages links to the other.
    pub fn are_linked(&self, a: u32, b: u32) -> bool {
        let links = |a: u32, b: u32| self.linked_by(a).binary_search(&b).is_ok();
        links(a, b) || links(b, a)
    }

    /// Returns the number of pages that link to both `a` and `b`: their degree of cocitation (Dean
    /// and Henzinger 1999, section 3.2). Searches the longer list once for each entry of the
    /// shorter.
    pub fn cocitations(&self, a: u32, b: u32) -> usize {
        let (a, b) = (self.linking_to(a), self.linking_to(b));
        let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
        few.iter().filter(|page| many.binary_search(page).is_ok()).count()
    }

    /// Returns the number of links.
    pub fn count(&self) -> u64 {
        self.to.iter().map(|to| to.len() as u64).sum()
    }
}

fn inverted(to: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut from = vec![Vec::new(); to.len()];
    for (page, to) in (0..).zip(to) {
        for &other in to {
            from[other as usize].push(page);
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> LinkGraph {
        let to = vec![vec![3, 1, 1, 0], vec![3, 2], vec![3], vec![0, 2, 4], vec![1]];
        LinkGraph::new(to, &[false, false, false, true, false])
    }

    #[test]
    fn links_of_listings_and_to_navigation_are_dropped() {
        let graph = graph();
        assert_eq!(graph.to, [vec![1], vec![2], vec![], vec![], vec![1]]);
        assert_eq!(graph.linking_to(1), [0, 4]);
        assert_eq!(graph.count(), 3);
        assert!(graph.is_everywhere(3) && !graph.is_everywhere(1));
        assert!(graph.are_linked(0, 1) && graph.are_linked(1, 0) && !graph.are_linked(0, 2));
    }

    #[test]
    fn other_pages_have_no_links_in_a_partial_graph() {
        let some = graph().of_pages(|page| page != 0);
        assert_eq!((some.linking_to(1), some.count()), (&[4][..], 2));
        assert!(!some.are_linked(0, 1) && some.are_linked(1, 4));
        assert!(some.is_everywhere(3));
    }

    #[test]
    fn cocitations_are_pages_that_link_to_both() {
        let to = vec![vec![2, 3], vec![2, 3, 4], vec![], vec![], vec![], vec![]];
        let graph = LinkGraph::new(to, &[false; 6]);
        let degree = |a, b| graph.cocitations(a, b);
        assert_eq!([degree(2, 3), degree(3, 2), degree(3, 4), degree(4, 5)], [2, 2, 1, 0]);
    }
}
