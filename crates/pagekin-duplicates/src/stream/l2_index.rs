//! An index of the pages of a time span, by the terms that decide whether pages form a pair.
//!
//! # What is indexed
//!
//! The terms of all pages are in one order. Let t be the first term that two pages share. By the
//! Cauchy–Schwarz inequality, their dot product is at most the norm of the first page from t on
//! times the norm of the second page from t on. Both norms decrease along the order. From the term
//! at which the norm of a page is below the threshold, its terms need not be indexed or looked up.
//! Rare terms come first, so the lists are short.
//!
//! # Time
//!
//! Similarity decreases with time, so each posting has a *deadline*: the time after which no page
//! can form a pair with this one if they share no earlier term. A lookup computes from the
//! remaining norm of its page by how much deadlines shorten. So a posting is skipped after one
//! comparison of two integers, which are rounded to the safe side.
//!
//! # Comparing
//!
//! A candidate shares a term that matters, but most candidates share little else. So candidates are
//! first compared by their [`Glance`], which is one cache line: terms of the page whose bits are
//! not set in the glance are not in the candidate, and if the rest of the page is below the
//! threshold, the two are not a pair. The remaining candidates are compared exactly, until the
//! remaining norms rule out a pair.
//!
//! # Bounds
//!
//! In a stream of nearly equal pages, each page would be compared with all earlier ones. So a page
//! is compared with at most [`MAX_COMPARED`] others, and at most [`MAX_EXAMINED`] postings and
//! pages are examined: those of its rarest terms first, and the latest first for each term.
//! [`Work::cut`] counts the pages that exceed these bounds.
//!
//! # Source
//!
//! De Francisci Morales and Gionis, *Streaming similarity self-join* (PVLDB 9(10), 2016): the L2
//! index and time filtering. Their index sums products along the lists. Here the first shared term
//! decides, by the deadlines of postings, and each time span has its own order of terms.

use pagekin_core::hash::GOLDEN;
use pagekin_core::vocabulary::TermId;

use crate::stream::lists::{Lists, Place, Posting};
use crate::stream::order::{TermOrder, term_and_weight};
use crate::stream::rule::Rule;
use crate::stream::vector::{Vector, cosine, product, square};

/// Resolution of deadlines, per horizon.
const TICKS: f64 = (1 << 20) as f64;
/// Number of terms after which a comparison checks whether it can stop.
const CHECK_EVERY: usize = 16;

/// Maximum number of pages that a page is compared with exactly.
const MAX_COMPARED: usize = 1_000;
/// Maximum numbers of postings and of pages that are examined for a page. With 100,000 pages in the
/// horizon, 800 and 100 are typical.
const MAX_EXAMINED: [usize; 2] = [200_000, 20_000];
/// Number of pages that are examined together, so that the processor waits for many of them at the
/// same time.
const BATCH: usize = 256;

#[derive(Debug, Clone, Copy)]
struct Page {
    norm: u64,
    /// The end of its terms, which start at the end of the previous page's.
    end: usize,
}

/// The pages of a time span.
#[derive(Debug)]
pub(super) struct L2Index {
    order: TermOrder,
    /// The time that deadlines are relative to. No page is earlier.
    start: i64,
    newest: i64,
    pages: Vec<Page>,
    /// The terms and weights of all pages, concatenated, each page's in the order of the index.
    terms: Vec<TermId>,
    weights: Vec<u16>,
    /// The glance of each page.
    glances: Vec<Glance>,
    /// Postings with deadlines in ticks.
    lists: Lists,
}

/// A page of the index that forms a pair with the page that was looked up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hit {
    /// The number of the page in the index.
    pub(super) page: u32,
    pub(super) cosine: f64,
    pub(super) decayed: f64,
    pub(super) time: i64,
}

/// A page that is looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Probe<'a> {
    pub(super) page: &'a Vector,
    pub(super) time: i64,
    pub(super) rule: &'a Rule,
}

