//! The measure of the article extraction benchmark: shingles of four words.
//!
//! Computes the same as the benchmark's `evaluate.py` on the same words: runs of letters, digits
//! and underscores. The counts of a page are divided by their sum, which leaves the ratios equal.

use std::ops::Add;

use rustc_hash::FxHashMap;

/// Number of words in a shingle.
const SHINGLE: usize = 4;

/// Shingles of a page that are in both texts, only in the predicted one, and only in the true one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) both: f64,
    pub(crate) extra: f64,
    pub(crate) missing: f64,
}

/// Means over all pages.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub(crate) struct Score {
    pub(crate) f1: f64,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
}

impl Counts {
    /// Counts the shingles of a page's true and predicted text.
    pub(crate) fn new(truth: &str, predicted: &str) -> Self {
        let (truth, predicted) = (shingles(truth), shingles(predicted));
        let mut counts = Self::default();
        for (shingle, &n) in &truth {
            let m = predicted.get(shingle).copied().unwrap_or(0.0);
            counts.both += n.min(m);
            counts.missing += (n - m).max(0.0);
        }
        for (shingle, &m) in &predicted {
            counts.extra += (m - truth.get(shingle).copied().unwrap_or(0.0)).max(0.0);
        }
        counts
    }

    /// Returns the precision, or `None` if the predicted text is empty.
    pub(crate) fn precision(self) -> Option<f64> {
        (self.both + self.extra > 0.0).then(|| self.ratio(self.extra))
    }

    /// Returns the recall, or `None` if the true text is empty.
    pub(crate) fn recall(self) -> Option<f64> {
        (self.both + self.missing > 0.0).then(|| self.ratio(self.missing))
    }

    fn ratio(self, wrong: f64) -> f64 {
        if self.both == 0.0 { 0.0 } else { self.both / (self.both + wrong) }
    }
}

impl Score {
    pub(crate) fn new(pages: &[Counts]) -> Self {
        let precision = mean(pages.iter().filter_map(|page| page.precision()));
        let recall = mean(pages.iter().filter_map(|page| page.recall()));
        Self { f1: 2.0 * precision * recall / (precision + recall), precision, recall }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) =
        values.map(|value| (value, 1.0)).fold((0.0, 0.0), |a, b| (a.0.add(b.0), a.1 + b.1));
    sum / n
}

/// Counts the shingles of a text. A text of fewer than four words is one shingle.
fn shingles(text: &str) -> FxHashMap<Vec<&str>, f64> {
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let mut shingles = FxHashMap::default();
    for at in 0..(words.len() + 1).saturating_sub(SHINGLE).max(1) {
        let shingle = words[at..words.len().min(at + SHINGLE)].to_vec();
        if !shingle.is_empty() {
            *shingles.entry(shingle).or_insert(0.0) += 1.0;
        }
    }
    shingles
}
