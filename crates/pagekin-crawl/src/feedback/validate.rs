//! Measures the gain of a method on pairs that it was not learned from.
//!
//! URLs are divided into five random parts, with URLs connected by judged pairs in the same part. A
//! method is learned from the pairs within four parts and tested on those within the fifth, for
//! each part, and the division is repeated several times. Two methods are compared on the same
//! pairs. The gain is the difference of their balanced accuracies, with the interval of 1,000
//! resamples of the groups of connected URLs (a paired bootstrap, percentiles 2.5 and 97.5). A gain
//! is real if the whole interval is above 0.

use pagekin_core::hash::SplitMix64;
use rayon::prelude::*;

use crate::feedback::decide;
use crate::feedback::factors::{FactorOptions, Factors};
use crate::feedback::judged::{Fold, Judged};

const RESAMPLES: usize = 1_000;
/// Number of parts for choosing options within the pairs to learn from.
const INNER: usize = 3;

/// A method of judging pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Method {
    /// A given threshold.
    Given(f64),
    /// A learned threshold.
    Threshold,
    /// A learned threshold, for bags weighted with learned factors.
    Terms,
}

/// The agreement of a method with judgments.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Quality {
    /// Share of the similar pairs that are found similar.
    pub similar: f64,
    /// Share of the other pairs that are found dissimilar.
    pub different: f64,
}

impl Quality {
    /// Returns the mean of both.
    #[must_use]
    pub fn balanced(&self) -> f64 {
        f64::midpoint(self.similar, self.different)
    }
}

/// The improvement of one method over another.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Gain {
    /// Difference of the balanced accuracies.
    pub mean: f64,
    /// Lower bound: 2.5% of the resamples are below it.
    pub low: f64,
    /// Upper bound: 2.5% of the resamples are above it.
    pub high: f64,
}

impl Gain {
    /// Returns whether the gain is significant.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.low > 0.0
    }
}

/// Per pair, how often it was tested, and how often the result was right.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tried(Vec<[u32; 2]>);

impl Tried {
    /// Returns the share of tests of a pair that were right, if it was tested.
    fn right(&self, at: usize) -> Option<f64> {
        let [tried, right] = self.0[at];
        (tried > 0).then(|| f64::from(right) / f64::from(tried))
    }

    pub(crate) fn quality(&self, judged: &Judged) -> Quality {
        let of = |similar: bool| {
            let places = (0..judged.pairs.len()).filter(|&at| judged.pairs[at].similar == similar);
            let right: Vec<f64> = places.filter_map(|at| self.right(at)).collect();
            right.iter().sum::<f64>() / right.len().max(1) as f64
        };
        Quality { similar: of(true), different: of(false) }
    }
}

/// Tests a method on the pairs that each fold holds out.
pub(crate) fn out_of_fold(judged: &Judged, folds: &[Fold], method: Method) -> Tried {
    let of_fold = |fold: &Fold| {
        let places = |is: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..judged.pairs.len()).filter(|&at| is(at)).collect()
        };
        let learned = places(&|at| fold.is_learnt(&judged.pairs[at]));
        let has = |similar| learned.iter().any(|&at| judged.pairs[at].similar == similar);
        if !has(true) || !has(false) {
            return Vec::new();
        }
        let (factors, threshold) = learn(judged, &learned, method);
        let tried = places(&|at| fold.is_tried(&judged.pairs[at]));
        tried
            .into_iter()
            .map(|at| (at, is_right(judged, at, &factors, threshold)))
            .collect::<Vec<_>>()
    };
    let of_folds: Vec<Vec<(usize, bool)>> = folds.par_iter().map(of_fold).collect();
    let mut tried = vec![[0; 2]; judged.pairs.len()];
    for (at, is_right) in of_folds.into_iter().flatten() {
        tried[at][0] += 1;
        tried[at][1] += u32::from(is_right);
    }
    Tried(tried)
}

fn learn(judged: &Judged, pairs: &[usize], method: Method) -> (Factors, f64) {
    let factors = match method {
        Method::Given(threshold) => return (Factors::none(), threshold),
        Method::Threshold => Factors::none(),
        Method::Terms => Factors::learn(judged, pairs, options(judged, pairs)),
    };
    let threshold = decide::threshold(judged, pairs, &factors);
    (factors, threshold)
}

fn is_right(judged: &Judged, at: usize, factors: &Factors, threshold: f64) -> bool {
    let pair = &judged.pairs[at];
    decide::reaches(judged.similarity(pair, |term| factors.of(term)), threshold) == pair.similar
}

/// Returns the best options for some pairs, by holding out parts of them.
pub(crate) fn options(judged: &Judged, pairs: &[usize]) -> FactorOptions {
    let right = |options: &FactorOptions| {
        // Per kind, the number of tested pairs and of those that are right.
        let mut met = [[0u32; 2]; 2];
        for part in 0..INNER {
            let is_held_out =
                |&&at: &&usize| judged.group(&judged.pairs[at]) as usize % INNER == part;
            let rest: Vec<usize> = pairs.iter().filter(|at| !is_held_out(at)).copied().collect();
            let factors = Factors::learn(judged, &rest, *options);
            let threshold = decide::threshold(judged, &rest, &factors);
            for &at in pairs.iter().filter(is_held_out) {
                let of_kind = &mut met[usize::from(judged.pairs[at].similar)];
                of_kind[0] += 1;
                of_kind[1] += u32::from(is_right(judged, at, &factors, threshold));
            }
        }
        met.iter().map(|[all, right]| f64::from(*right) / f64::from((*all).max(1))).sum::<f64>()
    };
    let mut best = (FactorOptions::GRID[0], f64::MIN);
    for options in FactorOptions::GRID {
        let right = right(&options);
        if right > best.1 {
            best = (options, right);
        }
    }
    best.0
}

