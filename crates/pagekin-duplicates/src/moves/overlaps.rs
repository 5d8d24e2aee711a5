//! How much of what few texts have each two texts of two sites share.

use std::sync::atomic::{AtomicU64, Ordering};

use pagekin_core::near::shingles::ShingleSet;
use pagekin_pages::Observer;
use pagekin_pages::progress::check;
use rayon::prelude::*;

use crate::error::DuplicatesError;

/// Words of a run. Three find as much, ten miss pages that were edited.
pub const SHINGLE_TOKENS: u32 = 5;
/// Texts of either site that may have a run which says something about one of them.
pub const MAX_TEXTS: u32 = 16;

/// The weight of a run that one text of each site has: divisible by all numbers to [`MAX_TEXTS`],
/// so that weights are whole and their sums do not depend on the order.
const UNIT: u64 = 720_720;
/// The fewest runs, each of one text of a site, that tell where texts went which are not equal.
pub const MIN_RUNS: u32 = 8;
/// Parts that runs are put into by their first bits, one after the other on each thread: memory is
/// that of some parts.
const PARTS: u64 = 64;
/// The bit of the numbers of new texts, so that they follow the old ones.
const NEW: u32 = 1 << 31;

/// How much two texts share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TextOverlap {
    /// The text of the old site.
    pub(crate) old: u32,
    /// That of the new one.
    pub(crate) new: u32,
    /// The sum of the weights of the runs that both have, in 720,720ths.
    pub(crate) shared: u64,
}

/// All pairs of texts of two sites that share something, and how much each text has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextOverlaps {
    /// By the old text, then by the new one.
    pub(crate) pairs: Vec<TextOverlap>,
    /// The sum of the weights of all runs of an old text.
    pub(crate) old: Vec<u64>,
    /// The same of a new one.
    pub(crate) new: Vec<u64>,
}

impl TextOverlaps {
    /// Of the shingles of the texts of two sites, fewer than 2^31 each. Linear in these, but for a
    /// run that n texts of either site have: up to n².
    ///
    /// # Errors
    ///
    /// If the observer asks to stop.
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
                let (of_old, of_new) = run.split_at(run.partition_point(|place| place.1 < NEW));
                let most = of_old.len().max(of_new.len()) as u64;
                if most > u64::from(MAX_TEXTS) {
                    continue;
                }
                let weight = UNIT / most;
                for &(_, text) in of_old {
                    old_totals[text as usize].fetch_add(weight, Ordering::Relaxed);
                }
                for &(_, text) in of_new {
                    new_totals[(text - NEW) as usize].fetch_add(weight, Ordering::Relaxed);
                }
                for &(_, old) in of_old {
                    pairs.extend(of_new.iter().map(|&(_, new)| TextOverlap {
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

    /// Steps that an observer is told of.
    pub(super) const STEPS: u64 = PARTS;

    /// Whether what two texts share says something, however little they have: pages of a sentence,
    /// such as those that name an issue each, share half of it with any other.
    pub(crate) fn tells(&self, pair: &TextOverlap) -> bool {
        let TextOverlap { old, new, shared } = *pair;
        let are_equal = [self.old[old as usize], self.new[new as usize]] == [shared; 2];
        are_equal || shared >= u64::from(MIN_RUNS) * UNIT
    }

    /// What two texts share.
    #[must_use]
    pub(crate) fn between(&self, old: u32, new: u32) -> u64 {
        let found = self.pairs.binary_search_by_key(&(old, new), |pair| (pair.old, pair.new));
        found.map_or(0, |at| self.pairs[at].shared)
    }
}

/// The runs of a part, with the texts that have them.
fn push_part(texts: &[ShingleSet], bit: u32, part: u64, places: &mut Vec<(u64, u32)>) {
    let shift = u64::BITS - PARTS.ilog2();
    for (text, shingles) in (bit..).zip(texts) {
        let shingles = shingles.as_slice();
        let begin = shingles.partition_point(|shingle| shingle >> shift < part);
        let of_part = shingles[begin..].iter().take_while(|&&shingle| shingle >> shift == part);
        places.extend(of_part.map(|&shingle| (shingle, text)));
    }
}

/// Each pair once, with the sum of what it shares; in order.
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

    /// Runs of one word: what is tested is independent of their length.
    fn texts(words: &[Vec<u64>]) -> Vec<ShingleSet> {
        let shingler = Shingler::new(1).unwrap();
        let hashed =
            words.iter().map(|words| words.iter().map(|&word| mix(word)).collect::<Vec<_>>());
        hashed.map(|words| shingler.set(&words)).collect()
    }

    /// By the definition.
    fn by_force(old: &[ShingleSet], new: &[ShingleSet]) -> TextOverlaps {
        let having = |texts: &[ShingleSet], run: u64| {
            texts.iter().filter(|text| text.as_slice().contains(&run)).count() as u64
        };
        let weight = |run: u64| {
            let most = having(old, run).max(having(new, run));
            if most > 16 { 0 } else { UNIT / most }
        };
        let total = |text: &ShingleSet| text.as_slice().iter().map(|&run| weight(run)).sum::<u64>();
        let mut pairs = Vec::new();
        for (a, of_old) in (0..).zip(old) {
            for (b, of_new) in (0..).zip(new) {
                let both = of_old.as_slice().iter().filter(|run| of_new.as_slice().contains(run));
                let shared = both.map(|&run| weight(run)).sum();
                pairs.extend((shared > 0).then_some(TextOverlap { old: a, new: b, shared }));
            }
        }
        let totals = |texts: &[ShingleSet]| texts.iter().map(total).collect();
        TextOverlaps { pairs, old: totals(old), new: totals(new) }
    }

    #[test]
    fn overlaps_are_those_by_force() {
        let mut stream = SplitMix64::new(5);
        let mut site = |pages: u32, words: u32| -> Vec<ShingleSet> {
            let text = |stream: &mut SplitMix64| {
                let most = 1 + stream.below(words);
                // The low words are on more texts than may have a run.
                (0..40).map(|_| u64::from(stream.below(most))).collect::<Vec<_>>()
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
    fn a_run_weighs_by_the_site_where_more_texts_have_it() {
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
    fn what_too_many_texts_have_weighs_nothing() {
        let site = |n: usize| texts(&vec![vec![7]; n]);
        let shared = |n| TextOverlaps::new(&site(1), &site(n), &Silent).unwrap().between(0, 0);
        assert_eq!((shared(16), shared(17)), (UNIT / 16, 0));
    }
}
