//! The numbers of near-duplicates of pages, and the power law that fits.
//!
//! N(u) is the number of near-duplicates of a page u; pages with the same words count once. If the
//! frequencies of N follow a power law, they are on a falling line in log-log axes.
//!
//! The line is a least-squares fit of the logarithms of densities: the number of pages with N from
//! 2^i to 2^(i + 1) - 1, divided by the number of these values, at the geometric mean of the first
//! and the last of them. Bins without pages are omitted. Without bins, the many large N that occur
//! once each would flatten the line.

use std::collections::BTreeMap;

use pagekin_duplicates::{PagePair, PairKind};
use serde::Serialize;

/// Returns the number of pages with each number of near-duplicates, for the numbers from 1 that
/// occur.
#[must_use]
pub fn frequencies(pairs: &[PagePair]) -> BTreeMap<u64, u64> {
    let mut of_page: BTreeMap<u32, u64> = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| pair.kind == PairKind::NearDuplicate) {
        *of_page.entry(pair.a).or_default() += 1;
        *of_page.entry(pair.b).or_default() += 1;
    }
    let mut frequencies = BTreeMap::new();
    for n in of_page.into_values() {
        *frequencies.entry(n).or_default() += 1;
    }
    frequencies
}

/// A line in log-log axes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Line {
    /// The exponent of the power law.
    pub slope: f64,
    /// The decimal logarithm of the expected number of pages with one near-duplicate.
    pub at_one: f64,
    /// The root mean square distance of frequencies from the line, in decimal logarithms, over the
    /// N that occur and for which the line expects at least one page.
    pub spread: f64,
}

impl Line {
    /// Fits a line to these frequencies; `None` if they fill fewer than two bins.
    #[must_use]
    pub fn through(frequencies: &BTreeMap<u64, u64>) -> Option<Self> {
        let mut bins: BTreeMap<u32, u64> = BTreeMap::new();
        for (&n, &pages) in frequencies {
            *bins.entry(n.ilog2()).or_default() += pages;
        }
        let points: Vec<(f64, f64)> = bins
            .into_iter()
            .map(|(bin, pages)| {
                let (first, numbers) = ((1u64 << bin) as f64, (1u64 << bin) as f64);
                let middle = libm::sqrt(first * (2.0 * first - 1.0));
                (libm::log10(middle), libm::log10(pages as f64 / numbers))
            })
            .collect();
        if points.len() < 2 {
            return None;
        }
        let mean =
            |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let covariance: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        let variance: f64 = points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum();
        let slope = covariance / variance;
        let mut line = Self { slope, at_one: y - slope * x, spread: 0.0 };
        let off: Vec<f64> = frequencies
            .iter()
            .map(|(&n, &pages)| (line.at(n as f64), libm::log10(pages as f64)))
            .filter(|(expected, _)| *expected >= 0.0)
            .map(|(expected, pages)| (pages - expected) * (pages - expected))
            .collect();
        line.spread = libm::sqrt(off.iter().sum::<f64>() / off.len().max(1) as f64);
        Some(line)
    }

    /// Returns the decimal logarithm of the expected number of pages with `n` near-duplicates.
    #[must_use]
    pub fn at(&self, n: f64) -> f64 {
        self.at_one + self.slope * libm::log10(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::near::shingles::Shared;

    #[test]
    fn near_duplicates_count_on_both_sides() {
        let pair = |(a, b, exact)| {
            let shared = Shared { both: 1, a: 1, b: 1 };
            let kind = if exact { PairKind::Copy } else { PairKind::NearDuplicate };
            PagePair { a, b, kind, shared, similarities: None }
        };
        let pairs = [(0, 1, false), (0, 2, false), (0, 3, true), (4, 5, false)].map(pair);
        assert_eq!(frequencies(&pairs), BTreeMap::from([(1, 4), (2, 1)]));
    }

    #[test]
    fn a_power_law_has_its_exponent_as_slope() {
        for (exponent, counts) in [(1, 1..=4_095), (2, 1..=1_023)] {
            let pages = |n: u64| 1_000_000_000 / n.pow(exponent);
            let line = Line::through(&counts.map(|n| (n, pages(n))).collect()).unwrap();
            assert!((line.slope + f64::from(exponent)).abs() < 0.05, "{line:?}");
            assert!((line.at_one - 9.0).abs() < 0.1 && line.spread < 0.1, "{line:?}");
        }
    }

    #[test]
    fn large_numbers_that_occur_once_each_do_not_flatten_the_line() {
        // A power law with the exponent 2, whose tail is too thin for every number to occur.
        let body = (1..32u64).map(|n| (n, 1_024 / (n * n)));
        let tail = [(32..64, 2), (64..128, 8), (128..256, 32)];
        let tail = tail.into_iter().flat_map(|(numbers, step)| numbers.step_by(step));
        let line = Line::through(&body.chain(tail.map(|n| (n, 1))).collect()).unwrap();
        assert!((line.slope + 2.0).abs() < 0.2, "{line:?}");
    }

    #[test]
    fn one_bin_gives_no_line() {
        assert_eq!(Line::through(&BTreeMap::new()), None);
        assert_eq!(Line::through(&BTreeMap::from([(2, 5), (3, 1)])), None);
    }
}
