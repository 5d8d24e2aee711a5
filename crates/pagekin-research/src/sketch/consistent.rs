//! Consistent weighted sampling: a term and a level below its weight.
//!
//! # ICWS
//!
//! For a register and a term of weight `S` there are `r` and `c`, drawn from Gamma(2, 1), and `b`
//! between 0 and 1 (Ioffe 2010):
//!
//! ```text
//! t = floor(ln S / r + b)      y = exp(r (t - b))      a = c / (y exp(r))
//! ```
//!
//! `y` is the highest of the term's levels that is not above `S`, and the term with the least `a`
//! is sampled, with its level `t`. Two bags have the same sample with the probability of their
//! generalised Jaccard, exactly.
//!
//! # I2CWS
//!
//! In ICWS `y` and the `z = y exp(r)` that decides who wins come from the same `r` and `b`. Wu et
//! al. (2019) draw the two parts independently: `z` of a second `r` and `b` decides, and the
//! winner's level is that of the first.
//!
//! That has a price, which is measured by `cargo xtask bench sketches`. For bags of which shared
//! terms weigh the same, bags agree with the probability of their generalised Jaccard. Where
//! weights differ, they agree less: that `y` is the same in both no longer makes `z` the same, so
//! the term may win in one bag alone. For weights `(1, 1/2)` and `(1/2, 1)` it is 0.335 instead of
//! 0.5.
//!
//! # Fewer logarithms
//!
//! `exp(-r)` is the product `u` of the two uniforms that `r` is made of, and so is `v` for `c`. As
//! `y <= S` and `-ln v >= 1 - v`, `a` is at least `(1 - v) u / S`: a term of which that is above
//! the least `a` so far loses without a logarithm. With the heaviest first most do. What is sampled
//! is the same as by the definition, [`Consistent::by_definition`].

use pagekin_core::hash::mix;
use pagekin_core::vocabulary::TermId;

use crate::sketch::Sampled;
use crate::sketch::uniforms::{keys, of_term, product, unit};
use crate::sketch::weights::WeightedBag;

/// Where a level comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draws {
    /// From the same draws as what decides: ICWS.
    One,
    /// From its own: I2CWS.
    Two,
}

/// For what a register draws: the indices of its keys.
const WIDTH: usize = 0;
const RATE: usize = 1;
const SHIFT: usize = 2;
const LEVEL_WIDTH: usize = 3;
const LEVEL_SHIFT: usize = 4;

/// By how much a bound must be above what it is compared with, for all that rounding may do.
const SURE: f64 = 1.0 + 1e-9;

/// Sketches by consistent weighted sampling.
#[derive(Debug, Clone)]
pub struct Consistent {
    parts: Draws,
    keys: Vec<[u64; 5]>,
}

/// A term of a bag, ready for draws.
#[derive(Clone, Copy)]
struct Entry {
    term: TermId,
    number: u64,
    weight: f64,
    log: f64,
}

impl Consistent {
    /// Of some registers.
    #[must_use]
    pub fn new(parts: Draws, registers: u16, seed: u64) -> Self {
        Self { parts, keys: keys(registers, seed) }
    }

    pub(super) fn registers(&self) -> usize {
        self.keys.len()
    }

    /// The sample of each register; none if the bag is empty.
    #[must_use]
    pub fn samples(&self, bag: &WeightedBag) -> Vec<Sampled> {
        let mut entries: Vec<Entry> = bag
            .entries()
            .iter()
            .map(|&(term, weight)| Entry {
                term,
                number: of_term(term),
                weight,
                log: libm::log(weight),
            })
            .collect();
        // Terms are in order, and a stable sort keeps that of equal weights.
        entries.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        self.keys.iter().filter_map(|keys| self.sample(keys, &entries)).collect()
    }

