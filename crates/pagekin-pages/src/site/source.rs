//! Sources of pages other than a folder of HTML.

use std::io;
use std::path::PathBuf;

/// A source of pages. Each page is requested once, on any thread and in any order, neither of which
/// affects the result.
pub trait PageSource: Sync {
    /// Returns the number of pages.
    fn count(&self) -> u64;

    /// Returns page `at`, counted from 0.
    ///
    /// # Errors
    ///
    /// Returns an error if the page cannot be read. The build then fails or skips the page, as for
    /// an unreadable file.
    fn page(&self, at: u64) -> io::Result<SourcePage>;

    /// Returns the name of page `at` in messages, such as the line of a file.
    fn name(&self, at: u64) -> PathBuf;
}

/// A page of a [`PageSource`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePage {
    /// Its URL, below [`SiteOptions::base_url`](crate::site::options::SiteOptions::base_url). If
    /// several pages have the same URL, the first is indexed.
    pub url: String,
    /// Its title, in one line. Its words are indexed only if they are also in the text.
    pub title: String,
    /// Its language tag, such as `pt-BR`; if invalid or empty, that of the site is used.
    pub lang: String,
    /// The text to index, as extracted from an HTML page. It is not stored.
    pub text: String,
}

/// Pages in memory.
impl PageSource for Vec<SourcePage> {
    fn count(&self) -> u64 {
        self.len() as u64
    }

    fn page(&self, at: u64) -> io::Result<SourcePage> {
        let page = usize::try_from(at).ok().and_then(|at| self.get(at));
        page.cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn name(&self, at: u64) -> PathBuf {
        format!("page {at}").into()
    }
}
