//! The distribution of values: median, ninth decile and maximum.

use serde::Serialize;

/// The median, the ninth decile and the maximum of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[expect(missing_docs)]
pub struct Spread {
    pub median: u64,
    pub p90: u64,
    pub max: u64,
}

impl Spread {
    /// Computes them; all are 0 if there are no values.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = u64>) -> Self {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_unstable();
        let at = |part: usize| {
            let last = values.len().saturating_sub(1);
            values.get((values.len() * part / 100).min(last)).copied().unwrap_or(0)
        };
        Self { median: at(50), p90: at(90), max: at(100) }
    }
}
