//! Computes how much each two texts of two sites share, with a higher weight for rare runs.

use std::sync::atomic::{AtomicU64, Ordering};

use pagekin_core::near::shingles::ShingleSet;
use pagekin_pages::Observer;
use pagekin_pages::progress::check;
use rayon::prelude::*;

use crate::error::DuplicatesError;

/// Words per run. Runs of three find as much; runs of ten miss edited pages.
pub const SHINGLE_TOKENS: u32 = 5;
/// Maximum number of texts of either site that may contain a run with a weight.
pub const MAX_TEXTS: u32 = 16;

/// The weight of a run that one text of each site contains. It is divisible by all numbers up to
/// [`MAX_TEXTS`], so weights are whole numbers and their sums do not depend on the order.
const UNIT: u64 = 720_720;
/// Minimum weight of the runs shared by two different texts that match, in runs of one text per
/// site.
pub const MIN_RUNS: u32 = 8;
/// Number of parts into which runs are divided by their first bits. Each thread handles one part at
/// a time, which bounds memory.
const PARTS: u64 = 64;
/// The bit that marks the numbers of new texts, so that they follow the old ones.
const NEW: u32 = 1 << 31;

/// How much two texts share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TextOverlap {
    /// A text of the old site.
    pub(crate) old: u32,
    /// A text of the new site.
    pub(crate) new: u32,
    /// The sum of the weights of the shared runs, in units of 1/720,720.
    pub(crate) shared: u64,
}

/// All pairs of texts of two sites that share something, and the total weight of each text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextOverlaps {
    /// Ordered by the old text, then by the new one.
    pub(crate) pairs: Vec<TextOverlap>,
    /// The sum of the weights of all runs of each old text.
    pub(crate) old: Vec<u64>,
    /// The same for each new text.
    pub(crate) new: Vec<u64>,
}

impl TextOverlaps {
    /// Computes the overlaps from the shingles of both sites, which must have fewer than 2^31 texts
    /// each. Time is linear in the shingles, except for up to n² pairs for a run that n texts of
    /// either site contain.
    ///
    /// # Errors
    ///
    /// Returns an error if the observer requested a stop.
    pub(crate) fn new(
        old: &[ShingleSet],
        new: &[ShingleSet],
        observer: &dyn Observer,
    ) -> Result<Self, DuplicatesError> {
        let totals = |texts: &[ShingleSet]| -> Vec<AtomicU64> {
            texts.iter().map(|_| AtomicU64::new(0)).collect()
        };
        let (old_totals, new_totals) = (totals(old), totals(new));
        let parts = (0..PARTS).into_par_iter().map(|part| {
            check(observer)?;
            let mut places = Vec::new();
            push_part(old, 0, part, &mut places);
            push_part(new, NEW, part, &mut places);
            places.sort_unstable();
            let mut pairs = Vec::new();
            for run in places.chunk_by(|a, b| a.0 == b.0) {
                let (share_of_old, share_of_new) =
                    run.split_at(run.partition_point(|place| place.1 < NEW));
                let max = share_of_old.len().max(share_of_new.len()) as u64;
                if max > u64::from(MAX_TEXTS) {
                    continue;
                }
                let weight = UNIT / max;
                for &(_, text) in share_of_old {
                    old_totals[text as usize].fetch_add(weight, Ordering::Relaxed);
                }
                for &(_, text) in share_of_new {
                    new_totals[(text - NEW) as usize].fetch_add(weight, Ordering::Relaxed);
                }
                for &(_, old) in share_of_old {
                    pairs.extend(share_of_new.iter().map(|&(_, new)| TextOverlap {
                        old,
                        new: new - NEW,
                        shared: weight,
                    }));
                }
            }
            observer.advance(1);
            Ok(summed(pairs))
        });
        let parts: Vec<Vec<TextOverlap>> = parts.collect::<Result<_, DuplicatesError>>()?;
        let finish = |totals: Vec<AtomicU64>| totals.into_iter().map(AtomicU64::into_inner);
        Ok(Self {
            pairs: summed(parts.concat()),
            old: finish(old_totals).collect(),
            new: finish(new_totals).collect(),
        })
    }

    /// The number of steps reported to the observer.
    pub(super) const STEPS: u64 = PARTS;

    /// Returns whether two texts share enough to match, whatever their lengths. Very short pages,
    /// such as stubs that only link to an issue, share half of their text with any other.
    pub(crate) fn is_significant(&self, pair: &TextOverlap) -> bool {
        let TextOverlap { old, new, shared } = *pair;
        let are_equal = [self.old[old as usize], self.new[new as usize]] == [shared; 2];
        are_equal || shared >= u64::from(MIN_RUNS) * UNIT
    }

    /// Returns the weight that two texts share.
    #[must_use]
    pub(crate) fn between(&self, old: u32, new: u32) -> u64 {
        let found = self.pairs.binary_search_by_key(&(old, new), |pair| (pair.old, pair.new));
        found.map_or(0, |at| self.pairs[at].shared)
    }
}

