//! Pairs of bags that are made up: by their size, by how skewed their weights are, and by what they
//! share.

use std::collections::BTreeMap;

use pagekin_core::hash::{SplitMix64, mix};
use pagekin_core::vocabulary::TermId;
use pagekin_research::sketch::weights::WeightedBag;
use rayon::prelude::*;
use serde::Serialize;

use crate::VALUES;
use crate::errors::Errors;
use crate::ways::Way;

/// Terms of a bag.
pub(crate) const SIZES: [u32; 4] = [10, 100, 1_000, 10_000];
/// Pairs of each kind: of large bags fewer.
const PAIRS: [u64; 2] = [100, 40];

/// How weights are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skew {
    /// All terms weigh the same.
    Equal,
    /// The term of rank `r` weighs `1 / r`.
    Zipf,
    /// `u^-2` of a `u` between 0 and 1: the heaviest have most of the weight.
    Heavy,
}

impl Skew {
    pub(crate) const ALL: [Self; 3] = [Self::Equal, Self::Zipf, Self::Heavy];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Zipf => "Zipf",
            Self::Heavy => "heavy",
        }
    }

    fn weight(self, rank: u32, random: &mut SplitMix64) -> f64 {
        match self {
            Self::Equal => 1.0,
            Self::Zipf => 1.0 / f64::from(rank),
            Self::Heavy => {
                let u = unit(random);
                1.0 / (u * u)
            }
        }
    }
}

/// What two bags have in common.
#[derive(Debug, Clone, Copy)]
enum Shared {
    /// A part of the terms, with the same weights.
    Terms(f64),
    /// All terms, with weights that differ by up to two to the power of this, up or down.
    Weights(f64),
}

const SHARED: [Shared; 6] = [
    Shared::Terms(0.3),
    Shared::Terms(0.6),
    Shared::Terms(0.9),
    Shared::Weights(0.5),
    Shared::Weights(1.5),
    Shared::Weights(3.0),
];

fn unit(random: &mut SplitMix64) -> f64 {
    ((random.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

/// A bag by its size and skew.
pub(crate) fn bag(terms: u32, skew: Skew, seed: u64) -> WeightedBag {
    pair(terms, skew, Shared::Terms(1.0), seed).0
}

fn pair(terms: u32, skew: Skew, shared: Shared, seed: u64) -> (WeightedBag, WeightedBag) {
    let mut random = SplitMix64::new(seed);
    let salt = random.next_u64();
    let id = |number: u32| mix(salt ^ u64::from(number)) as TermId;
    let (mut a, mut b) = (BTreeMap::new(), BTreeMap::new());
    for rank in 1..=terms {
        let weight = skew.weight(rank, &mut random);
        a.insert(id(rank), weight);
        match shared {
            Shared::Terms(part) if unit(&mut random) < part => b.insert(id(rank), weight),
            Shared::Terms(_) => b.insert(id(terms + rank), weight),
            Shared::Weights(by) => {
                let factor = libm::exp2(by * (2.0 * unit(&mut random) - 1.0));
                b.insert(id(rank), weight * factor)
            }
        };
    }
    // Bags are normalised, as those of pages are.
    let bag = |terms: BTreeMap<TermId, f64>| {
        let total: f64 = terms.values().sum();
        let entries = terms.into_iter().map(|(id, weight)| (id, weight / total));
        WeightedBag::from_sorted(entries.collect()).expect("a map is sorted, of weights above 0")
    };
    (bag(a), bag(b))
}

/// Errors of all ways on pairs of a size and a skew.
#[derive(Debug, Serialize)]
pub(crate) struct Drawn {
    pub(crate) terms: u32,
    pub(crate) weights: &'static str,
    pub(crate) pairs: usize,
    pub(crate) errors: Vec<Errors>,
    /// Those of the pairs whose shared terms weigh the same, and of those where they do not.
    pub(crate) same_weights: Vec<Errors>,
    pub(crate) other_weights: Vec<Errors>,
}

pub(crate) fn measure(terms: u32, skew: Skew) -> Drawn {
    let each = PAIRS[usize::from(terms > 1_000)];
    let drawn: Vec<(Shared, u64)> = (0..each)
        .flat_map(|seed| (0..).zip(SHARED).map(move |(at, shared)| (shared, seed << 8 | at)))
        .collect();
    let of_pair = |&(shared, seed): &(Shared, u64)| {
        let (a, b) = pair(terms, skew, shared, seed);
        Way::ALL.map(|way| (way.exact(&a, &b), way.ready(VALUES, seed).estimate(&a, &b)))
    };
    let found: Vec<[(f64, f64); 5]> = drawn.par_iter().map(of_pair).collect();
    let errors = |keep: fn(&Shared) -> bool| -> Vec<Errors> {
        let of_way = |(at, way): (usize, Way)| {
            let kept = drawn.iter().zip(&found).filter(|((shared, _), _)| keep(shared));
            let pairs: Vec<_> = kept.map(|(_, found)| found[at]).collect();
            Errors::of(way.name(), &pairs, VALUES)
        };
        Way::ALL.into_iter().enumerate().map(of_way).collect()
    };
    Drawn {
        terms,
        weights: skew.name(),
        pairs: drawn.len(),
        errors: errors(|_| true),
        same_weights: errors(|shared| matches!(shared, Shared::Terms(_))),
        other_weights: errors(|shared| matches!(shared, Shared::Weights(_))),
    }
}
