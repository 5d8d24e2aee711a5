//! Finds the pairs of texts that an algorithm treats as near-duplicates.
//!
//! Each key of a text belongs to one table, as in LSH. The texts of a bucket are compared in the
//! first table in which they share a key.

use fearless_simd::dispatch;
use pagekin_core::near::megashingles::{SuperParams, Supershingler};
use pagekin_core::near::projection::c_similarity;
use pagekin_core::near::shingles::{Shared, ShingleSet};
use pagekin_pages::progress::check;
use pagekin_pages::{Observer, Stage};
use pagekin_pairs::join::by_key::{Pairs, Table, join};
use rayon::prelude::*;

use crate::error::DuplicatesError;
use crate::features::{Features, Short};
use crate::options::{Algorithm, COMBINED_BITS, DuplicateOptions};
use crate::pairs::exact_join;

/// Maximum number of pairs compared per table, if pages are compared with more than one other page.
/// The Rust documentation has 60,000 pairs in all.
const MAX_TABLE_ENTRIES: usize = 1 << 23;

pub(crate) fn find(
    features: &Features,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<Pairs, DuplicatesError> {
    match options.algorithm {
        // Quotations are found separately.
        Algorithm::Copies | Algorithm::Shingles => {
            let params =
                SuperParams { seed: options.seed, ..SuperParams::for_resemblance(options.min) };
            let supershingler = Supershingler::new(params)?;
            let min_values = min_equal(options.min);
            let enough = |a: u32, b: u32| {
                let values = features.minvalues(a).iter().zip(features.minvalues(b));
                values.map(|(a, b)| u32::from(a == b)).sum::<u32>() >= min_values
            };
            let keys = Keys::from_shingles(features, &supershingler);
            let mut found = similar_in_buckets(&sizes(features), &keys, enough, options, observer)?;
            for short in features.short() {
                let more = short_texts(features, short, &supershingler, options, observer)?;
                add_short(features, &mut found.pairs, more.pairs.into_iter(), options.min);
                found.not_compared += more.not_compared;
            }
            Ok(found)
        }
        Algorithm::B => b_similar(features, |_, _| true, options, observer),
        Algorithm::C => c_similar(features, options, observer),
        Algorithm::Combined => {
            let enough = |a, b| {
                c_similarity(features.projection(a), features.projection(b)) >= COMBINED_BITS
            };
            b_similar(features, enough, options, observer)
        }
        Algorithm::Exact => {
            let mut pairs = exact(&features.sets(), options.min, observer)?;
            for short in features.short() {
                let (texts, sets) = sets_of_short(features, short, options.min);
                let sets: Vec<&[u64]> = sets.iter().map(ShingleSet::as_slice).collect();
                let found = exact(&sets, options.min, observer)?.into_iter();
                let found = found.map(|(a, b)| (texts[a as usize], texts[b as usize]));
                add_short(features, &mut pairs, found, options.min);
            }
            Ok(Pairs { pairs, not_compared: 0 })
        }
    }
}

/// Finds all pairs of sets with the minimum resemblance.
fn exact(
    sets: &[&[u64]],
    min: f64,
    observer: &dyn Observer,
) -> Result<Vec<(u32, u32)>, DuplicatesError> {
    let size = |at: u32| sets[at as usize].len() as u32;
    let resemblance = |a: u32, b: u32| {
        if may_resemble(size(a), size(b), min) {
            Shared::from_sorted(sets[a as usize], sets[b as usize]).resemblance()
        } else {
            0.0
        }
    };
    exact_join::find(sets, min, resemblance, observer)
}

/// Adds pairs found by short shingles, if the shorter text of the pair is short enough for these.
fn add_short(
    features: &Features,
    pairs: &mut Vec<(u32, u32)>,
    found: impl Iterator<Item = (u32, u32)>,
    min: f64,
) {
    let resemblance = |a, b| features.shared(a, b).resemblance();
    pairs.extend(found.filter(|&(a, b)| resemblance(a, b) >= min && resemblance(a, b) > 0.0));
    pairs.par_sort_unstable();
    pairs.dedup();
}

/// Returns the number of shingles of each text.
fn sizes(features: &Features) -> Vec<u32> {
    (0..features.len()).map(|text| features.size(text)).collect()
}

/// Returns the texts that may resemble a short one, which have few tokens, and their short
/// shingles.
fn sets_of_short(features: &Features, short: &Short, min: f64) -> (Vec<u32>, Vec<ShingleSet>) {
    // A longer text may have few distinct shingles.
    let max = 2.0 * short.max_tokens as f64 / min.max(0.1);
    let texts = (0..features.len()).filter(|&text| features.tokens(text).len() as f64 <= max);
    let texts: Vec<u32> = texts.collect();
    let set = |&text: &u32| short.shingler.set(features.tokens(text));
    let sets = texts.par_iter().map(set).collect();
    (texts, sets)
}

/// Finds the pairs with a short text, by short shingles.
fn short_texts(
    features: &Features,
    short: &Short,
    supershingler: &Supershingler,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<Pairs, DuplicatesError> {
    let (texts, sets) = sets_of_short(features, short, options.min);
    let minvalues = |set: &ShingleSet| {
        dispatch!(features.level(), _ => supershingler.minvalues(set)).unwrap_or_default()
    };
    let minvalues: Vec<Vec<u64>> = sets.par_iter().map(minvalues).collect();
    let keys = Keys::new(texts.len() as u32, |at, keys| {
        let supershingles = supershingler.supershingles(&minvalues[at as usize]);
        supershingler.for_each_key(&supershingles, |key| keys.push(key));
    });
    let enough = |a: u32, b: u32| {
        let [a, b] = [a, b].map(|at| &sets[at as usize]);
        Shared::between(a, b).resemblance() >= options.min
    };
    let sizes: Vec<u32> = sets.iter().map(|set| set.as_slice().len() as u32).collect();
    let mut found = similar_in_buckets(&sizes, &keys, enough, options, observer)?;
    for (a, b) in &mut found.pairs {
        (*a, *b) = (texts[*a as usize], texts[*b as usize]);
    }
    Ok(found)
}

/// Returns whether two texts with `n` and `m` shingles can have the minimum resemblance: it is at
/// most the ratio of these numbers.
pub(crate) fn may_resemble(n: u32, m: u32, min: f64) -> bool {
    f64::from(n.min(m)) / f64::from(n.max(m)) >= min
}

/// Returns the minimum number of equal MinHash values of a pair with this resemblance. It is four
/// standard deviations below the mean, which misses one pair in 30,000.
fn min_equal(resemblance: f64) -> u32 {
    let n = f64::from(SuperParams::MINVALUES);
    let deviation = libm::sqrt(n * resemblance * (1.0 - resemblance));
    (n * resemblance - 4.0 * deviation).max(0.0) as u32
}

fn b_similar(
    features: &Features,
    also: impl Fn(u32, u32) -> bool + Sync,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<Pairs, DuplicatesError> {
    let keys = Keys::from_shingles(features, features.supershingler());
    // Texts that share a megashingle are B-similar.
    similar_in_buckets(&sizes(features), &keys, also, options, observer)
}

fn c_similar(
    features: &Features,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<Pairs, DuplicatesError> {
    let projector = features.projector();
    let keys = Keys::new(features.len(), |text, keys| {
        projector.for_each_subsketch(features.projection(text), |key| keys.push(key));
    });
    let similar = |a, b| projector.are_similar(features.projection(a), features.projection(b));
    similar_in_buckets(&sizes(features), &keys, similar, options, observer)
}

/// The keys of each text, one for each table.
struct Keys {
    tables: usize,
    keys: Vec<u64>,
}

impl Keys {
    /// Computes the keys of `n` texts with `push`, which must push equally many for each.
    fn new(n: u32, push: impl Fn(u32, &mut Vec<u64>) + Sync) -> Self {
        let each: Vec<Vec<u64>> = (0..n)
            .into_par_iter()
            .map(|text| {
                let mut keys = Vec::new();
                push(text, &mut keys);
                keys
            })
            .collect();
        Self { tables: each.first().map_or(0, Vec::len), keys: each.concat() }
    }

    fn from_shingles(features: &Features, supershingler: &Supershingler) -> Self {
        Self::new(features.len(), |text, keys| {
            let supershingles = supershingler.supershingles(features.minvalues(text));
            supershingler.for_each_key(&supershingles, |key| keys.push(key));
        })
    }

    fn row(&self, text: u32) -> &[u64] {
        &self.keys[text as usize * self.tables..][..self.tables]
    }

    /// Returns whether two texts share a key in a table before `table`.
    fn meet_before(&self, table: usize, a: u32, b: u32) -> bool {
        self.row(a)[..table].iter().zip(&self.row(b)[..table]).any(|(a, b)| a == b)
    }
}

/// Finds the pairs that share a key and are `similar`. `sizes` are the numbers of shingles of the
/// texts.
fn similar_in_buckets(
    sizes: &[u32],
    keys: &Keys,
    similar: impl Fn(u32, u32) -> bool + Sync,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<Pairs, DuplicatesError> {
    observer.stage(Stage::Pairing, keys.tables as u64);
    let table = |table: usize| {
        observer.advance(1);
        let entry = |(text, &size)| (keys.row(text)[table], size, text);
        Table::new((0..).zip(sizes).map(entry))
    };
    let pair = |number: usize, table: &Table<(u64, u32, u32)>, into: &mut Pairs| {
        let sizes: Vec<usize> = table.buckets().map(<[_]>::len).collect();
        let max = max_compared(&sizes, options.max_compared as usize);
        let places =
            table.buckets().flat_map(|bucket| (0..bucket.len()).map(move |at| &bucket[at..]));
        for place in places {
            check(observer)?;
            let Some((&(_, size, a), longer)) = place.split_first() else { continue };
            let may_be =
                longer.partition_point(|&(_, longer, _)| may_resemble(size, longer, options.min));
            let compared = may_be.min(max);
            into.not_compared += (may_be - compared) as u64;
            for &(_, _, b) in &longer[..compared] {
                if !keys.meet_before(number, a, b) && similar(a, b) {
                    into.push(a, b);
                }
            }
        }
        Ok(())
    };
    join(keys.tables, table, pair)
}

/// Returns with how many of the following pages each page of buckets of these sizes is compared:
/// `requested`, or fewer if needed to bound the comparisons of a table.
fn max_compared(sizes: &[usize], requested: usize) -> usize {
    let pairs = |max: usize| sizes.iter().map(|&n| n * max.min(n - 1)).sum::<usize>();
    let fewer = std::iter::successors(Some(requested), |max| Some(max / 2));
    fewer.take_while(|&max| max > 1).find(|&max| pairs(max) <= MAX_TABLE_ENTRIES).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Text;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::near::megashingles::b_similarity;
    use pagekin_core::near::projection::ProjectionParams;
    use pagekin_pages::Silent;

    /// Families of texts: an original, and versions of it with more and more changed words.
    fn features() -> Features {
        let mut stream = SplitMix64::new(7);
        let mut texts = Vec::new();
        for family in 0..30u32 {
            let n = 60 + stream.below(400);
            let original: Vec<u64> = (0..n).map(|_| stream.next_u64()).collect();
            for changes in 0..12 {
                let mut tokens = original.clone();
                for _ in 0..changes * family / 10 {
                    tokens[stream.below(n) as usize] = stream.next_u64();
                }
                // Add a different word to each, so that no two texts are equal.
                tokens.push(u64::from(changes));
                texts.push(Text { tokens, words: [0; 2], pages: vec![texts.len() as u32] });
            }
        }
        let params = (SuperParams::default(), ProjectionParams::default());
        Features::new(texts, 10, params).unwrap().0
    }

    /// Returns the pairs for which `holds` returns true, by brute force.
    fn all(features: &Features, holds: impl Fn(u32, u32) -> bool) -> Vec<(u32, u32)> {
        let pairs = (0..features.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let mut pairs: Vec<_> = pairs.filter(|&(a, b)| holds(a, b)).collect();
        pairs.sort_unstable();
        pairs
    }

    fn found(features: &Features, algorithm: Algorithm, min: f64) -> Pairs {
        let options = DuplicateOptions { algorithm, min, ..DuplicateOptions::new("") };
        find(features, &options, &Silent).unwrap()
    }

    #[test]
    fn each_algorithm_matches_its_definition() {
        let features = features();
        let b = |a: u32, b: u32| {
            b_similarity(&features.supershingles(a), &features.supershingles(b)) >= 2
        };
        let bits = |a: u32, b: u32| c_similarity(features.projection(a), features.projection(b));
        let c = |x: u32, y: u32| bits(x, y) >= 372;
        let check = |algorithm, expected: Vec<(u32, u32)>| {
            assert!(!expected.is_empty());
            assert_eq!(
                found(&features, algorithm, 0.0),
                Pairs { pairs: expected, not_compared: 0 }
            );
        };
        check(Algorithm::B, all(&features, b));
        check(Algorithm::C, all(&features, c));
        check(Algorithm::Combined, all(&features, |x, y| b(x, y) && bits(x, y) >= COMBINED_BITS));
    }

    #[test]
    fn short_runs_find_nearly_all_pairs_of_a_resemblance() {
        let features = features();
        for min in [0.9, 0.8, 0.5, 0.25] {
            let resemblance = |a, b| features.shared(a, b).resemblance();
            let expected = all(&features, |a, b| resemblance(a, b) >= min);
            let found = found(&features, Algorithm::Shingles, min).pairs;
            let hits = expected.iter().filter(|pair| found.binary_search(pair).is_ok()).count();
            assert!(hits as f64 >= 0.99 * expected.len() as f64, "{hits} of {}", expected.len());
        }
    }

    #[test]
    fn the_exact_join_finds_all_pairs_and_no_others() {
        let features = features();
        let resemblance = |a, b| features.shared(a, b).resemblance();
        for min in [1.0, 0.9, 0.8, 0.5, 0.25, 0.01] {
            let expected = all(&features, |a, b| resemblance(a, b) >= min);
            assert_eq!(found(&features, Algorithm::Exact, min).pairs, expected);
        }
        let expected = all(&features, |a, b| resemblance(a, b) > 0.0);
        assert_eq!(found(&features, Algorithm::Exact, 0.0).pairs, expected);
    }

    #[test]
    fn large_buckets_are_truncated_and_counted() {
        let text =
            |at: u32| Text { tokens: vec![1; 20 + at as usize], words: [0; 2], pages: vec![at] };
        let params = (SuperParams::default(), ProjectionParams::default());
        let (features, _) = Features::new((0..10).map(text).collect(), 10, params).unwrap();
        let options = DuplicateOptions { max_compared: 3, ..DuplicateOptions::new("") };
        let keys = Keys::new(features.len(), |_, keys| keys.push(1));
        let found =
            similar_in_buckets(&sizes(&features), &keys, |_, _| true, &options, &Silent).unwrap();
        // Each text is compared with the next three, except the last ones.
        assert_eq!(found.pairs.len(), 7 * 3 + 3);
        assert_eq!(found.not_compared, 45 - 24);
    }

    #[test]
    fn comparisons_of_a_table_are_bounded() {
        let max = |sizes: &[usize]| max_compared(sizes, 2_000);
        // Usual cases are not truncated: one large template, or any number of small buckets.
        assert_eq!(max(&[4_000, 100, 1]), 2_000);
        assert_eq!(max(&vec![8; 100_000]), 2_000);
        assert_eq!(max(&[400_000]), 15);
        assert_eq!(max(&[2_000; 200]), 15);
        assert_eq!(max(&[1 << 24]), 1);
        assert_eq!((max(&[]), max_compared(&[9], 1)), (2_000, 1));
        // A page is compared with the others of its bucket, not with itself: 8 pages have 56
        // ordered pairs.
        let fitting = MAX_TABLE_ENTRIES / 56;
        assert_eq!(max(&vec![8; fitting]), 2_000);
        assert_eq!(max(&vec![8; fitting + 1]), 3);
    }

    #[test]
    fn texts_of_too_different_lengths_are_not_compared() {
        let text =
            |n: u32| Text { tokens: (0..u64::from(n)).collect(), words: [0; 2], pages: vec![n] };
        let params = (SuperParams::default(), ProjectionParams::default());
        let texts = [29, 49, 54].map(text).into();
        let (features, _) = Features::new(texts, 10, params).unwrap();
        let keys = Keys::new(features.len(), |_, keys| keys.push(1));
        let options = DuplicateOptions { min: 0.5, ..DuplicateOptions::new("") };
        let found =
            similar_in_buckets(&sizes(&features), &keys, |_, _| true, &options, &Silent).unwrap();
        // 20 of 40 shingles are just enough; 20 of 45 are not.
        assert_eq!(found.pairs, [(0, 1), (1, 2)]);
    }
}
