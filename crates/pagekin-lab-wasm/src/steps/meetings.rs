//! Computes which pairs of pages meet in LSH tables.

use pagekin_core::bag::Bag;
use pagekin_core::lsh::{TableRules, Tables, TablesError};
use pagekin_core::minhash::{Family, Signature, SignatureParams};
use pagekin_core::similarity::Overlap;
use pagekin_core::sort;

/// A pair of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetPair {
    /// First page.
    pub u: u32,
    /// Second page, with a higher number.
    pub v: u32,
    /// Overlap of their bags.
    pub overlap: Overlap,
}

/// Returns all pairs of pages, including those that share nothing, most similar first. Quadratic in
/// the number of pages.
#[must_use]
pub fn pairs(bags: &[Bag]) -> Vec<MetPair> {
    let mut pairs = Vec::with_capacity(bags.len() * bags.len().saturating_sub(1) / 2);
    for (u, a) in (0..).zip(bags) {
        for (v, b) in (0..).zip(bags).skip(u as usize + 1) {
            pairs.push(MetPair { u, v, overlap: Overlap::between(a, b) });
        }
    }
    // Compares products instead of quotients, so that the order is exact.
    sort::by(&mut pairs, |a, b| {
        let times = |one: &MetPair, other: &MetPair| {
            u64::from(one.overlap.intersection) * u64::from(other.overlap.union.max(1))
        };
        (times(b, a), (a.u, a.v)) < (times(a, b), (b.u, b.v))
    });
    pairs
}

/// Returns the number of tables in which each pair meets, by whole bags and signatures of `m`
/// values of 24 bits. An empty bag meets no other.
///
/// # Errors
///
/// The errors of [`Tables::new`].
pub fn meetings(
    bags: &[Bag],
    pairs: &[MetPair],
    rules: TableRules,
    m: u16,
    seed: u64,
) -> Result<Vec<u16>, TablesError> {
    let tables = Tables::new(rules, m, seed)?;
    let family = Family::new(SignatureParams { m, bits: 24, seed });
    let signatures: Vec<Option<Signature>> = bags.iter().map(|bag| family.sign(bag)).collect();
    let keys: Vec<Vec<u64>> = signatures
        .iter()
        .map(|signature| {
            let keys = signature.iter().flat_map(|signature| tables.keys(signature));
            keys.map(|key| key.bucket).collect()
        })
        .collect();
    let met = |pair: &MetPair| {
        let (a, b) = (&keys[pair.u as usize], &keys[pair.v as usize]);
        a.iter().zip(b).filter(|(a, b)| a == b).count() as u16
    };
    Ok(pairs.iter().map(met).collect())
}

/// Returns for each pair how many of the seeds `seed`, `seed + 1`, … make it meet in some table,
/// out of `draws` seeds.
///
/// # Errors
///
/// The errors of [`Tables::new`].
pub fn times_met(
    bags: &[Bag],
    pairs: &[MetPair],
    rules: TableRules,
    m: u16,
    seed: u64,
    draws: u32,
) -> Result<Vec<u32>, TablesError> {
    let mut times = vec![0; pairs.len()];
    for draw in 0..u64::from(draws) {
        let met = meetings(bags, pairs, rules, m, seed.wrapping_add(draw))?;
        times.iter_mut().zip(met).for_each(|(times, met)| *times += u32::from(met > 0));
    }
    Ok(times)
}

/// Returns the similarity at which pages meet with a probability of 1/2, with a precision of 2^-20.
/// Uses bisection, because the probability grows with the similarity.
#[must_use]
pub fn half(rules: TableRules) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..20 {
        let middle = (low + high) / 2.0;
        if rules.collision_probability(middle) < 0.5 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(terms: std::ops::Range<u32>) -> Bag {
        Bag::from_sorted(terms.map(|term| (term, 4)).collect()).unwrap()
    }

    #[test]
    fn equal_bags_meet_in_all_tables_and_disjoint_ones_in_none() {
        let bags = [bag(0..50), bag(0..50), bag(50..90), Bag::default()];
        let pairs = pairs(&bags);
        assert!(pairs.is_sorted_by(|a, b| a.overlap.jaccard() >= b.overlap.jaccard()));
        let order: Vec<_> = pairs.iter().map(|pair| (pair.u, pair.v)).collect();
        assert_eq!(order, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        let rules = TableRules::Independent { k: 2, l: 30 };
        assert_eq!(meetings(&bags, &pairs, rules, 80, 1), Ok(vec![30, 0, 0, 0, 0, 0]));
        let refused = TableRules::Independent { k: 81, l: 1 };
        assert!(meetings(&bags, &pairs, refused, 80, 1).is_err());
    }

    #[test]
    fn pairs_meet_about_as_often_as_the_formula_predicts() {
        // A third of the elements of either bag are in both.
        let bags = [bag(0..100), bag(50..150)];
        let pairs = pairs(&bags);
        assert!((pairs[0].overlap.jaccard() - 1.0 / 3.0).abs() < 1e-9);
        for (k, l) in [(1, 1), (2, 4), (2, 10), (3, 20)] {
            let rules = TableRules::Independent { k, l };
            let times = times_met(&bags, &pairs, rules, 80, 5, 600).unwrap()[0];
            let found = f64::from(times) / 600.0;
            // Tables of one signature are slightly dependent, which makes pairs meet less often.
            let chance = rules.collision_probability(1.0 / 3.0);
            assert!((found - chance).abs() < 0.07, "k {k}, l {l}: {found} instead of {chance}");
        }
    }

    #[test]
    fn the_probability_is_a_half_at_the_returned_similarity() {
        let half_of = |k, l| half(TableRules::Independent { k, l });
        assert!((half_of(1, 1) - 0.5).abs() < 1e-5);
        assert!((half_of(2, 20) - 0.185).abs() < 1e-3);
        assert!((half_of(3, 125) - 0.1767).abs() < 1e-3);
    }
}
