//! How the folder of a site is read: what indexes, near-duplicates and evaluations ask alike.

use crate::site::listing::Naming;

/// How the folder of a site is read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SiteOptions {
    /// The URL the site is published at, which page URLs start with, or `/`.
    pub base_url: String,
    /// Whether page URLs are without `.html`, as on hosts that serve `guide/setup.html` as
    /// `/guide/setup`.
    pub clean_urls: bool,
    /// Files that match one of these globs are skipped. A glob is matched against the path of a
    /// file below the site's folder, with `/` between folders, or, of pages that are in no folder,
    /// against the path of a page's URL behind `base_url`: `*` matches within a folder, `**` any
    /// folders, and `drafts/` everything below `drafts`.
    pub exclude: Vec<String>,
    /// Larger files are skipped.
    pub max_page_bytes: u64,
    /// Skip files that cannot be read instead of failing.
    pub skip_unreadable: bool,
}

impl SiteOptions {
    /// The default of `max_page_bytes`: 16 MiB.
    pub const MAX_PAGE_BYTES: u64 = 16 << 20;

    /// These options with some of them changed:
    /// `SiteOptions::default().with(|options| options.skip_unreadable = true)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub(crate) fn naming(&self) -> Naming<'_> {
        Naming { base_url: &self.base_url, clean: self.clean_urls }
    }
}

impl Default for SiteOptions {
    fn default() -> Self {
        Self {
            base_url: "/".to_owned(),
            clean_urls: false,
            exclude: Vec::new(),
            max_page_bytes: Self::MAX_PAGE_BYTES,
            skip_unreadable: false,
        }
    }
}
