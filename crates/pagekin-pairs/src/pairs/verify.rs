//! Verifies similar pairs by the bags of their pages.

use pagekin_core::similarity::Overlap;
use rayon::prelude::*;

use crate::error::PairsError;
use crate::threshold::Threshold;

/// Two pages, with `u < v`, and the overlap of their bags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimilarPair {
    /// The lower page.
    pub u: u32,
    /// The higher page.
    pub v: u32,
    /// The number of copies in both bags, and in either. Their ratio is the similarity.
    pub overlap: Overlap,
}

impl SimilarPair {
    /// Returns the pair if the bags reach the threshold.
    #[must_use]
    pub fn verify(u: u32, v: u32, overlap: Overlap, threshold: Threshold) -> Option<Self> {
        let reached = threshold.is_reached(overlap.intersection, overlap.union);
        reached.then_some(Self { u, v, overlap })
    }

    /// Returns the similarity in thousandths, rounded down, so that only equal bags have 1,000.
    #[must_use]
    pub fn thousandths(&self) -> u16 {
        let Overlap { intersection, union } = self.overlap;
        (u64::from(intersection) * 1_000 / u64::from(union.max(1))) as u16
    }
}

/// Returns those of the sorted pairs whose bags reach the threshold, in the same order. `overlap`
/// returns the overlap of the bags of two pages.
///
/// # Errors
///
/// Returns [`PairsError::OutOfOrder`] unless pairs are ascending with `u < v`.
pub fn verify(
    pairs: &[(u32, u32)],
    overlap: impl Fn(u32, u32) -> Overlap + Sync,
    threshold: Threshold,
) -> Result<Vec<SimilarPair>, PairsError> {
    let out_of_order = |last: String, found| {
        Err(PairsError::OutOfOrder { what: "pairs", last, found: format!("{found:?}") })
    };
    if let Some(two) = pairs.windows(2).find(|two| two[0] >= two[1]) {
        return out_of_order(format!("{:?}", two[0]), two[1]);
    }
    if let Some(&pair) = pairs.iter().find(|(u, v)| u >= v) {
        return out_of_order("a page that is not lower".to_owned(), pair);
    }
    let similar = |&(u, v): &(u32, u32)| SimilarPair::verify(u, v, overlap(u, v), threshold);
    Ok(pairs.par_iter().filter_map(similar).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minhash::SignedBy;
    use crate::pairs::bucket_join::ExtractOptions;
    use crate::pairs::exact_join::join;
    use crate::pairs::extract::extract;
    use crate::signatures::columns::{SignatureBatch, SignatureColumns, rows};
    use crate::signatures::equal::collapse;
    use pagekin_core::bag::Bag;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::lsh::{TableRules, Tables};
    use pagekin_core::minhash::{Family, SignatureParams};
    use std::collections::{BTreeMap, BTreeSet};

    /// Returns the overlap of the bags of two pages.
    fn overlap(bags: &[Bag]) -> impl Fn(u32, u32) -> Overlap + Sync + '_ {
        |u, v| Overlap::between(&bags[u as usize], &bags[v as usize])
    }

    /// Groups of bags. Each bag has terms of its group, terms of its own, and terms common to all.
    fn bags(groups: u32, of: u32) -> Vec<Bag> {
        let mut stream = SplitMix64::new(21);
        let mut bags = Vec::new();
        for page in 0..groups * of {
            let (group, own) = (1_000 + page / of * 20, 1_000_000 + page * 40);
            let drawn = (0..30).map(|_| match stream.below(10) {
                0 => stream.below(50),
                x if x <= page % 5 => own + stream.below(40),
                _ => group + stream.below(20),
            });
            let entries: BTreeMap<u32, u16> =
                drawn.map(|term| (term, 1 + (term % 7) as u16)).collect();
            bags.push(Bag::from_sorted(entries.into_iter().collect()).unwrap());
        }
        // One in ten has a duplicate.
        bags.extend_from_within(..(groups * of / 10) as usize);
        bags
    }

    /// From bags to verified pairs: only pairs of the exact join, and at least 95% of these.
    #[test]
    fn signatures_find_nearly_all_pairs_of_the_exact_join() {
        let bags = bags(60, 8);
        let threshold = Threshold::from_thousandths(300).unwrap();
        let params = SignatureParams { m: 80, bits: 16, seed: 4 };
        let signed_by = SignedBy { algorithm: "affine".to_owned(), params, scale: 100 };
        let family = Family::new(params);
        let signatures: Vec<_> = bags.iter().map(|bag| family.sign(bag).unwrap()).collect();
        let mut columns = SignatureColumns::new(signed_by.clone()).unwrap();
        let rows = rows(&signatures);
        columns.push(SignatureBatch { signed_by: &signed_by, first: 0, rows: &rows }).unwrap();
        let collapsed = collapse(&columns);
        let pages = collapsed.representatives();
        assert!(pages.len() < bags.len());
        let tables = Tables::new(TableRules::Independent { k: 3, l: 125 }, 80, 4).unwrap();
        let options = ExtractOptions {
            threshold: Threshold::PAPER,
            max_in_bucket: ExtractOptions::MAX_IN_BUCKET,
        };
        let mut candidates: Vec<(u32, u32)> = collapsed.stars().collect();
        extract(&columns, &pages, &tables, options, |batch| {
            candidates.extend(batch.pairs.iter().map(|pair| (pair.u, pair.v)));
            Ok::<(), PairsError>(())
        })
        .unwrap();
        candidates.sort_unstable();
        let found = verify(&candidates, overlap(&bags), threshold).unwrap();

        // Only the representative of equal signatures is paired.
        let kept: BTreeSet<u32> = pages.iter().copied().collect();
        let is_sought = |pair: &SimilarPair| {
            collapsed.representative(pair.v) == pair.u
                || kept.contains(&pair.u) && kept.contains(&pair.v)
        };
        let numbered: Vec<(u32, &Bag)> = (0..).zip(&bags).collect();
        let mut truth = join(&numbered, threshold);
        truth.retain(is_sought);
        assert!(truth.len() > 500, "{} pairs", truth.len());
        assert!(found.iter().all(|pair| truth.contains(pair)));
        let recall = found.len() as f64 / truth.len() as f64;
        assert!(recall >= 0.95, "{recall}");
    }

    #[test]
    fn pairs_with_similar_bags_are_kept() {
        let bags: Vec<Bag> = [vec![(1, 4)], vec![(1, 1), (2, 3)], vec![(1, 4)], vec![]]
            .map(|entries| Bag::from_sorted(entries).unwrap())
            .into();
        let verify = |pairs: &[(u32, u32)], thousandths| {
            let threshold = Threshold::from_thousandths(thousandths).unwrap();
            verify(pairs, overlap(&bags), threshold)
        };
        let all = [(0, 1), (0, 2), (0, 3), (1, 2)];
        // The first two bags share 1 of 7 copies.
        let found = verify(&all, 142).unwrap();
        assert_eq!(found.iter().map(|p| (p.u, p.v)).collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(found[0].overlap, Overlap { intersection: 1, union: 7 });
        assert_eq!(found[0].thousandths(), 142);
        assert_eq!(found[1].thousandths(), 1_000);
        assert_eq!(verify(&all, 143).unwrap().len(), 1);
        assert!(verify(&[(0, 2), (0, 1)], 1).is_err());
        assert!(verify(&[(0, 1), (0, 1)], 1).is_err());
        assert_eq!(
            verify(&[(0, 1), (2, 2)], 1).unwrap_err().to_string(),
            "pairs must be in ascending order without duplicates: found (2, 2) after a page that is not lower. Sort them first"
        );
    }
}
