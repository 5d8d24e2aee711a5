//! Things by their numbers into sets of those that belong together.

/// Sets of pages that are joined; each page has one on the way to the first of its set.
pub(crate) struct Sets(Vec<u32>);

impl Sets {
    /// Of so many pages, each alone.
    pub(crate) fn alone(pages: usize) -> Self {
        Self((0..pages as u32).collect())
    }

    /// The first page of the set of `page`. Nearly constant.
    pub(crate) fn root(&mut self, page: u32) -> u32 {
        let mut page = page;
        while self.0[page as usize] != page {
            let above = self.0[self.0[page as usize] as usize];
            self.0[page as usize] = above;
            page = above;
        }
        page
    }

    /// Makes the sets of two pages one.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
