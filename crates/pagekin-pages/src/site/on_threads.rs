//! Runs pieces of work on the threads of the current pool. Threads take pieces from one counter.
//! Each has its own state, such as a lexicon. Results derived from the states must not depend on
//! which thread did which piece.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::progress::{Interrupted, Observer, check};

/// The results of a thread.
#[derive(Debug)]
pub struct Worker<S, T> {
    /// Its state.
    pub state: S,
    /// The numbers of its pieces of work, ascending, with their results.
    pub done: Vec<(usize, T)>,
}

/// Calls `one` for each number below `n`. Each call is a step of the current stage. Cancellation is
/// checked before each.
///
/// # Errors
///
/// [`Interrupted`] if the observer asked to stop.
pub fn on_threads<S: Send, T: Send>(
    n: usize,
    state: impl Fn() -> S + Sync,
    one: impl Fn(&mut S, usize) -> T + Sync,
    observer: &dyn Observer,
) -> Result<Vec<Worker<S, T>>, Interrupted> {
    let next = AtomicUsize::new(0);
    let workers = rayon::broadcast(|_| {
        let mut worker = Worker { state: state(), done: Vec::new() };
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= n || observer.cancelled() {
                return worker;
            }
            let done = one(&mut worker.state, at);
            worker.done.push((at, done));
            observer.advance(1);
        }
    });
    check(observer)?;
    Ok(workers)
}

/// Returns the states, and the results of all pieces of work in the order of their numbers.
pub fn in_order<S, T>(workers: Vec<Worker<S, T>>) -> (Vec<S>, Vec<T>) {
    let (states, done): (Vec<S>, Vec<_>) =
        workers.into_iter().map(|worker| (worker.state, worker.done)).unzip();
    let mut done: Vec<(usize, T)> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(at, _)| *at);
    (states, done.into_iter().map(|(_, done)| done).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::{Silent, Stage};

    #[test]
    fn results_are_in_order_and_states_are_complete() {
        let one = |sum: &mut usize, at: usize| {
            *sum += at;
            at * 2
        };
        let (sums, doubled) = in_order(on_threads(100, || 0, one, &Silent).unwrap());
        assert_eq!(sums.iter().sum::<usize>(), 4_950);
        assert_eq!(doubled, (0..100).map(|at| at * 2).collect::<Vec<_>>());
    }

    #[test]
    fn cancellation_stops_the_work() {
        struct Stopped;
        impl Observer for Stopped {
            fn stage(&self, _: Stage, _: u64) {}
            fn warn(&self, _: &str) {}
            fn cancelled(&self) -> bool {
                true
            }
        }
        assert!(on_threads(1, || (), |(), at| at, &Stopped).is_err());
    }
}
