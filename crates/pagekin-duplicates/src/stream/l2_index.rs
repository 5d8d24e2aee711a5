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
//! # Comparing
//!
//! What is found shares a term that matters. Most of it shares little else, so it is first compared
//! at a [`Glance`], in one line of the cache: the terms of the one page whose bits the other does
//! not have are not in that, and if what is left is below the threshold the two are no pair. The
//! rest is compared exactly, until the norms of what is left of both say that it cannot be a pair.
//!
//! # Bounds
//!
//! Of pages that are all nearly equal each would be compared with all before it. So at most
//! [`MAX_COMPARED`] are compared with one, and [`MAX_EXAMINED`] looked at: those that share its
//! rarest terms first, of these the latest. [`Work::cut`] counts pages for which that is not all.
//!
//! # Source
//!
//! De Francisci Morales and Gionis, *Streaming similarity self-join* (PVLDB 9(10), 2016): the L2
//! index and time filtering. Theirs sums up products along the lists; here the first shared term
//! decides, by deadlines of postings, and the order of terms belongs to a span of time.

use pagekin_core::hash::GOLDEN;
use pagekin_core::vocabulary::TermId;

use crate::stream::lists::{Lists, Place, Posting};
use crate::stream::order::{TermOrder, term_and_weight};
use crate::stream::rule::Rule;
use crate::stream::vector::{Vector, cosine, product, square};

/// Deadlines are in so many parts of the horizon.
const TICKS: f64 = (1 << 20) as f64;
/// How often a comparison looks whether it is worth going on, in terms.
const LOOK_EVERY: usize = 16;

/// The most pages that one is compared with exactly.
const MAX_COMPARED: usize = 1_000;
/// The most postings and pages that one is looked at beside. With 100,000 pages in the horizon, 800
/// and 100 are usual.
const MAX_EXAMINED: [usize; 2] = [200_000, 20_000];
/// Pages that are glanced at together, so that a processor waits for many at once.
const AT_ONCE: usize = 256;

/// A page of the index.
#[derive(Debug, Clone, Copy)]
struct Page {
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
    /// What pages are looked at by first.
    glances: Vec<Glance>,
    /// Deadlines are in ticks.
    lists: Lists,
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
    /// The lists that are looked at, and from which deadline on postings count.
    places: Vec<(Place, u32)>,
    /// For each candidate, how much of the page must be on it.
    least: Vec<f64>,
    weights: WeightTable,
    squares: Squares,
    /// How many postings, pages and comparisons there is room for.
    room: [usize; 3],
    /// Of all lookups.
    pub(super) work: Work,
}

/// What lookups looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Postings.
    pub postings: u64,
    /// Pages that were glanced at.
    pub looked_at: u64,
    /// Pages that were compared exactly.
    pub compared: u64,
    /// Pages that were not looked at beside all that they might be like, as these are too many.
    pub cut: u64,
}

impl Scratch {
    /// Whose pages are looked up next.
    pub(super) fn set(&mut self, page: &Vector) {
        self.weights.set(page);
        self.squares.set(page);
        let [postings, pages] = MAX_EXAMINED;
        self.room = [postings, pages, MAX_COMPARED];
    }

    /// Whether no more may be looked at for the page.
    pub(super) fn is_full(&self) -> bool {
        self.room.contains(&0)
    }
}

impl L2Index {
    /// An empty one. No page that it is given is before `start`, and none is looked up that is.
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

    /// The latest time of its pages.
    pub(super) fn newest(&self) -> i64 {
        self.newest
    }

    /// Whether it can take no more pages.
    pub(super) fn is_full(&self) -> bool {
        self.lists.are_full()
    }