    fn sample(&self, keys: &[u64; 5], entries: &[Entry]) -> Option<Sampled> {
        // The logarithm of the least `a`, who has it at which level, and `a` itself.
        let mut least: Option<(f64, &Entry, i64)> = None;
        let mut bound = f64::INFINITY;
        for entry in entries {
            let u = product(mix(entry.number ^ keys[WIDTH]));
            let v = product(mix(entry.number ^ keys[RATE]));
            if (1.0 - v) * u > bound * entry.weight {
                continue;
            }
            let r = -libm::log(u);
            let b = unit(mix(entry.number ^ keys[SHIFT]));
            let t = level(entry.log, r, b);
            let a = libm::log(-libm::log(v)) - r * (t - b + 1.0);
            if least.is_none_or(|(least, of, _)| (a, entry.term) < (least, of.term)) {
                least = Some((a, entry, t as i64));
                bound = libm::exp(a).max(f64::MIN_POSITIVE) * SURE;
            }
        }
        let (_, entry, level_of_z) = least?;
        let level = match self.parts {
            Draws::One => level_of_z,
            Draws::Two => {
                let r = -libm::log(product(mix(entry.number ^ keys[LEVEL_WIDTH])));
                let b = unit(mix(entry.number ^ keys[LEVEL_SHIFT]));
                level(entry.log, r, b) as i64
            }
        };
        Some(Sampled { term: entry.term, level })
    }

    /// The same, as the papers write it.
    #[must_use]
    pub fn by_definition(&self, bag: &WeightedBag) -> Vec<Sampled> {
        let of_register = |keys: &[u64; 5]| {
            let gamma = |term, key: usize| -libm::log(product(mix(of_term(term) ^ keys[key])));
            let uniform = |term, key: usize| unit(mix(of_term(term) ^ keys[key]));
            let mut least: Option<(f64, Sampled)> = None;
            for &(term, weight) in bag.entries() {
                let (r, b, c) = (gamma(term, WIDTH), uniform(term, SHIFT), gamma(term, RATE));
                let t = (libm::log(weight) / r + b).floor();
                let y = libm::exp(r * (t - b));
                let a = c / (y * libm::exp(r));
                let level = match self.parts {
                    Draws::One => t,
                    Draws::Two => {
                        let (r, b) = (gamma(term, LEVEL_WIDTH), uniform(term, LEVEL_SHIFT));
                        (libm::log(weight) / r + b).floor()
                    }
                };
                if least.is_none_or(|(least, _)| a < least) {
                    least = Some((a, Sampled { term, level: level as i64 }));
                }
            }
            least.map(|(_, sample)| sample)
        };
        self.keys.iter().filter_map(of_register).collect()
    }

    #[cfg(test)]
    /// The level of a sample as a weight: `y`, at most the weight that it was sampled at.
    #[must_use]
    pub fn level_weight(&self, sample: Sampled, register: usize) -> f64 {
        let keys = &self.keys[register];
        let (width, shift) = match self.parts {
            Draws::One => (WIDTH, SHIFT),
            Draws::Two => (LEVEL_WIDTH, LEVEL_SHIFT),
        };
        let number = of_term(sample.term);
        let r = -libm::log(product(mix(number ^ keys[width])));
        libm::exp(r * (sample.level as f64 - unit(mix(number ^ keys[shift]))))
    }
}

