//! The ways to sketch a bag.

use pagekin_core::bag::{Bag, BagRules, Frequency, Rounding};
use pagekin_core::minhash::SignatureParams;
use pagekin_pairs::minhash::{Algorithm, Signer};
use pagekin_research::sketch::Sketch;
use pagekin_research::sketch::Sketcher;
use pagekin_research::sketch::measures::{generalised_jaccard, probability_jaccard};
use pagekin_research::sketch::weights::WeightedBag;

/// A way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// MinHash of copies with this sum, dithered.
    Copies(u16),
    /// A sketch of the weights.
    Weights(Sketch),
}

impl Way {
    /// All ways: copies as the preset `web` has them, and sixteen times as many.
    pub(crate) const ALL: [Self; 5] = [
        Self::Copies(400),
        Self::Copies(6_400),
        Self::Weights(Sketch::Icws),
        Self::Weights(Sketch::I2cws),
        Self::Weights(Sketch::FastGm),
    ];

    pub(crate) fn name(self) -> String {
        match self {
            Self::Copies(sum) => format!("copies, {sum}"),
            Self::Weights(sketch) => sketch.name().to_owned(),
        }
    }

    /// The measure that it estimates.
    pub(crate) fn exact(self, a: &WeightedBag, b: &WeightedBag) -> f64 {
        match self {
            Self::Weights(Sketch::FastGm) => probability_jaccard(a, b),
            _ => generalised_jaccard(a, b),
        }
    }

    /// Ready to sketch.
    pub(crate) fn ready(self, values: u16, seed: u64) -> Ready {
        let params = SignatureParams { m: values, bits: 16, seed };
        match self {
            Self::Copies(sum) => Ready::Copies(sum, Signer::new(Algorithm::Affine32, params)),
            Self::Weights(sketch) => Ready::Weights(Sketcher::new(sketch, values, seed)),
        }
    }
}

/// A way with a seed.
pub(crate) enum Ready {
    Copies(u16, Signer),
    Weights(Sketcher),
}

impl Ready {
    /// The values of a bag, of 16 bits.
    pub(crate) fn values(&self, bag: &WeightedBag) -> Vec<u16> {
        match self {
            Self::Copies(sum, signer) => signer.rows(&[copies(bag, *sum)]),
            Self::Weights(sketcher) => sketcher.rows(std::slice::from_ref(bag)),
        }
    }

    /// The part of the values in which two bags agree.
    pub(crate) fn estimate(&self, a: &WeightedBag, b: &WeightedBag) -> f64 {
        pagekin_core::minhash::agreement(&self.values(a), &self.values(b))
    }
}

/// Weights as whole copies with about this sum.
pub(crate) fn copies(bag: &WeightedBag, sum: u16) -> Bag {
    const MOST: f64 = (1 << 24) as f64;
    let most = bag.entries().iter().fold(0.0_f64, |most, &(_, weight)| most.max(weight));
    // As frequencies, which are whole.
    let counts: Vec<_> = bag
        .entries()
        .iter()
        .map(|&(term, weight)| (term, (weight / most * MOST).round().max(1.0) as u32))
        .collect();
    let (rounding, frequency) = (Rounding::Dithered, Frequency::Linear);
    let rules = BagRules { sum, rounding, frequency, max_terms: u16::MAX };
    Bag::weigh_by(&counts, |_| 1, &rules)
}