/// Returns the gain of `after` over `before`, on the pairs that both were tested on.
pub(crate) fn compare(
    judged: &Judged,
    before: &Tried,
    after: &Tried,
    stream: &mut SplitMix64,
) -> Gain {
    // Per group and kind: the number of pairs, and the sum of the differences.
    let mut groups = vec![[[0.0f64; 2]; 2]; judged.groups() as usize];
    for (at, pair) in judged.pairs.iter().enumerate() {
        if let (Some(before), Some(after)) = (before.right(at), after.right(at)) {
            let of = &mut groups[judged.group(pair) as usize][usize::from(pair.similar)];
            of[0] += 1.0;
            of[1] += after - before;
        }
    }
    groups.retain(|[different, similar]| different[0] + similar[0] > 0.0);
    if groups.is_empty() {
        return Gain { mean: 0.0, low: 0.0, high: 0.0 };
    }
    let gain = |places: &mut dyn Iterator<Item = usize>| {
        let mut sums = [[0.0; 2]; 2];
        for place in places {
            for (sum, of) in sums.iter_mut().flatten().zip(groups[place].iter().flatten()) {
                *sum += of;
            }
        }
        sums.iter().map(|[pairs, gain]| gain / f64::max(*pairs, 1.0)).sum::<f64>() / 2.0
    };
    let count = groups.len() as u32;
    let mean = gain(&mut (0..groups.len()));
    let mut resampled: Vec<f64> = (0..RESAMPLES)
        .map(|_| gain(&mut (0..count).map(|_| stream.below(count) as usize)))
        .collect();
    resampled.sort_by(f64::total_cmp);
    let percentile = |part: f64| resampled[(part * (RESAMPLES - 1) as f64).round() as usize];
    Gain { mean, low: percentile(0.025), high: percentile(0.975) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::vocabulary::TermId;

    /// Creates pages on one of 20 subjects. About half share a long frame. Pairs with the same
    /// subject are similar; or judgments are random.
    fn judged(by_coin: bool) -> Judged {
        let mut stream = SplitMix64::new(3);
        let mut page = |subject: u32| {
            let own = (0..8).map(|word| (1_000 + subject * 10 + word, 9));
            let mut bag: Vec<(TermId, u16)> = own.filter(|_| stream.below(4) > 0).collect();
            if stream.below(2) == 0 {
                bag.extend((0..12).map(|term| (term, 10)));
            }
            bag.extend((0..10).map(|_| (10_000 + stream.below(50_000), 4)));
            bag.sort_unstable();
            bag.dedup_by_key(|entry| entry.0);
            bag
        };
        let (mut bags, mut pairs) = (Vec::new(), Vec::new());
        let mut coin = SplitMix64::new(8);
        for pair in 0..400u32 {
            let subject = pair / 2 % 20;
            let similar = pair % 2 == 0;
            bags.push(page(subject));
            bags.push(page(if similar { subject } else { (subject + 7) % 20 }));
            let similar = if by_coin { coin.below(2) == 0 } else { similar };
            pairs.push((bags.len() - 2, bags.len() - 1, similar));
        }
        Judged::from_bags(bags, &pairs)
    }

    fn gains(judged: &Judged) -> (Gain, Gain) {
        let mut stream = SplitMix64::new(1);
        let folds = judged.folds(&mut stream);
        let of = |method| out_of_fold(judged, &folds, method);
        let (given, chosen, terms) =
            (of(Method::Given(0.9)), of(Method::Threshold), of(Method::Terms));
        (
            compare(judged, &given, &chosen, &mut stream),
            compare(judged, &chosen, &terms, &mut stream),
        )
    }

    #[test]
    fn a_shared_frame_is_learned_and_random_judgments_are_not() {
        let (threshold, terms) = gains(&judged(false));
        assert!(threshold.is_real() && threshold.mean > 0.05, "threshold: {threshold:?}");
        assert!(terms.is_real() && terms.mean > 0.05, "{terms:?}");
        let (_, terms) = gains(&judged(true));
        assert!(!terms.is_real(), "{terms:?}");
    }

    #[test]
    fn quality_is_the_mean_accuracy_of_pairs() {
        let judged = judged(false);
        let mut tried = vec![[0, 0]; judged.pairs.len()];
        for (at, of_pair) in [[4, 1], [2, 2], [3, 3], [5, 0]].into_iter().enumerate() {
            tried[at] = of_pair;
        }
        let (mut similar, mut different) = (Vec::new(), Vec::new());
        for (at, right) in [0.25, 1.0, 1.0, 0.0].into_iter().enumerate() {
            if judged.pairs[at].similar { &mut similar } else { &mut different }.push(right);
        }
        let mean = |all: Vec<f64>| all.iter().sum::<f64>() / all.len() as f64;
        let quality = Tried(tried).quality(&judged);
        assert_eq!((quality.similar, quality.different), (mean(similar), mean(different)));
    }

    #[test]
    fn equal_methods_have_no_gain() {
        let judged = judged(false);
        let folds = judged.folds(&mut SplitMix64::new(1));
        let tried = out_of_fold(&judged, &folds, Method::Threshold);
        let gain = compare(&judged, &tried, &tried, &mut SplitMix64::new(2));
        assert_eq!((gain.mean, gain.low, gain.high), (0.0, 0.0, 0.0));
        assert!(!gain.is_real());
    }
}
