//! Chooses the minimum similarity of a similar pair.

use crate::feedback::factors::Factors;
use crate::feedback::judged::Judged;

/// Returns the threshold that agrees with most judgments of `pairs`, with equal weight for both
/// kinds: the one with the highest balanced accuracy, the mean of the share of similar pairs that
/// reach it and the share of others that do not. In thousandths; of equally good ones the lowest.
pub(crate) fn threshold(judged: &Judged, pairs: &[usize], factors: &Factors) -> f64 {
    let mut scored: Vec<(u16, bool)> = pairs
        .iter()
        .map(|&at| {
            let pair = &judged.pairs[at];
            (thousandths(judged.similarity(pair, |term| factors.of(term))), pair.similar)
        })
        .collect();
    scored.sort_unstable();
    let similar = scored.iter().filter(|(_, similar)| *similar).count();
    let part = |n: usize, of: usize| n as f64 / of.max(1) as f64;
    let (mut missed, mut refused) = (0, 0);
    let mut best = (f64::MIN, 1);
    // All thresholds between a similarity and the one below judge the same.
    let mut consider = |low: u16, high: u16, missed: usize, refused: usize| {
        let accuracy = part(similar - missed, similar) + part(refused, scored.len() - similar);
        if accuracy > best.0 {
            best = (accuracy, (low + high).div_ceil(2).max(1));
        }
    };
    let mut low = 0;
    for group in scored.chunk_by(|a, b| a.0 == b.0) {
        consider(low, group[0].0, missed, refused);
        missed += group.iter().filter(|(_, similar)| *similar).count();
        refused += group.iter().filter(|(_, similar)| !similar).count();
        low = group[0].0;
    }
    if low < 1_000 {
        consider(low, 1_000, missed, refused);
    }
    f64::from(best.1) / 1_000.0
}

/// Returns whether a similarity reaches a threshold.
pub(crate) fn reaches(similarity: f64, threshold: f64) -> bool {
    thousandths(similarity) >= thousandths(threshold)
}

fn thousandths(similarity: f64) -> u16 {
    (similarity * 1_000.0).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Creates pairs of bags of 1,000 terms that share the given numbers.
    fn judged(pairs: &[(u16, bool)]) -> Judged {
        let bags = pairs.iter().flat_map(|&(shared, _)| {
            let bag = |own| vec![(1, shared.max(1)), (own, 1_000 - shared.max(1))];
            [bag(2), bag(3)]
        });
        let of: Vec<_> =
            pairs.iter().enumerate().map(|(at, pair)| (2 * at, 2 * at + 1, pair.1)).collect();
        Judged::from_bags(bags.collect(), &of)
    }

    proptest! {
        #[test]
        fn no_threshold_is_better(
            pairs in prop::collection::vec((1u16..999, any::<bool>()), 1..40),
        ) {
            let judged = judged(&pairs);
            let all: Vec<usize> = (0..pairs.len()).collect();
            let none = Factors::none();
            let accuracy = |threshold: f64| {
                let right = |kind: bool| {
                    let of_kind = judged.pairs.iter().filter(|pair| pair.similar == kind);
                    let (mut right, mut count) = (0.0, 0.0f64);
                    for pair in of_kind {
                        count += 1.0;
                        right += f64::from(reaches(judged.similarity(pair, |_| 1.0), threshold) == kind);
                    }
                    right / count.max(1.0)
                };
                right(true) + right(false)
            };
            let found = accuracy(threshold(&judged, &all, &none));
            for thousandths in 1..=999 {
                prop_assert!(accuracy(f64::from(thousandths) / 1_000.0) <= found + 1e-9);
            }
        }
    }
}
