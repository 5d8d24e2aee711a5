//! What was learnt from judgements, as a file: JSON that people can read and change.
//!
//! ```json
//! { "format": "pagekin-feedback", "version": 1, "threshold": 0.31,
//!   "terms": [{ "stem": "cooki", "word": "cookies", "factor": 0.25 }] }
//! ```

use std::fs;
use std::path::Path;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::crawl::Threshold;
use crate::crawl_folder::format::word_id;
use crate::feedback::Feedback;
use crate::feedback::error::FeedbackError;
use crate::feedback::factors::MOST;
use pagekin_core::vocabulary::TermId;

const FORMAT: &str = "pagekin-feedback";
const VERSION: u32 = 1;
/// The largest file that is read: a million terms.
const MOST_BYTES: u64 = 64 << 20;

/// The file.
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    format: String,
    version: u32,
    threshold: f64,
    terms: Vec<WrittenTerm>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WrittenTerm {
    stem: String,
    word: String,
    factor: f64,
}

/// What `cluster` takes of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LearntWeights {
    /// The threshold that goes with the weights.
    pub threshold: Option<Threshold>,
    /// What the weight of a term is multiplied by, sorted by terms.
    factors: Vec<(TermId, f64)>,
}

impl LearntWeights {
    /// The factors of terms, in the order of their ids.
    #[must_use]
    pub fn factors(&self) -> &[(TermId, f64)] {
        &self.factors
    }

    /// Reads the output of `pagekin feedback`.
    ///
    /// # Errors
    ///
    /// [`FeedbackError::File`] if it is something else, [`FeedbackError::Io`] if it cannot be read.
    pub fn read(path: &Path) -> Result<Self, FeedbackError> {
        let refuse = |found: String| FeedbackError::File { path: path.to_owned(), found };
        let io = |source| FeedbackError::Io { action: "read", path: path.to_owned(), source };
        let bytes = fs::metadata(path).map_err(io)?.len();
        if bytes > MOST_BYTES {
            return Err(refuse(format!("{bytes} bytes")));
        }
        let json = fs::read(path).map_err(io)?;
        let written: Written =
            serde_json::from_slice(&json).map_err(|error| refuse(error.to_string()))?;
        if written.format != FORMAT || written.version != VERSION {
            return Err(refuse(format!("{} of version {}", written.format, written.version)));
        }
        let thousandths = (written.threshold * 1_000.0).round();
        let threshold = Threshold::of_thousandths(thousandths as u16);
        let threshold =
            threshold.map_err(|_| refuse(format!("the threshold {}", written.threshold)))?;
        let mut factors: FxHashMap<TermId, f64> = FxHashMap::default();
        for WrittenTerm { stem, factor, .. } in written.terms {
            if !(1.0 / MOST..=MOST).contains(&factor) {
                return Err(refuse(format!("the factor {factor} of {stem:?}")));
            }
            factors.insert(word_id(&stem), factor);
        }
        let mut factors: Vec<(TermId, f64)> = factors.into_iter().collect();
        factors.sort_unstable_by_key(|&(term, _)| term);
        Ok(Self { threshold: Some(threshold), factors })
    }
}

impl Feedback {
    /// The file, as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let term = |factor: &crate::feedback::TermFactor| WrittenTerm {
            stem: factor.stem.clone(),
            word: factor.word.clone(),
            factor: factor.factor,
        };
        let written = Written {
            format: FORMAT.to_owned(),
            version: VERSION,
            threshold: self.chosen,
            terms: self.factors.iter().map(term).collect(),
        };
        serde_json::to_string_pretty(&written).expect("numbers and texts can be written")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<LearntWeights, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("feedback.json");
        fs::write(&path, text).unwrap();
        LearntWeights::read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn what_was_written_is_read_and_all_else_is_refused() {
        let written = r#"{"format": "pagekin-feedback", "version": 1, "threshold": 0.31,
            "terms": [{"stem": "cooki", "word": "cookies", "factor": 0.25}]}"#;
        let learnt = read(written).unwrap();
        assert_eq!(learnt.threshold, Threshold::of_thousandths(310).ok());
        assert_eq!(learnt.factors(), [(word_id("cooki"), 0.25)]);
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
