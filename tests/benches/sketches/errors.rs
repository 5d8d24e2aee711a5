//! How far estimates are from what they estimate.

use serde::Serialize;

/// Of some pairs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Errors {
    pub(crate) way: String,
    /// The mean of what is estimated.
    pub(crate) exact: f64,
    /// The mean of the errors.
    pub(crate) bias: f64,
    /// The root of their mean square.
    pub(crate) rmse: f64,
    /// What that is if nothing but chance errs: the root of the mean of `s (1 - s) / k`.
    pub(crate) chance: f64,
}

impl Errors {
    /// Of the exact values of pairs and their estimates by so many values.
    pub(crate) fn of(way: String, pairs: &[(f64, f64)], values: u16) -> Self {
        let n = pairs.len().max(1) as f64;
        let mean = |of: &dyn Fn(f64, f64) -> f64| {
            pairs.iter().map(|&(exact, estimate)| of(exact, estimate)).sum::<f64>() / n
        };
        Self {
            way,
            exact: mean(&|exact, _| exact),
            bias: mean(&|exact, estimate| estimate - exact),
            rmse: mean(&|exact, estimate| (estimate - exact) * (estimate - exact)).sqrt(),
            chance: mean(&|exact, _| exact * (1.0 - exact) / f64::from(values)).sqrt(),
        }
    }
}
