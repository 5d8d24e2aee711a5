//! The minimum similarity of a pair, in whole numbers.

/// A similarity above 0 and at most 1, in thousandths. It is compared with fractions of integers
/// without rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Threshold(u16);

/// A number is not a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a threshold of 1 to 1000 thousandths, found {found}")]
#[non_exhaustive]
pub struct ThresholdError {
    /// The number in thousandths.
    pub found: u16,
}

impl Threshold {
    /// The threshold of the paper: 0.2.
    pub const PAPER: Self = Self(200);

    /// The threshold 1.
    pub const ALL: Self = Self(1_000);

    /// Creates a threshold of 1 to 1,000 thousandths.
    ///
    /// # Errors
    ///
    /// Returns an error if the number is out of this range: all pairs or none would reach it.
    pub fn from_thousandths(thousandths: u16) -> Result<Self, ThresholdError> {
        match thousandths {
            1..=1_000 => Ok(Self(thousandths)),
            found => Err(ThresholdError { found }),
        }
    }

    /// Returns the threshold in thousandths.
    #[must_use]
    pub fn thousandths(self) -> u16 {
        self.0
    }

    /// Returns the threshold as a number above 0 and at most 1.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1_000.0
    }

    /// Returns whether `part` / `whole` reaches the threshold. Returns false if both are 0.
    #[must_use]
    pub fn is_reached(self, part: u32, whole: u32) -> bool {
        whole > 0 && u64::from(part) * 1_000 >= u64::from(whole) * u64::from(self.0)
    }

    /// The same as [`is_reached`](Self::is_reached), for larger numbers.
    #[must_use]
    pub fn is_reached_by_counts(self, part: u64, whole: u64) -> bool {
        whole > 0 && u128::from(part) * 1_000 >= u128::from(whole) * u128::from(self.0)
    }

    /// Returns the smallest part of `whole` that reaches the threshold: the threshold times
    /// `whole`, rounded up.
    #[must_use]
    pub fn min_of(self, whole: u32) -> u32 {
        (u64::from(whole) * u64::from(self.0)).div_ceil(1_000) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn thresholds_are_above_zero_and_at_most_one() {
        assert_eq!(Threshold::from_thousandths(0), Err(ThresholdError { found: 0 }));
        assert_eq!(Threshold::from_thousandths(1_001), Err(ThresholdError { found: 1_001 }));
        assert_eq!(Threshold::from_thousandths(200), Ok(Threshold::PAPER));
        assert_eq!(Threshold::PAPER.min_of(80), 16);
        assert!(!Threshold::PAPER.is_reached(0, 0));
        assert!(!Threshold::PAPER.is_reached_by_counts(0, 0));
    }

    proptest! {
        #[test]
        fn the_minimum_part_reaches_the_threshold_and_no_smaller_one(thousandths in 1u16..=1_000, whole in 1u32..) {
            let threshold = Threshold::from_thousandths(thousandths).unwrap();
            let least = threshold.min_of(whole);
            prop_assert!(threshold.is_reached(least, whole));
            prop_assert!(!threshold.is_reached(least - 1, whole));
            for part in [least - 1, least] {
                let by_counts = threshold.is_reached_by_counts(part.into(), whole.into());
                prop_assert_eq!(by_counts, threshold.is_reached(part, whole));
            }
        }
    }
}
