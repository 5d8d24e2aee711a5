//! q-grams that so many strings have that they tell nothing: those of primers at the ends of all
//! reads, of a name that stands in all titles.

use pagekin_core::qgrams::QGrams;
use pagekin_core::vocabulary::TermId;
use rustc_hash::FxHashMap;

/// The part of the strings in which a q-gram stands that is common, and the fewest.
const PART: f64 = 0.1;
const FEWEST: u32 = 100;
/// Strings that are looked at, if there are so many.
pub(crate) const SAMPLE: usize = 1 << 14;

/// The common q-grams of a sample of strings, ascending.
///
/// There are none if they are more than half of all that stands in the sample: where each string
/// has ten thousand copies, all q-grams are common.
pub(crate) fn common<'a>(rules: &QGrams, sample: impl Iterator<Item = &'a str>) -> Vec<TermId> {
    let mut counts: FxHashMap<TermId, u32> = FxHashMap::default();
    let (mut strings, mut all, mut grams) = (0u32, 0u64, Vec::new());
    for string in sample {
        strings += 1;
        rules.grams(string, &mut grams);
        grams.sort_unstable();
        grams.dedup();
        all += grams.len() as u64;
        grams.iter().for_each(|&gram| *counts.entry(gram).or_default() += 1);
    }
    let most = ((f64::from(strings) * PART) as u32).max(FEWEST);
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
        // Of few strings nothing is common, and of copies all would be.
        assert!(common(&rules, reads[..100].iter().map(String::as_str)).is_empty());
        assert!(common(&rules, (0..1_000).map(|_| reads[0].as_str())).is_empty());
    }
}
