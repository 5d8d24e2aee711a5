//! Weights of terms learned from judgments (see [`feedback`](crate::feedback)), as a JSON file that
//! people can read and edit.
//!
//! ```json
//! { "format": "pagekin-feedback", "version": 1, "threshold": 0.31,
//!   "terms": [{ "stem": "cooki", "word": "cookies", "factor": 0.25 }] }
//! ```

use std::fs;
use std::path::Path;

use pagekin_core::vocabulary::TermId;
use pagekin_pages::FileError;
use pagekin_pages::site::word_ids::word_id;
use pagekin_pairs::Threshold;
use serde::{Deserialize, Serialize};

use crate::cluster::error::CrawlError;

const FORMAT: &str = "pagekin-feedback";
const VERSION: u32 = 1;
/// Maximum size of the file in bytes, enough for a million terms.
const MAX_BYTES: u64 = 64 << 20;

/// A term and the factor of its weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermFactor {
    /// The stem of the term.
    pub stem: String,
    /// The most frequent word with this stem.
    pub word: String,
    /// Factor of the weight, [`TermFactor::MIN`] to [`TermFactor::MAX`].
    pub factor: f64,
}

impl TermFactor {
    /// Minimum factor.
    pub const MIN: f64 = 1.0 / Self::MAX;
    /// Maximum factor.
    pub const MAX: f64 = 4.0;
}

#[derive(Debug, Serialize, Deserialize)]
struct Written {
    format: String,
    version: u32,
    threshold: f64,
    terms: Vec<TermFactor>,
}

/// A learned threshold and learned weights.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedWeights {
    /// The threshold that goes with the weights.
    pub threshold: Threshold,
    /// Factors of the weights of terms, in the order of the ids.
    factors: Vec<(TermId, f64)>,
}

impl LearnedWeights {
    /// Returns the factors of terms, in the order of their ids.
    #[must_use]
    pub fn factors(&self) -> &[(TermId, f64)] {
        &self.factors
    }

    /// Reads the output of `pagekin crawl feedback`.
    ///
    /// # Errors
    ///
    /// [`CrawlError::Learned`] if the file has other content. Other errors if it cannot be read.
    pub fn read(path: &Path) -> Result<Self, CrawlError> {
        let refuse = |found: String| CrawlError::Learned { path: path.to_owned(), found };
        let io = || FileError::io("read", path);
        let bytes = fs::metadata(path).map_err(io())?.len();
        if bytes > MAX_BYTES {
            return Err(refuse(format!("{bytes} bytes")));
        }
        Self::new(&fs::read(path).map_err(io())?, path)
    }

    /// Reads the content of the file at `path`.
    pub(crate) fn new(json: &[u8], path: &Path) -> Result<Self, CrawlError> {
        let refuse = |found: String| CrawlError::Learned { path: path.to_owned(), found };
        let written: Written =
            serde_json::from_slice(json).map_err(|error| refuse(error.to_string()))?;
        if written.format != FORMAT || written.version != VERSION {
            return Err(refuse(format!("{} of version {}", written.format, written.version)));
        }
        let thousandths = (written.threshold * 1_000.0).round();
        let threshold = Threshold::from_thousandths(thousandths as u16)
            .map_err(|_| refuse(format!("the threshold {}", written.threshold)))?;
        let mut factors = Vec::with_capacity(written.terms.len());
        for TermFactor { stem, factor, .. } in written.terms {
            if !(TermFactor::MIN..=TermFactor::MAX).contains(&factor) {
                return Err(refuse(format!("the factor {factor} of {stem:?}")));
            }
            factors.push((word_id(&stem), factor));
        }
        factors.sort_by_key(|&(term, _)| term);
        factors.dedup_by_key(|&mut (term, _)| term);
        Ok(Self { threshold, factors })
    }

    /// Returns the content of the file for a threshold and factors of terms.
    #[must_use]
    pub fn file(threshold: f64, terms: &[TermFactor]) -> String {
        let (format, version) = (FORMAT.to_owned(), VERSION);
        let written = Written { format, version, threshold, terms: terms.to_vec() };
        serde_json::to_string_pretty(&written).expect("numbers and texts can be written")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<LearnedWeights, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("feedback.json");
        fs::write(&path, text).unwrap();
        LearnedWeights::read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn the_file_is_read_back_and_other_content_is_refused() {
        let cookies = TermFactor { stem: "cooki".into(), word: "cookies".into(), factor: 0.25 };
        let written = LearnedWeights::file(0.31, &[cookies]);
        let learned = read(&written).unwrap();
        assert_eq!(Ok(learned.threshold), Threshold::from_thousandths(310));
        assert_eq!(learned.factors(), [(word_id("cooki"), 0.25)]);
        for (from, to, found) in [
            ("-feedback", "-index", "pagekin-index of version 1"),
            ("\"version\": 1", "\"version\": 2", "pagekin-feedback of version 2"),
            ("0.31", "1.31", "the threshold 1.31"),
            ("0.25", "0", "the factor 0 of \"cooki\""),
            ("0.25", "1e9", "the factor 1000000000 of \"cooki\""),
            ("\"stem\"", "\"root\"", "missing field"),
        ] {
            let error = read(&written.replace(from, to)).unwrap_err();
            assert!(error.contains(found), "{error}");
        }
    }
}
