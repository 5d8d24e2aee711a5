//! What was found.

use std::path::PathBuf;

use crate::duplicates::groups::Group;
use crate::duplicates::pair::Pair;
use crate::duplicates::texts::Page;
use crate::site::skipped::Skipped;

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
