//! Estimates the error rate of reads from the differences between copies in a sample.
//!
//! Two copies with errors in a share `e` of their letters differ in about `2 e` of their letters,
//! by edit distance, and two unrelated reads in about half. So sampled reads that share a long
//! q-gram are compared, and `e` is half the median of the distances below [`UNRELATED`].
//!
//! Which partners of a read are compared does not depend on how much they share, because the
//! nearest copies have fewer errors than average.

use pagekin_core::hash;
use pagekin_core::qgrams::{Alphabet, QGrams};
use pagekin_core::vocabulary::TermId;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::cluster::strings::common::{SAMPLE, common};
use crate::cluster::strings::options::StringOptions;

/// Number of sampled reads whose partners are compared. Tests have fewer.
const READS: usize = if cfg!(test) { 60 } else { 400 };
/// Maximum number of partners of a read.
const PARTNERS: usize = 48;
/// Approximate number of partners of a read by chance. With fewer, only the best copies would be
/// among them.
const BY_CHANCE: f64 = 32.0;
/// Maximum number of sampled reads with a q-gram of one strand.
const MAX_READS: usize = 256;
/// Number of letters of a read that are compared, from its start.
const LETTERS: usize = 256;
/// Share of differing letters above which reads are not copies.
const UNRELATED: f64 = 0.4;
/// Minimum number of pairs of copies for an estimate.
const MIN_PAIRS: u32 = 25;

/// An error rate estimated from the reads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorEstimate {
    /// Share of wrong letters, at least the default, because copies are found more reliably with a
    /// rate that is too high. The default if there are too few pairs.
    pub rate: f64,
    /// Number of pairs of copies used for the estimate.
    pub pairs: u32,
    /// Whether there are enough pairs.
    pub is_enough: bool,
}

impl ErrorEstimate {
    /// Estimates the error rate of a sample of reads.
    pub(crate) fn new(sample: &[&str], both_strands: bool) -> Self {
        let heads: Vec<&[u8]> =
            sample.iter().take(SAMPLE).map(|read| head(read.as_bytes())).collect();
        let letters: usize = heads.iter().map(|head| head.len()).sum();
        let length = (letters as f64 / heads.len().max(1) as f64).max(1.0);
        let by_chance = |q: u8| heads.len() as f64 * length * length / 4f64.powi(q.into());
        let max = Alphabet::Dna.max_q();
        let q = (6..max).find(|&q| by_chance(q) <= BY_CHANCE).unwrap_or(max);
        let rules = QGrams { alphabet: Alphabet::Dna, q, both_strands, common: Vec::new() };
        let text = |head: &&[u8]| std::str::from_utf8(head).unwrap_or_default().to_owned();
        let texts: Vec<String> = heads.iter().map(text).collect();
        let common = common(&rules, texts.iter().map(String::as_str));
        let rules = QGrams { common, ..rules };
        let with_gram = with_gram(&rules, &texts);
        let mut distances: Vec<f64> = texts[..texts.len().min(READS)]
            .par_iter()
            .enumerate()
            .flat_map_iter(|(at, read)| {
                let partners = partners(&rules, read, at as u32, &with_gram);
                let distance = |other: u32| distance(read, &texts[other as usize], both_strands);
                partners.into_iter().map(distance).collect::<Vec<_>>()
            })
            .filter(|&distance| distance < UNRELATED)
            .collect();
        distances.sort_unstable_by(f64::total_cmp);
        let pairs = distances.len() as u32;
        let is_enough = pairs >= MIN_PAIRS;
        let rate = match distances.get(distances.len() / 2) {
            Some(median) if is_enough => (median / 2.0).max(StringOptions::ERROR_RATE),
            _ => StringOptions::ERROR_RATE,
        };
        Self { rate, pairs, is_enough }
    }
}

fn head(read: &[u8]) -> &[u8] {
    &read[..read.len().min(LETTERS)]
}

/// Returns the reads that contain each q-gram, in ascending order.
fn with_gram(rules: &QGrams, reads: &[String]) -> FxHashMap<TermId, Vec<u32>> {
    let mut with_gram: FxHashMap<TermId, Vec<u32>> = FxHashMap::default();
    for (at, read) in (0..).zip(reads) {
        for &(gram, _) in rules.bag(read).entries() {
            with_gram.entry(gram).or_default().push(at);
        }
    }
    with_gram
}

