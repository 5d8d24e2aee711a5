//! Options for reading the folder of a site, shared by indexes, near-duplicates and evaluations.

use crate::error::OptionError;
use crate::site::listing::Naming;
use crate::site::selectors::Selectors;

/// Options for reading the folder of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SiteOptions {
    /// The URL the site is published at, which page URLs start with, or `/`.
    pub base_url: String,
    /// Whether page URLs omit `.html`, as on hosts that serve `guide/setup.html` as
    /// `/guide/setup`.
    pub clean_urls: bool,
    /// Globs of files to skip. A glob is matched against the path of a file below the site's
    /// folder, with `/` between folders, or, for pages that are not in a folder, against the path
    /// of their URL after `base_url`: `*` matches within a folder, `**` any folders, and `drafts/`
    /// everything below `drafts`.
    pub exclude: Vec<String>,
    /// CSS selectors of elements to exclude from pages. Each decides by one element alone.
    pub exclude_selectors: Vec<String>,
    /// The CSS selector of the elements that contain the text of pages. Pages without such an
    /// element are skipped, unless they mark their body.
    pub root_selector: Option<String>,
    /// Maximum size of a file. Larger ones are skipped.
    pub max_page_bytes: u64,
}

impl SiteOptions {
    /// The default of `max_page_bytes`: 16 MiB.
    pub const MAX_PAGE_BYTES: u64 = 16 << 20;

    /// Returns the options with some of them changed:
    /// `SiteOptions::default().with(|options| options.clean_urls = true)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Returns the parsed selectors.
    pub fn selectors(&self) -> Result<Selectors, OptionError> {
        Selectors::new(&self.exclude_selectors, self.root_selector.as_deref())
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
            exclude_selectors: Vec::new(),
            root_selector: None,
            max_page_bytes: Self::MAX_PAGE_BYTES,
        }
    }
}
