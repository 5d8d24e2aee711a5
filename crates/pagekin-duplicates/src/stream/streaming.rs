//! The pairs of a stream as its pages come: the framework STR of De Francisci Morales and Gionis
//! (2016).
//!
//! The pages of the last horizon are in a row of indexes, each of a span of it. Only the last one
//! takes pages; the first is let go whole when its last page is older than the horizon. A new one
//! begins when half of the horizon is over, or when it has three times as many pages as all before
//! it, so that a stream that begins soon has an order of terms that is worth something. So there
//! are never many, and pages of at most one and a half horizons.

use std::collections::VecDeque;

use crate::stream::clock::{Clock, TooLate};
use crate::stream::l2_index::{Hit, L2Index, Scratch, Work};
use crate::stream::order::Frequencies;
use crate::stream::rule::Rule;
use crate::stream::vector::Vector;

/// A page that was found for another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The number of the earlier page: that of the pages that were pushed before it.
    pub page: u64,
    /// Their cosine.
    pub cosine: f64,
    /// The same, decayed by the time between them.
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
    /// The pages that were pushed.
    pushed: u64,
    scratch: Scratch,
    hits: Vec<Hit>,
}

/// The index of some pages that came one after the other.
#[derive(Debug)]
struct Span {
    /// The number of its first page.
    first: u64,
    /// When it began.
    began: i64,
    index: L2Index,
}

/// An index of this many pages at least is worth having.
const FEW: u32 = 1024;
/// A new index begins after one of so many parts of the horizon.
const SPANS: i64 = 2;

impl Streaming {
    /// Before the first page.
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

    /// Takes a page, and puts those before it that it makes a pair with to `matches`, in their
    /// order. Its number is that of the pages that were taken before.
    ///
    /// # Errors
    ///
    /// If it comes too late: then it is not taken.
    pub fn push(
        &mut self,
        page: &Vector,
        time: i64,
        matches: &mut Vec<Match>,
    ) -> Result<u64, TooLate> {
        self.arrive(time)?;
        self.scratch.set(page);
        let begin = matches.len();
        // The latest first, as there may be too many.
        for span in self.spans.iter().rev() {
            self.hits.clear();
            let (hits, scratch) = (&mut self.hits, &mut self.scratch);
            span.index.search(page, time, &self.rule, scratch, hits);
            matches.extend(hits.iter().map(|hit| Match {
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

    /// Takes a page without asking what it is like.
    ///
    /// # Errors
    ///
    /// If it comes too late: then it is not taken.
    pub fn take(&mut self, page: &Vector, time: i64) -> Result<u64, TooLate> {
        self.arrive(time)?;
        Ok(self.keep(page, time))
    }

    /// Lets go of all pages, and of what time it is.
    pub fn begin_anew(&mut self) {
        self.spans.clear();
        self.clock = Clock::default();
    }

    /// Lets go of the oldest pages, if there are more than the latest ones. Answers how many, and
    /// the time of the latest of them.
    pub fn let_go(&mut self) -> Option<(u64, i64)> {
        if self.spans.len() < 2 {
            return None;
        }
        let span = self.spans.pop_front()?;
        Some((u64::from(span.index.len()), span.index.newest()))
    }

    /// No page comes any more that is before this.
    #[must_use]
    pub fn earliest(&self) -> i64 {
        self.clock.earliest(&self.rule)
    }

    /// The number of the first page that is still known: pages before it are not found any more.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.spans.front().map_or(self.pushed, |span| span.first)
    }

    /// The number of the first page of the span of pages that the next one may join. Spans are let
    /// go whole.
    #[must_use]
    pub fn first_of_span(&self) -> u64 {
        self.spans.back().map_or(self.pushed, |span| span.first)
    }

    /// About the bytes that the pages take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.frequencies.bytes() + self.spans.iter().map(|span| span.index.bytes()).sum::<u64>()
    }

    /// What was looked at so far.
    #[must_use]
    pub fn work(&self) -> Work {
        self.scratch.work
    }

    /// A page of this time comes next.
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

    /// Whether the next page begins a new index.
    fn is_full(&self) -> bool {
        let Some(last) = self.spans.back() else { return true };
        let before = last.first - self.first();
        let lasted = self.clock.latest() - last.began;
        last.index.is_full()
            || lasted > self.rule.horizon() / SPANS
            || u64::from(last.index.len()) >= (3 * before).max(u64::from(FEW))
    }
}
