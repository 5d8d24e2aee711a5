//! An index of the pages of a span of time, by the part of their terms that a pair cannot do
//! without.
//!
//! # What is indexed
//!
//! Put the terms of all pages in one order. Of two pages let t be the first term that both have:
//! their dot product is at most the norm of what one has from t on, times the norm of what the
//! other has from t on (Cauchy and Schwarz). Both norms fall along the order; where that of a page
//! falls below the threshold no term need be indexed, or looked up, any more. With the rarest terms
//! first these are short lists.
//!
//! # Time
//!
//! As similarity falls with time, each posting has a *deadline*: the time after which no page can
//! make a pair with this one if they share no earlier term. A lookup from the norm that is left of
//! a page knows how much time that takes from deadlines. So a place in a list is passed over by one
//! comparison of two whole numbers, in which rounding is on the safe side.
//!
//! What is found shares a term that matters, and is compared exactly, until the norms of what is
//! left of both say that it cannot be a pair.
//!
//! # Source
//!
//! De Francisci Morales and Gionis, *Streaming similarity self-join* (PVLDB 9(10), 2016): the L2
//! index and time filtering. Theirs sums up products along the lists; here the first shared term
//! decides, by deadlines of postings, and the order of terms belongs to a span of time.

use pagekin_core::hash::GOLDEN;
use pagekin_core::vocabulary::TermId;
use rustc_hash::FxHashMap;

use crate::stream::order::{TermOrder, term_and_weight};
use crate::stream::rule::Rule;
use crate::stream::vector::{Vector, cosine, product, square};

/// Deadlines are in so many parts of the horizon.
const TICKS: f64 = (1 << 20) as f64;
/// How often a comparison looks whether it is worth going on, in terms.
const LOOK_EVERY: usize = 16;
/// Lists shorter than this are not worth shortening.
const SHORT: usize = 32;

/// A page that has a term.
#[derive(Debug, Clone, Copy)]
struct Posting {
    page: u32,
    /// In ticks.
    deadline: u32,
}

/// A page of the index.
#[derive(Debug, Clone, Copy)]
struct Page {
    time: i64,
    norm: u64,
    /// Where its terms end; they begin where those of the page before end.
    end: usize,
}

/// The pages of a span of time.
#[derive(Debug)]
pub(super) struct L2Index {
    order: TermOrder,
    /// The time that deadlines are counted from. No page is before that.
    start: i64,
    newest: i64,
    pages: Vec<Page>,
    /// The terms and weights of all pages, each page's in the order of the index.
    terms: Vec<TermId>,
    weights: Vec<u16>,
    lists: FxHashMap<TermId, Vec<Posting>>,
    postings: u64,
}

/// A page of an index that makes a pair with the page it was looked up for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hit {
    /// By its number in the index.
    pub(super) page: u32,
    pub(super) cosine: f64,
    pub(super) decayed: f64,
    /// Its time.
    pub(super) time: i64,
}

/// What a lookup works with; kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    sorted: Vec<u64>,
    met: Vec<bool>,
    candidates: Vec<u32>,
    weights: WeightTable,
    /// Of all lookups.
    pub(super) work: Work,
}

/// What lookups looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Postings.
    pub postings: u64,
    /// Pages that were compared.
    pub compared: u64,
}

impl Scratch {
    /// Whose pages are looked up next.
    pub(super) fn set(&mut self, page: &Vector) {
        self.weights.set(page);
    }
}

impl L2Index {
    /// An empty one. No page that it is given is before `start`, and none is looked up that is.
    pub(super) fn new(order: TermOrder, start: i64) -> Self {
        Self {
            order,
            start,
            newest: start,
            pages: Vec::new(),
            terms: Vec::new(),
            weights: Vec::new(),
            lists: FxHashMap::default(),
            postings: 0,
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.pages.len() as u32
    }

    /// The latest time of its pages.
    pub(super) fn newest(&self) -> i64 {
        self.newest
    }

    /// About the bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        let lists = self.lists.capacity() * (size_of::<(TermId, Vec<Posting>)>() + 1);
        // A list has room for more, and what keeps count of it.
        let postings = self.postings * 12 + self.lists.len() as u64 * 24;
        let pages = self.pages.capacity() * size_of::<Page>();
        let terms = self.terms.capacity() * size_of::<TermId>() + self.weights.capacity() * 2;
        self.order.bytes() + (lists + pages + terms) as u64 + postings
    }

    /// Adds a page, whose number is the number of those before it.
    pub(super) fn add(&mut self, page: &Vector, time: i64, rule: &Rule, scratch: &mut Scratch) {
        let number = self.len();
        self.order.sort(page, &mut scratch.sorted);
        let mut left = page.norm();
        let mut indexed = true;
        for &sorted in &scratch.sorted {
            let (term, weight) = term_and_weight(sorted);
            self.terms.push(term);
            self.weights.push(weight);
            if indexed {
                let sooner = rule.sooner(left as f64 / page.norm() as f64);
                match deadline(self.ticks(time, rule) + TICKS * (1.0 - sooner)) {
                    Some(deadline) if sooner <= 1.0 + 1.0 / TICKS => {
                        self.lists
                            .entry(term)
                            .or_default()
                            .push(Posting { page: number, deadline });
                        self.postings += 1;
                    }
                    _ => indexed = false,
                }
                left -= square(weight);
            }
        }
        self.pages.push(Page { time, norm: page.norm(), end: self.terms.len() });
        self.newest = self.newest.max(time);
    }

