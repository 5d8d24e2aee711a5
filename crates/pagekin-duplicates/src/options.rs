//! Options of a comparison.

use std::path::PathBuf;

use pagekin_pages::SiteOptions;

/// How candidate pairs are found. The command line offers the first two; `cargo xtask bench
/// duplicates` compares them with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// The pairs of [`Shingles`](Self::Shingles), and also pairs in which one text quotes the other
    /// ([`quotations`](crate::pairs::quotations)), whatever their resemblance.
    Copies,
    /// Pairs with an equal run of MinHash values. Runs are short enough that nearly all pairs at
    /// the minimum resemblance share one: see `for_resemblance` of
    /// [`SuperParams`](pagekin_core::near::megashingles::SuperParams).
    Shingles,
    /// Pairs that are B-similar with the paper's parameters.
    B,
    /// Pairs that are C-similar with the paper's parameters.
    C,
    /// Pairs that are B-similar with a C-similarity of at least [`COMBINED_BITS`].
    Combined,
    /// All pairs with the minimum resemblance, found by an exact join.
    Exact,
}

/// Minimum C-similarity of a pair of [`Algorithm::Combined`], in bits out of 384.
///
/// Filtering B-similar pairs by C-similarity is from Henzinger, *Finding near-duplicate web pages:
/// a large-scale evaluation of algorithms* (SIGIR 2006); the paper of 2007 does not mention it. The
/// value is our choice: it keeps 95% of the right pairs of Alg. B on the Rust documentation.
pub const COMBINED_BITS: u32 = 355;

/// Which folders to compare, and which pages count as near-duplicates.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DuplicateOptions {
    /// The folders of the built sites, at least one, or a single index.
    ///
    /// With several sites, links and canonical URLs are resolved within each site, and the paths of
    /// pages are prefixed with the name of their folder: `/docs/a.html`. A number is appended if an
    /// earlier folder has the same name.
    pub sites: Vec<PathBuf>,
    /// The folder of the indexed pages, if they are not in the folder that contains the index.
    pub pages: Option<PathBuf>,
    /// How the sites are read. Globs are matched against paths below each site's folder. The pages
    /// of an index have its URLs; globs and size limits apply to the files of its candidate pages.
    pub reading: SiteOptions,
    /// Also compares text that many pages contain. By default it is removed from pages that do not
    /// mark their main text, by the rules of a build ([`pagekin_pages::site::repeated`]): such
    /// pages often share no more than a menu.
    pub keep_repeated: bool,
    /// How candidate pairs are found.
    pub algorithm: Algorithm,
    /// Minimum resemblance of a pair, 0 to 1. [Quotations](crate::pairs::quotations) are exempt.
    pub min: f64,
    /// Seed of the MinHash values and projections. An algorithm that may miss pairs misses other
    /// pairs with another seed. The sketches of an index do not depend on it.
    pub seed: u64,
    /// Maximum number of pages of the same key that a page is compared with, at least 1. It is
    /// reduced if there are too many such pairs: see rule 6 of [`crate`].
    pub max_compared: u32,
    /// Number of threads, at least 1. The default is one per processor.
    pub threads: Option<usize>,
}

impl DuplicateOptions {
    /// Default of `min`.
    pub const MIN: f64 = 0.8;
    /// Default of `max_compared`.
    pub const MAX_COMPARED: u32 = 2_000;

    /// Returns the default options for one site.
    #[must_use]
    pub fn new(site: impl Into<PathBuf>) -> Self {
        Self {
            sites: vec![site.into()],
            pages: None,
            reading: SiteOptions::default(),
            keep_repeated: false,
            algorithm: Algorithm::Copies,
            min: Self::MIN,
            seed: pagekin_core::DEFAULT_SEED,
            max_compared: Self::MAX_COMPARED,
            threads: None,
        }
    }

    /// Changes some of the options:
    /// `DuplicateOptions::new(site).with(|options| options.min = 0.5)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
