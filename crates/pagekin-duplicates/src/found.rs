//! The result of a comparison.

use std::path::PathBuf;

use pagekin_pages::Ledger;
use pagekin_pages::site::blocks::Repeated;

use crate::groups::Group;
use crate::pair::PagePair;
use crate::texts::SitePage;

/// The result of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Duplicates {
    /// All pages that were compared, probable originals first. For an index: the candidates by its
    /// sketches if their files are available, otherwise all pages.
    pub pages: Vec<SitePage>,
    /// The prefix of the URLs of the pages.
    pub base_url: String,
    /// The folders the pages were read from.
    pub sites: Vec<PathBuf>,
    /// Number of pages of the index, if there was one.
    pub indexed: Option<u64>,
    /// Whether the pairs are estimated from the sketches of an index.
    pub estimated: bool,
    /// The pairs, ascending.
    pub pairs: Vec<PagePair>,
    /// The groups, largest first.
    pub groups: Vec<Group>,
    /// Number of HTML files found.
    pub html_files: u64,
    /// Counts of the HTML files by what became of them.
    pub ledger: Ledger,
    /// Blocks of text that were removed because many pages of their site contain them.
    pub repeated: Repeated,
    /// Number of such blocks removed, over all pages.
    pub left_out: u64,
    /// Number of distinct texts.
    pub texts: u64,
    /// Number of candidate pairs of texts whose shingles were compared.
    pub compared: u64,
    /// Number of pairs of texts that were not compared because their bucket was too large.
    pub not_compared: u64,
    /// Duration of each stage.
    pub seconds: DuplicatesSeconds,
}

/// Durations of the stages, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DuplicatesSeconds {
    /// Listing and reading files and splitting them into words. For an index: its files and those
    /// of the candidates.
    pub reading: f64,
    /// Computing sketches.
    pub sketching: f64,
    /// Finding candidate pairs.
    pub pairing: f64,
    /// Comparing and grouping pairs.
    pub comparing: f64,
}
