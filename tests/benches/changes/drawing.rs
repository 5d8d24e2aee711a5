//! Draws, with a fixed seed, which pages change and how.

use std::collections::BTreeSet;

use pagekin_core::hash::SplitMix64;
use pagekin_pages::SourcePage;
use pagekin_tests::measuring::Failure;

use crate::site::{Changes, Site};

/// Words in a paragraph.
const PARAGRAPH: usize = 60;
/// Words that a new page takes from each of its two sources.
const HALF_PAGE: usize = 150;

/// Pages to change, each at most once.
pub(crate) struct Drawing<'a> {
    site: &'a Site,
    /// URLs of all pages, in index order.
    urls: &'a [String],
    random: SplitMix64,
    drawn: BTreeSet<u32>,
    /// Changes drawn so far.
    pub(crate) changes: Changes,
}

impl<'a> Drawing<'a> {
    pub(crate) fn new(site: &'a Site, urls: &'a [String], seed: u64) -> Self {
        Self {
            site,
            urls,
            random: SplitMix64::new(seed),
            drawn: BTreeSet::new(),
            changes: Changes::default(),
        }
    }

    /// Adds a paragraph of another page to a page.
    pub(crate) fn edit(&mut self) -> Result<(), Failure> {
        loop {
            let (url, paragraph) = (self.page()?, self.words(PARAGRAPH)?.0);
            if self.site.takes(url, &paragraph)? {
                self.changes.edited.insert(url.to_owned(), paragraph);
                return Ok(());
            }
        }
    }

    /// Adds a page with the text of two others, in the folder of a third.
    pub(crate) fn add(&mut self) -> Result<(), Failure> {
        let ((first, lang), (second, _)) = (self.words(HALF_PAGE)?, self.words(HALF_PAGE)?);
        let sibling = self.any();
        let folder = &sibling[..=sibling.rfind('/').unwrap_or(0)];
        let url = format!("{folder}added-{:08x}.html", self.random.next_u64() as u32);
        let title = first.split(' ').take(5).collect::<Vec<_>>().join(" ");
        let page = SourcePage { url: url.clone(), title, lang, text: format!("{first} {second}") };
        self.changes.added.insert(url, page);
        Ok(())
    }

    /// Removes a page.
    pub(crate) fn remove(&mut self) -> Result<(), Failure> {
        let page = self.page()?.to_owned();
        self.changes.removed.insert(page);
        Ok(())
    }

    /// Returns a page that was not drawn before.
    fn page(&mut self) -> Result<&'a str, Failure> {
        while self.drawn.len() < self.urls.len() {
            let page = self.random.below(self.urls.len() as u32);
            if self.drawn.insert(page) {
                return Ok(&self.urls[page as usize]);
            }
        }
        Err("the site has too few pages to change".into())
    }

    fn any(&mut self) -> &'a str {
        &self.urls[self.random.below(self.urls.len() as u32) as usize]
    }

    /// Returns the first words of a page with enough words for a paragraph, and its language.
    fn words(&mut self, count: usize) -> Result<(String, String), Failure> {
        for _ in 0..self.urls.len() {
            let (text, lang) = self.site.text(&Changes::default(), self.any())?;
            let words: Vec<_> = text.split_whitespace().take(count).collect();
            if words.len() >= PARAGRAPH {
                return Ok((words.join(" "), lang));
            }
        }
        Err(format!("the site has no pages of {PARAGRAPH} words").into())
    }
}
