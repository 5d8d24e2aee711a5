//! What was found.

use std::path::PathBuf;

use pagekin_pages::Ledger;
use pagekin_pages::site::blocks::Repeated;

use crate::groups::Group;
use crate::pair::PagePair;
use crate::texts::SitePage;

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Duplicates {
    /// All pages that were compared, probable originals first. For an index: the candidates by its
    /// sketches if the pages are available, otherwise all.
    pub pages: Vec<SitePage>,
    /// What the URLs of the pages start with.
    pub base_url: String,
    /// The folders the pages were read from.
    pub sites: Vec<PathBuf>,
    /// The number of pages of the index, if there was one.
    pub indexed: Option<u64>,
    /// Whether the pairs are estimated from the sketches of an index.
    pub estimated: bool,
    /// The pairs, ascending.
    pub pairs: Vec<PagePair>,
    /// The groups, largest first.
    pub groups: Vec<Group>,
    /// HTML files found.
    pub html_files: u64,
    /// The HTML files, and what became of them.
    pub ledger: Ledger,
    /// Blocks of text that were left out of the pages because many of their site have them.
    pub repeated: Repeated,
    /// How often they were left out, in all.
    pub left_out: u64,
    /// Distinct texts.
    pub texts: u64,
    /// Candidate pairs of texts whose shingles were compared.
    pub compared: u64,
    /// Pairs of texts that were not compared because their bucket was too large.
    pub passed_over: u64,
    /// How long it took.
    pub seconds: DuplicatesSeconds,
}

/// How long the stages took, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DuplicatesSeconds {
    /// Listing and reading files and splitting them into words; for an index, its files and those
    /// of the candidates.
    pub reading: f64,
    /// Computing sketches.
    pub sketching: f64,
    /// Finding candidate pairs.
    pub pairing: f64,
    /// Comparing and grouping pairs.
    pub comparing: f64,
}
