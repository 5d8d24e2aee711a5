//! Which pages of a site link to which in their texts, as far as it says something of them.
//!
//! 1. What more than half of the pages link to is navigation: links there are left out.
//! 2. Contents and indexes link to everything: links of *listings* are left out.
//! 3. Pages that a page links to twice it links to once, and to itself not at all.

/// The links of a site, by the numbers of its pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkGraph {
    /// Per page, the pages that it links to, ascending.
    to: Vec<Vec<u32>>,
    /// Per page, the pages that link to it, ascending.
    from: Vec<Vec<u32>>,
    /// Per page, whether more than half of the pages link to it.
    everywhere: Vec<bool>,
}

impl LinkGraph {
    /// Of the pages that each page links to, in any order, and whether each is a listing.
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
        Self { from: turned_over(&to), to, everywhere }
    }

    /// Only the links of some pages.
    pub fn of_pages(&self, some: impl Fn(u32) -> bool) -> Self {
        let mut to = self.to.clone();
        for (page, to) in (0..).zip(&mut to) {
            if !some(page) {
                to.clear();
            }
        }
        Self { from: turned_over(&to), to, everywhere: self.everywhere.clone() }
    }

    /// Whether links to a page are left out, as too many pages have one.
    pub fn is_everywhere(&self, page: u32) -> bool {
        self.everywhere[page as usize]
    }

    /// The pages that a page links to, ascending.
    pub fn linked_by(&self, page: u32) -> &[u32] {
        &self.to[page as usize]
    }

    /// The pages that link to a page, ascending.
    pub fn linking_to(&self, page: u32) -> &[u32] {
        &self.from[page as usize]
    }

    /// Whether one of two pages links to the other.
    pub fn are_linked(&self, a: u32, b: u32) -> bool {
        let links = |a: u32, b: u32| self.linked_by(a).binary_search(&b).is_ok();
        links(a, b) || links(b, a)
    }

    /// The pages that link to both of two: their degree of cocitation (Dean and Henzinger 1999,
    /// section 3.2). Costs a search in the longer list for each of the shorter.
    pub fn cocitations(&self, a: u32, b: u32) -> usize {
        let (a, b) = (self.linking_to(a), self.linking_to(b));
        let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
        few.iter().filter(|page| many.binary_search(page).is_ok()).count()
    }

    /// How many links there are.
    pub fn count(&self) -> u64 {
        self.to.iter().map(|to| to.len() as u64).sum()
    }
}

fn turned_over(to: &[Vec<u32>]) -> Vec<Vec<u32>> {
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
    fn links_everywhere_and_of_listings_are_left_out() {
        let graph = graph();
        assert_eq!(graph.to, [vec![1], vec![2], vec![], vec![], vec![1]]);
        assert_eq!(graph.linking_to(1), [0, 4]);
        assert_eq!(graph.count(), 3);
        assert!(graph.is_everywhere(3) && !graph.is_everywhere(1));
        assert!(graph.are_linked(0, 1) && graph.are_linked(1, 0) && !graph.are_linked(0, 2));
    }

    #[test]
    fn links_of_some_pages_are_those_alone() {
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
