//! Bags into the values of their signatures, by the widest instructions of the processor.
//!
//! The values of [`Algorithm::Affine32`] are bit by bit those of [`Family::sign`], whatever the processor: which
//! instructions there are is found out when a [`Signer`] is made, and all ways are tested against the plain definition.
//!
//! A bag takes three passes: copies become numbers, numbers become elements, and elements pass by the functions, which
//! stay in registers. The last is nearly all of the time: `m s` steps of a multiplication, an addition and a minimum for a
//! bag of `s` copies. `cargo xtask bench signatures` measures how near that is to what the processor can do.

mod steps;

pub use fearless_simd::Level;
use fearless_simd::{Simd, dispatch};
use pagekin_core::bag::Bag;
use pagekin_core::hash::{GOLDEN, SplitMix64};
use pagekin_core::minhash::{Family, SignatureParams, element_of};
use rayon::prelude::*;

use steps::{Affine, MOST_LANES, PRIME, Prime, Steps};

/// Bags that a thread signs before it looks for more.
const SHARE: usize = 128;
/// Copies of a term that are written at once, though most terms have fewer: a processor does not foresee how many.
const COPIES: usize = 8;

/// What a signature is a minimum of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// `a x + b mod 2^32`, mixed and cut: [`Family`].
    Affine32,
    /// `a x + b mod P` with the prime `P = 2^31 - 1`, of which the lowest bits are kept: the family of Haveliwala, Gionis
    /// and Indyk (2000), who do not name their prime. `x` is the high 31 bits of the element; `a` from 1 and `b` from 0 to
    /// `P - 1` are drawn in turn from [`SplitMix64`] of the seed. A minimum has about `31 - log2 s` bits for a bag of `s`
    /// copies, so the lowest 24 are nearly all of it.
    Prime31,
}

impl Algorithm {
    /// The name that stands beside signatures.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Affine32 => "minhash-affine32",
            Self::Prime31 => "minhash-prime31",
        }
    }
}

/// The functions of an algorithm and a seed, ready for this processor.
#[derive(Debug, Clone)]
pub struct Signer {
    algorithm: Algorithm,
    params: SignatureParams,
    level: Level,
    /// The functions in the form that the level takes, filled up to a multiple of [`MOST_LANES`].
    a: Vec<u32>,
    b: Vec<u32>,
    /// The functions as they are defined.
    family: Family,
}

impl Signer {
    /// By the widest instructions that there are.
    #[must_use]
    pub fn new(algorithm: Algorithm, params: SignatureParams) -> Self {
        Self::at(Level::new(), algorithm, params)
    }

    /// By the instructions of a level. That of all processors the program is compiled for is [`Level::baseline`].
    #[must_use]
    pub fn at(level: Level, algorithm: Algorithm, params: SignatureParams) -> Self {
        let family = Family::new(params);
        let (mut a, mut b) = match algorithm {
            Algorithm::Affine32 => {
                let (a, b) = family.functions();
                (a.to_vec(), b.to_vec())
            }
            Algorithm::Prime31 => prime_functions(params),
        };
        let filled = a.len().next_multiple_of(MOST_LANES);
        a.resize(filled, 1);
        b.resize(filled, 0);
        #[cfg(target_arch = "x86_64")]
        if let (Level::Sse2(_), Algorithm::Affine32) = (level, algorithm) {
            steps::Reversed::reverse(&mut a, &mut b);
        }
        Self { algorithm, params, level, a, b, family }
    }

