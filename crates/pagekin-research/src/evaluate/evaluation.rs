//! What was measured.

use pagekin_pages::Ledger;
use serde::Serialize;

use crate::evaluate::settings::setting::Setting;
use crate::evaluate::truth::classes::UnknownUrls;

/// How good settings are on a site.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// HTML files.
    pub html_files: u64,
    /// Those that are no pages, and why.
    pub ledger: Ledger,
    /// Pages.
    pub pages: u64,
    /// Those of them that were compared with all others.
    pub sources: u64,
    /// Their words.
    pub words: u64,
    /// Classes, if pages have some.
    pub classes: Option<u32>,
    /// URLs of the file of classes that are no pages.
    pub unknown_urls: UnknownUrls,
    /// Links that count, if they were asked for.
    pub links: Option<u64>,
    /// Pages most of whose words are in links: they are no sources, and their links do not count.
    pub listings: u64,
    /// In the order of the grid.
    pub scored: Vec<Scored>,
    /// How long it took.
    pub seconds: EvaluationSeconds,
}

/// A setting and how good it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The setting.
    pub setting: Setting,
    /// How good it is.
    pub scores: Scores,
}

/// How good a setting is. What cannot be measured is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Scores {
    /// Goodman and Kruskal's gamma over all pairs of pages at different familial distances, -1
    /// to 1.
    pub gamma: Option<f64>,
    /// The same, of a page in the source's class and one in any other.
    pub class: Option<f64>,
    /// The same, of a page in the source's class and one in a sibling class.
    pub sibling: Option<f64>,
    /// The same, of a page in the source's class and one in a cousin class.
    pub cousin: Option<f64>,
    /// The same, of a page in the source's class and an unrelated one.
    pub unrelated: Option<f64>,
    /// The part of the pairs of pages in one class that have no term in common, 0 to 1.
    pub orthogonal: Option<f64>,
    /// The part of the five answers that are in the source's folder, 0 to 1.
    pub folder: Option<f64>,
    /// The part of the five answers that the source links to, or that link to it.
    pub linked: Option<f64>,
    /// The part of the five answers that some page links to beside the source.
    pub cocited: Option<f64>,
    /// The part of the sources with three answers or more.
    pub coverage: Option<f64>,
}

/// The names of scores, in the order in which they are told.
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
    /// All scores with their names.
    #[must_use]
    pub fn named(&self) -> [(&'static str, Option<f64>); NAMES.len()] {
        let scores = self.values();
        std::array::from_fn(|at| (NAMES[at], scores[at]))
    }

    /// The scores, in the order of their names.
    fn values(mut self) -> [Option<f64>; NAMES.len()] {
        self.values_mut().map(|score| *score)
    }

    fn values_mut(&mut self) -> [&mut Option<f64>; NAMES.len()] {
        let Self { gamma, class, sibling, cousin, unrelated, orthogonal, .. } = self;
        let Self { folder, linked, cocited, coverage, .. } = self;
        [gamma, class, sibling, cousin, unrelated, orthogonal, folder, linked, cocited, coverage]
    }

    /// The mean of each score, over those that have it.
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

    /// The mean of the scores of answers that there are: by folders, links and cocitations. 0 if
    /// there are none.
    #[must_use]
    pub fn answers(&self) -> f64 {
        let known: Vec<f64> =
            [self.folder, self.linked, self.cocited].into_iter().flatten().collect();
        known.iter().sum::<f64>() / known.len().max(1) as f64
    }
}

/// How long an evaluation took, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EvaluationSeconds {
    /// Reading pages.
    pub reading: f64,
    /// Measuring settings.
    pub measuring: f64,
}
