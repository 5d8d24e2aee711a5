//! What to evaluate, and by which truth.

use std::path::PathBuf;

use pagekin_pages::SiteOptions;

use crate::evaluate::settings::grid::Grid;

/// Where the classes of pages are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hierarchy {
    /// The folders of their URLs.
    Path,
    /// A CSV file with the columns `url` and `class`.
    File(PathBuf),
}

/// What to evaluate.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EvaluateOptions {
    /// The folder of the built site.
    pub site: PathBuf,
    /// How it is read.
    pub reading: SiteOptions,
    /// The language of pages that declare none.
    pub lang: String,
    /// Keep the text that stands on many pages, as
    /// [`BuildOptions`](pagekin_index::BuildOptions::keep_repeated) has it.
    pub keep_repeated: bool,
    /// Keep the name of the site in titles, as
    /// [`BuildOptions`](pagekin_index::BuildOptions::keep_title_suffix) has it.
    pub keep_title_suffix: bool,
    /// Classes to measure by, if any.
    pub hierarchy: Option<Hierarchy>,
    /// Whether to measure by links.
    pub links: bool,
    /// Whether pages are represented by the links of one half of the pages, drawn by a hash of
    /// their URLs, and measured by those of the other half. Otherwise all links are used for both.
    pub held_out: bool,
    /// The settings to compare.
    pub grid: Grid,
    /// Only so many pages are sources; they are drawn by a hash of their URLs.
    pub sources: Option<u32>,
    /// The number of threads; `None` is one per processor.
    pub threads: Option<usize>,
}

impl EvaluateOptions {
    /// How many pages are sources by default.
    pub const SOURCES: u32 = 1_000;

    /// The default options for a site: by its folders and its links.
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

    /// These options with some of them changed:
    /// `EvaluateOptions::new(site, grid).with(|options| options.sources = None)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
