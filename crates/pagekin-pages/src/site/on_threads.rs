//! So many pieces of work on the threads of the pool that this is called in. Threads take pieces
//! from one counter, and each has a state of its own, such as a lexicon: what is made of the states
//! must not depend on who did what.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::progress::{Interrupted, Observer, check};

/// What a thread did.
#[derive(Debug)]
pub struct Worker<S, T> {
    /// What it gathered.
    pub state: S,
    /// The numbers of its pieces of work, ascending, and what came of each.
    pub done: Vec<(usize, T)>,
}

/// Does `one` for each number below `n`. A piece of work is a step of the current stage, and
/// between two it is seen whether to stop.
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

/// The states, and what came of all pieces of work in the order of their numbers.
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
    fn what_comes_is_in_order_and_states_have_all() {
        let one = |sum: &mut usize, at: usize| {
            *sum += at;
            at * 2
        };
        let (sums, doubled) = in_order(on_threads(100, || 0, one, &Silent).unwrap());
        assert_eq!(sums.iter().sum::<usize>(), 4_950);
        assert_eq!(doubled, (0..100).map(|at| at * 2).collect::<Vec<_>>());
    }

    #[test]
    fn who_is_asked_to_stop_stops() {
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
