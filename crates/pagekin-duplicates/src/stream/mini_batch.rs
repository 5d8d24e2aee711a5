//! The pairs of a stream, a batch of pages at a time: the framework MiniBatch of De Francisci
//! Morales and Gionis (2016).
//!
//! A batch lasts a horizon. At its end its pages are indexed, one after the other, and looked up
//! both among those before them and in the index of the batch before. So pairs are told up to a
//! horizon late; for that, the order of terms is made from the very pages that are indexed.

use crate::stream::clock::{Clock, TooLate};
use crate::stream::l2_index::{Hit, L2Index, Scratch, Work};
use crate::stream::order::Frequencies;
use crate::stream::rule::Rule;
use crate::stream::streaming::Match;
use crate::stream::vector::Vector;

/// The pages of a batch, and the index of the one before.
#[derive(Debug)]
pub struct MiniBatch {
    rule: Rule,
    clock: Clock,
    /// The number of the first page of the batch.
    first: u64,
    /// When it began, and from when on its pages are.
    began: i64,
    earliest: i64,
    batch: Vec<(Vector, i64)>,
    before: Option<(u64, L2Index)>,
    scratch: Scratch,
}

impl MiniBatch {
    /// Before the first page.
    #[must_use]
    pub fn new(rule: Rule) -> Self {
        Self {
            rule,
            clock: Clock::default(),
            first: 0,
            began: 0,
            earliest: 0,
            batch: Vec::new(),
            before: None,
            scratch: Scratch::default(),
        }
    }

    /// Takes a page. If a batch ends with the page before it, all pairs whose later page is of that
    /// batch are put to `pairs`: the number of that page, and what it makes a pair with.
    ///
    /// # Errors
    ///
    /// If it comes too late: then it is not taken.
    pub fn push(
        &mut self,
        page: Vector,
        time: i64,
        pairs: &mut Vec<(u64, Match)>,
    ) -> Result<(), TooLate> {
        self.clock.take(time, &self.rule)?;
        let lasted = self.clock.latest().saturating_sub(self.began);
        // Pages of the next batch may still be late, and those of this one not.
        if !self.batch.is_empty() && lasted > self.rule.horizon() + self.rule.late() {
            self.finish(pairs);
        }
        if self.batch.is_empty() {
            self.began = self.clock.latest();
            self.earliest = self.clock.earliest(&self.rule);
        }
        self.batch.push((page, time));
        Ok(())
    }

    /// Ends the batch: its pairs are put to `pairs`.
    pub fn finish(&mut self, pairs: &mut Vec<(u64, Match)>) {
        let mut frequencies = Frequencies::default();
        self.batch.iter().for_each(|(page, _)| frequencies.add(page));
        let mut index = L2Index::new(frequencies.order(), self.earliest);
        let mut hits = Vec::new();
        for (number, (page, time)) in (self.first..).zip(&self.batch) {
            self.scratch.set(page);
            let mut search = |first: u64, index: &L2Index| {
                hits.clear();
                index.search(page, *time, &self.rule, &mut self.scratch, &mut hits);
                hits.sort_unstable_by_key(|hit: &Hit| hit.page);
                pairs.extend(hits.iter().map(|hit| {
                    let page = first + u64::from(hit.page);
                    let Hit { cosine, decayed, time, .. } = *hit;
                    (number, Match { page, cosine, decayed, time })
                }));
            };
            if let Some((first, before)) = &self.before {
                search(*first, before);
            }
            search(self.first, &index);
            index.add(page, *time, &self.rule, &mut self.scratch);
        }
        let next = self.first + self.batch.len() as u64;
        self.before = Some((self.first, index));
        self.first = next;
        self.batch.clear();
    }

    /// What was looked at so far.
    #[must_use]
    pub fn work(&self) -> Work {
        self.scratch.work
    }
}
