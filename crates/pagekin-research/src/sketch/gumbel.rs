//! The Gumbel-max sketch: in each register all terms of a bag race, and the first to arrive wins.
//!
//! # What it is
//!
//! A term of weight `v` arrives at a register after a time of the exponential distribution with
//! mean `1 / v`: `-ln(u) / v`, of a `u` between 0 and 1 that is the same for the term in every bag.
//! Who arrives first is who has the largest `-ln(-ln u) + ln v`, the Gumbel-max trick. A term wins
//! with the probability of its part of the weight, and two bags have the same winner with that of
//! their [`probability_jaccard`](crate::sketch::measures::probability_jaccard).
//!
//! [`naive`] draws a time for each register and each term: `k n` of them.
//!
//! # Fast
//!
//! FastGM (Qi et al. 2020) draws the `k` times of a term in ascending order, and stops at one that
//! can no longer win. The times between them are exponential, with the mean `1 / (v (k - z))` after
//! `z` of them, and the order of the registers is a random permutation, drawn as it is needed. That
//! is the same distribution.
//!
//! FastGM finds where to stop in rounds. Here it is said before: all terms together arrive at a
//! register after a time with the mean `1 / V`, where `V` is the sum of the weights, so after
//! `(ln k + 2) / V` seven in eight times all registers have been reached. All that arrives until
//! then is looked at, about `k (ln k + 2)` arrivals, and nothing later can win. If a register was
//! not reached, all is done again until half as late again. Of a term that does not arrive in time
//! mostly not even a logarithm is taken, as `-ln u >= 1 - u`.
//!
//! So it takes `O(k ln k + n)`, and its winners and times are to the bit those of
//! [`FastGumbel::by_definition`], which draws all times.

use pagekin_core::hash::{SplitMix64, mix};
use pagekin_core::vocabulary::TermId;

use crate::sketch::uniforms::{keys, of_term, unit};
use crate::sketch::weights::WeightedBag;

/// Who won a register, and when it arrived.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Won {
    /// The term.
    pub term: TermId,
    /// The time.
    pub time: f64,
}

/// A register that none has reached.
const OPEN: Won = Won { term: TermId::MAX, time: f64::INFINITY };

/// By how much a bound must be above what it is compared with, for all that rounding may do.
const SURE: f64 = 1.0 + 1e-9;

impl Won {
    /// Takes an arrival into account. Of two at the same time the lower term wins, so that the
    /// order in which terms come does not count.
    #[inline]
    fn race(&mut self, other: Self) {
        if (other.time, other.term) < (self.time, self.term) {
            *self = other;
        }
    }
}

/// Gumbel-max sketches in `O(k ln k + n)`.
#[derive(Debug, Clone)]
pub struct FastGumbel {
    key: u64,
    registers: u16,
}

/// The arrivals of a term in ascending order of their times, of a weight of 1.
struct Arrivals<'a> {
    stream: SplitMix64,
    time: f64,
    drawn: usize,
    /// The registers in their order at the beginning, of which some changed places.
    order: &'a mut [u16],
    swapped: &'a mut Vec<usize>,
}

impl Arrivals<'_> {
    /// The time of the next, at the earliest, before any is drawn.
    #[inline]
    fn first_at_least(stream: &SplitMix64, registers: usize) -> f64 {
        (1.0 - unit(stream.clone().next_u64())) / registers as f64
    }

    /// The time of the next.
    #[inline]
    fn next_time(&mut self) -> Option<f64> {
        let left = self.order.len() - self.drawn;
        if left == 0 {
            return None;
        }
        self.time += -libm::log(unit(self.stream.next_u64())) / left as f64;
        Some(self.time)
    }

    /// The register that it arrives at: the next step of a Fisher-Yates shuffle.
    #[inline]
    fn register(&mut self) -> usize {
        let left = self.order.len() - self.drawn;
        let other = self.drawn + self.stream.below(left as u32) as usize;
        self.order.swap(self.drawn, other);
        self.swapped.push(other);
        self.drawn += 1;
        usize::from(self.order[self.drawn - 1])
    }
}

impl Drop for Arrivals<'_> {
    /// Puts the registers into the order of before: in as many steps as were taken.
    fn drop(&mut self) {
        while let Some(other) = self.swapped.pop() {
            self.drawn -= 1;
            self.order.swap(self.drawn, other);
        }
    }
}

impl FastGumbel {
    /// Of some registers.
    #[must_use]
    pub fn new(registers: u16, seed: u64) -> Self {
        Self { key: mix(seed), registers }
    }

    pub(super) fn registers(&self) -> usize {
        usize::from(self.registers)
    }

