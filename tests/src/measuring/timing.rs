//! How long something takes.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// How often a loop is timed of which the fastest run counts.
const TRIES: usize = 15;

/// Seconds of the fastest of several runs: of a loop that does nothing else, what is more is
/// somebody else's.
#[must_use]
pub fn fastest(mut run: impl FnMut()) -> f64 {
    (0..TRIES).map(|_| processor_seconds(&mut run)).fold(f64::INFINITY, f64::min)
}

/// Seconds that this thread has a processor for a run: the same whatever else the machine does.
///
/// # Panics
///
/// If the clock tells a time that is negative.
pub fn processor_seconds(run: impl FnOnce()) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::try_from(time).expect("clocks tell times that are not negative")
    };
    let start = now();
    run();
    (now() - start).as_secs_f64()
}

/// Seconds of a run.
pub fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// The one in the middle.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
