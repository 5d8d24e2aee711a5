//! The score that ranks results, and how good a match is by it.

/// Minimum similarities for medium and high confidence, as shares of the range between the
/// background and 1. Pages at the higher one are always similar.
const MEDIUM_SIMILARITY: f64 = 0.05;
const HIGH_SIMILARITY: f64 = 0.2;
/// Ranked by coverage, only the first result is graded. Its confidence is high if its coverage is
/// at least `HIGH_COVERAGE`, and the score of the next is below `FAR_BEHIND` of its own. For
/// queries that people wrote on six sites, 24 of 28 such answers were right, 45 of the 106 others
/// that came first, and one in ten of the rest.
const HIGH_COVERAGE: f64 = 0.8;
const FAR_BEHIND: f64 = 0.8;
/// If the next is closer, the confidence is medium from this coverage and this score on, else low.
const MEDIUM_COVERAGE: f64 = 0.6;
const MEDIUM_SCORE: f64 = 0.4;
/// A page with less of the text has low confidence, however far behind the next is.
const MIN_MATCHING_COVERAGE: f64 = 0.35;

/// The score that ranks results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RankedBy {
    /// How much of the text is on the page. For a text that is part of a page.
    Coverage,
    /// How similar the page is. For a whole page.
    #[default]
    Similarity,
}

impl RankedBy {
    /// Returns the name for programs: `coverage` or `similarity`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Coverage => "coverage",
            Self::Similarity => "similarity",
        }
    }

    /// Returns the other score.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Coverage => Self::Similarity,
            Self::Similarity => Self::Coverage,
        }
    }
}

/// How good a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The page may be irrelevant. Ranked by similarity, it is hardly above the similarity of
    /// random pages.
    Low,
    /// The page is the best by coverage, but others are about as good. Ranked by similarity, it is
    /// more similar than by chance.
    Medium,
    /// The page contains most of the text and no other comes near, or it is similar as a whole.
    High,
}

impl Confidence {
    /// Returns the name for programs: `low`, `medium` or `high`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Grades a similarity, given that of two random pages.
    pub(super) fn from_similarity(similarity: f64, background: f64) -> Self {
        let above = |part: f64| similarity >= background + part * (1.0 - background);
        match (above(MEDIUM_SIMILARITY), above(HIGH_SIMILARITY)) {
            (false, _) => Self::Low,
            (true, false) => Self::Medium,
            (true, true) => Self::High,
        }
    }

    /// Grades the first result by coverage, given its score and that of the next, and its own as a
    /// number from 0 to 1.
    pub(super) fn from_ranking(coverage: f64, [score, next]: [u64; 2], number: f64) -> Self {
        let is_ahead = (next as f64) < FAR_BEHIND * score as f64;
        if coverage >= HIGH_COVERAGE && is_ahead {
            return Self::High;
        }
        let is_some = is_ahead && coverage >= MIN_MATCHING_COVERAGE
            || coverage >= MEDIUM_COVERAGE && number >= MEDIUM_SCORE;
        if is_some { Self::Medium } else { Self::Low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_has_high_confidence_if_it_covers_the_text_and_is_ahead() {
        let confidence =
            |coverage, next, number| Confidence::from_ranking(coverage, [100, next], number);
        assert_eq!(confidence(0.8, 79, 0.1), Confidence::High);
        assert_eq!(confidence(0.7, 79, 0.1), Confidence::Medium, "it is ahead");
        assert_eq!(confidence(1.0, 80, 0.4), Confidence::Medium, "it is well found");
        assert_eq!(confidence(0.3, 0, 0.3), Confidence::Low, "most of the text is elsewhere");
        assert_eq!([confidence(0.5, 80, 0.9), confidence(1.0, 80, 0.3)], [Confidence::Low; 2]);
    }
}
