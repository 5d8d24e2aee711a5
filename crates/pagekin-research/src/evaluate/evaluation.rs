//! The result of an evaluation.

use pagekin_pages::Ledger;
use serde::Serialize;

use crate::evaluate::settings::setting::Setting;
use crate::evaluate::truth::classes::UnknownUrls;

/// The scores of settings on a site.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Number of HTML files.
    pub html_files: u64,
    /// Counts of the HTML files that are not pages, by reason.
    pub ledger: Ledger,
    /// Number of pages.
    pub pages: u64,
    /// Number of pages that were compared with all others.
    pub sources: u64,
    /// Number of words of all pages.
    pub words: u64,
    /// Number of classes, if pages have classes.
    pub classes: Option<u32>,
    /// URLs in the file of classes that are not pages of the site.
    pub unknown_urls: UnknownUrls,
    /// Number of links that count, if links were requested.
    pub links: Option<u64>,
    /// Number of pages with more than half of their words in links. They are not used as sources,
    /// and their links do not count.
    pub listings: u64,
    /// The scores of all settings, in the order of the grid.
    pub scored: Vec<Scored>,
    /// Duration of each stage.
    pub seconds: EvaluationSeconds,
}

/// A setting with its scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The setting.
    pub setting: Setting,
    /// The scores of the setting.
    pub scores: Scores,
}

/// The scores of a setting. A score that cannot be measured is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Scores {
    /// Goodman and Kruskal's gamma over all pairs of pages at different familial distances, -1 to
    /// 1.
    pub gamma: Option<f64>,
    /// Gamma over pairs of a page in the source's class and a page in any other class.
    pub class: Option<f64>,
    /// Gamma over pairs of a page in the source's class and a page in a sibling class.
    pub sibling: Option<f64>,
    /// Gamma over pairs of a page in the source's class and a page in a cousin class.
    pub cousin: Option<f64>,
    /// Gamma over pairs of a page in the source's class and an unrelated page.
    pub unrelated: Option<f64>,
    /// The share of pairs of pages in one class that have no term in common, 0 to 1.
    pub orthogonal: Option<f64>,
    /// The share of the first five answers that are in the source's folder, 0 to 1.
    pub folder: Option<f64>,
    /// The share of the first five answers that the source links to, or that link to it.
    pub linked: Option<f64>,
    /// The share of the first five answers that are linked to by a page that also links to the
    /// source.
    pub cocited: Option<f64>,
    /// The share of sources with at least three answers.
    pub coverage: Option<f64>,
}

/// The names of scores, in the order in which they are reported.
const NAMES: [&str; 10] = [
    "gamma",
    "class",
    "sibling",
    "cousin",
    "unrelated",
    "orthogonal",
    "folder@5",
    "link@5",
    "cocited@5",
    "coverage",
];

impl Scores {
    /// Returns all scores with their names.
    #[must_use]
    pub fn named(&self) -> [(&'static str, Option<f64>); NAMES.len()] {
        let scores = self.values();
        std::array::from_fn(|at| (NAMES[at], scores[at]))
    }

    /// Returns the scores in the order of their names.
    fn values(mut self) -> [Option<f64>; NAMES.len()] {
        self.values_mut().map(|score| *score)
    }

    fn values_mut(&mut self) -> [&mut Option<f64>; NAMES.len()] {
        let Self { gamma, class, sibling, cousin, unrelated, orthogonal, .. } = self;
        let Self { folder, linked, cocited, coverage, .. } = self;
        [gamma, class, sibling, cousin, unrelated, orthogonal, folder, linked, cocited, coverage]
    }

    /// Returns the mean of each score over the items that have it.
    pub(crate) fn mean(all: impl Iterator<Item = Self>) -> Self {
        let mut sums = [(0.0, 0.0); NAMES.len()];
        for scores in all {
            for ((sum, count), score) in sums.iter_mut().zip(scores.values()) {
                *sum += score.unwrap_or(0.0);
                *count += f64::from(u8::from(score.is_some()));
            }
        }
        let mut mean = Self::default();
        for (score, (sum, count)) in mean.values_mut().into_iter().zip(sums) {
            *score = (count > 0.0).then(|| sum / count);
        }
        mean
    }

    /// Returns the mean of the scores of answers that are known: by folders, links and cocitations.
    /// Returns 0 if none is known.
    #[must_use]
    pub fn answers(&self) -> f64 {
        let known: Vec<f64> =
            [self.folder, self.linked, self.cocited].into_iter().flatten().collect();
        known.iter().sum::<f64>() / known.len().max(1) as f64
    }
}

/// Durations of an evaluation, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EvaluationSeconds {
    /// Reading pages.
    pub reading: f64,
    /// Measuring settings.
    pub measuring: f64,
}
