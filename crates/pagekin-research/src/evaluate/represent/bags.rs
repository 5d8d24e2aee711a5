//! Pages with terms and their weights.

use pagekin_pairs::rows::Rows;

/// Terms with their frequencies or weights, page by page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Bags {
    rows: Rows<f32>,
    /// Terms are below this.
    pub(crate) terms: u32,
}

impl Bags {
    /// For tests: of pages in their order, each with terms in any order; the values of a term that
    /// a page has twice are added up.
    #[cfg(test)]
    pub(crate) fn new(pages: Vec<Vec<(u32, f32)>>, terms: u32) -> Self {
        let pages: Vec<Vec<(u32, f32)>> = pages
            .into_iter()
            .map(|mut entries| {
                // Stable, so that what is added up is added in one order.
                entries.sort_by_key(|entry| entry.0);
                entries.dedup_by(|later, first| {
                    let same = later.0 == first.0;
                    if same {
                        first.1 += later.1;
                    }
                    same
                });
                entries
            })
            .collect();
        Self::from_sorted(pages, terms)
    }

    /// Of pages whose terms ascend.
    pub(crate) fn from_sorted(pages: Vec<Vec<(u32, f32)>>, terms: u32) -> Self {
        Self { rows: Rows::new(pages), terms }
    }

    /// The number of pages.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The terms of a page with their values.
    pub(crate) fn page(&self, page: usize) -> &[(u32, f32)] {
        self.rows.row(page)
    }

    /// All pages, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[(u32, f32)]> {
        self.rows.iter()
    }

    /// The number of pages that have each term.
    pub(crate) fn document_frequencies(&self) -> Vec<u32> {
        let mut df = vec![0; self.terms as usize];
        for &(term, _) in self.rows.entries() {
            df[term as usize] += 1;
        }
        df
    }

    /// The pages of each term, in order: these bags turned over.
    pub(crate) fn postings(&self) -> Self {
        Self { rows: self.rows.turned(self.terms as usize), terms: self.len() as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bags_are_turned_over() {
        let bags = Bags::new(vec![vec![(3, 1.0), (1, 2.0), (3, 0.5)], vec![], vec![(3, 4.0)]], 4);
        assert_eq!(bags.page(0), [(1, 2.0), (3, 1.5)]);
        assert_eq!(bags.document_frequencies(), [0, 1, 0, 2]);
        let postings = bags.postings();
        assert_eq!(postings.page(3), [(0, 1.5), (2, 4.0)]);
        assert!(postings.page(0).is_empty());
        assert_eq!(postings.postings(), bags);
    }
}
