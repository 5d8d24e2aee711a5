//! Sketches of bags whose terms have weights: a few numbers per bag whose agreement estimates how
//! similar the weights of two bags are.
//!
//! [`minhash`](pagekin_pairs::minhash) signs bags of whole copies. The sketches here take the
//! weights themselves, which need not be whole. Each of `k` *registers* samples a term of the bag,
//! such that like bags have the same sample in a register more often.
//!
//! | room | samples | bags agree in a register with probability | time for `n` terms |
//! | --- | --- | --- | --- |
//! | [`consistent`] | ICWS (Ioffe 2010): a term, and a level below its weight | the generalised Jaccard | `O(k n)` |
//! | [`consistent`] | I2CWS (Wu et al. 2019): the same, drawn in two independent parts | less, if shared terms weigh differently | `O(k n)` |
//! | [`gumbel`] | FastGM (Qi et al. 2020): the term that wins a race of exponential times | the probability Jaccard | `O(k ln k + n)` |
//!
//! [`measures`] has these similarities by their definitions, [`weights`] the bags, and `uniforms`
//! what is random. Each sketch stands beside its definition, plainly computed, which it equals.
//!
//! All is a function of the seed and the bag, and has the same bits on every machine: logarithms
//! are libm's.

pub mod consistent;
pub mod gumbel;
pub mod measures;
pub(crate) mod uniforms;
pub mod weights;

use pagekin_core::hash::mix;
use pagekin_core::vocabulary::TermId;
use rayon::prelude::*;

use crate::sketch::consistent::{Consistent, Draws};
use crate::sketch::gumbel::FastGumbel;
use crate::sketch::weights::WeightedBag;

/// Bags that a thread sketches before it looks for more.
const SHARE: usize = 128;

/// How the weights of a bag become a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sketch {
    /// Consistent weighted sampling of the weights, by Ioffe.
    Icws,
    /// The same in two independent parts, by Wu et al.
    I2cws,
    /// The Gumbel-max sketch of the weights.
    FastGm,
}

impl Sketch {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Icws, Self::I2cws, Self::FastGm];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Icws => "icws",
            Self::I2cws => "i2cws",
            Self::FastGm => "fastgm",
        }
    }
}

/// What a register holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampled {
    /// The term.
    pub term: TermId,
    /// Which level below its weight; 0 where there are none.
    pub level: i64,
}

impl Sampled {
    /// The sample as a number. It is another one in each register, so that two samples whose
    /// numbers share some bits in one do not in the next.
    #[must_use]
    pub fn number(self, register: usize) -> u64 {
        mix(mix(u64::from(self.term) | (register as u64) << 32) ^ self.level as u64)
    }
}

/// Sketches of weights, by their number of registers and their seed.
#[derive(Debug, Clone)]
pub enum Sketcher {
    /// Consistent weighted sampling.
    Consistent(Consistent),
    /// The Gumbel-max sketch.
    Gumbel(FastGumbel),
}

impl Sketcher {
    /// Of some registers.
    #[must_use]
    pub fn new(sketch: Sketch, registers: u16, seed: u64) -> Self {
        match sketch {
            Sketch::Icws => Self::Consistent(Consistent::new(Draws::One, registers, seed)),
            Sketch::I2cws => Self::Consistent(Consistent::new(Draws::Two, registers, seed)),
            Sketch::FastGm => Self::Gumbel(FastGumbel::new(registers, seed)),
        }
    }

    fn registers(&self) -> usize {
        match self {
            Self::Consistent(consistent) => consistent.registers(),
            Self::Gumbel(gumbel) => gumbel.registers(),
        }
    }

    /// The sample of each register; none if the bag is empty.
    #[must_use]
    pub fn samples(&self, bag: &WeightedBag) -> Vec<Sampled> {
        match self {
            Self::Consistent(consistent) => consistent.samples(bag),
            Self::Gumbel(gumbel) => {
                gumbel.races(bag).iter().map(|won| Sampled { term: won.term, level: 0 }).collect()
            }
        }
    }

    /// The lowest 16 bits of the number of each sample, bag by bag, in parallel.
    ///
    /// # Panics
    ///
    /// If a bag is empty.
    #[must_use]
    pub fn rows(&self, bags: &[WeightedBag]) -> Vec<u16> {
        let m = self.registers();
        let mut rows = vec![0; bags.len() * m];
        let shares = rows.par_chunks_mut(SHARE * m).zip(bags.par_chunks(SHARE));
        shares.for_each(|(rows, bags)| {
            for (row, bag) in rows.chunks_exact_mut(m).zip(bags) {
                let samples = self.samples(bag);
                assert_eq!(samples.len(), m, "an empty bag has no sketch");
                for (register, (value, sample)) in row.iter_mut().zip(samples).enumerate() {
                    *value = sample.number(register) as u16;
                }
            }
        });
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::measures::tests::weighted;
    use expect_test::expect;

    /// The bits of all machines: what is drawn, the logarithms, and who wins.
    #[test]
    fn known_answers() {
        let bag = weighted(&[(3, 0.25), (7, 1.0), (0xffff_fff0, 1.5)]);
        let mut written = String::new();
        for sketch in Sketch::ALL {
            let sketcher = Sketcher::new(sketch, 4, 1);
            let samples: Vec<(TermId, i64)> =
                sketcher.samples(&bag).iter().map(|sample| (sample.term, sample.level)).collect();
            let rows = sketcher.rows(std::slice::from_ref(&bag));
            written += &format!("{} {samples:?} {rows:?}\n", sketch.name());
        }
        let times: Vec<u64> =
            FastGumbel::new(4, 1).races(&bag).iter().map(|won| won.time.to_bits()).collect();
        written += &format!("{times:x?}\n");
        expect![[r#"
            icws [(4294967280, 1), (4294967280, 1), (4294967280, 1), (7, 0)] [15083, 28464, 53752, 61464]
            i2cws [(4294967280, 0), (4294967280, 0), (4294967280, 0), (7, 0)] [30443, 57952, 37284, 61464]
            fastgm [(7, 0), (4294967280, 0), (3, 0), (4294967280, 0)] [59271, 57952, 48063, 44201]
            [3ff11f753a144e17, 3fd93f692b9a5a68, 3fca0daa4d0d149c, 3fa0d5099844cb8f]
        "#]].assert_eq(&written);
    }

    #[test]
    fn rows_are_the_samples_of_each_bag_in_turn() {
        let bags: Vec<WeightedBag> =
            (1..300u32).map(|id| weighted(&[(id, 1.0), (id + 1, 2.0), (1_000, 0.5)])).collect();
        for sketch in Sketch::ALL {
            let sketcher = Sketcher::new(sketch, 5, 1);
            let expected: Vec<u16> = bags
                .iter()
                .flat_map(|bag| sketcher.samples(bag).into_iter().enumerate())
                .map(|(register, sample)| sample.number(register) as u16)
                .collect();
            assert_eq!(sketcher.rows(&bags), expected, "{}", sketch.name());
        }
    }

    #[test]
    fn a_sample_has_another_number_in_each_register() {
        let sample = |term, level| Sampled { term, level };
        let all = [sample(1, 0), sample(1, 1), sample(1, -1), sample(2, 0)];
        let mut numbers: Vec<u64> =
            (0..80).flat_map(|register| all.map(|sample| sample.number(register))).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 4 * 80);
    }
}
