//! Decides by rule whether a pair of near-duplicates is correct.
//!
//! In the paper, people judged pairs. Here the exact shingles of both pages are available, so all
//! pairs are judged, and objectively:
//!
//! - *right*: their resemblance is at least [`RIGHT`];
//! - *wrong*: it is below [`WRONG`], so that they share less than each has alone, and the shorter
//!   page has more than [`UNTELLING`] shingles that the other lacks;
//! - *undecided*: all others. A word that differs affects ten shingles, so on short pages two words
//!   can halve the resemblance. Shingles cannot distinguish a date from the subject of a page.

use pagekin_core::near::shingles::Shared;
use serde::Serialize;

/// Minimum resemblance of a right pair.
pub const RIGHT: f64 = 0.8;
/// Maximum resemblance of a wrong pair.
pub const WRONG: f64 = 0.5;
/// Number of shingles that two different words affect.
pub const UNTELLING: u64 = 20;

/// The verdict about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The pages are near-duplicates.
    Right,
    /// The pages may be near-duplicates.
    Undecided,
    /// The pages are not near-duplicates.
    Wrong,
}

/// Judges two pages by their shingles.
#[must_use]
pub fn verdict(shared: &Shared) -> Verdict {
    let missing = shared.a.min(shared.b) - shared.both;
    if shared.resemblance() >= RIGHT {
        Verdict::Right
    } else if shared.resemblance() < WRONG && missing > UNTELLING {
        Verdict::Wrong
    } else {
        Verdict::Undecided
    }
}

/// The number of pairs by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// All pairs.
    pub pairs: u64,
    /// Right ones.
    pub right: u64,
    /// Undecided ones.
    pub undecided: u64,
    /// Wrong ones.
    pub wrong: u64,
}

impl Tally {
    /// Counts a pair.
    pub fn add(&mut self, shared: &Shared) {
        self.pairs += 1;
        match verdict(shared) {
            Verdict::Right => self.right += 1,
            Verdict::Undecided => self.undecided += 1,
            Verdict::Wrong => self.wrong += 1,
        }
    }

    /// Returns the share of right pairs; `None` without pairs.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.right as f64 / self.pairs as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(both: u64, a: u64, b: u64, expected: Verdict) {
        assert_eq!(verdict(&Shared { both, a, b }), expected);
        assert_eq!(verdict(&Shared { both, a: b, b: a }), expected);
    }

    #[test]
    fn verdicts_go_by_resemblance() {
        check(80, 90, 90, Verdict::Right);
        check(79, 90, 90, Verdict::Undecided);
        check(60, 90, 90, Verdict::Undecided);
        check(59, 90, 90, Verdict::Wrong);
        check(0, 900, 21, Verdict::Wrong);
    }

    #[test]
    fn short_pages_are_undecided() {
        check(0, 20, 900, Verdict::Undecided);
        check(30, 50, 51, Verdict::Undecided);
    }

    #[test]
    fn tallies_add_up() {
        let mut tally = Tally::default();
        assert_eq!(tally.precision(), None);
        for both in [100, 60, 60, 0] {
            tally.add(&Shared { both, a: 100, b: 100 });
        }
        assert_eq!(tally, Tally { pairs: 4, right: 1, undecided: 0, wrong: 3 });
        assert_eq!(tally.precision(), Some(0.25));
    }
}
