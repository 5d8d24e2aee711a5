//! Disjoint sets of pages.

/// Disjoint sets of pages. Each page refers to an earlier page of its set, the first to itself.
pub(crate) struct Sets(Vec<u32>);

impl Sets {
    /// Puts each page into a set of its own.
    pub(crate) fn alone(pages: usize) -> Self {
        Self((0..pages as u32).collect())
    }

    /// Returns the first page of the set of `page`. Takes nearly constant time.
    pub(crate) fn root(&mut self, page: u32) -> u32 {
        let mut page = page;
        while self.0[page as usize] != page {
            let above = self.0[self.0[page as usize] as usize];
            self.0[page as usize] = above;
            page = above;
        }
        page
    }

    /// Merges the sets of two pages.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