    fn stream(&self, term: TermId) -> SplitMix64 {
        SplitMix64::new(of_term(term) ^ self.key)
    }

    /// Who won each register; none if the bag is empty.
    #[must_use]
    pub fn races(&self, bag: &WeightedBag) -> Vec<Won> {
        if bag.entries().is_empty() {
            return Vec::new();
        }
        let k = self.registers();
        let (mut order, mut swapped) = ((0..self.registers).collect::<Vec<_>>(), Vec::new());
        let mut won = vec![OPEN; k];
        // The sum of weights near the largest number is infinite.
        let mut until = ((libm::log(k as f64) + 2.0) / bag.total()).max(f64::MIN_POSITIVE);
        loop {
            for &(term, weight) in bag.entries() {
                let stream = self.stream(term);
                if Arrivals::first_at_least(&stream, k) > until * weight * SURE {
                    continue;
                }
                let (order, swapped) = (&mut order[..], &mut swapped);
                let mut arrivals = Arrivals { stream, time: 0.0, drawn: 0, order, swapped };
                while let Some(unit_time) = arrivals.next_time() {
                    let time = unit_time / weight;
                    if time > until {
                        break;
                    }
                    won[arrivals.register()].race(Won { term, time });
                }
            }
            if won.iter().all(|won| won.time <= until) {
                return won;
            }
            until *= 1.5;
        }
    }

    /// The same by all arrivals of all terms.
    #[must_use]
    pub fn by_definition(&self, bag: &WeightedBag) -> Vec<Won> {
        if bag.entries().is_empty() {
            return Vec::new();
        }
        let (mut order, mut swapped) = ((0..self.registers).collect::<Vec<_>>(), Vec::new());
        let mut won = vec![OPEN; self.registers()];
        for &(term, weight) in bag.entries() {
            let (order, swapped) = (&mut order[..], &mut swapped);
            let stream = self.stream(term);
            let mut arrivals = Arrivals { stream, time: 0.0, drawn: 0, order, swapped };
            while let Some(unit_time) = arrivals.next_time() {
                won[arrivals.register()].race(Won { term, time: unit_time / weight });
            }
        }
        won
    }
}

