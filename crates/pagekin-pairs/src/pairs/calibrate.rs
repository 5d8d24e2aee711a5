//! How often signatures agree where bags are so and so similar.
//!
//! Values of MinHash and of ICWS agree with the probability of the similarity itself. FastGM's
//! agree more often, as the probability Jaccard is larger, and I2CWS's less. By how much depends on
//! the crawl: so pairs of a sample are looked at, and one curve is laid through them.

use serde::{Deserialize, Serialize};

/// The probability that a value of two signatures agrees: a power of the similarity of the bags.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    exponent: f64,
}

impl Agreement {
    /// Of sketches that estimate the similarity of bags itself.
    pub const IS_SIMILARITY: Self = Self { exponent: 1.0 };

    /// The least and the largest exponent that is believed.
    const BOUNDS: [f64; 2] = [0.125, 8.0];

    /// The curve that has the mean of some pairs, given by the similarity of their bags, above 0
    /// and below 1, and the part of the values that agree. Of no pairs it is the similarity itself.
    #[must_use]
    pub fn of(pairs: &[(f64, f64)]) -> Self {
        if pairs.is_empty() {
            return Self::IS_SIMILARITY;
        }
        let agreeing: f64 = pairs.iter().map(|&(_, agreement)| agreement).sum();
        let mean = |exponent| -> f64 { pairs.iter().map(|&(s, _)| libm::pow(s, exponent)).sum() };
        let [mut low, mut high] = Self::BOUNDS;
        // Of one exponent the mean is right: the larger it is, the lower. 2^-40 is near enough.
        for _ in 0..40 {
            let middle = low.midpoint(high);
            if mean(middle) > agreeing {
                low = middle;
            } else {
                high = middle;
            }
        }
        Self { exponent: low.midpoint(high) }
    }

    /// At a similarity.
    #[must_use]
    pub fn at(self, similarity: f64) -> f64 {
        if self == Self::IS_SIMILARITY {
            return similarity;
        }
        libm::pow(similarity, self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_has_the_mean_of_the_pairs() {
        let all = [0.2, 0.25, 0.4, 0.9];
        for exponent in [0.5, 1.0, 1.4] {
            let pairs = all.map(|s| (s, libm::pow(s, exponent)));
            let found = Agreement::of(&pairs);
            assert!((found.exponent - exponent).abs() < 1e-9, "{found:?} for {exponent}");
            assert!((found.at(0.4) - libm::pow(0.4, exponent)).abs() < 1e-9);
            assert_eq!((found.at(0.0), found.at(1.0)), (0.0, 1.0));
        }
        assert_eq!(Agreement::of(&[]), Agreement::IS_SIMILARITY);
        // Pairs that never or always agree are not believed.
        assert!(Agreement::of(&[(0.5, 0.0)]).exponent <= 8.0);
        assert!(Agreement::of(&[(0.5, 1.0)]).exponent >= 0.125);
    }
}