/// Appends the runs of a part, with the texts that contain them.
fn push_part(texts: &[ShingleSet], bit: u32, part: u64, places: &mut Vec<(u64, u32)>) {
    let shift = u64::BITS - PARTS.ilog2();
    for (text, shingles) in (bit..).zip(texts) {
        let shingles = shingles.as_slice();
        let begin = shingles.partition_point(|shingle| shingle >> shift < part);
        let of_part = shingles[begin..].iter().take_while(|&&shingle| shingle >> shift == part);
        places.extend(of_part.map(|&shingle| (shingle, text)));
    }
}

/// Merges equal pairs, adding their weights, and sorts them.
fn summed(mut pairs: Vec<TextOverlap>) -> Vec<TextOverlap> {
    pairs.par_sort_unstable();
    pairs.dedup_by(|next, kept| {
        let same = (next.old, next.new) == (kept.old, kept.new);
        if same {
            kept.shared += next.shared;
        }
        same
    });
    pairs.shrink_to_fit();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::hash::{SplitMix64, mix};
    use pagekin_core::near::shingles::Shingler;
    use pagekin_pages::Silent;

    /// Shingles of one word: the length of runs does not matter here.
    fn texts(words: &[Vec<u64>]) -> Vec<ShingleSet> {
        let shingler = Shingler::new(1).unwrap();
        let hashed =
            words.iter().map(|words| words.iter().map(|&word| mix(word)).collect::<Vec<_>>());
        hashed.map(|words| shingler.set(&words)).collect()
    }

    /// The definition, by brute force.
    fn by_force(old: &[ShingleSet], new: &[ShingleSet]) -> TextOverlaps {
        let count = |texts: &[ShingleSet], run: u64| {
            texts.iter().filter(|text| text.as_slice().contains(&run)).count() as u64
        };
        let weight = |run: u64| {
            let max = count(old, run).max(count(new, run));
            if max > 16 { 0 } else { UNIT / max }
        };
        let total = |text: &ShingleSet| text.as_slice().iter().map(|&run| weight(run)).sum::<u64>();
        let mut pairs = Vec::new();
        for (a, share_of_old) in (0..).zip(old) {
            for (b, share_of_new) in (0..).zip(new) {
                let both = share_of_old
                    .as_slice()
                    .iter()
                    .filter(|run| share_of_new.as_slice().contains(run));
                let shared = both.map(|&run| weight(run)).sum();
                pairs.extend((shared > 0).then_some(TextOverlap { old: a, new: b, shared }));
            }
        }
        let totals = |texts: &[ShingleSet]| texts.iter().map(total).collect();
        TextOverlaps { pairs, old: totals(old), new: totals(new) }
    }

    #[test]
    fn overlaps_match_brute_force() {
        let mut stream = SplitMix64::new(5);
        let mut site = |pages: u32, words: u32| -> Vec<ShingleSet> {
            let text = |stream: &mut SplitMix64| {
                let max = 1 + stream.below(words);
                // The low words are on too many texts to have a weight.
                (0..40).map(|_| u64::from(stream.below(max))).collect::<Vec<_>>()
            };
            texts(&(0..pages).map(|_| text(&mut stream)).collect::<Vec<_>>())
        };
        for words in [30, 300, 3_000] {
            let (old, new) = (site(25, words), site(40, words));
            let found = TextOverlaps::new(&old, &new, &Silent).unwrap();
            assert_eq!(found, by_force(&old, &new));
            assert!(!found.pairs.is_empty());
        }
    }

    #[test]
    fn a_run_weighs_by_the_site_with_more_texts_that_contain_it() {
        let old = texts(&[vec![1, 2, 3], vec![2]]);
        let new = texts(&[vec![1, 2, 4], vec![2, 3], vec![2]]);
        let found = TextOverlaps::new(&old, &new, &Silent).unwrap();
        // Word 1 is on one text of each, 2 on two and three, 3 on one and one.
        assert_eq!(found.between(0, 0), UNIT + UNIT / 3);
        assert_eq!(found.between(0, 1), UNIT + UNIT / 3);
        assert_eq!(found.between(1, 2), UNIT / 3);
        assert_eq!(found.old, [2 * UNIT + UNIT / 3, UNIT / 3]);
        assert_eq!(found.new, [2 * UNIT + UNIT / 3, UNIT + UNIT / 3, UNIT / 3]);
    }

    #[test]
    fn a_run_on_too_many_texts_weighs_nothing() {
        let site = |n: usize| texts(&vec![vec![7]; n]);
        let shared = |n| TextOverlaps::new(&site(1), &site(n), &Silent).unwrap().between(0, 0);
        assert_eq!((shared(16), shared(17)), (UNIT / 16, 0));
    }
}
