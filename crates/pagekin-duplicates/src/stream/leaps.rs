//! Detects wrong times of pages. A wrong time must not end the horizon of all earlier pages, nor
//! start a new one for which all other pages are too late.
//!
//! # Rules
//!
//! 1. A page *leaps* if its time is more than a horizon after the latest one, so that it forms no
//!    pair with earlier pages. Among the first pages, it is unknown which times are right, so a
//!    page whose time is more than a horizon before the latest one also leaps.
//! 2. Pages that leap are set aside. Once there are more pages aside than accepted pages, or more
//!    than [`SETTLED`], the pages aside are accepted as if they arrived now. Their times are in
//!    order, within the allowed lateness.
//! 3. A page that does not leap, or that is earlier than the pages aside, shows that their times
//!    are wrong: they are rejected.
//! 4. A page without a time gets the current time. Once a page has a time, the stream has its own
//!    clock: earlier pages without a time are dropped, and later ones are skipped.

use crate::stream::rule::Rule;

/// Number of consistent pages above which their times are accepted.
const SETTLED: usize = 2;

/// What to do next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step<T> {
    /// Process this page.
    Take(T),
    /// Drop all pages processed so far: their times were wrong.
    Restart,
    /// Skip this page: its time is wrong.
    Reject(T),
}

/// A page that arrives.
#[derive(Debug)]
pub(super) struct Arrival<T> {
    pub(super) page: T,
    /// The time in milliseconds.
    pub(super) time: i64,
    /// Whether the line contains the time; otherwise it is the current time.
    pub(super) is_timed: bool,
}

/// The time of a stream, and the pages with implausible times.
#[derive(Debug)]
pub(super) struct Leaps<T> {
    horizon: i64,
    late: i64,
    latest: Option<i64>,
    /// Number of processed pages with a time, since the last restart.
    settled: usize,
    aside: Vec<Arrival<T>>,
}

impl<T> Leaps<T> {
    pub(super) fn new(rule: &Rule) -> Self {
        let (horizon, late) = (rule.horizon(), rule.late());
        Self { horizon, late, latest: None, settled: 0, aside: Vec::new() }
    }

    /// Returns whether a page had a time.
    pub(super) fn is_timed(&self) -> bool {
        self.settled > 0
    }

    /// Handles a page, and appends what to do to `steps`.
    pub(super) fn arrive(&mut self, page: Arrival<T>, steps: &mut Vec<Step<T>>) {
        if !self.leaps(page.time) {
            self.reject(steps);
            return self.take(page, steps);
        }
        let last = self.aside.last();
        if last.is_some_and(|last| page.time < last.time.saturating_sub(self.late)) {
            self.reject(steps);
        }
        self.aside.push(page);
        if self.aside.len() > self.settled.min(SETTLED) {
            self.accept(steps);
        }
    }

    /// Accepts the pages aside at the end of the input, where they can no longer make other pages
    /// late.
    pub(super) fn accept_all(&mut self, steps: &mut Vec<Step<T>>) {
        while let Some(first) = self.aside.first() {
            if self.latest.is_some_and(|latest| first.time < latest) {
                return self.reject(steps);
            }
            self.accept(steps);
        }
    }

    /// Rejects all pages aside.
    pub(super) fn reject(&mut self, steps: &mut Vec<Step<T>>) {
        steps.extend(self.aside.drain(..).map(|page| Step::Reject(page.page)));
    }

    /// Restores a page that was processed earlier. If `restarts`, all pages before it are dropped.
    pub(super) fn resume(&mut self, time: i64, is_timed: bool, restarts: bool) {
        if restarts {
            self.restart();
        }
        self.settle(time, is_timed);
    }

    fn leaps(&self, time: i64) -> bool {
        let Some(latest) = self.latest else { return false };
        let before = if self.settled == 0 { self.late } else { self.horizon };
        time > latest.saturating_add(self.horizon)
            || (self.settled <= SETTLED && time < latest.saturating_sub(before))
    }

