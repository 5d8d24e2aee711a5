//! Options of an evaluation.

use std::path::PathBuf;

use pagekin_pages::SiteOptions;

use crate::evaluate::settings::grid::Grid;

/// The source of the classes of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hierarchy {
    /// The folders of their URLs.
    Path,
    /// A CSV file with the columns `url` and `class`.
    File(PathBuf),
}

/// Options of an evaluation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EvaluateOptions {
    /// The folder of the built site.
    pub site: PathBuf,
    /// How the site is read.
    pub reading: SiteOptions,
    /// The language of pages that do not declare one.
    pub lang: String,
    /// Keeps text that many pages contain, as in
    /// [`BuildOptions`](pagekin_index::BuildOptions::keep_repeated).
    pub keep_repeated: bool,
    /// Keeps the name of the site in titles, as in
    /// [`BuildOptions`](pagekin_index::BuildOptions::keep_title_suffix).
    pub keep_title_suffix: bool,
    /// The classes to measure by, if any.
    pub hierarchy: Option<Hierarchy>,
    /// Whether to measure by links.
    pub links: bool,
    /// Whether one half of the pages' links represents pages, and the other half measures. The
    /// halves are chosen by a hash of the URLs of pages. Otherwise all links are used for both.
    pub held_out: bool,
    /// The settings to compare.
    pub grid: Grid,
    /// Maximum number of source pages, which are drawn by a hash of their URLs.
    pub sources: Option<u32>,
    /// The number of threads; `None` is one per processor.
    pub threads: Option<usize>,
}

impl EvaluateOptions {
    /// Default maximum number of source pages.
    pub const SOURCES: u32 = 1_000;

    /// Returns the default options for a site: measure by its folders and its links.
    #[must_use]
    pub fn new(site: impl Into<PathBuf>, grid: Grid) -> Self {
        Self {
            site: site.into(),
            reading: SiteOptions::default(),
            lang: "en".to_owned(),
            keep_repeated: false,
            keep_title_suffix: false,
            hierarchy: Some(Hierarchy::Path),
            links: true,
            held_out: false,
            grid,
            sources: Some(Self::SOURCES),
            threads: None,
        }
    }

    /// Changes some of the options:
    /// `EvaluateOptions::new(site, grid).with(|options| options.sources = None)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
