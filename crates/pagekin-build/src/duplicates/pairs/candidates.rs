//! Sketches into the pairs of texts that an algorithm takes for near-duplicates.
//!
//! Each key of a text is one of a table, as in an LSH. A table is sorted, and the texts of a bucket are compared in the
//! first table in which they meet.

use pagekin_core::near::megashingles::{SuperParams, Supershingler};
use pagekin_core::near::projection::c_similarity;
use pagekin_core::near::shingles::Shared;
use rayon::prelude::*;

use crate::duplicates::features::Sketches;
use crate::duplicates::options::{Algorithm, COMBINED_BITS, DuplicateOptions};
use crate::duplicates::pairs::exact_join;
use crate::error::BuildError;
use crate::progress::{Observer, Stage};

/// The pairs that were found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TextPairs {
    /// The lower text first, ascending, each once.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// Pairs that met in a bucket too large to compare all, and may be as similar as the least that is wanted.
    pub(crate) passed_over: u64,
}

pub(crate) fn find(
    sketches: &Sketches,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<TextPairs, BuildError> {
    match options.algorithm {
        // What is quoted is found apart.
        Algorithm::Copies | Algorithm::Shingles => {
            let params = SuperParams::for_resemblance(options.min);
            let supershingler = Supershingler::new(params)?;
            let least = least_equal(options.min);
            let enough = |a: u32, b: u32| {
                let values = sketches.minvalues(a).iter().zip(sketches.minvalues(b));
                values.map(|(a, b)| u32::from(a == b)).sum::<u32>() >= least
            };
            let keys = Keys::of_shingles(sketches, &supershingler);
            join(sketches, &keys, enough, options, observer)
        }
        Algorithm::B => b_similar(sketches, |_, _| true, options, observer),
        Algorithm::C => c_similar(sketches, options, observer),
        Algorithm::Both => {
            let b = b_similar(sketches, |_, _| true, options, observer)?;
            let c = c_similar(sketches, options, observer)?;
            let mut pairs = [b.pairs, c.pairs].concat();
            pairs.par_sort_unstable();
            pairs.dedup();
            Ok(TextPairs { pairs, passed_over: b.passed_over + c.passed_over })
        }
        Algorithm::Combined => {
            let enough = |a, b| {
                c_similarity(sketches.projection(a), sketches.projection(b)) >= COMBINED_BITS
            };
            b_similar(sketches, enough, options, observer)
        }
        Algorithm::Exact => {
            let resemblance = |a, b| {
                if may_resemble(sketches.size(a), sketches.size(b), options.min) {
                    Shared::of(sketches.shingles(a), sketches.shingles(b)).resemblance()
                } else {
                    0.0
                }
            };
            let pairs = exact_join::find(&sketches.sets(), options.min, resemblance, observer)?;
            Ok(TextPairs { pairs, passed_over: 0 })
        }
    }
}

/// Two texts of so many shingles each cannot resemble each other more than these numbers do.
pub(crate) fn may_resemble(n: u32, m: u32, min: f64) -> bool {
    f64::from(n.min(m)) / f64::from(n.max(m)) >= min
}

/// How many of the minvalues of a pair that resembles each other so much are surely equal: fewer are four standard
/// deviations off, one in 30,000.
fn least_equal(resemblance: f64) -> u32 {
    let n = f64::from(SuperParams::MINVALUES);
    let deviation = libm::sqrt(n * resemblance * (1.0 - resemblance));
    (n * resemblance - 4.0 * deviation).max(0.0) as u32
}

fn b_similar(
    sketches: &Sketches,
    also: impl Fn(u32, u32) -> bool + Sync,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<TextPairs, BuildError> {
    let keys = Keys::of_shingles(sketches, sketches.supershingler());
    // A shared megashingle is B-similarity.
    join(sketches, &keys, also, options, observer)
}

fn c_similar(
    sketches: &Sketches,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<TextPairs, BuildError> {
    let projector = sketches.projector();
    let keys = Keys::of(sketches.len(), |text, keys| {
        projector.for_each_subsketch(sketches.projection(text), |key| keys.push(key));
    });
    let similar = |a, b| projector.are_similar(sketches.projection(a), sketches.projection(b));
    join(sketches, &keys, similar, options, observer)
}

/// The keys of each text, one for each table.
struct Keys {
    tables: usize,
    keys: Vec<u64>,
}

impl Keys {
    /// Of `n` texts, of which `push` pushes the keys: equally many of each.
    fn of(n: u32, push: impl Fn(u32, &mut Vec<u64>) + Sync) -> Self {
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

    fn of_shingles(sketches: &Sketches, supershingler: &Supershingler) -> Self {
        Self::of(sketches.len(), |text, keys| {
            let supershingles = supershingler.supershingles(sketches.minvalues(text));
            supershingler.for_each_key(&supershingles, |key| keys.push(key));
        })
    }

    fn row(&self, text: u32) -> &[u64] {
        &self.keys[text as usize * self.tables..][..self.tables]
    }

    /// Whether two texts meet in one of the first tables.
    fn meet_before(&self, table: usize, a: u32, b: u32) -> bool {
        self.row(a)[..table].iter().zip(&self.row(b)[..table]).any(|(a, b)| a == b)
    }
}

/// The pairs that share a key and that are `similar`.
fn join(
    sketches: &Sketches,
    keys: &Keys,
    similar: impl Fn(u32, u32) -> bool + Sync,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<TextPairs, BuildError> {
    observer.stage(Stage::Pairing, keys.tables as u64);
    let tables = (0..keys.tables).into_par_iter().map(|table| {
        let mut found = TextPairs::default();
        let entry = |text: u32| (keys.row(text)[table], sketches.size(text), text);
        let mut entries: Vec<(u64, u32, u32)> = (0..sketches.len()).map(entry).collect();
        entries.sort_unstable();
        for bucket in entries.chunk_by(|a, b| a.0 == b.0) {
            if observer.cancelled() {
                return Err(BuildError::Interrupted);
            }
            for (at, &(_, size, a)) in bucket.iter().enumerate() {
                let longer = &bucket[at + 1..];
                let may_be = longer
                    .partition_point(|&(_, longer, _)| may_resemble(size, longer, options.min));
                let compared = may_be.min(options.most_compared as usize);
                found.passed_over += (may_be - compared) as u64;
                for &(_, _, b) in &longer[..compared] {
                    if !keys.meet_before(table, a, b) && similar(a, b) {
                        found.pairs.push((a.min(b), a.max(b)));
                    }
                }
            }
        }
        observer.advance(1);
        Ok(found)
    });
    let tables: Vec<TextPairs> = tables.collect::<Result<_, _>>()?;
    let passed_over = tables.iter().map(|found| found.passed_over).sum();
    let mut pairs: Vec<_> = tables.into_iter().flat_map(|found| found.pairs).collect();
    pairs.par_sort_unstable();
    Ok(TextPairs { pairs, passed_over })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duplicates::texts::Text;
    use crate::progress::Silent;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::near::megashingles::b_similarity;
    use pagekin_core::near::projection::ProjectionParams;

    /// Families of texts: an original, and copies in which more and more words are changed.
    fn sketches() -> Sketches {
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
                // Another word each, so that no two are the same text.
                tokens.push(u64::from(changes));
                texts.push(Text { tokens, pages: vec![texts.len() as u32] });
            }
        }
        let params = (SuperParams::default(), ProjectionParams::default());
        Sketches::of(texts, 10, params).unwrap().0
    }

    /// The pairs for which this holds, by comparing all.
    fn all(sketches: &Sketches, holds: impl Fn(u32, u32) -> bool) -> Vec<(u32, u32)> {
        let pairs = (0..sketches.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let mut pairs: Vec<_> = pairs.filter(|&(a, b)| holds(a, b)).collect();
        pairs.sort_unstable();
        pairs
    }

    fn found(sketches: &Sketches, algorithm: Algorithm, min: f64) -> TextPairs {
        let options = DuplicateOptions { algorithm, min, ..DuplicateOptions::new("") };
        find(sketches, &options, &Silent).unwrap()
    }

    #[test]
    fn each_algorithm_finds_what_its_definition_says() {
        let sketches = sketches();
        let b = |a: u32, b: u32| {
            b_similarity(&sketches.supershingles(a), &sketches.supershingles(b)) >= 2
        };
        let bits = |a: u32, b: u32| c_similarity(sketches.projection(a), sketches.projection(b));
        let c = |x: u32, y: u32| bits(x, y) >= 372;
        let check = |algorithm, expected: Vec<(u32, u32)>| {
            assert!(!expected.is_empty());
            assert_eq!(
                found(&sketches, algorithm, 0.0),
                TextPairs { pairs: expected, passed_over: 0 }
            );
        };
        check(Algorithm::B, all(&sketches, b));
        check(Algorithm::C, all(&sketches, c));
        check(Algorithm::Both, all(&sketches, |x, y| b(x, y) || c(x, y)));
        check(Algorithm::Combined, all(&sketches, |x, y| b(x, y) && bits(x, y) >= COMBINED_BITS));
    }

    #[test]
    fn short_runs_find_nearly_all_pairs_of_a_resemblance() {
        let sketches = sketches();
        for min in [0.9, 0.8, 0.5, 0.25] {
            let alike = |a, b| Shared::of(sketches.shingles(a), sketches.shingles(b)).resemblance();
            let expected = all(&sketches, |a, b| alike(a, b) >= min);
            let found = found(&sketches, Algorithm::Shingles, min).pairs;
            let hits = expected.iter().filter(|pair| found.binary_search(pair).is_ok()).count();
            assert!(hits as f64 >= 0.99 * expected.len() as f64, "{hits} of {}", expected.len());
        }
    }

    #[test]
    fn the_exact_join_finds_all_pairs_and_no_others() {
        let sketches = sketches();
        let alike = |a, b| Shared::of(sketches.shingles(a), sketches.shingles(b)).resemblance();
        for min in [1.0, 0.9, 0.8, 0.5, 0.25, 0.01] {
            let expected = all(&sketches, |a, b| alike(a, b) >= min);
            assert_eq!(found(&sketches, Algorithm::Exact, min).pairs, expected);
        }
        let expected = all(&sketches, |a, b| alike(a, b) > 0.0);
        assert_eq!(found(&sketches, Algorithm::Exact, 0.0).pairs, expected);
    }

    #[test]
    fn large_buckets_are_cut_and_told() {
        let text = |at: u32| Text { tokens: vec![1; 20 + at as usize], pages: vec![at] };
        let params = (SuperParams::default(), ProjectionParams::default());
        let (sketches, _) = Sketches::of((0..10).map(text).collect(), 10, params).unwrap();
        let options = DuplicateOptions { most_compared: 3, ..DuplicateOptions::new("") };
        let keys = Keys::of(sketches.len(), |_, keys| keys.push(1));
        let found = join(&sketches, &keys, |_, _| true, &options, &Silent).unwrap();
        // Each with the next three, but the last ones.
        assert_eq!(found.pairs.len(), 7 * 3 + 3);
        assert_eq!(found.passed_over, 45 - 24);
    }

    #[test]
    fn lengths_that_cannot_resemble_are_not_compared() {
        let text = |n: u32| Text { tokens: (0..u64::from(n)).collect(), pages: vec![n] };
        let params = (SuperParams::default(), ProjectionParams::default());
        let texts = [29, 49, 54].map(text).into();
        let (sketches, _) = Sketches::of(texts, 10, params).unwrap();
        let keys = Keys::of(sketches.len(), |_, keys| keys.push(1));
        let options = DuplicateOptions { min: 0.5, ..DuplicateOptions::new("") };
        let found = join(&sketches, &keys, |_, _| true, &options, &Silent).unwrap();
        // 20 shingles of 40 are just enough; 20 of 45 are not.
        assert_eq!(found.pairs, [(0, 1), (1, 2)]);
    }
}
