//! Decides when two pages form a pair: how similar they must be, depending on the time between
//! them.

use crate::stream::error::StreamError;

/// The condition for a pair.
///
/// The similarity of two pages is their cosine, decayed by the time between them: cosine ·
/// `min`^(time / `horizon`). This equals cosine · e^(-λ · time) with λ = ln(1 / `min`) / `horizon`.
/// Two pages form a pair if their similarity is at least `min`. So equal pages form a pair if they
/// are at most `horizon` apart, and pages that are further apart never do.
#[derive(Debug, Clone)]
pub struct Rule {
    horizon: i64,
    min: f64,
    late: i64,
    /// -ln `min`.
    decay: f64,
    /// The minimum cosine of pages that are at least n / [`STEPS`] of the horizon apart.
    needed: Vec<f64>,
}

/// The resolution of the time in bounds.
const STEPS: usize = 1024;

impl Rule {
    /// Creates a rule. Times are in milliseconds. A page may arrive up to `late` after a page with
    /// a later time, and is then processed as if pages had arrived in order.
    ///
    /// # Errors
    ///
    /// Returns an error unless `horizon` is above 0 and at most [`LONGEST`](Self::LONGEST), `min`
    /// is above 0 and below 1, and `late` is from 0 to `horizon`.
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

    /// Maximum horizon: about a thousand years.
    pub const LONGEST: i64 = 1 << 45;

    /// Returns the time after which pages no longer form pairs, in milliseconds.
    #[must_use]
    pub fn horizon(&self) -> i64 {
        self.horizon
    }

    /// Returns the minimum similarity of a pair.
    #[must_use]
    pub fn min(&self) -> f64 {
        self.min
    }

    /// Returns how late a page may arrive, in milliseconds.
    #[must_use]
    pub fn late(&self) -> i64 {
        self.late
    }

    /// Returns the similarity of pages that are `apart` milliseconds apart, if they form a pair.
    #[must_use]
    pub fn decayed(&self, cosine: f64, apart: u64) -> Option<f64> {
        if apart > self.horizon as u64 {
            return None;
        }
        let decayed = cosine * libm::pow(self.min, apart as f64 / self.horizon as f64);
        (decayed >= self.min).then_some(decayed)
    }

    /// Returns a lower bound of the cosine of a pair that is `apart` milliseconds apart. It may be
    /// slightly below the greatest lower bound.
    pub(super) fn needed(&self, apart: u64) -> f64 {
        let step = (u128::from(apart) * STEPS as u128 / self.horizon as u128).min(STEPS as u128);
        self.needed[step as usize]
    }

    /// Returns how long before the horizon a pair ends if its cosine is at most √`part_of_norm`, as
    /// a fraction of the horizon.
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
    fn bounds_do_not_exceed_exact_values() {
        let rule = Rule::new(12_345, 0.6, 0).unwrap();
        for apart in 0..=12_345 {
            let needed = libm::pow(0.6, 1.0 - apart as f64 / 12_345.0);
            assert!(rule.needed(apart) <= needed && needed < rule.needed(apart) * 1.001);
            assert!((rule.sooner(needed * needed) - (1.0 - apart as f64 / 12_345.0)).abs() < 1e-9);
        }
    }

    #[test]
    fn invalid_rules_are_refused() {
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
