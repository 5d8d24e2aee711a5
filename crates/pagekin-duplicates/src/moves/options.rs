//! Which two sites, and how alike pages must be.

use std::path::PathBuf;

use pagekin_pages::SiteOptions;

/// Which two sites, and how alike pages must be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MoveOptions {
    /// The folder of the site as it was.
    pub old: PathBuf,
    /// The folder of the site as it is.
    pub new: PathBuf,
    /// How both are read. Their addresses are compared below the base URL.
    pub reading: SiteOptions,
    /// The base URL of the old site, if it was another.
    pub old_base_url: Option<String>,
    /// The minimum part of the shorter of two texts that the other has, 0 to 1: rule 4 of
    /// [`crate::moves`].
    pub min: f64,
    /// Number of threads, at least 1; by default one per processor.
    pub threads: Option<usize>,
}

impl MoveOptions {
    /// The default of `min`.
    pub const MIN: f64 = 0.2;

    /// The defaults.
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

    /// These options with some of them changed:
    /// `MoveOptions::new(old, new).with(|options| options.min = 0.5)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