    /// The pages that make a pair with one, of which `scratch` knows the weights, are put to
    /// `hits`. Lists are shortened on the way by what no page finds any more that is not before
    /// `never_before`.
    pub(super) fn search(
        &mut self,
        page: &Vector,
        time: i64,
        never_before: i64,
        rule: &Rule,
        scratch: &mut Scratch,
        hits: &mut Vec<Hit>,
    ) {
        self.candidates(page, time, never_before, rule, scratch);
        let candidates = std::mem::take(&mut scratch.candidates);
        for &candidate in &candidates {
            scratch.met[candidate as usize] = false;
            scratch.work.compared += 1;
            hits.extend(self.compare(page, time, candidate, rule, &scratch.weights));
        }
        scratch.candidates = candidates;
    }

    /// The pages that share a term with one, early enough in the order and in time.
    fn candidates(
        &mut self,
        page: &Vector,
        time: i64,
        never_before: i64,
        rule: &Rule,
        scratch: &mut Scratch,
    ) {
        scratch.candidates.clear();
        if scratch.met.len() < self.pages.len() {
            scratch.met.resize(self.pages.len(), false);
        }
        self.order.sort(page, &mut scratch.sorted);
        let now = self.ticks(time, rule);
        let dead = deadline(self.ticks(never_before, rule) - 2.0).unwrap_or(0);
        // The deadline of a posting for which nothing of its page is left out yet.
        let latest = self.ticks(self.newest, rule) + TICKS + 2.0;
        let mut left = page.norm();
        for &sorted in &scratch.sorted {
            let (term, weight) = term_and_weight(sorted);
            let asked = now + TICKS * rule.sooner(left as f64 / page.norm() as f64) - 2.0;
            if asked > latest {
                break;
            }
            left -= square(weight);
            let Some(list) = self.lists.get_mut(&term) else { continue };
            let asked = deadline(asked).unwrap_or(0);
            let mut living = 0;
            for posting in list.iter() {
                living += usize::from(posting.deadline >= dead);
                if posting.deadline >= asked && !scratch.met[posting.page as usize] {
                    scratch.met[posting.page as usize] = true;
                    scratch.candidates.push(posting.page);
                }
            }
            scratch.work.postings += list.len() as u64;
            if list.len() >= SHORT && living < list.len() / 2 {
                self.postings -= (list.len() - living) as u64;
                list.retain(|posting| posting.deadline >= dead);
                list.shrink_to(living * 2);
            }
        }
    }

    /// Compares a page with one of the index.
    fn compare(
        &self,
        page: &Vector,
        time: i64,
        other: u32,
        rule: &Rule,
        weights: &WeightTable,
    ) -> Option<Hit> {
        let at = other as usize;
        let Page { time: other_time, norm, end } = self.pages[at];
        let begin = at.checked_sub(1).map_or(0, |before| self.pages[before].end);
        let apart = time.abs_diff(other_time);
        let norms = page.norm() as f64 * norm as f64;
        // A little less than what is needed, for what the root loses.
        let needed = rule.needed(apart) * norms.sqrt() * (1.0 - 1e-9);
        let (mut dot, mut left, mut other_left) = (0u64, page.norm(), norm);
        let terms = self.terms[begin..end].chunks(LOOK_EVERY);
        for (terms, own) in terms.zip(self.weights[begin..end].chunks(LOOK_EVERY)) {
            for (&term, &own) in terms.iter().zip(own) {
                let weight = weights.get(term);
                dot += product(weight, own);
                left -= square(weight);
                other_left -= square(own);
            }
            if (dot as f64) + (left as f64 * other_left as f64).sqrt() < needed {
                return None;
            }
        }
        let cosine = cosine(dot, page.norm(), norm);
        let decayed = rule.decayed(cosine, apart)?;
        Some(Hit { page: other, cosine, decayed, time: other_time })
    }

    /// A time in ticks.
    fn ticks(&self, time: i64, rule: &Rule) -> f64 {
        (time - self.start) as f64 / rule.horizon() as f64 * TICKS
    }
}

/// A time in ticks as a deadline, rounded up; none before the beginning.
fn deadline(ticks: f64) -> Option<u32> {
    let up = ticks.ceil() + 1.0;
    (up >= 0.0).then_some(up as u32)
}

/// The weights of one page by its terms.
#[derive(Debug, Default)]
struct WeightTable {
    /// A weight of 0 is an empty place. At most an eighth of them is taken.
    places: Vec<(TermId, u16)>,
    /// The places are 2 to the power of 64 less this.
    shift: u32,
}

impl WeightTable {
    fn set(&mut self, page: &Vector) {
        let bits = (page.terms().len().max(1) * 8).next_power_of_two().ilog2();
        self.shift = 64 - bits;
        self.places.clear();
        self.places.resize(1 << bits, (0, 0));
        for &(term, weight) in page.terms() {
            let mut at = self.first(term);
            while self.places[at].1 != 0 {
                at = (at + 1) & (self.places.len() - 1);
            }
            self.places[at] = (term, weight);
        }
    }

    fn first(&self, term: TermId) -> usize {
        (u64::from(term).wrapping_mul(GOLDEN) >> self.shift) as usize
    }

    /// The weight of a term, 0 if the page does not have it.
    #[inline]
    fn get(&self, term: TermId) -> u16 {
        let mut at = self.first(term);
        loop {
            let (taken_by, weight) = self.places[at];
            if taken_by == term || weight == 0 {
                return weight;
            }
            at = (at + 1) & (self.places.len() - 1);
        }
    }
}
