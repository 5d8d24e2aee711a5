//! Which pages of a stream are taken, by their times: a wrong time must not end the horizon of all
//! pages before it, nor begin one that the others come too late for.
//!
//! # Rules
//!
//! 1. A page *leaps* if its time is more than a horizon after the latest one, so that it makes a
//!    pair with no page so far. Of the first pages nobody knows which are right, so one whose time
//!    is more than a horizon before the latest leaps, too.
//! 2. What leaps is put aside. Once the pages there are more than those here, or more than
//!    [`SETTLED`], they are taken, as if they came now. They are in the order of their times, but
//!    for what may be late.
//! 3. A page that does not leap, or that goes back behind those aside, shows that they were wrong:
//!    they are given up.
//! 4. A page without a time is of now. Once a page has a time, the stream is not of now: then the
//!    pages before it count for nothing, and others without a time are not taken.

use crate::stream::rule::Rule;

/// What so many pages and one more say is believed.
const SETTLED: usize = 2;

/// What is to be done with pages.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step<T> {
    /// It comes next.
    Take(T),
    /// The pages so far were wrong about the time.
    BeginAnew,
    /// Its time is wrong.
    GiveUp(T),
}

/// A page that comes.
#[derive(Debug)]
pub(super) struct Arrival<T> {
    pub(super) page: T,
    /// In milliseconds.
    pub(super) time: i64,
    /// Whether the line says so; else it is of now.
    pub(super) is_timed: bool,
}

/// The time of a stream, and the pages that it does not believe.
#[derive(Debug)]
pub(super) struct Leaps<T> {
    horizon: i64,
    late: i64,
    latest: Option<i64>,
    /// The pages with a time that were taken, from where it began.
    settled: usize,
    aside: Vec<Arrival<T>>,
}

impl<T> Leaps<T> {
    pub(super) fn new(rule: &Rule) -> Self {
        let (horizon, late) = (rule.horizon(), rule.late());
        Self { horizon, late, latest: None, settled: 0, aside: Vec::new() }
    }

    /// Whether a page had a time.
    pub(super) fn is_timed(&self) -> bool {
        self.settled > 0
    }

    /// A page comes: what is to be done is put to `steps`.
    pub(super) fn arrive(&mut self, page: Arrival<T>, steps: &mut Vec<Step<T>>) {
        if !self.leaps(page.time) {
            self.give_up(steps);
            return self.take(page, steps);
        }
        let last = self.aside.last();
        if last.is_some_and(|last| page.time < last.time.saturating_sub(self.late)) {
            self.give_up(steps);
        }
        self.aside.push(page);
        if self.aside.len() > self.settled.min(SETTLED) {
            self.believe(steps);
        }
    }

    /// No page comes any more that what is aside could make late.
    pub(super) fn believe_all(&mut self, steps: &mut Vec<Step<T>>) {
        while let Some(first) = self.aside.first() {
            if self.latest.is_some_and(|latest| first.time < latest) {
                return self.give_up(steps);
            }
            self.believe(steps);
        }
    }

    /// Whatever is aside is given up.
    pub(super) fn give_up(&mut self, steps: &mut Vec<Step<T>>) {
        steps.extend(self.aside.drain(..).map(|page| Step::GiveUp(page.page)));
    }

    /// A page was taken earlier; all before it counts for nothing if it `begins_anew`.
    pub(super) fn resume(&mut self, time: i64, is_timed: bool, begins_anew: bool) {
        if begins_anew {
            self.begin_anew();
        }
        self.settle(time, is_timed);
    }

    fn leaps(&self, time: i64) -> bool {
        let Some(latest) = self.latest else { return false };
        let before = if self.settled == 0 { self.late } else { self.horizon };
        time > latest.saturating_add(self.horizon)
            || (self.settled <= SETTLED && time < latest.saturating_sub(before))
    }

    /// Takes the first of those aside; the others come again.
    fn believe(&mut self, steps: &mut Vec<Step<T>>) {
        let mut aside = std::mem::take(&mut self.aside).into_iter();
        let Some(first) = aside.next() else { return };
        if self.latest.is_some_and(|latest| first.time < latest) {
            self.begin_anew();
            steps.push(Step::BeginAnew);
        } else if self.settled <= SETTLED {
            // They may turn out to be wrong in turn.
            self.settled = 0;
        }
        self.take(first, steps);
        aside.for_each(|page| self.arrive(page, steps));
    }

    fn begin_anew(&mut self) {
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

    /// What becomes of pages, each named by its time: those that are taken in the end, and those
    /// that are given up. A time below 0 is none: the page comes at that much.
    fn become_of(times: &[i64]) -> (Vec<i64>, Vec<i64>) {
        let mut leaps = Leaps::new(&Rule::new(100, 0.5, 10).unwrap());
        let (mut taken, mut wrong, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        for &time in times {
            let page = Arrival { page: time, time: time.abs(), is_timed: time >= 0 };
            leaps.arrive(page, &mut steps);
        }
        leaps.believe_all(&mut steps);
        for step in steps {
            match step {
                Step::Take(time) => taken.push(time),
                Step::GiveUp(time) => wrong.push(time),
                Step::BeginAnew => wrong.append(&mut taken),
            }
        }
        (taken, wrong)
    }

    #[track_caller]
    fn check(times: &[i64], taken: &[i64], wrong: &[i64]) {
        assert_eq!(become_of(times), (taken.to_vec(), wrong.to_vec()), "{times:?}");
    }

    #[test]
    fn wrong_times_are_given_up_and_gaps_are_believed() {
        check(&[1000, 1100, 1150], &[1000, 1100, 1150], &[]);
        // One or two that are wrong, anywhere.
        check(&[1000, 9000, 1001, 1002], &[1000, 1001, 1002], &[9000]);
        check(&[1000, 1001, 9000, 9001, 1002], &[1000, 1001, 1002], &[9000, 9001]);
        check(&[9000, 1000, 1001, 1002], &[1000, 1001, 1002], &[9000]);
        check(&[9000, 9001, 1000, 1001, 1002], &[1000, 1001, 1002], &[9000, 9001]);
        check(&[1000, 9000, 9001, 1001, 1002, 1003], &[1001, 1002, 1003], &[1000, 9000, 9001]);
        check(&[5000, 10, 5001, 5002], &[5000, 5001, 5002], &[10]);
        check(&[1000, 1001, 9000, 8000, 1002], &[1000, 1001, 1002], &[9000, 8000]);
        // A gap, and several.
        check(&[1000, 1001, 9000, 9001, 9002], &[1000, 1001, 9000, 9001, 9002], &[]);
        check(&[1000, 2000, 3000, 4000, 5000, 6000], &[1000, 2000, 3000, 4000, 5000, 6000], &[]);
        // What is late is told by the stream itself.
        check(&[1000, 1001, 1002, 10, 1003], &[1000, 1001, 1002, 10, 1003], &[]);
        check(&[1000, 9000], &[1000, 9000], &[]);
        check(&[9000, 1000], &[9000], &[1000]);
    }

    #[test]
    fn pages_of_now_count_for_nothing_once_a_page_has_a_time() {
        check(&[-9000, 1000, 1001], &[1000, 1001], &[-9000]);
        check(&[-9000, -9001, -9002, 8950, 8951], &[8950, 8951], &[-9000, -9001, -9002]);
        check(&[-9000, 8995, 9001], &[-9000, 8995, 9001], &[]);
        check(&[-1000, -9000], &[-1000, -9000], &[]);
    }
}
