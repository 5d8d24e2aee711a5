//! How long something takes, several times over.

use std::time::Instant;

/// How often a kernel is timed of which the fastest run counts.
const TRIES: usize = 7;

/// Seconds of the fastest of several runs: of a loop that does nothing else, what is more is somebody else's.
pub(crate) fn fastest(mut run: impl FnMut()) -> f64 {
    (0..TRIES).map(|_| seconds(&mut run)).fold(f64::INFINITY, f64::min)
}

/// Seconds of a run.
pub(crate) fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// The one in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