/// Returns some of the reads that share a q-gram with a read, chosen by a hash.
fn partners(
    rules: &QGrams,
    read: &str,
    at: u32,
    with_gram: &FxHashMap<TermId, Vec<u32>>,
) -> Vec<u32> {
    let bag = rules.bag(read);
    let lists = bag.entries().iter().filter_map(|(gram, _)| with_gram.get(gram));
    let lists = lists.filter(|list| list.len() <= MAX_READS);
    let others: FxHashSet<u32> = lists.flatten().copied().filter(|&other| other != at).collect();
    let mut others: Vec<u32> = others.into_iter().collect();
    others
        .sort_unstable_by_key(|&other| (hash::mix(u64::from(at) << 32 | u64::from(other)), other));
    others.truncate(PARTNERS);
    others
}

/// Returns the share of letters in which two reads differ.
fn distance(a: &str, b: &str, both_strands: bool) -> f64 {
    let upper = |read: &str| read.to_ascii_uppercase().replace('U', "T").into_bytes();
    let (a, b) = (upper(a), upper(b));
    let mut edits = strsim::generic_levenshtein(&a, &b);
    if both_strands {
        edits = edits.min(strsim::generic_levenshtein(&a, &reverse_complement(&b)));
    }
    edits as f64 / a.len().max(b.len()).max(1) as f64
}

fn reverse_complement(read: &[u8]) -> Vec<u8> {
    let complement = |&letter: &u8| match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => other,
    };
    read.iter().rev().map(complement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::hash::SplitMix64;

    const BASES: &[u8; 4] = b"ACGT";

    /// Returns copies of random strands, with errors in a share of their letters, in random order.
    fn reads(strands: u32, copies: u32, errors: f64, both_strands: bool) -> Vec<String> {
        let mut stream = SplitMix64::new(7);
        let base = |stream: &mut SplitMix64| BASES[stream.below(4) as usize];
        let mut reads = Vec::new();
        for _ in 0..strands {
            let strand: Vec<u8> = (0..130).map(|_| base(&mut stream)).collect();
            for _ in 0..copies {
                let mut copy = Vec::new();
                for &letter in &strand {
                    if f64::from(stream.below(1_000_000)) >= 1e6 * errors {
                        copy.push(letter);
                        continue;
                    }
                    match stream.below(3) {
                        0 => copy.push(if letter == b'A' { b'C' } else { b'A' }),
                        1 => copy.extend([base(&mut stream), letter]),
                        _ => {}
                    }
                }
                if both_strands && stream.below(2) == 0 {
                    copy = reverse_complement(&copy);
                }
                reads.push((stream.next_u64(), String::from_utf8(copy).unwrap()));
            }
        }
        reads.sort();
        reads.into_iter().map(|(_, read)| read).collect()
    }

    fn estimate(reads: &[String], both_strands: bool) -> ErrorEstimate {
        let reads: Vec<&str> = reads.iter().map(String::as_str).collect();
        ErrorEstimate::new(&reads, both_strands)
    }

    #[test]
    fn estimated_rates_are_close_to_the_true_ones() {
        for (errors, strands, copies) in
            [(0.01, 100, 10), (0.03, 500, 2), (0.05, 100, 10), (0.1, 500, 2), (0.1, 100, 10)]
        {
            let found = estimate(&reads(strands, copies, errors, false), false);
            assert!(found.is_enough && found.pairs >= 30, "{found:?}");
            let expected = errors.max(StringOptions::ERROR_RATE);
            assert!((found.rate - expected).abs() < 0.2 * expected, "{errors}: {found:?}");
        }
        // The worst copies share nothing that they could be found by.
        let many = estimate(&reads(100, 10, 0.15, false), false).rate;
        assert!((0.11..0.16).contains(&many), "{many}");
        let found = estimate(&reads(100, 10, 0.1, true), true);
        assert!((found.rate - 0.1).abs() < 0.02, "{found:?}");
        let equal = estimate(&reads(50, 4, 0.0, false), false);
        assert_eq!((equal.rate, equal.is_enough), (StringOptions::ERROR_RATE, true));
    }

    #[test]
    fn reads_without_copies_give_no_estimate() {
        for reads in [reads(2_000, 1, 0.1, false), reads(3, 2, 0.1, false), Vec::new()] {
            let found = estimate(&reads, false);
            assert!(!found.is_enough && found.rate == StringOptions::ERROR_RATE, "{found:?}");
        }
    }
}