    /// About the bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        let pages = self.pages.capacity() * size_of::<Page>()
            + self.glances.capacity() * size_of::<Glance>();
        let terms = self.terms.capacity() * size_of::<TermId>() + self.weights.capacity() * 2;
        self.order.bytes() + (pages + terms) as u64 + self.lists.bytes()
    }

    /// Adds a page, whose number is the number of those before it.
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

    /// The pages that make a pair with one, of which `scratch` knows the weights, are put to
    /// `hits`: as many as there is room for.
    pub(super) fn search(
        &self,
        page: &Vector,
        time: i64,
        rule: &Rule,
        scratch: &mut Scratch,
        hits: &mut Vec<Hit>,
    ) {
        self.places(page, time, rule, scratch);
        if scratch.met.len() < self.pages.len() {
            scratch.met.resize(self.pages.len(), false);
        }
        let places = std::mem::take(&mut scratch.places);
        // The latest first.
        let parts = places.iter().flat_map(|&(place, asked)| {
            self.lists.at(place).rchunks(AT_ONCE).map(move |part| (part, asked))
        });
        let mut looked_at = 0;
        for (part, asked) in parts {
            if scratch.is_full() {
                break;
            }
            for posting in part.iter().rev() {
                if posting.deadline >= asked && !scratch.met[posting.page as usize] {
                    scratch.met[posting.page as usize] = true;
                    scratch.candidates.push(posting.page);
                }
            }
            scratch.work.postings += part.len() as u64;
            scratch.room[0] = scratch.room[0].saturating_sub(part.len());
            if scratch.candidates.len() - looked_at >= AT_ONCE {
                self.look_at(looked_at, page, time, rule, scratch, hits);
                looked_at = scratch.candidates.len();
            }
        }
        self.look_at(looked_at, page, time, rule, scratch, hits);
        for candidate in scratch.candidates.drain(..) {
            scratch.met[candidate as usize] = false;
        }
        scratch.places = places;
    }

    /// Looks at the candidates from one on.
    fn look_at(
        &self,
        from: usize,
        page: &Vector,
        time: i64,
        rule: &Rule,
        scratch: &mut Scratch,
        hits: &mut Vec<Hit>,
    ) {
        let candidates = &scratch.candidates[from..];
        scratch.least.clear();
        scratch.least.extend(candidates.iter().map(|&candidate| {
            let needed = rule.needed(time.abs_diff(self.glances[candidate as usize].time));
            // A little less, for what rounding adds.
            needed * needed * page.norm() as f64 * (1.0 - 1e-9)
        }));
        let [_, pages, compared] = &mut scratch.room;
        for (&candidate, &least) in candidates.iter().zip(&scratch.least) {
            let glance = &self.glances[candidate as usize];
            if *compared > 0 && scratch.squares.on(glance, page.norm(), least) {
                *compared -= 1;
                scratch.work.compared += 1;
                hits.extend(self.compare(page, time, candidate, rule, &scratch.weights));
            }
        }
        *pages = pages.saturating_sub(candidates.len());
        scratch.work.looked_at += candidates.len() as u64;
    }

    /// The lists of the terms that pages may share with one, early enough in the order, and from
    /// which deadline on their postings count.
    fn places(&self, page: &Vector, time: i64, rule: &Rule, scratch: &mut Scratch) {
        self.order.sort(page, &mut scratch.sorted);
        let now = self.ticks(time, rule);
        // The deadline of a posting for which nothing of its page is left out yet.
        let latest = self.ticks(self.newest, rule) + TICKS + 2.0;
        let mut left = page.norm();
        scratch.places.clear();
        for &sorted in &scratch.sorted {
            let (term, weight) = term_and_weight(sorted);
            let asked = now + TICKS * rule.sooner(left as f64 / page.norm() as f64) - 2.0;
            if asked > latest {
                break;
            }
            left -= square(weight);
            let place = self.lists.place(self.order.bucket(term));
            scratch.places.push((place, deadline(asked).unwrap_or(0)));
        }
        let first = |&(place, _): &(Place, u32)| u64::from(self.lists.first(place).page);
        std::hint::black_box(scratch.places.iter().map(first).sum::<u64>());
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
        let (Page { norm, end }, other_time) = (self.pages[at], self.glances[at].time);
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

/// Words of bits of a glance.
const GLANCE_WORDS: usize = 7;

/// What says of most pages that they make no pair, in one line of the cache: when a page came, and
/// a bit for each of its terms, by a hash.
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

    /// Whether it has a bit, as 0 or 1.
    fn has(&self, bit: u16) -> usize {
        (self.bits[usize::from(bit / 64)] >> (bit % 64)) as usize & 1
    }

    fn bit(term: TermId) -> u16 {
        let hash = u64::from(term).wrapping_mul(GOLDEN) >> 32;
        ((hash * (GLANCE_WORDS as u64 * 64)) >> 32) as u16
    }
}

