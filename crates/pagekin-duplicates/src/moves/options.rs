//! Options of the search for moved pages.

use std::path::PathBuf;

use pagekin_pages::SiteOptions;

/// Which two sites to compare, and how similar pages must be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MoveOptions {
    /// The folder of the old version of the site.
    pub old: PathBuf,
    /// The folder of the new version of the site.
    pub new: PathBuf,
    /// How both sites are read. URLs are compared relative to the base URL.
    pub reading: SiteOptions,
    /// The base URL of the old site, if it was different.
    pub old_base_url: Option<String>,
    /// Minimum share of the shorter of two texts that the other must contain, 0 to 1: rule 4 of
    /// [`crate::moves`].
    pub min: f64,
    /// Number of threads, at least 1. The default is one per processor.
    pub threads: Option<usize>,
}

impl MoveOptions {
    /// Default of `min`.
    pub const MIN: f64 = 0.2;

    /// Returns the default options for two sites.
    #[must_use]
    pub fn new(old: impl Into<PathBuf>, new: impl Into<PathBuf>) -> Self {
        Self {
            old: old.into(),
            new: new.into(),
            reading: SiteOptions::default(),
            old_base_url: None,
            min: Self::MIN,
            threads: None,
        }
    }

    /// Changes some of the options:
    /// `MoveOptions::new(old, new).with(|options| options.min = 0.5)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
