//! Recall of the found pairs, measured on a sample.
//!
//! The bags of a sample of URLs are compared exactly with those of all other URLs. The share of
//! similar pairs that were found is reported by ranges of similarity, together with the predicted
//! share.

use pagekin_core::bag::Bag;
use pagekin_core::hash::SplitMix64;
use pagekin_core::similarity::Overlap;
use pagekin_core::vocabulary::TermId;
use pagekin_pairs::Threshold;
use pagekin_pairs::pairs::verify::SimilarPair;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::cluster::bags::columns::BagColumns;

/// Maximum number of sampled URLs.
const SAMPLE: u32 = 256;

/// Recall of the pairs of the sample with a similarity in a range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Recall {
    /// Minimum similarity.
    pub from: f64,
    /// Upper bound of the similarity: exclusive, except for 1 in the last range.
    pub to: f64,
    /// Number of pairs.
    pub pairs: u64,
    /// Number of these pairs that were found.
    pub found: u64,
    /// Number of pairs between two classes, which are never compared.
    pub across: u64,
    /// Predicted number of found pairs.
    pub predicted: f64,
}

/// Draws a sample of the numbers below `urls`, in ascending order.
pub(crate) fn draw(urls: u32, seed: u64) -> Vec<u32> {
    let mut stream = SplitMix64::new(seed);
    let mut sample: Vec<u32> = if urls <= SAMPLE {
        (0..urls).collect()
    } else {
        (0..SAMPLE).map(|_| stream.below(urls)).collect()
    };
    sample.sort_unstable();
    sample.dedup();
    sample
}

/// Sampled bags, indexed for comparison with all others.
pub(crate) struct SampledBags {
    /// Number and size of each bag.
    bags: Vec<(u32, u32)>,
    /// Sampled bags that contain each term, with its counts.
    lists: FxHashMap<TermId, Vec<(u32, u16)>>,
}

impl SampledBags {
    pub(crate) fn new(bags: &[(u32, Bag)]) -> Self {
        let mut lists: FxHashMap<TermId, Vec<(u32, u16)>> = FxHashMap::default();
        for (place, (_, bag)) in (0..).zip(bags) {
            for &(term, copies) in bag.entries() {
                lists.entry(term).or_default().push((place, copies));
            }
        }
        Self { bags: bags.iter().map(|(number, bag)| (*number, bag.size())).collect(), lists }
    }

    /// Returns the similar pairs of a sampled bag, `u`, and one of `others`, `v`, numbered from
    /// `first`. Pairs within the sample are returned in both directions.
    pub(crate) fn partners(
        &self,
        others: &BagColumns,
        first: u32,
        threshold: Threshold,
    ) -> Vec<SimilarPair> {
        (0..others.len())
            .into_par_iter()
            .with_min_len(1_000)
            .map_init(
                || (vec![0u32; self.bags.len()], Vec::new()),
                |(shared, met): &mut (Vec<u32>, Vec<u32>), at| {
                    let mut size = 0;
                    for (term, copies) in others.entries(at) {
                        size += u32::from(copies);
                        for &(place, theirs) in self.lists.get(&term).into_iter().flatten() {
                            if shared[place as usize] == 0 {
                                met.push(place);
                            }
                            shared[place as usize] += u32::from(copies.min(theirs));
                        }
                    }
                    let v = first + at as u32;
                    let mut pairs = Vec::new();
                    for place in met.drain(..) {
                        let intersection = std::mem::take(&mut shared[place as usize]);
                        let (u, own) = self.bags[place as usize];
                        let overlap = Overlap { intersection, union: own + size - intersection };
                        if u != v && threshold.is_reached(intersection, overlap.union) {
                            pairs.push(SimilarPair { u, v, overlap });
                        }
                    }
                    pairs
                },
            )
            .flatten_iter()
            .collect()
    }
}

