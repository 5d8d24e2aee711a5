//! Compares two texts with shingles, supershingles and projections.

use std::ops::Range;

use pagekin_core::near::ParameterError;
use pagekin_core::near::megashingles::{SuperParams, Supershingler, b_similarity};
use pagekin_core::near::passages::{passages, tokens_with_places};
use pagekin_core::near::projection::{ProjectionParams, Projector, c_similarity};
use pagekin_core::near::shingles::{Shared, Shingler};

/// A text as runs of consecutive words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs {
    /// Number of words.
    pub words: usize,
    /// Byte range of each run, and whether the other text contains it.
    pub runs: Vec<(Range<usize>, bool)>,
    /// Byte ranges of passages that are in the other text. Adjacent runs are merged.
    pub passages: Vec<Range<usize>>,
}

/// A MinHash value: the minimum of a random function over the runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minvalue {
    /// Whether both texts have the same value.
    pub equal: bool,
    /// Index of the run with this value in the second text, in [`Runs::runs`].
    pub run: usize,
}

/// The comparison of two texts, by each algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct Copies {
    /// The second text, the copy.
    pub b: Runs,
    /// Numbers of different runs in both.
    pub shared: Shared,
    /// MinHash values; empty if a text has no words.
    pub minvalues: Vec<Minvalue>,
    /// Which supershingles are equal, each of a group of consecutive MinHash values.
    pub supershingles: Vec<bool>,
    /// Number of equal supershingles, and the number needed.
    pub b_similarity: (u32, u32),
    /// Probability that supershingles find a pair with this resemblance.
    pub b_chance: f64,
    /// Which bits of the projections are equal.
    pub bits: Vec<bool>,
    /// Number of equal bits, and the number needed.
    pub c_similarity: (u32, u32),
}

/// Compares two texts by runs of `width` words, with the parameters of the papers.
///
/// # Errors
///
/// If `width` is not 1 to 100.
pub fn copies(a: &str, b: &str, width: u32) -> Result<Copies, ParameterError> {
    let shingler = Shingler::new(width)?;
    let supershingler = Supershingler::new(SuperParams::default())?;
    let projector = Projector::new(ProjectionParams::default())?;
    let ((a_tokens, _), (b_tokens, b_places)) = (tokens_with_places(a), tokens_with_places(b));
    let (a_set, b_set) = (shingler.set(&a_tokens), shingler.set(&b_tokens));
    let shared = Shared::between(&a_set, &b_set);
    let (_, of_b) = passages(&a_tokens, &b_tokens, &shingler);
    let mut all = Vec::new();
    shingler.for_each(&b_tokens, |shingle| all.push(shingle));
    let length = b_tokens.len() + 1 - all.len().max(1);
    let place = |at: usize| b_places[at].start..b_places[at + length - 1].end;
    let is_shared = |run: &u64| a_set.as_slice().binary_search(run).is_ok();
    let runs = all.iter().enumerate().map(|(at, run)| (place(at), is_shared(run))).collect();
    let minvalues = [&a_set, &b_set].map(|set| supershingler.minvalues(set).unwrap_or_default());
    let winners = supershingler.winners(&all);
    let [a_minvalues, b_minvalues] = &minvalues;
    let super_a = supershingler.supershingles(a_minvalues);
    let super_b = supershingler.supershingles(b_minvalues);
    let bits = [&a_tokens, &b_tokens].map(|tokens| projector.sketch(tokens));
    let bit = |at: u32| {
        let of = |sketch: &[u64]| sketch[at as usize / 64] >> (at % 64) & 1;
        of(&bits[0]) == of(&bits[1])
    };
    let (super_params, c_params) = (supershingler.params(), projector.params());
    Ok(Copies {
        shared,
        minvalues: a_minvalues
            .iter()
            .zip(b_minvalues)
            .zip(winners)
            .map(|((a, b), run)| Minvalue { equal: a == b, run })
            .collect(),
        supershingles: super_a.iter().zip(&super_b).map(|(a, b)| a == b).collect(),
        b_similarity: (b_similarity(&super_a, &super_b), super_params.agreeing),
        b_chance: super_params.found(shared.resemblance()),
        bits: (0..c_params.bits).map(bit).collect(),
        c_similarity: (c_similarity(&bits[0], &bits[1]), c_params.agreeing),
        b: Runs {
            words: b_tokens.len(),
            runs,
            passages: of_b.iter().map(|passage| passage.place(&b_places)).collect(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::near::comparison::compare;
    use proptest::prelude::*;

    /// Returns `n` different words.
    fn words(n: usize) -> Vec<String> {
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        (0..n).map(|n| format!("w{}{}{}", letter(n), letter(n / 26), letter(n / 676))).collect()
    }

    #[test]
    fn one_changed_word_breaks_a_run_per_word() {
        let original = words(200);
        let mut changed = original.clone();
        changed[100] = "zebra".to_owned();
        let found = copies(&original.join(" "), &changed.join(" "), 10).unwrap();
        assert_eq!((found.shared.both, found.shared.a, found.shared.b), (181, 191, 191));
        let broken = found.b.runs.iter().filter(|(_, shared)| !shared).count();
        assert_eq!((broken, found.b.runs.len(), found.b.words), (10, 191, 200));
        assert_eq!(found.b.passages.len(), 2);
        assert_eq!((found.minvalues.len(), found.supershingles.len()), (84, 6));
        let equal = found.bits.iter().filter(|&&equal| equal).count() as u32;
        assert_eq!((equal, found.bits.len()), (found.c_similarity.0, 384));
        assert!(equal > 360);
    }

    #[test]
    fn order_matters_to_runs_but_not_to_projections() {
        let mut sorted = words(120);
        let text = sorted.join(" ");
        sorted.reverse();
        let found = copies(&text, &sorted.join(" "), 10).unwrap();
        assert_eq!((found.shared.both, found.b_similarity.0, found.c_similarity.0), (0, 0, 384));
    }

    #[test]
    fn texts_with_few_or_no_words_are_compared() {
        let found = copies("a few words", "a few words", 10).unwrap();
        assert_eq!((found.shared.both, found.b.runs.len()), (1, 1));
        assert_eq!(found.b_similarity.0, 6);
        let found = copies("", "a few words", 10).unwrap();
        assert_eq!((found.shared.both, found.minvalues.len(), found.b.runs.len()), (0, 0, 1));
        assert!(copies("a", "b", 0).is_err());
    }

    proptest! {
        #[test]
        fn runs_of_ten_words_match_a_comparison(
            a in prop::collection::vec(0usize..12, 0..60), b in prop::collection::vec(0usize..12, 0..60),
        ) {
            let known = words(12);
            let text = |of: Vec<usize>| of.iter().map(|&word| known[word].as_str()).collect::<Vec<_>>().join(" ");
            let (a, b) = (text(a), text(b));
            let (found, expected) = (copies(&a, &b, 10).unwrap(), compare(&a, &b));
            prop_assert_eq!(found.shared, expected.shared);
            let passages: Vec<&str> = found.b.passages.iter().map(|place| &b[place.clone()]).collect();
            let expected_passages: Vec<&str> = expected.page.iter().skip(1).step_by(2).copied().collect();
            prop_assert_eq!(passages, expected_passages);
            for minvalue in &found.minvalues {
                // The run with an equal MinHash value is in both texts.
                prop_assert!(!minvalue.equal || found.b.runs[minvalue.run].1);
            }
        }
    }
}