    /// Accepts the first of the pages aside, and handles the others again.
    fn accept(&mut self, steps: &mut Vec<Step<T>>) {
        let mut aside = std::mem::take(&mut self.aside).into_iter();
        let Some(first) = aside.next() else { return };
        if self.latest.is_some_and(|latest| first.time < latest) {
            self.restart();
            steps.push(Step::Restart);
        } else if self.settled <= SETTLED {
            // These pages may also turn out to be wrong.
            self.settled = 0;
        }
        self.take(first, steps);
        aside.for_each(|page| self.arrive(page, steps));
    }

    fn restart(&mut self) {
        self.latest = None;
        self.settled = 0;
    }

    fn take(&mut self, page: Arrival<T>, steps: &mut Vec<Step<T>>) {
        self.settle(page.time, page.is_timed);
        steps.push(Step::Take(page.page));
    }

    fn settle(&mut self, time: i64, is_timed: bool) {
        let is_late = self.latest.is_some_and(|latest| time < latest.saturating_sub(self.late));
        self.settled += usize::from(is_timed && !is_late);
        self.latest = self.latest.max(Some(time));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the pages, named by their times, that are processed in the end, and those that are
    /// rejected or dropped. A negative time -t means no time: the page arrives at t.
    fn become_of(times: &[i64]) -> (Vec<i64>, Vec<i64>) {
        let mut leaps = Leaps::new(&Rule::new(100, 0.5, 10).unwrap());
        let (mut taken, mut wrong, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        for &time in times {
            let page = Arrival { page: time, time: time.abs(), is_timed: time >= 0 };
            leaps.arrive(page, &mut steps);
        }
        leaps.accept_all(&mut steps);
        for step in steps {
            match step {
                Step::Take(time) => taken.push(time),
                Step::Reject(time) => wrong.push(time),
                Step::Restart => wrong.append(&mut taken),
            }
        }
        (taken, wrong)
    }

    #[track_caller]
    fn check(times: &[i64], taken: &[i64], wrong: &[i64]) {
        assert_eq!(become_of(times), (taken.to_vec(), wrong.to_vec()), "{times:?}");
    }

    #[test]
    fn wrong_times_are_rejected_and_gaps_are_accepted() {
        check(&[1000, 1100, 1150], &[1000, 1100, 1150], &[]);
        // One or two wrong times, anywhere.
        check(&[1000, 9000, 1001, 1002], &[1000, 1001, 1002], &[9000]);
        check(&[1000, 1001, 9000, 9001, 1002], &[1000, 1001, 1002], &[9000, 9001]);
        check(&[9000, 1000, 1001, 1002], &[1000, 1001, 1002], &[9000]);
        check(&[9000, 9001, 1000, 1001, 1002], &[1000, 1001, 1002], &[9000, 9001]);
        check(&[1000, 9000, 9001, 1001, 1002, 1003], &[1001, 1002, 1003], &[1000, 9000, 9001]);
        check(&[5000, 10, 5001, 5002], &[5000, 5001, 5002], &[10]);
        check(&[1000, 1001, 9000, 8000, 1002], &[1000, 1001, 1002], &[9000, 8000]);
        // One gap, and several.
        check(&[1000, 1001, 9000, 9001, 9002], &[1000, 1001, 9000, 9001, 9002], &[]);
        check(&[1000, 2000, 3000, 4000, 5000, 6000], &[1000, 2000, 3000, 4000, 5000, 6000], &[]);
        // Late pages are handled by the stream itself.
        check(&[1000, 1001, 1002, 10, 1003], &[1000, 1001, 1002, 10, 1003], &[]);
        check(&[1000, 9000], &[1000, 9000], &[]);
        check(&[9000, 1000], &[9000], &[1000]);
    }

    #[test]
    fn pages_without_a_time_are_dropped_once_a_page_has_a_time() {
        check(&[-9000, 1000, 1001], &[1000, 1001], &[-9000]);
        check(&[-9000, -9001, -9002, 8950, 8951], &[8950, 8951], &[-9000, -9001, -9002]);
        check(&[-9000, 8995, 9001], &[-9000, 8995, 9001], &[]);
        check(&[-1000, -9000], &[-1000, -9000], &[]);
    }
}
