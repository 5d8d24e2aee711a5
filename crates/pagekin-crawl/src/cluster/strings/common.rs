//! Finds q-grams that are too common to be informative, such as those of primers at the ends of all
//! reads or of a name in all titles.

use pagekin_core::hash::mix;
use pagekin_core::qgrams::QGrams;
use pagekin_core::vocabulary::TermId;
use rustc_hash::FxHashMap;

/// Share of the strings above which a q-gram is common.
const PART: f64 = 0.1;
/// Number of strings up to which a q-gram is never common.
const MIN: u32 = 100;
/// Maximum number of sampled strings.
pub(crate) const SAMPLE: usize = 1 << 14;

/// Number of values in the sketch of a string, the smallest hashes of its q-grams.
const SKETCH: usize = 32;
/// Number of values of a sketch that similar strings are searched by.
const KEYS: usize = 4;
/// Maximum number of strings with the same key that are compared.
const MAX_MET: usize = 16;

/// Returns the common q-grams of a sample of strings, in ascending order.
///
/// Strings that share half of their q-grams are counted once, because q-grams of a strand are
/// informative however many reads it has. Returns none if common q-grams are more than half of all
/// in the sample. Costs a sort of the q-grams of each string, and comparisons with 64 sketches.
pub(crate) fn common<'a>(rules: &QGrams, sample: impl Iterator<Item = &'a str>) -> Vec<TermId> {
    let mut counts: FxHashMap<TermId, u32> = FxHashMap::default();
    let (mut different, mut all, mut grams) = (Different::default(), 0u64, Vec::new());
    for string in sample {
        rules.grams(string, &mut grams);
        grams.sort_unstable();
        grams.dedup();
        if different.insert(&grams) {
            all += grams.len() as u64;
            grams.iter().for_each(|&gram| *counts.entry(gram).or_default() += 1);
        }
    }
    let max = ((different.sketches.len() as f64 * PART) as u32).max(MIN);
    let mut common: Vec<TermId> = Vec::new();
    let mut occurrences = 0;
    for (gram, count) in counts {
        if count > max {
            common.push(gram);
            occurrences += u64::from(count);
        }
    }
    common.sort_unstable();
    if 2 * occurrences > all { Vec::new() } else { common }
}

/// Strings that are all dissimilar.
#[derive(Default)]
struct Different {
    sketches: Vec<Vec<u64>>,
    /// Strings by key.
    with_key: FxHashMap<u64, Vec<u32>>,
}

impl Different {
    /// Adds a string with these q-grams, unless it is similar to an earlier one.
    fn insert(&mut self, grams: &[TermId]) -> bool {
        let mut sketch: Vec<u64> = grams.iter().map(|&gram| mix(u64::from(gram))).collect();
        if sketch.len() > SKETCH {
            sketch.select_nth_unstable(SKETCH);
            sketch.truncate(SKETCH);
        }
        sketch.sort_unstable();
        let keys = &sketch[..sketch.len().min(KEYS)];
        let mut met = keys.iter().filter_map(|key| self.with_key.get(key)).flatten();
        if met.any(|&other| are_similar(&sketch, &self.sketches[other as usize])) {
            return false;
        }
        for key in keys {
            let met = self.with_key.entry(*key).or_default();
            if met.len() < MAX_MET {
                met.push(self.sketches.len() as u32);
            }
        }
        self.sketches.push(sketch);
        true
    }
}

/// Returns whether half of the smallest values of both sketches are in both.
fn are_similar(a: &[u64], b: &[u64]) -> bool {
    let both = a.iter().filter(|value| b.binary_search(value).is_ok()).count();
    3 * both >= a.len() + b.len() - both
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::qgrams::Alphabet;

    #[test]
    fn primers_are_common_and_copies_of_one_strand_are_not() {
        let rules =
            QGrams { alphabet: Alphabet::Dna, q: 8, both_strands: false, common: Vec::new() };
        let primer = "ACGGTCATTGCAACGTGCTA";
        let mut stream = SplitMix64::new(3);
        let mut read = || -> String {
            let bases = (0..100).map(|_| char::from(b"ACGT"[stream.below(4) as usize]));
            primer.chars().chain(bases).collect()
        };
        let reads: Vec<String> = (0..1_000).map(|_| read()).collect();
        let mut expected = Vec::new();
        rules.grams(primer, &mut expected);
        let found = common(&rules, reads.iter().map(String::as_str));
        assert!(expected.iter().all(|gram| found.binary_search(gram).is_ok()), "{found:?}");
        // A quarter of the reads continue after the primer with the same letter.
        assert_eq!(found.len(), expected.len() + 4);
        // A strand that most reads are copies of is not common.
        let strand: String = reads[0].chars().skip(20).collect();
        let mut edited = |at: usize| -> String {
            let mut read: Vec<char> = strand.chars().collect();
            read[at % 100] = char::from(b"ACGT"[stream.below(4) as usize]);
            read.into_iter().collect()
        };
        let dominant: Vec<String> = (0..1_000).map(&mut edited).collect();
        let both = dominant.iter().chain(&reads).map(String::as_str);
        assert_eq!(common(&rules, both), found);
        // With few strings nothing is common, and with copies everything would be.
        assert!(common(&rules, reads[..100].iter().map(String::as_str)).is_empty());
        assert!(common(&rules, (0..1_000).map(|_| reads[0].as_str())).is_empty());
    }
}
