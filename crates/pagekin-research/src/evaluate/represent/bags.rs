//! Stores pages with terms and their weights.

use pagekin_pairs::rows::Rows;
#[cfg(test)]
use pagekin_pairs::rows::add_up;

/// Terms with their frequencies or weights, page by page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Bags {
    rows: Rows<f32>,
    /// An upper bound of term numbers.
    pub(crate) terms: u32,
}

impl Bags {
    /// For tests: creates bags from pages with terms in any order. Values of a repeated term are
    /// added.
    #[cfg(test)]
    pub(crate) fn new(mut pages: Vec<Vec<(u32, f32)>>, terms: u32) -> Self {
        pages.iter_mut().for_each(add_up);
        Self::from_sorted(pages, terms)
    }

    /// Creates bags from pages with ascending terms.
    pub(crate) fn from_sorted(pages: Vec<Vec<(u32, f32)>>, terms: u32) -> Self {
        Self { rows: Rows::new(pages), terms }
    }

    /// Returns the number of pages.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the terms of a page with their values.
    pub(crate) fn page(&self, page: usize) -> &[(u32, f32)] {
        self.rows.row(page)
    }

    /// Returns all pages, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[(u32, f32)]> {
        self.rows.iter()
    }

    /// Returns the number of pages with each term.
    pub(crate) fn document_frequencies(&self) -> Vec<u32> {
        let mut df = vec![0; self.terms as usize];
        for &(term, _) in self.rows.entries() {
            df[term as usize] += 1;
        }
        df
    }

    /// Returns the pages of each term, in order: the transpose.
    pub(crate) fn postings(&self) -> Self {
        Self { rows: self.rows.turned(self.terms as usize), terms: self.len() as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bags_are_transposed() {
        let bags = Bags::new(vec![vec![(3, 1.0), (1, 2.0), (3, 0.5)], vec![], vec![(3, 4.0)]], 4);
        assert_eq!(bags.page(0), [(1, 2.0), (3, 1.5)]);
        assert_eq!(bags.document_frequencies(), [0, 1, 0, 2]);
        let postings = bags.postings();
        assert_eq!(postings.page(3), [(0, 1.5), (2, 4.0)]);
        assert!(postings.page(0).is_empty());
        assert_eq!(postings.postings(), bags);
    }
}