/// The Gumbel-max sketch by its definition: a time of its own for each term in each register. The
/// values are not those of [`FastGumbel`], their distribution is.
#[must_use]
pub fn naive(registers: u16, seed: u64, bag: &WeightedBag) -> Vec<Won> {
    let of_register = |&[key]: &[u64; 1]| {
        let mut won = OPEN;
        for &(term, weight) in bag.entries() {
            let time = -libm::log(unit(mix(of_term(term) ^ key))) / weight;
            won.race(Won { term, time });
        }
        won
    };
    let keys = if bag.entries().is_empty() { Vec::new() } else { keys(registers, seed) };
    keys.iter().map(of_register).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::measures::probability_jaccard;
    use crate::sketch::measures::tests::{any_bag, weighted};
    use proptest::prelude::*;

    const REGISTERS: u16 = 1_024;
    const SEEDS: u64 = 40;

    type Races<'a> = &'a dyn Fn(u64, &WeightedBag) -> Vec<Won>;

    /// The naive way and the fast one, by a seed.
    fn ways() -> [(&'static str, Races<'static>); 2] {
        [
            ("naive", &|seed, bag| naive(REGISTERS, seed, bag)),
            ("fast", &|seed, bag| FastGumbel::new(REGISTERS, seed).races(bag)),
        ]
    }

    /// Five standard errors of a part of all registers of all seeds.
    fn allowed(p: f64) -> f64 {
        5.0 * (p * (1.0 - p) / (f64::from(REGISTERS) * SEEDS as f64)).sqrt() + 1e-9
    }

    #[test]
    fn winners_of_two_bags_agree_as_often_as_the_probability_jaccard_says() {
        for (a, b) in [
            (weighted(&[(1, 1.0), (2, 3.0)]), weighted(&[(1, 3.0), (2, 1.0)])),
            (weighted(&[(1, 4.0), (2, 2.0), (3, 0.03)]), weighted(&[(1, 4.0), (2, 1.5), (4, 7.0)])),
            (
                weighted(&(0..30).map(|id| (id, 1.0 + f64::from(id))).collect::<Vec<_>>()),
                weighted(&(10..40).map(|id| (id, 50.0 - f64::from(id))).collect::<Vec<_>>()),
            ),
        ] {
            let exact = probability_jaccard(&a, &b);
            for (name, races) in ways() {
                let mut equal = 0;
                for seed in 0..SEEDS {
                    let (a, b) = (races(seed, &a), races(seed, &b));
                    equal += a.iter().zip(&b).filter(|(a, b)| a.term == b.term).count();
                }
                let found = equal as f64 / (f64::from(REGISTERS) * SEEDS as f64);
                assert!((found - exact).abs() < allowed(exact), "{name}: {found} for {exact}");
            }
        }
    }

    /// Winners by their weights, and times that are exponential with the sum of the weights: its
    /// quartiles.
    #[test]
    fn the_fast_way_has_the_distribution_of_the_naive() {
        let bag = weighted(&[(1, 1.0), (2, 0.25), (9, 3.75)]);
        for (name, races) in ways() {
            let won: Vec<Won> = (0..SEEDS).flat_map(|seed| races(seed, &bag)).collect();
            let part = |of: &dyn Fn(&Won) -> bool| {
                won.iter().filter(|won| of(won)).count() as f64 / won.len() as f64
            };
            for (term, p) in [(1, 0.2), (2, 0.05), (9, 0.75)] {
                let found = part(&|won| won.term == term);
                assert!((found - p).abs() < allowed(p), "{name}, term {term}: {found} for {p}");
            }
            for p in [0.25, 0.5, 0.75] {
                let time = -libm::log(1.0 - p) / 5.0;
                let found = part(&|won| won.time <= time);
                assert!((found - p).abs() < allowed(p), "{name}, until {time}: {found} for {p}");
                // Who wins does not depend on when.
                let both = part(&|won| won.time <= time && won.term == 9);
                assert!((both - 0.75 * p).abs() < allowed(0.75 * p), "{name}: {both}");
            }
        }
    }

    /// Registers that follow each other are independent: whether both have the same winner.
    #[test]
    fn registers_do_not_know_each_other() {
        let bag = weighted(&[(1, 1.0), (2, 0.25), (9, 3.75)]);
        let p = 0.04 + 0.0025 + 0.5625;
        for (name, races) in ways() {
            let mut equal = 0;
            for seed in 0..SEEDS {
                let won = races(seed, &bag);
                equal += won.chunks_exact(2).filter(|two| two[0].term == two[1].term).count();
            }
            let found = equal as f64 / (f64::from(REGISTERS / 2) * SEEDS as f64);
            assert!((found - p).abs() < 1.5 * allowed(p), "{name}: {found} for {p}");
        }
    }

    #[test]
    fn an_empty_bag_has_no_winners_and_one_term_wins_all() {
        let fast = FastGumbel::new(4, 1);
        assert!(fast.races(&WeightedBag::default()).is_empty());
        assert!(fast.by_definition(&WeightedBag::default()).is_empty());
        assert!(naive(4, 1, &WeightedBag::default()).is_empty());
        let alone = weighted(&[(7, 1e-300)]);
        assert_eq!(fast.races(&alone), fast.by_definition(&alone));
        assert!(fast.races(&alone).iter().all(|won| won.term == 7));
        let heavy = weighted(&[(7, f64::MAX), (8, f64::MAX)]);
        assert_eq!(fast.races(&heavy), fast.by_definition(&heavy));
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(2020), ..ProptestConfig::default() })]

        #[test]
        fn nothing_is_lost_by_stopping(
            bag in proptest::collection::btree_map(0u32..5_000, 0.001f64..1.0, 1..300),
            skew in prop_oneof![Just(1.0), Just(6.0)],
            registers in 1u16..300,
            seed: u64,
        ) {
            let entries: Vec<_> = bag.into_iter().map(|(id, w)| (id, libm::pow(w, skew))).collect();
            let (bag, fast) = (weighted(&entries), FastGumbel::new(registers, seed));
            prop_assert_eq!(fast.races(&bag), fast.by_definition(&bag));
        }

        /// More terms or more weight: nobody arrives later, and whoever weighs as before and is
        /// overtaken by nobody still wins.
        #[test]
        fn a_heavier_bag_is_never_later(bag in any_bag(), more in any_bag(), seed: u64) {
            let mut heavier: std::collections::BTreeMap<_, f64> = bag.entries().iter().copied().collect();
            for &(term, weight) in more.entries() {
                *heavier.entry(term).or_default() += weight;
            }
            let heavier = weighted(&heavier.into_iter().collect::<Vec<_>>());
            let fast = FastGumbel::new(64, seed);
            for (before, after) in fast.races(&bag).iter().zip(fast.races(&heavier)) {
                prop_assert!(after.time <= before.time);
                let is_more = more.entries().iter().any(|&(term, _)| term == after.term);
                prop_assert!(is_more || after == *before, "{:?} {:?}", before, after);
            }
        }
    }
}
