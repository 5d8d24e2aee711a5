//! The pages of one site, or of several together, that nearly copy one another.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | `texts` | the HTML files of folders | pages in the order in which they look like originals, and their texts |
//! | `linking` (within `texts`) | links and canonical addresses | how often a page is pointed to |
//! | `sketching` | texts | sets of shingles, minvalues, projection sketches |
//! | `pairing` (with `exactly`) | sketches | pairs of texts that are near-duplicates by an algorithm |
//! | [`pairs::quotations`] | sets of shingles | pairs of texts of which one has much of what is rare in the other |
//! | `indexed` (with `estimating`) | an index | which pages to read, or pairs by its sketches alone |
//! | `grouping` | pairs of pages | groups around originals |
//! | [`report`] | all that was found | an HTML file for people |
//!
//! # Rules
//!
//! 1. Pages are those of a build: redirects, pages that ask not to be indexed and pages whose canonical address is another
//!    are left out, and of a page the text counts that a build counts.
//! 2. Pages with the same words in the same order are one text. They are found by a hash of their tokens, before anything
//!    is compared; all that follows is done once a text.
//! 3. Whatever an [`Algorithm`] finds is compared by shingles, exactly; kept is what has a resemblance of at least
//!    [`DuplicateOptions::min`]. Quotations ([`pairs::quotations`]) are exempt: their resemblance is low.
//! 4. **The original.** Of pages that are near-duplicates, that one looks like the original that most other files of the
//!    folder name as their canonical address; of equals, that most other pages link to; then the one with the shortest
//!    address; then that of the site which is given first; then the first in the alphabet.
//! 5. **Groups** are the clusters of CENTER ([`pagekin_core::center`]), pages taken in that order: those of near-duplicates,
//!    with their copies; and beside them, those of quotations, so that a page may be in one of each. So the center of a group
//!    looks like its original, and every member is a near-duplicate of it, or quotes it or is quoted. Connected components
//!    would put pages into one group that share nothing, by a chain of pages between them. A pair may reach from one group
//!    into another; it is among the pairs.
//! 6. **Large buckets.** In a bucket of pages that share a key, ordered by their numbers of shingles, a page is compared
//!    with so many that follow it, [`DuplicateOptions::most_compared`]: those nearest in length, which alone can be very
//!    like it. How many comparisons were left out is told.
//! 7. **An index** in place of a site says by its sketches which pages may be near-duplicates. If these are at hand, in the
//!    folder that holds the index or where [`DuplicateOptions::pages`] says, they alone are read, and all else is as of a
//!    site; but only their links and canonical addresses count. If they are not, resemblances are estimates
//!    ([`pagekin_core::near::sketch`]), a copy is what has the sketch and as many shingles, the shortest address looks like
//!    the original, and quotations are not told.

mod features;
mod from_index;
mod groups;
mod links;
pub mod pairs;
pub mod report;
mod texts;

use std::path::PathBuf;
use std::time::Instant;

use pagekin_core::near::megashingles::{SuperParams, b_similarity};
use pagekin_core::near::projection::{ProjectionParams, c_similarity};
use pagekin_core::near::shingles::{SHINGLE_TOKENS, Shared};
use pagekin_core::shard::MANIFEST_NAME;
use rayon::prelude::*;

use crate::duplicates::features::Sketches;
use crate::duplicates::pairs::candidates::Found;
use crate::error::BuildError;
use crate::index::summary::Skipped;
use crate::progress::{Observer, Stage};

pub use crate::duplicates::groups::{Group, Member};

/// What says that two texts may be near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// What [`Shingles`](Self::Shingles) finds, and whatever resemblance they have, pairs of which one quotes the other by
    /// the rule of [`pairs::quotations`].
    Copies,
    /// Some run of minvalues agrees, of runs so short that nearly all pairs of the least resemblance have one:
    /// [`SuperParams::for_resemblance`].
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
    /// The least resemblance of a pair, 0 to 1, if it is none of [`pairs::quotations`].
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
            max_page_bytes: crate::BuildOptions::MAX_PAGE_BYTES,
            skip_unreadable: false,
            algorithm: Algorithm::Copies,
            min: Self::MIN,
            most_compared: Self::MOST_COMPARED,
            threads: None,
        }
    }
}

