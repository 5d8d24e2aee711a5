//! When two pages make a pair: how alike they must be, and how that falls with the time between
//! them.

use crate::stream::error::StreamError;

/// What makes a pair.
///
/// The similarity of two pages is their cosine times `min` to the power of the part of the horizon
/// that lies between them, which is e to the power of -lambda times that time, with lambda = ln(1 /
/// `min`) / `horizon`. They make a pair if that is at least `min`. So equal pages make a pair up to
/// `horizon` apart, and none do that are farther apart.
#[derive(Debug, Clone)]
pub struct Rule {
    horizon: i64,
    min: f64,
    late: i64,
    /// -ln `min`.
    decay: f64,
    /// How alike pages must be at least that are so many [`STEPS`]ths of the horizon apart, or
    /// more.
    needed: Vec<f64>,
}

/// Finer than this, bounds do not know how far apart pages are.
const STEPS: usize = 1024;

impl Rule {
    /// Times are in milliseconds. Pages that come up to `late` later than one of a later time are
    /// taken as if they had come in order.
    ///
    /// # Errors
    ///
    /// If the horizon is not above 0, `min` is not above 0 and below 1, or `late` is not from 0 to
    /// the horizon.
    pub fn new(horizon: i64, min: f64, late: i64) -> Result<Self, StreamError> {
        if horizon <= 0 || horizon > Self::LONGEST {
            return Err(StreamError::Horizon);
        }
        if !(min > 0.0 && min < 1.0) {
            return Err(StreamError::Min { found: min });
        }
        if !(0..=horizon).contains(&late) {
            return Err(StreamError::Late);
        }
        let needed = (0..=STEPS).map(|step| libm::pow(min, 1.0 - step as f64 / STEPS as f64));
        Ok(Self { horizon, min, late, decay: -libm::log(min), needed: needed.collect() })
    }

    /// The longest horizon: about a thousand years.
    pub const LONGEST: i64 = 1 << 45;

    /// The time after which no page makes a pair with another, in milliseconds.
    #[must_use]
    pub fn horizon(&self) -> i64 {
        self.horizon
    }

    /// How alike pages of a pair are at least.
    #[must_use]
    pub fn min(&self) -> f64 {
        self.min
    }

    /// How late a page may come, in milliseconds.
    #[must_use]
    pub fn late(&self) -> i64 {
        self.late
    }

    /// The similarity of pages that are so many milliseconds apart, if they make a pair.
    #[must_use]
    pub fn decayed(&self, cosine: f64, apart: u64) -> Option<f64> {
        if apart > self.horizon as u64 {
            return None;
        }
        let decayed = cosine * libm::pow(self.min, apart as f64 / self.horizon as f64);
        (decayed >= self.min).then_some(decayed)
    }

    /// What no cosine of a pair is below that is so far apart; not the highest such number.
    pub(super) fn needed(&self, apart: u64) -> f64 {
        let step = (u128::from(apart) * STEPS as u128 / self.horizon as u128).min(STEPS as u128);
        self.needed[step as usize]
    }

    /// How much sooner than after the horizon a pair ends whose cosine is at most the root of
    /// `part_of_norm`: as a part of the horizon.
    pub(super) fn sooner(&self, part_of_norm: f64) -> f64 {
        if part_of_norm >= 1.0 { 0.0 } else { -0.5 * libm::log(part_of_norm) / self.decay }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pages_make_a_pair_up_to_the_horizon() {
        let rule = Rule::new(86_400_000, 0.7, 0).unwrap();
        assert_eq!(rule.decayed(1.0, 0), Some(1.0));
        assert_eq!(rule.decayed(1.0, 86_400_000), Some(0.7));
        assert_eq!(rule.decayed(1.0, 86_400_001), None);
        assert_eq!(rule.decayed(0.7, 0), Some(0.7));
        assert_eq!(rule.decayed(0.7, 1), None);
        assert_eq!(rule.decayed(0.83, 43_200_000), None);
        assert!(rule.decayed(0.84, 43_200_000).is_some());
    }

    #[test]
    fn bounds_are_below_what_they_bound() {
        let rule = Rule::new(12_345, 0.6, 0).unwrap();
        for apart in 0..=12_345 {
            let needed = libm::pow(0.6, 1.0 - apart as f64 / 12_345.0);
            assert!(rule.needed(apart) <= needed && needed < rule.needed(apart) * 1.001);
            assert!((rule.sooner(needed * needed) - (1.0 - apart as f64 / 12_345.0)).abs() < 1e-9);
        }
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for (horizon, min, late) in [
            (0, 0.7, 0),
            (-1, 0.7, 0),
            (10, 0.0, 0),
            (10, 1.0, 0),
            (10, f64::NAN, 0),
            (10, 0.7, 11),
            (10, 0.7, -1),
        ] {
            assert!(Rule::new(horizon, min, late).is_err(), "{horizon} {min} {late}");
        }
    }
}
