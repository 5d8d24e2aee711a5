//! Running times.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Number of runs, of which the fastest counts.
const TRIES: usize = 15;

/// Returns the seconds of the fastest of several runs. The additional time of slower runs is due to
/// other processes.
#[must_use]
pub fn fastest(mut run: impl FnMut()) -> f64 {
    (0..TRIES).map(|_| processor_seconds(&mut run)).fold(f64::INFINITY, f64::min)
}

/// Returns the processor time of this thread for a run in seconds, which does not depend on the
/// load of the machine.
///
/// # Panics
///
/// Panics if the clock returns a negative time.
pub fn processor_seconds(run: impl FnOnce()) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::try_from(time).expect("times are not negative")
    };
    let start = now();
    run();
    (now() - start).as_secs_f64()
}

/// Returns the seconds of a run.
pub fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// Returns the median.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