/// A page of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Its address.
    pub url: String,
    /// Its file.
    pub file: PathBuf,
    /// Its title.
    pub title: String,
    /// The tokens of its text.
    pub tokens: u64,
    /// The bytes of its text, white space included.
    pub text_bytes: u64,
    /// The other files of the folder that name it as their canonical address.
    pub canonical_of: u32,
    /// The other pages that link to it.
    pub in_links: u32,
}

/// What two pages of a pair are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairKind {
    /// They have the same words in the same order. Of such pages only the pairs with the original among them are told, and
    /// of other pairs only that between the originals.
    Copy,
    /// They have the least resemblance.
    NearDuplicate,
    /// They have not, but one quotes the other, or was made of it by much editing: the rule of [`pairs::quotations`].
    Quotation,
}

impl PairKind {
    /// Its name for programs: `copy`, `near-duplicate` or `quotation`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::NearDuplicate => "near-duplicate",
            Self::Quotation => "quotation",
        }
    }
}

/// Two pages that are near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The one that looks more like the original.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// What they are to each other.
    pub kind: PairKind,
    /// The shingles of both; of samples of both, if [estimated](Duplicates::estimated).
    pub shared: Shared,
    /// What the paper's algorithms say of them, unless estimated.
    pub similarities: Option<Similarities>,
}

/// How similar two pages are to the paper's algorithms, by its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Similarities {
    /// The supershingles they agree in, of 6.
    pub b: u32,
    /// The bits of their projection sketches that agree, of 384.
    pub c: u32,
}

/// How long the stages took, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seconds {
    /// Files were listed and read, and their words cut; of an index, its files, and those of the pages it points to.
    pub reading: f64,
    /// Sketches were made.
    pub sketching: f64,
    /// Pairs were found.
    pub pairing: f64,
    /// Pairs were compared and grouped.
    pub comparing: f64,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Duplicates {
    /// All pages that were compared, those that look like originals first: those of the sites; or of an index, those that
    /// its sketches say may be near-duplicates, if they are at hand, and else all.
    pub pages: Vec<Page>,
    /// What the addresses of the pages begin with.
    pub base_url: String,
    /// The folders they were read from.
    pub sites: Vec<PathBuf>,
    /// The pages of the index, if there was one.
    pub indexed: Option<u64>,
    /// The pairs are estimates by the sketches of an index.
    pub estimated: bool,
    /// The pairs, ascending.
    pub pairs: Vec<Pair>,
    /// The groups, those of the most pages first.
    pub groups: Vec<Group>,
    /// HTML files found.
    pub html_files: u64,
    /// Files that were left out, by reason; reasons without files are not listed.
    pub skipped: Vec<Skipped>,
    /// Different texts.
    pub texts: u64,
    /// Pairs of texts that the algorithm found, and whose shingles were compared.
    pub compared: u64,
    /// Pairs of texts that shared a bucket so large that they were not looked at.
    pub passed_over: u64,
    /// How long it took.
    pub seconds: Seconds,
}

/// Finds the near-duplicates of sites.
///
/// Memory is 16 bytes for each word of different texts, and 1 kB a text; and with [`Algorithm::Copies`], 8 bytes for each of
/// these words whose run of ten few texts have.
///
/// # Errors
///
/// A [`BuildError`], if a site cannot be read or an option is out of its range.
pub fn find(options: &DuplicateOptions, observer: &dyn Observer) -> Result<Duplicates, BuildError> {
    let refuse =
        |option, expected, found: String| Err(BuildError::Option { option, expected, found });
    if !(0.0..=1.0).contains(&options.min) {
        return refuse("min", "0 to 1", options.min.to_string());
    }
    if options.sites.is_empty() {
        return refuse("site", "the folder of a site", "none".to_owned());
    }
    if options.most_compared == 0 {
        return refuse("most-compared", "at least 1", "0".to_owned());
    }
    if let Some(pages) = &options.pages
        && !is_index(&options.sites)
    {
        let expected = "an index alone to find the near-duplicates of. A site has its own pages";
        return refuse("site", expected, pages.display().to_string());
    }
    crate::in_pool(options.threads, || match options.sites.as_slice() {
        [index] if is_index(&options.sites) => from_index::pages::find(index, options, observer),
        _ => {
            let mut laps = Laps::begin();
            let listed = texts::list(options, observer)?;
            let read = texts::read(listed, options, observer)?;
            compare(read, options, laps.lap(), observer)
        }
    })
}

