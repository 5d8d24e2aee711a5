//! Which folders to compare, and what is a near-duplicate.

use std::path::PathBuf;

use pagekin_pages::SiteOptions;

/// How candidate pairs are found: the command line has the first two, and `cargo xtask bench
/// duplicates` compares them with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// The pairs of [`Shingles`](Self::Shingles), and, whatever their resemblance, pairs of which
    /// one quotes the other by the rule of [`quotations`](crate::pairs::quotations).
    Copies,
    /// Pairs with an equal run of minvalues; runs are so short that nearly all pairs at the minimum
    /// resemblance have one: `for_resemblance` of
    /// [`SuperParams`](pagekin_core::near::megashingles::SuperParams).
    Shingles,
    /// Pairs that are B-similar with the paper's parameters.
    B,
    /// Pairs that are C-similar with the paper's parameters.
    C,
    /// Pairs that are B-similar with a C-similarity of at least [`COMBINED_BITS`].
    Combined,
    /// All pairs of the minimum resemblance, by an exact join.
    Exact,
}

/// The minimum C-similarity of a pair of [`Algorithm::Combined`], of 384 bits. Filtering B-similar
/// pairs by C-similarity is from Henzinger, *Finding near-duplicate web pages: a large-scale
/// evaluation of algorithms* (SIGIR 2006); the paper of 2007 does not mention it. The number is our
/// choice: it keeps 95 % of Alg. B's right pairs on the Rust documentation.
pub const COMBINED_BITS: u32 = 355;

/// Which folders to compare, and what is a near-duplicate.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DuplicateOptions {
    /// The folders of the built sites, at least one, or a single index. With several sites, links
    /// and canonical URLs are resolved within each site, and the folder's name is prepended to the
    /// paths of its pages: `/docs/a.html`; with a number appended, if an earlier folder has that
    /// name.
    pub sites: Vec<PathBuf>,
    /// The folder of the pages of an index, if they are not in the folder that contains it.
    pub pages: Option<PathBuf>,
    /// How the sites are read. Globs are matched against paths below each site's folder. An index
    /// has its own URLs; globs and sizes apply to the files of its candidate pages.
    pub reading: SiteOptions,
    /// Compare text that is on many pages too. By default it is left out of pages that mark no
    /// body, by the rules of a build ([`pagekin_pages::site::repeated`]): what two of them share is
    /// often no more than a menu.
    pub keep_repeated: bool,
    /// How pairs are found.
    pub algorithm: Algorithm,
    /// Minimum resemblance of a pair, 0 to 1, except for those of
    /// [`quotations`](crate::pairs::quotations).
    pub min: f64,
    /// The seed of minvalues and projections. By another one, an algorithm that may miss pairs
    /// misses others. The sketches of an index have an order of their own, without a seed.
    pub seed: u64,
    /// With how many pages of the same key a page is compared, at least 1. With fewer, if there
    /// are very many such pairs: rule 6 of [`crate`].
    pub most_compared: u32,
    /// Number of threads, at least 1; by default one per processor.
    pub threads: Option<usize>,
}

impl DuplicateOptions {
    /// The default of `min`.
    pub const MIN: f64 = 0.8;
    /// The default of `most_compared`.
    pub const MAX_COMPARED: u32 = 2_000;

    /// The defaults for one site.
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
            most_compared: Self::MAX_COMPARED,
            threads: None,
        }
    }

    /// These options with some of them changed:
    /// `DuplicateOptions::new(site).with(|options| options.min = 0.5)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
