//! Finds the pairs of a stream as its pages arrive: the framework STR of De Francisci Morales and
//! Gionis (2016).
//!
//! The pages of the last horizon are in a sequence of indexes, each of one time span. Pages are
//! added only to the last index. The first index is removed as a whole when its last page is older
//! than the horizon. A new index starts after half of the horizon, or when the last one has three
//! times as many pages as all others together, so that a new stream soon gets a useful order of
//! terms. So there are always few indexes, with the pages of at most one and a half horizons.

use std::collections::VecDeque;

use crate::stream::clock::{Clock, TooLate};
use crate::stream::l2_index::{Hit, L2Index, Probe, Scratch, Work};
use crate::stream::order::Frequencies;
use crate::stream::rule::Rule;
use crate::stream::vector::Vector;

/// An earlier page that forms a pair with another page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The number of the earlier page. Pages are numbered in order of arrival, from 0.
    pub page: u64,
    /// The cosine of the two pages.
    pub cosine: f64,
    /// The cosine, decayed by the time between the pages.
    pub decayed: f64,
    /// The time of the earlier page, in milliseconds.
    pub time: i64,
}

/// The pages of the last horizon.
#[derive(Debug)]
pub struct Streaming {
    rule: Rule,
    clock: Clock,
    frequencies: Frequencies,
    spans: VecDeque<Span>,
    /// The number of pages that were added.
    pushed: u64,
    scratch: Scratch,
    hits: Vec<Hit>,
}

/// The index of consecutive pages.
#[derive(Debug)]
struct Span {
    /// The number of its first page.
    first: u64,
    /// The time of the stream when the span started.
    began: i64,
    index: L2Index,
}

/// Minimum number of pages of an index before the next one starts early.
const MIN_PAGES: u32 = 1024;
/// Number of indexes per horizon.
const SPANS: i64 = 2;

impl Streaming {
    /// Creates a stream without pages.
    #[must_use]
    pub fn new(rule: Rule) -> Self {
        Self {
            rule,
            clock: Clock::default(),
            frequencies: Frequencies::default(),
            spans: VecDeque::new(),
            pushed: 0,
            scratch: Scratch::default(),
            hits: Vec::new(),
        }
    }

    /// Adds a page, and appends the earlier pages that form a pair with it to `matches`, in order
    /// of arrival. Returns the number of the page.
    ///
    /// # Errors
    ///
    /// Returns [`TooLate`] if the page arrives too late. It is not added then.
    pub fn push(
        &mut self,
        page: &Vector,
        time: i64,
        matches: &mut Vec<Match>,
    ) -> Result<u64, TooLate> {
        self.arrive(time)?;
        self.scratch.set(page);
        let begin = matches.len();
        // Search the latest span first, since the number of matches is limited.
        for span in self.spans.iter().rev() {
            self.hits.clear();
            let probe = Probe { page, time, rule: &self.rule };
            span.index.search(probe, &mut self.scratch, &mut self.hits);
            matches.extend(self.hits.iter().map(|hit| Match {
                page: span.first + u64::from(hit.page),
                cosine: hit.cosine,
                decayed: hit.decayed,
                time: hit.time,
            }));
        }
        matches[begin..].sort_unstable_by_key(|found| found.page);
        self.scratch.work.cut += u64::from(self.scratch.is_full());
        Ok(self.keep(page, time))
    }

    /// Adds a page without searching for matches.
    ///
    /// # Errors
    ///
    /// Returns [`TooLate`] if the page arrives too late. It is not added then.
    pub fn take(&mut self, page: &Vector, time: i64) -> Result<u64, TooLate> {
        self.arrive(time)?;
        Ok(self.keep(page, time))
    }

    /// Removes all pages, and resets the clock.
    pub fn reset(&mut self) {
        self.spans.clear();
        self.clock = Clock::default();
    }

    /// Removes the oldest span, unless it is the only one. Returns the number of its pages, and the
    /// time of the latest of them.
    pub fn removed(&mut self) -> Option<(u64, i64)> {
        if self.spans.len() < 2 {
            return None;
        }
        let span = self.spans.pop_front()?;
        Some((u64::from(span.index.len()), span.index.newest()))
    }

    /// Returns the earliest time that a page may have now.
    #[must_use]
    pub fn earliest(&self) -> i64 {
        self.clock.earliest(&self.rule)
    }

    /// Returns the number of the first page that is still stored.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.spans.front().map_or(self.pushed, |span| span.first)
    }

    /// Returns the number of the first page of the current span. Spans are removed as a whole.
    #[must_use]
    pub fn first_of_span(&self) -> u64 {
        self.spans.back().map_or(self.pushed, |span| span.first)
    }

    /// Returns the approximate number of bytes in use.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.frequencies.bytes() + self.spans.iter().map(|span| span.index.bytes()).sum::<u64>()
    }

    /// Returns the counts of work so far.
    #[must_use]
    pub fn work(&self) -> Work {
        self.scratch.work
    }

    /// Advances the clock, and removes spans that are too old.
    fn arrive(&mut self, time: i64) -> Result<(), TooLate> {
        self.clock.take(time, &self.rule)?;
        let oldest = self.clock.earliest(&self.rule).saturating_sub(self.rule.horizon());
        while self.spans.front().is_some_and(|span| span.index.newest() < oldest) {
            self.spans.pop_front();
        }
        Ok(())
    }

    fn keep(&mut self, page: &Vector, time: i64) -> u64 {
        if self.is_full() {
            let index = L2Index::new(self.frequencies.order(), self.clock.earliest(&self.rule));
            self.spans.push_back(Span { first: self.pushed, began: self.clock.latest(), index });
        }
        self.frequencies.add(page);
        if let Some(span) = self.spans.back_mut() {
            span.index.add(page, time, &self.rule, &mut self.scratch);
        }
        self.pushed += 1;
        self.pushed - 1
    }

    /// Returns whether the next page starts a new index.
    fn is_full(&self) -> bool {
        let Some(last) = self.spans.back() else { return true };
        let before = last.first - self.first();
        let lasted = self.clock.latest() - last.began;
        last.index.is_full()
            || lasted > self.rule.horizon() / SPANS
            || u64::from(last.index.len()) >= (3 * before).max(u64::from(MIN_PAGES))
    }
}
