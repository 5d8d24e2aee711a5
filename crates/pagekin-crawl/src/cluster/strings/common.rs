//! q-grams that so many strings have that they tell nothing: those of primers at the ends of all
//! reads, of a name that stands in all titles.

use pagekin_core::hash::mix;
use pagekin_core::qgrams::QGrams;
use pagekin_core::vocabulary::TermId;
use rustc_hash::FxHashMap;

/// The part of the strings in which a q-gram stands that is common, and the fewest.
const PART: f64 = 0.1;
const MIN: u32 = 100;
/// Strings that are looked at, if there are so many.
pub(crate) const SAMPLE: usize = 1 << 14;

/// Values of the sketch of a string: the smallest hashes of its q-grams.
const SKETCH: usize = 32;
/// Values of a sketch by which strings that are alike are met.
const KEYS: usize = 4;
/// Strings with a key that are compared.
const MAX_MET: usize = 16;

/// The common q-grams of a sample of strings, ascending.
///
/// Strings that have half of their q-grams in common are counted once: what a strand has says
/// something of its reads, however many they are. There are no common q-grams if they are more than
/// half of all that the sample has. Costs a sort of the q-grams of each string, and comparisons of
/// 64 sketches.
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
    let most = ((different.sketches.len() as f64 * PART) as u32).max(MIN);
    let mut common: Vec<TermId> = Vec::new();
    let mut standing = 0;
    for (gram, count) in counts {
        if count > most {
            common.push(gram);
            standing += u64::from(count);
        }
    }
    common.sort_unstable();
    if 2 * standing > all { Vec::new() } else { common }
}

/// Strings of which no two are alike.
#[derive(Default)]
struct Different {
    sketches: Vec<Vec<u64>>,
    /// Those that have a key.
    with_key: FxHashMap<u64, Vec<u32>>,
}

impl Different {
    /// Adds the string of these q-grams, unless it is like one that is there.
    fn insert(&mut self, grams: &[TermId]) -> bool {
        let mut sketch: Vec<u64> = grams.iter().map(|&gram| mix(u64::from(gram))).collect();
        if sketch.len() > SKETCH {
            sketch.select_nth_unstable(SKETCH);
            sketch.truncate(SKETCH);
        }
        sketch.sort_unstable();
        let keys = &sketch[..sketch.len().min(KEYS)];
        let mut met = keys.iter().filter_map(|key| self.with_key.get(key)).flatten();
        if met.any(|&other| are_alike(&sketch, &self.sketches[other as usize])) {
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

/// Whether half of the first values of both sketches are in both.
fn are_alike(a: &[u64], b: &[u64]) -> bool {
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
        // A quarter of the reads goes on behind the primer with the same letter.
        assert_eq!(found.len(), expected.len() + 4);
        // A strand that most reads are of is not common.
        let strand: String = reads[0].chars().skip(20).collect();
        let mut edited = |at: usize| -> String {
            let mut read: Vec<char> = strand.chars().collect();
            read[at % 100] = char::from(b"ACGT"[stream.below(4) as usize]);
            read.into_iter().collect()
        };
        let dominant: Vec<String> = (0..1_000).map(&mut edited).collect();
        let both = dominant.iter().chain(&reads).map(String::as_str);
        assert_eq!(common(&rules, both), found);
        // Of few strings nothing is common, and of copies all would be.
        assert!(common(&rules, reads[..100].iter().map(String::as_str)).is_empty());
        assert!(common(&rules, (0..1_000).map(|_| reads[0].as_str())).is_empty());
    }
}
