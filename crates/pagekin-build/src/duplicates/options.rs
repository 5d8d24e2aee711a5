//! Of which folders near-duplicates are looked for, and what counts as one.

use std::path::PathBuf;

use crate::site::read::MAX_PAGE_BYTES;

/// What says that two texts may be near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// What [`Shingles`](Self::Shingles) finds, and whatever resemblance they have, pairs of which one quotes the other by
    /// the rule of [`quotations`](crate::duplicates::pairs::quotations).
    Copies,
    /// Some run of minvalues agrees, of runs so short that nearly all pairs of the least resemblance have one:
    /// [`SuperParams::for_resemblance`](pagekin_core::near::megashingles::SuperParams::for_resemblance).
    Shingles,
    /// They are B-similar by the paper's parameters.
    B,
    /// They are C-similar by the paper's parameters.
    C,
    /// They are B-similar or C-similar.
    Both,
    /// They are B-similar, and their C-similarity is at least [`COMBINED_BITS`].
    Combined,
    /// They have the least resemblance: no pair is missed.
    Exact,
}

/// The least C-similarity of a pair of [`Algorithm::Combined`], of 384 bits. That B-similar pairs are filtered by C-similarity
/// is of Henzinger, *Finding near-duplicate web pages: a large-scale evaluation of algorithms* (SIGIR 2006); the paper of 2007
/// does not speak of it. The number is our choice: it keeps 95 % of Alg. B's right pairs on the Rust documentation.
pub const COMBINED_BITS: u32 = 355;

/// Of which folders, and what counts as a near-duplicate.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DuplicateOptions {
    /// The folders of the built sites, at least one, or an index alone. Of several sites, links and canonical addresses stay
    /// each on its own, and the name of its folder stands in front of the paths of its pages: `/docs/a.html`; with a number
    /// behind it, if a folder before has that name.
    pub sites: Vec<PathBuf>,
    /// Where the pages of an index lie, if not in the folder that holds it.
    pub pages: Option<PathBuf>,
    /// What the addresses of pages begin with: `/`, or where the sites are published. An index has its own.
    pub base_url: String,
    /// Files with more bytes are left out.
    pub max_page_bytes: u64,
    /// Leave out files that cannot be read, instead of failing.
    pub skip_unreadable: bool,
    /// How pairs are found.
    pub algorithm: Algorithm,
    /// The least resemblance of a pair, 0 to 1, if it is none of [`quotations`](crate::duplicates::pairs::quotations).
    pub min: f64,
    /// How many pages that share a key with a page it is compared with, at least 1.
    pub most_compared: u32,
    /// The number of threads, at least 1; one for each processor if not given.
    pub threads: Option<usize>,
}

impl DuplicateOptions {
    /// The least resemblance of a pair, unless told otherwise.
    pub const MIN: f64 = 0.8;
    /// The pages of a bucket that a page is compared with, unless told otherwise.
    pub const MOST_COMPARED: u32 = 2_000;

    /// The defaults for one site.
    #[must_use]
    pub fn new(site: impl Into<PathBuf>) -> Self {
        Self {
            sites: vec![site.into()],
            pages: None,
            base_url: "/".to_owned(),
            max_page_bytes: MAX_PAGE_BYTES,
            skip_unreadable: false,
            algorithm: Algorithm::Copies,
            min: Self::MIN,
            most_compared: Self::MOST_COMPARED,
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