#[inline]
fn level(log_of_weight: f64, r: f64, b: f64) -> f64 {
    (log_of_weight / r + b).floor()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::measures::generalised_jaccard;
    use crate::sketch::measures::tests::{any_bag, weighted};
    use proptest::prelude::*;

    const BOTH: [Draws; 2] = [Draws::One, Draws::Two];

    /// The part of many registers in which two bags agree, and its standard error at `p`.
    fn agreement(parts: Draws, a: &WeightedBag, b: &WeightedBag) -> f64 {
        let seeds = 40;
        let registers = 1_024;
        let equal: usize = (0..seeds)
            .map(|seed| {
                let sketch = Consistent::new(parts, registers, seed);
                let (a, b) = (sketch.samples(a), sketch.samples(b));
                a.iter().zip(&b).filter(|(a, b)| a == b).count()
            })
            .sum();
        equal as f64 / (seeds * u64::from(registers)) as f64
    }

    /// Five standard errors of that.
    fn allowed(p: f64) -> f64 {
        5.0 * (p * (1.0 - p) / 40_960.0).sqrt() + 1e-9
    }

    fn pairs() -> [(WeightedBag, WeightedBag); 4] {
        [
            (weighted(&[(1, 1.0), (2, 0.5)]), weighted(&[(1, 0.5), (2, 1.0)])),
            (weighted(&[(1, 1.0), (2, 0.1)]), weighted(&[(1, 0.1), (2, 1.0)])),
            (
                weighted(&[(1, 4.0), (2, 2.0), (3, 0.03)]),
                weighted(&[(1, 4.0), (2, 1.5), (4, 700.0)]),
            ),
            (
                weighted(&(0..30).map(|id| (id, 1.0 + f64::from(id))).collect::<Vec<_>>()),
                weighted(&(10..40).map(|id| (id, 50.0 - f64::from(id))).collect::<Vec<_>>()),
            ),
        ]
    }

    #[test]
    fn icws_is_unbiased() {
        for (a, b) in pairs() {
            let (exact, found) = (generalised_jaccard(&a, &b), agreement(Draws::One, &a, &b));
            assert!((found - exact).abs() < allowed(exact), "{found} for {exact}");
        }
    }

    /// What is told of I2CWS above: right where the weights of shared terms are equal, too low
    /// where they differ, as by a simulation with other generators.
    #[test]
    fn i2cws_is_unbiased_only_where_shared_terms_weigh_the_same() {
        let a = weighted(&[(1, 4.0), (2, 2.0), (3, 0.5), (5, 1.0)]);
        let b = weighted(&[(1, 4.0), (2, 2.0), (4, 6.0), (5, 1.0)]);
        let (exact, found) = (generalised_jaccard(&a, &b), agreement(Draws::Two, &a, &b));
        assert!((found - exact).abs() < allowed(exact), "{found} for {exact}");
        let [(a, b), (c, d), ..] = pairs();
        for (found, simulated) in
            [(agreement(Draws::Two, &a, &b), 0.335), (agreement(Draws::Two, &c, &d), 0.0178)]
        {
            // The simulation has an error too, of 60,000 draws.
            assert!((found - simulated).abs() < 2.0 * allowed(simulated), "{found}");
        }
    }

    #[test]
    fn a_term_is_sampled_as_often_as_it_weighs() {
        let bag = weighted(&[(1, 1.0), (2, 0.25), (9, 3.75)]);
        for parts in BOTH {
            let samples: Vec<Sampled> = (0..40)
                .flat_map(|seed| Consistent::new(parts, 1_024, seed).samples(&bag))
                .collect();
            for (term, p) in [(1, 0.2), (2, 0.05), (9, 0.75)] {
                let found = samples.iter().filter(|sample| sample.term == term).count() as f64
                    / samples.len() as f64;
                assert!((found - p).abs() < allowed(p), "{parts:?} {term}: {found} for {p}");
            }
        }
    }

    #[test]
    fn an_empty_bag_has_no_samples() {
        let sketch = Consistent::new(Draws::One, 4, 1);
        assert!(sketch.samples(&WeightedBag::default()).is_empty());
        assert!(sketch.by_definition(&WeightedBag::default()).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(2010), ..ProptestConfig::default() })]

        #[test]
        fn samples_are_those_of_the_definition(bag in any_bag(), scale in -200i32..200, seed: u64) {
            let scale = libm::pow(10.0, f64::from(scale));
            let entries: Vec<_> = bag.entries().iter().map(|&(id, w)| (id, w * scale)).collect();
            let bag = weighted(&entries);
            for parts in BOTH {
                let sketch = Consistent::new(parts, 64, seed);
                prop_assert_eq!(sketch.samples(&bag), sketch.by_definition(&bag), "{:?}", parts);
            }
        }

        /// Consistency, which makes ICWS unbiased: whatever is lighter in all terms has the same
        /// sample, if the level is not above its weight.
        #[test]
        fn a_lighter_bag_has_the_sample_if_it_reaches_the_level(
            bag in any_bag(),
            parts in proptest::collection::vec(0.0f64..1.0, 12),
            seed: u64,
        ) {
            let heavier = bag.entries();
            let lighter: Vec<_> = heavier
                .iter()
                .zip(parts)
                .filter(|(_, part)| *part > 0.3)
                .map(|(&(term, weight), part)| (term, weight * part))
                .collect();
            let lighter = weighted(&lighter);
            let sketch = Consistent::new(Draws::One, 256, seed);
            let of_lighter = sketch.samples(&lighter);
            for (register, sample) in sketch.samples(&bag).into_iter().enumerate() {
                let level = sketch.level_weight(sample, register);
                let weight = |bag: &WeightedBag| {
                    bag.entries().iter().find(|entry| entry.0 == sample.term).map_or(0.0, |e| e.1)
                };
                prop_assert!(level <= weight(&bag) * SURE, "a level is not above the weight");
                if level * SURE < weight(&lighter) {
                    prop_assert_eq!(of_lighter[register], sample);
                } else if level > weight(&lighter) * SURE {
                    prop_assert!(of_lighter.get(register) != Some(&sample));
                }
            }
        }
    }
}
