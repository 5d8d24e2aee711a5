//! The URLs and titles of a crawl by number.

use pagekin_crawl::folder::{CrawlFolder, CrawlFolderError};

/// All URLs and titles of a crawl, in memory because pairs refer to them in any order.
pub(super) struct Names {
    text: String,
    /// The ends of each URL and title in `text`.
    ends: Vec<[usize; 2]>,
}

impl Names {
    pub(super) fn new(crawl: &CrawlFolder) -> Result<Self, CrawlFolderError> {
        let mut names = Self { text: String::new(), ends: Vec::new() };
        for url in crawl.urls()? {
            let url = url?;
            names.text += &url.url;
            let end = names.text.len();
            names.text += &url.title;
            names.ends.push([end, names.text.len()]);
        }
        Ok(names)
    }

    pub(super) fn url(&self, number: u32) -> &str {
        &self.text[self.start(number)..self.ends[number as usize][0]]
    }

    /// Returns the title; `None` if it is empty.
    pub(super) fn title(&self, number: u32) -> Option<&str> {
        let [start, end] = self.ends[number as usize];
        Some(&self.text[start..end]).filter(|title| !title.is_empty())
    }

    fn start(&self, number: u32) -> usize {
        (number as usize).checked_sub(1).map_or(0, |before| self.ends[before][1])
    }
}