/// The buffers and counters of lookups, reused from one to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    sorted: Vec<u64>,
    seen: Vec<bool>,
    candidates: Vec<u32>,
    /// The lists to examine, with the earliest deadline of postings that count.
    places: Vec<(Place, u32)>,
    /// The minimum square of the norm that each candidate must share with the page.
    min: Vec<f64>,
    weights: WeightTable,
    squares: Squares,
    /// The remaining numbers of postings, pages and comparisons for the current page.
    remaining: [usize; 3],
    /// The totals of all lookups.
    pub(super) work: Work,
}

/// Counts of the work of lookups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of examined postings.
    pub postings: u64,
    /// Number of pages whose glance was examined.
    pub examined: u64,
    /// Number of pages that were compared exactly.
    pub compared: u64,
    /// Number of pages that were not compared with all their candidates, because there are too
    /// many.
    pub cut: u64,
}

impl Scratch {
    /// Prepares for lookups of `page`.
    pub(super) fn set(&mut self, page: &Vector) {
        self.weights.set(page);
        self.squares.set(page);
        let [postings, pages] = MAX_EXAMINED;
        self.remaining = [postings, pages, MAX_COMPARED];
    }

    /// Returns whether the bounds for the current page are reached.
    pub(super) fn is_full(&self) -> bool {
        self.remaining.contains(&0)
    }
}