    /// A place to sign bags one after another.
    #[must_use]
    pub fn desk(&self) -> Desk<'_> {
        let values = vec![0; self.a.len()];
        Desk { signer: self, numbers: Vec::new(), elements: Vec::new(), values }
    }

    /// The minima of [`Algorithm::Affine32`] by their definition.
    #[cold]
    fn plain_minima(&self, elements: &[u32], minima: &mut [u32]) {
        let (a, b) = self.family.functions();
        for ((minimum, a), b) in minima.iter_mut().zip(a).zip(b) {
            let values = elements.iter().map(|x| a.wrapping_mul(*x).wrapping_add(*b));
            *minimum = values.min().unwrap_or(u32::MAX);
        }
    }

    /// The values of each bag in turn, in parallel; of values of more than 16 bits the lowest 16.
    ///
    /// # Panics
    ///
    /// If a bag is empty.
    #[must_use]
    pub fn rows(&self, bags: &[Bag]) -> Vec<u16> {
        let m = usize::from(self.params.m);
        let mut rows = vec![0; bags.len() * m];
        let shares = rows.par_chunks_mut(SHARE * m).zip(bags.par_chunks(SHARE));
        shares.for_each(|(rows, bags)| {
            let mut desk = self.desk();
            for (row, bag) in rows.chunks_exact_mut(m).zip(bags) {
                let values = desk.sign(bag).expect("an empty bag has no signature");
                for (place, &value) in row.iter_mut().zip(values) {
                    *place = value as u16;
                }
            }
        });
        rows
    }
}

/// `a` and `b` of each function modulo the prime.
fn prime_functions(params: SignatureParams) -> (Vec<u32>, Vec<u32>) {
    let mut stream = SplitMix64::new(params.seed);
    (0..params.m).map(|_| (1 + stream.below(PRIME - 1), stream.below(PRIME))).unzip()
}

/// What a thread needs to sign bags: nothing is allocated for a bag that is no larger than all before it.
#[derive(Debug)]
pub struct Desk<'a> {
    signer: &'a Signer,
    numbers: Vec<u64>,
    elements: Vec<u32>,
    values: Vec<u32>,
}

impl Desk<'_> {
    /// The values of `bag`; `None` if it is empty.
    pub fn sign(&mut self, bag: &Bag) -> Option<&[u32]> {
        let size = self.number(bag);
        if size == 0 {
            return None;
        }
        let Signer { algorithm, params, level, .. } = *self.signer;
        match algorithm {
            Algorithm::Affine32 => {
                let value = |least| params.value_of(least);
                match level {
                    #[cfg(target_arch = "x86_64")]
                    Level::Sse2(simd) => {
                        let steps = steps::Reversed(simd);
                        simd.vectorize(
                            #[inline(always)]
                            || self.take(steps, size, value),
                        );
                    }
                    _ => dispatch!(level, simd => self.take(Affine(simd), size, value)),
                }
            }
            Algorithm::Prime31 => {
                let kept = u32::MAX >> (32 - params.bits);
                dispatch!(level, _ => self.take(Prime, size, |least| least & kept));
            }
        }
        Some(&self.values[..usize::from(params.m)])
    }

    /// Writes the number of each copy, and some that do not count; answers how many do.
    fn number(&mut self, bag: &Bag) -> usize {
        let size = bag.size() as usize;
        if self.numbers.len() < size + COPIES {
            self.numbers.resize(size + COPIES, 0);
            self.elements.resize(size, 0);
        }
        let mut first = 0;
        for &(term, copies) in bag.entries() {
            let copies = usize::from(copies);
            let mut number = u64::from(term);
            for at in (first..first + copies).step_by(COPIES) {
                for place in &mut self.numbers[at..at + COPIES] {
                    *place = number;
                    number = number.wrapping_add(GOLDEN);
                }
            }
            first += copies;
        }
        size
    }

    /// From the numbers to the values.
    #[inline(always)]
    fn take<S: Steps>(&mut self, steps: S, size: usize, value: impl Fn(u32) -> u32) {
        let elements = &mut self.elements[..size];
        for (element, &number) in elements.iter_mut().zip(&self.numbers) {
            *element = element_of(number);
        }
        let functions = (&self.signer.a[..], &self.signer.b[..]);
        steps::minima(steps, functions, elements, &mut self.values);
        let values = &mut self.values[..usize::from(self.signer.params.m)];
        if values.contains(&u32::MAX) {
            self.signer.plain_minima(elements, values);
        }
        for least in values {
            *least = value(*least);
        }
    }
}