/// The squares of the weights of one page, by the bits of its terms.
#[derive(Debug, Default)]
struct Squares(Vec<Square>);

#[derive(Debug)]
struct Square {
    bit: u16,
    /// What is lost if another page does not have the bit, and if it has it: a place in memory, not
    /// a branch that no processor can foresee.
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

    /// Whether the terms that have a bit of another page are at least `least` of the `norm`: by
    /// Cauchy and Schwarz, no more of it can count.
    fn on(&self, other: &Glance, norm: u64, least: f64) -> bool {
        let mut left = norm;
        self.0.chunks(LOOK_EVERY).all(|terms| {
            left -= terms.iter().map(|term| term.lost[other.has(term.bit)]).sum::<u64>();
            left as f64 >= least
        })
    }
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
    fn memory_is_that_of_pages_and_their_terms() {
        let rule = Rule::new(1_000, 0.5, 0).unwrap();
        let mut index = L2Index::new(Frequencies::default().order(), 0);
        // Classes and places of 1,024 buckets.
        assert_eq!(index.bytes(), 1_024 + 8 * 1_024);
        for at in 0..1_000 {
            let page = vector([(at, 256), (at + 5_000, 256)]);
            index.add(&page, i64::from(at), &rule, &mut Scratch::default());
        }
        // A page has a glance of 64 bytes, two numbers and two terms, each with a weight and a
        // posting; what grows has room for as much again.
        let least = 1_000 * (64 + 16 + 2 * (4 + 2 + 8)) as u64;
        assert!((least..3 * least).contains(&(index.bytes() - 9 * 1_024)), "{}", index.bytes());
        assert_eq!((index.len(), index.newest(), index.is_full()), (1_000, 999, false));
    }

    #[test]
    fn glances_keep_what_can_matter_of_a_page() {
        let mut glance = Glance { time: 0, bits: [0; GLANCE_WORDS] };
        let terms = [3, 70_000, 4_000_000_000];
        terms.into_iter().for_each(|term| glance.insert(term));
        let bits = terms.map(Glance::bit);
        let of_all: usize = (0..GLANCE_WORDS as u16 * 64).map(|bit| glance.has(bit)).sum();
        assert_eq!((bits.map(|bit| glance.has(bit)), of_all), ([1; 3], 3));
        // Bits are spread over all words.
        let mut counts = [0; GLANCE_WORDS];
        (0..7_000).for_each(|term| counts[usize::from(Glance::bit(term) / 64)] += 1);
        assert!(counts.iter().all(|n| (700..1_300).contains(n)), "{counts:?}");
        // Of squares 9, 16 and 144, those of terms whose bits are there.
        let page = vector([(3, 3), (4, 4), (70_000, 12)]);
        assert_eq!(glance.has(Glance::bit(4)), 0);
        let mut squares = Squares::default();
        squares.set(&page);
        let on = |least| squares.on(&glance, page.norm(), least);
        assert!(on(0.0) && on(153.0) && !on(153.1));
    }

    proptest! {
        #[test]
        fn weights_are_found_by_their_terms(
            weights in prop::collection::btree_map(any::<u32>(), 1u16.., 0..300),
            others in prop::collection::vec(any::<u32>(), 0..50),
        ) {
            let mut table = WeightTable::default();
            // What an earlier page had is gone.
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

    /// So many pages of thirty terms each, of which few are common.
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
    fn a_lookup_looks_at_few_postings_and_compares_fewer_pages() {
        let rule = Rule::new(1_000, 0.7, 0).unwrap();
        let (index, pages) = filled(&rule);
        let mut scratch = Scratch::default();
        let mut hits = Vec::new();
        for page in &pages {
            scratch.set(page);
            index.search(page, 400, &rule, &mut scratch, &mut hits);
        }
        // Each finds itself.
        assert_eq!(hits.len(), 400);
        assert!(hits.iter().zip(0..).all(|(hit, at)| hit.page == at && hit.time == i64::from(at)));
        // Postings, pages looked at, and compared: more, if a bound is less sharp.
        let Work { postings, looked_at, compared, cut } = scratch.work;
        expect_test::expect!["28168 5601 400 0"]
            .assert_eq(&format!("{postings} {looked_at} {compared} {cut}"));
    }
}