impl L2Index {
    /// Creates an empty index. No page that is added or looked up may be earlier than `start`.
    pub(super) fn new(order: TermOrder, start: i64) -> Self {
        Self {
            lists: Lists::new(order.buckets()),
            order,
            start,
            newest: start,
            pages: Vec::new(),
            terms: Vec::new(),
            weights: Vec::new(),
            glances: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.pages.len() as u32
    }

    /// Returns the latest time of its pages.
    pub(super) fn newest(&self) -> i64 {
        self.newest
    }

    /// Returns whether no more pages fit.
    pub(super) fn is_full(&self) -> bool {
        self.lists.are_full()
    }

    /// Returns the approximate number of bytes in use.
    pub(super) fn bytes(&self) -> u64 {
        let pages = self.pages.capacity() * size_of::<Page>()
            + self.glances.capacity() * size_of::<Glance>();
        let terms = self.terms.capacity() * size_of::<TermId>() + self.weights.capacity() * 2;
        self.order.bytes() + (pages + terms) as u64 + self.lists.bytes()
    }

    /// Adds a page. Pages are numbered in this order, from 0.
    pub(super) fn add(&mut self, page: &Vector, time: i64, rule: &Rule, scratch: &mut Scratch) {
        let number = self.len();
        self.order.sort(page, &mut scratch.sorted);
        let mut left = page.norm();
        let mut indexed = true;
        let mut glance = Glance { time, bits: [0; GLANCE_WORDS] };
        for &sorted in &scratch.sorted {
            let (term, weight) = term_and_weight(sorted);
            self.terms.push(term);
            self.weights.push(weight);
            glance.insert(term);
            if indexed {
                let sooner = rule.sooner(left as f64 / page.norm() as f64);
                match deadline(self.ticks(time, rule) + TICKS * (1.0 - sooner)) {
                    Some(deadline) if sooner <= 1.0 + 1.0 / TICKS => {
                        let posting = Posting { page: number, deadline };
                        self.lists.push(self.order.bucket(term), posting);
                    }
                    _ => indexed = false,
                }
                left -= square(weight);
            }
        }
        self.glances.push(glance);
        self.pages.push(Page { norm: page.norm(), end: self.terms.len() });
        self.newest = self.newest.max(time);
    }

    /// Appends the pages that form a pair with `page` to `hits`, within the bounds.
    /// [`Scratch::set`] must have been called for the page.
    pub(super) fn search(&self, probe: Probe<'_>, scratch: &mut Scratch, hits: &mut Vec<Hit>) {
        self.places(probe, scratch);
        if scratch.seen.len() < self.pages.len() {
            scratch.seen.resize(self.pages.len(), false);
        }
        let places = std::mem::take(&mut scratch.places);
        // Examine the latest postings first.
        let parts = places.iter().flat_map(|&(place, min_deadline)| {
            self.lists.at(place).rchunks(BATCH).map(move |part| (part, min_deadline))
        });
        let mut examined = 0;
        for (part, min_deadline) in parts {
            if scratch.is_full() {
                break;
            }
            for posting in part.iter().rev() {
                if posting.deadline >= min_deadline && !scratch.seen[posting.page as usize] {
                    scratch.seen[posting.page as usize] = true;
                    scratch.candidates.push(posting.page);
                }
            }
            scratch.work.postings += part.len() as u64;
            scratch.remaining[0] = scratch.remaining[0].saturating_sub(part.len());
            if scratch.candidates.len() - examined >= BATCH {
                self.examine(examined, probe, scratch, hits);
                examined = scratch.candidates.len();
            }
        }
        self.examine(examined, probe, scratch, hits);
        for candidate in scratch.candidates.drain(..) {
            scratch.seen[candidate as usize] = false;
        }
        scratch.places = places;
    }

    /// Examines the candidates starting at `from`.
    fn examine(&self, from: usize, probe: Probe<'_>, scratch: &mut Scratch, hits: &mut Vec<Hit>) {
        let Probe { page, time, rule } = probe;
        let candidates = &scratch.candidates[from..];
        scratch.min.clear();
        scratch.min.extend(candidates.iter().map(|&candidate| {
            let needed = rule.needed(time.abs_diff(self.glances[candidate as usize].time));
            // Slightly less, to allow for rounding.
            needed * needed * page.norm() as f64 * (1.0 - 1e-9)
        }));
        let [_, pages, compared] = &mut scratch.remaining;
        for (&candidate, &min) in candidates.iter().zip(&scratch.min) {
            let glance = &self.glances[candidate as usize];
            if *compared > 0 && scratch.squares.can_reach(glance, page.norm(), min) {
                *compared -= 1;
                scratch.work.compared += 1;
                hits.extend(self.compare(probe, candidate, &scratch.weights));
            }
        }
        *pages = pages.saturating_sub(candidates.len());
        scratch.work.examined += candidates.len() as u64;
    }

    /// Collects the lists of the terms that decide whether pages form a pair with this one, with
    /// the earliest deadline of postings that count.
    fn places(&self, Probe { page, time, rule }: Probe<'_>, scratch: &mut Scratch) {
        self.order.sort(page, &mut scratch.sorted);
        let now = self.ticks(time, rule);
        // The latest deadline in the index: that of a posting for the first term of the newest
        // page.
        let latest = self.ticks(self.newest, rule) + TICKS + 2.0;
        let mut left = page.norm();
        scratch.places.clear();
        for &sorted in &scratch.sorted {
            let (term, weight) = term_and_weight(sorted);
            let min_deadline = now + TICKS * rule.sooner(left as f64 / page.norm() as f64) - 2.0;
            if min_deadline > latest {
                break;
            }
            left -= square(weight);
            let place = self.lists.place(self.order.bucket(term));
            scratch.places.push((place, deadline(min_deadline).unwrap_or(0)));
        }
        let first = |&(place, _): &(Place, u32)| u64::from(self.lists.first(place).page);
        // Read the start of each list now, so that the processor fetches all of them at the same
        // time instead of one after the other in `search`. `black_box` keeps the compiler from
        // removing these reads, whose sum is not used.
        std::hint::black_box(scratch.places.iter().map(first).sum::<u64>());
    }

    /// Compares a page with one of the index exactly.
    fn compare(&self, probe: Probe<'_>, other: u32, weights: &WeightTable) -> Option<Hit> {
        let Probe { page, time, rule } = probe;
        let at = other as usize;
        let (Page { norm, end }, other_time) = (self.pages[at], self.glances[at].time);
        let begin = at.checked_sub(1).map_or(0, |before| self.pages[before].end);
        let apart = time.abs_diff(other_time);
        let norms = page.norm() as f64 * norm as f64;
        // Slightly less, to allow for the rounding of the square root.
        let needed = rule.needed(apart) * norms.sqrt() * (1.0 - 1e-9);
        let (mut dot, mut left, mut other_left) = (0u64, page.norm(), norm);
        let terms = self.terms[begin..end].chunks(CHECK_EVERY);
        for (terms, own) in terms.zip(self.weights[begin..end].chunks(CHECK_EVERY)) {
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

    /// Converts a time to ticks.
    fn ticks(&self, time: i64, rule: &Rule) -> f64 {
        (time - self.start) as f64 / rule.horizon() as f64 * TICKS
    }
}

/// Rounds a time in ticks up to a deadline; `None` before the start of the index.
fn deadline(ticks: f64) -> Option<u32> {
    let up = ticks.ceil() + 1.0;
    (up >= 0.0).then_some(up as u32)
}

/// Number of words of bits in a glance.
const GLANCE_WORDS: usize = 7;

/// A summary of a page in one cache line, which rules out most pairs: its time, and one bit per
/// term, chosen by a hash.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Glance {
    time: i64,
    bits: [u64; GLANCE_WORDS],
}

impl Glance {
    fn insert(&mut self, term: TermId) {
        let bit = Self::bit(term);
        self.bits[usize::from(bit / 64)] |= 1 << (bit % 64);
    }

    /// Returns a bit as 0 or 1.
    fn has(&self, bit: u16) -> usize {
        (self.bits[usize::from(bit / 64)] >> (bit % 64)) as usize & 1
    }

    fn bit(term: TermId) -> u16 {
        let hash = u64::from(term).wrapping_mul(GOLDEN) >> 32;
        ((hash * (GLANCE_WORDS as u64 * 64)) >> 32) as u16
    }
}

/// The squared weights of a page, with the bits of their terms.
#[derive(Debug, Default)]
struct Squares(Vec<Square>);

#[derive(Debug)]
struct Square {
    bit: u16,
    /// What is subtracted from the norm if the bit is 0, and if it is 1. Indexing avoids a branch,
    /// which the processor could not predict.
    lost: [u64; 2],
}

impl Squares {
    fn set(&mut self, page: &Vector) {
        self.0.clear();
        let square = |&(term, weight): &(TermId, u16)| Square {
            bit: Glance::bit(term),
            lost: [square(weight), 0],
        };
        self.0.extend(page.terms().iter().map(square));
    }

    /// Returns whether the terms whose bits are set in `other` contribute at least `min` to the
    /// squared norm `norm`. By the Cauchy–Schwarz inequality, no other terms can contribute to the
    /// dot product.
    fn can_reach(&self, other: &Glance, norm: u64, min: f64) -> bool {
        let mut left = norm;
        self.0.chunks(CHECK_EVERY).all(|terms| {
            left -= terms.iter().map(|term| term.lost[other.has(term.bit)]).sum::<u64>();
            left as f64 >= min
        })
    }
}

/// A hash table of the weights of a page by term.
#[derive(Debug, Default)]
struct WeightTable {
    /// Slots. A weight of 0 marks a free slot. At most one eighth is occupied.
    places: Vec<(TermId, u16)>,
    /// 64 minus the binary logarithm of the number of slots.
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

    /// Returns the weight of a term, or 0 if the page does not contain it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::hash::SplitMix64;
    use proptest::prelude::*;

    use crate::stream::order::Frequencies;

    fn vector(terms: impl IntoIterator<Item = (TermId, u16)>) -> Vector {
        Vector::from_weights(terms.into_iter().collect())
    }

    #[test]
    fn deadlines_are_rounded_up() {
        assert_eq!(
            [-2.0, -1.0, 0.0, 0.5, 7.0].map(deadline),
            [None, Some(0), Some(1), Some(2), Some(8)]
        );
    }

    #[test]
    fn memory_is_proportional_to_pages_and_terms() {
        let rule = Rule::new(1_000, 0.5, 0).unwrap();
        let mut index = L2Index::new(Frequencies::default().order(), 0);
        // The classes and places of 1,024 buckets.
        assert_eq!(index.bytes(), 1_024 + 8 * 1_024);
        for at in 0..1_000 {
            let page = vector([(at, 256), (at + 5_000, 256)]);
            index.add(&page, i64::from(at), &rule, &mut Scratch::default());
        }
        // Per page: a glance of 64 bytes, two numbers, and two terms, each with a weight and a
        // posting. Vectors may have up to twice this capacity.
        let min = 1_000 * (64 + 16 + 2 * (4 + 2 + 8)) as u64;
        assert!((min..3 * min).contains(&(index.bytes() - 9 * 1_024)), "{}", index.bytes());
        assert_eq!((index.len(), index.newest(), index.is_full()), (1_000, 999, false));
    }

    #[test]
    fn glances_rule_out_terms_without_a_bit() {
        let mut glance = Glance { time: 0, bits: [0; GLANCE_WORDS] };
        let terms = [3, 70_000, 4_000_000_000];
        terms.into_iter().for_each(|term| glance.insert(term));
        let bits = terms.map(Glance::bit);
        let of_all: usize = (0..GLANCE_WORDS as u16 * 64).map(|bit| glance.has(bit)).sum();
        assert_eq!((bits.map(|bit| glance.has(bit)), of_all), ([1; 3], 3));
        // Bits are distributed over all words.
        let mut counts = [0; GLANCE_WORDS];
        (0..7_000).for_each(|term| counts[usize::from(Glance::bit(term) / 64)] += 1);
        assert!(counts.iter().all(|n| (700..1_300).contains(n)), "{counts:?}");
        // Of the squares 9, 16 and 144, those of terms with a bit count.
        let page = vector([(3, 3), (4, 4), (70_000, 12)]);
        assert_eq!(glance.has(Glance::bit(4)), 0);
        let mut squares = Squares::default();
        squares.set(&page);
        let can_reach = |min| squares.can_reach(&glance, page.norm(), min);
        assert!(can_reach(0.0) && can_reach(153.0) && !can_reach(153.1));
    }

    proptest! {
        #[test]
        fn weights_are_found_by_their_terms(
            weights in prop::collection::btree_map(any::<u32>(), 1u16.., 0..300),
            others in prop::collection::vec(any::<u32>(), 0..50),
        ) {
            let mut table = WeightTable::default();
            // The terms of an earlier page are removed.
            table.set(&vector([(1, 7), (2, 8)]));
            table.set(&vector(weights.clone()));
            let places = table.places.len();
            prop_assert!(places.is_power_of_two() && places >= 8 * weights.len());
            prop_assert!(places <= 16 * weights.len().max(1));
            for term in weights.keys().copied().chain(others).chain([0, 1, 2]) {
                prop_assert_eq!(table.get(term), weights.get(&term).copied().unwrap_or(0));
            }
        }
    }

    /// 400 pages of up to thirty terms each, a few of which are common.
    fn filled(rule: &Rule) -> (L2Index, Vec<Vector>) {
        let mut stream = SplitMix64::new(5);
        let mut frequencies = Frequencies::default();
        let pages: Vec<_> = (0..400)
            .map(|_| {
                let term = |stream: &mut SplitMix64| {
                    libm::exp2(f64::from(stream.below(12_000)) / 1_000.0) as u32
                };
                let terms: std::collections::BTreeMap<u32, u16> =
                    (0..30).map(|_| (term(&mut stream), 256)).collect();
                let page = vector(terms);
                frequencies.add(&page);
                page
            })
            .collect();
        let mut index = L2Index::new(frequencies.order(), 0);
        for (page, time) in pages.iter().zip(0..) {
            index.add(page, time, rule, &mut Scratch::default());
        }
        (index, pages)
    }

    #[test]
    fn a_lookup_examines_few_postings_and_compares_fewer_pages() {
        let rule = Rule::new(1_000, 0.7, 0).unwrap();
        let (index, pages) = filled(&rule);
        let mut scratch = Scratch::default();
        let mut hits = Vec::new();
        for page in &pages {
            scratch.set(page);
            index.search(Probe { page, time: 400, rule: &rule }, &mut scratch, &mut hits);
        }
        // Each page finds itself.
        assert_eq!(hits.len(), 400);
        assert!(hits.iter().zip(0..).all(|(hit, at)| hit.page == at && hit.time == i64::from(at)));
        // Postings, examined pages and comparisons increase if a bound is less tight.
        let Work { postings, examined, compared, cut } = scratch.work;
        expect_test::expect!["28168 5601 400 0"]
            .assert_eq(&format!("{postings} {examined} {compared} {cut}"));
    }
}
