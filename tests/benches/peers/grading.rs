//! Compares pairs with the true ones.

use pagekin_core::bag::Bag;
use pagekin_core::hash;
use pagekin_core::similarity::Overlap;
use pagekin_pairs::Threshold;
use pagekin_pairs::pairs::exact_join;
use pagekin_tests::tokens::TokenSets;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use crate::SEED;

/// The true pairs of some documents.
pub(crate) struct Truth<'a> {
    sets: &'a TokenSets,
    threshold: Threshold,
    pairs: FxHashSet<(u32, u32)>,
}

/// The quality of pairs.
pub(crate) struct Grade {
    found: u64,
    recall: f64,
    precision: f64,
}

impl Grade {
    pub(crate) fn to_json(&self) -> Value {
        json!({ "found": self.found, "recall": self.recall, "precision": self.precision })
    }
}

impl<'a> Truth<'a> {
    /// Finds all pairs with the exact join, or the pairs of `sample` documents with all others.
    pub(crate) fn new(sets: &'a TokenSets, threshold: Threshold, sample: Option<u32>) -> Self {
        let all = 0..sets.len() as u32;
        let Some(sample) = sample else {
            let bags: Vec<(u32, Bag)> = all.map(|at| (at, sets.bag(at))).collect();
            let pairs = exact_join::join(&bags, threshold);
            let pairs = pairs.iter().map(|pair| (pair.u, pair.v)).collect();
            return Self { sets, threshold, pairs };
        };
        let mut order: Vec<u32> = all.collect();
        order.sort_by_cached_key(|&at| hash::mix(hash::mix(SEED ^ 0x9ade) ^ u64::from(at)));
        order.truncate(sample as usize);
        let pairs = of_some(sets, threshold, &order).into_iter().collect();
        Self { sets, threshold, pairs }
    }

    /// Returns the number of known true pairs.
    pub(crate) fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Grades pairs. Recall refers to the known pairs, precision to all found pairs, each checked
    /// with the sets.
    pub(crate) fn grade(&self, found: &[(u32, u32)]) -> Grade {
        let is_true = |&&(u, v): &&(u32, u32)| similar(self.sets, self.threshold, u, v);
        let right = found.par_iter().filter(is_true).count();
        let known = found.iter().filter(|pair| self.pairs.contains(pair)).count();
        Grade {
            found: found.len() as u64,
            recall: known as f64 / self.pairs.len().max(1) as f64,
            precision: right as f64 / found.len().max(1) as f64,
        }
    }
}

/// Finds the pairs of some documents with any other. Two similar sets share a token among the first
/// `n - t n + 1` of one set's `n`, in any order, so only the rarest of these few are searched in
/// all sets. A pair that shares too few of them to reach the threshold is not compared.
fn of_some(sets: &TokenSets, threshold: Threshold, some: &[u32]) -> Vec<(u32, u32)> {
    let mut frequency: FxHashMap<u32, u32> = FxHashMap::default();
    for &token in (0..sets.len() as u32).flat_map(|at| sets.tokens(at)) {
        *frequency.entry(token).or_default() += 1;
    }
    let mut lists: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for &document in some {
        let mut tokens = sets.tokens(document).to_vec();
        tokens.sort_by_key(|token| (frequency[token], *token));
        let skipped = threshold.min_of(tokens.len() as u32) as usize - 1;
        for token in &tokens[..tokens.len() - skipped] {
            lists.entry(*token).or_default().push(document);
        }
    }
    let partners = |other: u32| {
        let lists = sets.tokens(other).iter().filter_map(|token| lists.get(token));
        let mut shared: Vec<u32> = lists.flatten().copied().collect();
        shared.sort_unstable();
        let can_be = |shared: &[u32]| {
            let n = sets.tokens(shared[0]).len() as u32;
            let max_shared = shared.len() as u32 + threshold.min_of(n) - 1;
            let both = n + sets.tokens(other).len() as u32;
            threshold.is_reached(max_shared, both.saturating_sub(max_shared))
        };
        let near =
            shared.chunk_by(|a, b| a == b).filter(|shared| can_be(shared)).map(|shared| shared[0]);
        let similar = |&at: &u32| at != other && similar(sets, threshold, at, other);
        let pair = |at: u32| (at.min(other), at.max(other));
        near.filter(similar).map(pair).collect::<Vec<_>>()
    };
    let mut pairs: Vec<(u32, u32)> =
        (0..sets.len() as u32).into_par_iter().flat_map_iter(partners).collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    pairs
}

fn similar(sets: &TokenSets, threshold: Threshold, u: u32, v: u32) -> bool {
    let overlap = Overlap::between(&sets.bag(u), &sets.bag(v));
    threshold.is_reached(overlap.intersection, overlap.union)
}
