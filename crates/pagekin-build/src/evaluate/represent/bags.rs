//! Pages with terms and their weights, in one vector.

/// Terms with their frequencies or weights, page by page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Bags {
    /// Where the entries of each page begin, and where those of the last end.
    starts: Vec<usize>,
    /// Terms ascend within a page.
    entries: Vec<(u32, f32)>,
    /// Terms are below this.
    pub(crate) terms: u32,
}

impl Bags {
    /// For tests: of pages in their order, each with terms in any order; the values of a term that a page has twice are added up.
    #[cfg(test)]
    pub(crate) fn of(pages: Vec<Vec<(u32, f32)>>, terms: u32) -> Self {
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
        Self::of_sorted(pages, terms)
    }

    /// Of pages whose terms ascend.
    pub(crate) fn of_sorted(pages: Vec<Vec<(u32, f32)>>, terms: u32) -> Self {
        let mut starts = Vec::with_capacity(pages.len() + 1);
        starts.push(0);
        let mut entries = Vec::with_capacity(pages.iter().map(Vec::len).sum());
        for page in pages {
            entries.extend(page);
            starts.push(entries.len());
        }
        Self { starts, entries, terms }
    }

    /// The number of pages.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The terms of a page with their values.
    pub(crate) fn page(&self, page: usize) -> &[(u32, f32)] {
        &self.entries[self.starts[page]..self.starts[page + 1]]
    }

    /// All pages, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[(u32, f32)]> {
        (0..self.len()).map(|page| self.page(page))
    }

    /// The number of pages that have each term.
    pub(crate) fn document_frequencies(&self) -> Vec<u32> {
        let mut df = vec![0; self.terms as usize];
        for &(term, _) in &self.entries {
            df[term as usize] += 1;
        }
        df
    }

    /// The pages of each term, in order: these bags turned over.
    pub(crate) fn postings(&self) -> Self {
        let mut starts = vec![0; self.terms as usize + 1];
        for &(term, _) in &self.entries {
            starts[term as usize + 1] += 1;
        }
        for term in 0..self.terms as usize {
            starts[term + 1] += starts[term];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); self.entries.len()];
        for (page, of_page) in (0..).zip(self.iter()) {
            for &(term, value) in of_page {
                entries[next[term as usize]] = (page, value);
                next[term as usize] += 1;
            }
        }
        Self { starts, entries, terms: self.len() as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bags_are_turned_over() {
        let bags = Bags::of(vec![vec![(3, 1.0), (1, 2.0), (3, 0.5)], vec![], vec![(3, 4.0)]], 4);
        assert_eq!(bags.page(0), [(1, 2.0), (3, 1.5)]);
        assert_eq!(bags.document_frequencies(), [0, 1, 0, 2]);
        let postings = bags.postings();
        assert_eq!(postings.page(3), [(0, 1.5), (2, 4.0)]);
        assert!(postings.page(0).is_empty());
        assert_eq!(postings.postings(), bags);
    }
}
