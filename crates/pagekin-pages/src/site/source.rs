//! Pages from somewhere other than a folder of HTML.

use std::io;
use std::path::PathBuf;

/// A source of pages. Each page is requested once, on any thread and in any order, neither of which
/// affects the result.
pub trait PageSource: Sync {
    /// The number of pages.
    fn count(&self) -> u64;

    /// Page `at`, counted from 0.
    ///
    /// # Errors
    ///
    /// If the page cannot be read: the build fails or skips it, as with a file that cannot be read.
    fn page(&self, at: u64) -> io::Result<SourcePage>;

    /// The name of page `at` in messages, such as the line of a file.
    fn name(&self, at: u64) -> PathBuf;
}

/// A page of a [`PageSource`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePage {
    /// Its URL, below [`SiteOptions::base_url`](crate::site::options::SiteOptions::base_url). Of
    /// pages with the same URL, the first is indexed.
    pub url: String,
    /// Its title, one line. Its words do not count unless they are in the text too.
    pub title: String,
    /// Its language tag, such as `pt-BR`; if invalid or empty, that of the site is used.
    pub lang: String,
    /// The text to index, as of an HTML page. It is not stored.
    pub text: String,
}

/// Pages that are made already.
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