/// Whether an index alone was given.
fn is_index(sites: &[PathBuf]) -> bool {
    matches!(sites, [index] if index.join(MANIFEST_NAME).is_file())
}

/// Times one stage after the other.
struct Laps(Instant);

impl Laps {
    fn begin() -> Self {
        Self(Instant::now())
    }

    /// The seconds since the last.
    fn lap(&mut self) -> f64 {
        let before = std::mem::replace(&mut self.0, Instant::now());
        (self.0 - before).as_secs_f64()
    }
}

/// The near-duplicates among pages whose reading took so many seconds.
fn compare(
    read: texts::Read,
    options: &DuplicateOptions,
    reading: f64,
    observer: &dyn Observer,
) -> Result<Duplicates, BuildError> {
    let mut laps = Laps::begin();
    observer.stage(Stage::Sketching, read.texts.len() as u64);
    let texts = read.texts.len() as u64;
    let paper = (SuperParams::default(), ProjectionParams::default());
    let (sketches, copies) = Sketches::of(read.texts, SHINGLE_TOKENS, paper)?;
    sketches.prepare(options.algorithm, observer)?;
    let sketching = laps.lap();

    let Found { pairs: found, passed_over } =
        pairs::candidates::find(&sketches, options, observer)?;
    let quoted = match options.algorithm {
        Algorithm::Copies => {
            pairs::quotations::find(&sketches.sets(), pairs::quotations::RULE, observer)?
        }
        _ => Vec::new(),
    };
    let mut candidates: Vec<_> = found.into_iter().map(|pair| (pair, false)).collect();
    // Of two that are the same pair the quotation comes first, and is kept.
    candidates.extend(quoted.into_iter().map(|pair| (pair, true)));
    candidates.par_sort_unstable_by_key(|&(pair, quoted)| (pair, !quoted));
    candidates.dedup_by_key(|candidate| candidate.0);
    let pairing = laps.lap();

    observer.stage(Stage::Verifying, candidates.len() as u64);
    let near = candidates.par_iter().filter_map(|&((x, y), quoted)| {
        observer.advance(1);
        let shared = Shared::of(sketches.shingles(x), sketches.shingles(y));
        let kind = match shared.resemblance() >= options.min {
            true => PairKind::NearDuplicate,
            false if quoted => PairKind::Quotation,
            false => return None,
        };
        let similarities = Similarities {
            b: b_similarity(&sketches.supershingles(x), &sketches.supershingles(y)),
            c: c_similarity(sketches.projection(x), sketches.projection(y)),
        };
        let [a, b] = [x, y].map(|text| copies[text as usize][0]);
        Some(Pair { a, b, kind, shared, similarities: Some(similarities) })
    });
    let pairs: Vec<Pair> = near.collect();
    if observer.cancelled() {
        return Err(BuildError::Interrupted);
    }
    let all = Similarities { b: paper.0.supershingles, c: paper.1.bits };
    let alike = |text| {
        let n = u64::from(sketches.size(text));
        (Shared { both: n, a: n, b: n }, Some(all))
    };
    let n = read.pages.len() as u32;
    let (pairs, groups) = groups::with_copies(pairs, &copies, alike, n);
    let comparing = laps.lap();
    Ok(Duplicates {
        base_url: options.base_url.clone(),
        sites: options.sites.clone(),
        pages: read.pages,
        pairs,
        groups,
        html_files: read.html_files,
        skipped: read.skipped,
        texts,
        compared: candidates.len() as u64,
        passed_over,
        seconds: Seconds { reading, sketching, pairing, comparing },
        ..Duplicates::default()
    })
}