/// Returns the recall by tenths of similarity. `predicted` returns the probability that a pair is
/// found.
pub(crate) fn recall(
    truth: &[SimilarPair],
    is_found: impl Fn(&SimilarPair) -> bool,
    is_across: impl Fn(&SimilarPair) -> bool,
    mut predicted: impl FnMut(&SimilarPair) -> f64,
) -> Vec<Recall> {
    let mut bin = |tenth: u16| {
        let of_bin = |pair: &&SimilarPair| (pair.thousandths() / 100).min(9) == tenth;
        let pairs: Vec<&SimilarPair> = truth.iter().filter(of_bin).collect();
        Recall {
            from: f64::from(tenth) / 10.0,
            to: f64::from(tenth + 1) / 10.0,
            pairs: pairs.len() as u64,
            found: pairs.iter().filter(|pair| is_found(pair)).count() as u64,
            across: pairs.iter().filter(|pair| is_across(pair)).count() as u64,
            predicted: pairs.iter().map(|pair| predicted(pair)).sum(),
        }
    };
    (0..10).map(&mut bin).filter(|bin| bin.pairs > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pairs::pairs::exact_join::join;
    use std::collections::BTreeMap;

    #[test]
    fn partners_of_a_sample_are_pairs_of_the_exact_join() {
        let mut stream = SplitMix64::new(5);
        let bags: Vec<Bag> = (0..300u32)
            .map(|page| {
                let entries: BTreeMap<u32, u16> = (0..8)
                    .map(|_| (stream.below(6) + page % 30 * 4, 1 + stream.below(3) as u16))
                    .collect();
                Bag::from_sorted(entries.into_iter().collect()).unwrap()
            })
            .collect();
        let threshold = Threshold::from_thousandths(300).unwrap();
        let numbered: Vec<(u32, Bag)> = (0..).zip(bags.iter().cloned()).collect();
        let all = join(&numbered, threshold);
        let drawn = [3u32, 77, 201, 299];
        let sample = SampledBags::new(&drawn.map(|number| (number, bags[number as usize].clone())));
        let mut found = Vec::new();
        for (first, part) in [(0, &bags[..120]), (120, &bags[120..])] {
            let mut columns = BagColumns::default();
            part.iter().for_each(|bag| columns.push(bag));
            found.extend(sample.partners(&columns, first, threshold));
        }
        found.sort_unstable_by_key(|pair| (pair.u, pair.v));
        let mut expected = Vec::new();
        for pair in all {
            for (u, v) in [(pair.u, pair.v), (pair.v, pair.u)] {
                if drawn.contains(&u) {
                    expected.push(SimilarPair { u, v, ..pair });
                }
            }
        }
        expected.sort_unstable_by_key(|pair| (pair.u, pair.v));
        assert!(expected.len() > 20);
        assert_eq!(found, expected);

        let similarity = |pair: &SimilarPair| pair.overlap.jaccard();
        let bins = recall(&found, |pair| pair.u == 3, |pair| pair.v == 4, similarity);
        let of_four = found.iter().filter(|pair| pair.v == 4).count() as u64;
        assert_eq!(bins.iter().map(|bin| bin.across).sum::<u64>(), of_four);
        assert_eq!(bins.iter().map(|bin| bin.pairs).sum::<u64>(), found.len() as u64);
        let of_three = found.iter().filter(|pair| pair.u == 3).count() as u64;
        assert_eq!(bins.iter().map(|bin| bin.found).sum::<u64>(), of_three);
        for bin in bins {
            let mean = bin.predicted / bin.pairs as f64;
            assert!((bin.from..=bin.to).contains(&mean), "{bin:?}");
        }
    }

    #[test]
    fn a_sample_contains_each_url_once() {
        assert_eq!(draw(3, 1), [0, 1, 2]);
        let drawn = draw(1_000_000, 7);
        assert!(drawn.len() > 250 && drawn.windows(2).all(|two| two[0] < two[1]));
    }
}
