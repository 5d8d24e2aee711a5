//! The similarities that sketches estimate, by their definitions.

use std::collections::BTreeMap;

use pagekin_core::vocabulary::TermId;

use crate::sketch::weights::WeightedBag;

/// The weights of each term in two bags, 0 where one has it not.
fn both(a: &WeightedBag, b: &WeightedBag) -> BTreeMap<TermId, (f64, f64)> {
    let mut weights: BTreeMap<TermId, (f64, f64)> = BTreeMap::new();
    for &(term, weight) in a.entries() {
        weights.entry(term).or_default().0 = weight;
    }
    for &(term, weight) in b.entries() {
        weights.entry(term).or_default().1 = weight;
    }
    weights
}

/// The generalised Jaccard: the sum over the terms of the smaller weight, divided by that of the
/// larger. Of whole copies it is the bag Jaccard. 0 of two empty bags.
#[must_use]
pub fn generalised_jaccard(a: &WeightedBag, b: &WeightedBag) -> f64 {
    let weights = both(a, b);
    let smaller: f64 = weights.values().map(|&(x, y)| x.min(y)).sum();
    let larger: f64 = weights.values().map(|&(x, y)| x.max(y)).sum();
    if larger > 0.0 { smaller / larger } else { 0.0 }
}

/// The probability Jaccard (Moulton and Jiang 2018): the sum over the terms `i` of both bags of
///
/// ```text
/// 1 / sum over j of max(x_j / x_i, y_j / y_i)
/// ```
///
/// It depends on the proportions of the weights in a bag alone, and is at least the generalised
/// Jaccard. 0 of bags that share no term.
///
/// # Cost
///
/// `O(n log n)`, not `O(n^2)` as by the definition: with the terms in the order of `x / y`, the
/// larger of `x_j / x_i` and `y_j / y_i` is the first of all `j` from `i` on and the second of all
/// before, so sums from either end are enough.
#[must_use]
pub fn probability_jaccard(a: &WeightedBag, b: &WeightedBag) -> f64 {
    let mut weights: Vec<(f64, f64)> = both(a, b).into_values().collect();
    // Infinite, if y is 0. Products of x with another y would not do: they are rounded, so that
    // three of them may be in no order.
    weights.sort_by(|(x, y), (u, v)| (x / y).total_cmp(&(u / v)));
    let mut later = vec![0.0; weights.len() + 1];
    for (at, &(x, _)) in weights.iter().enumerate().rev() {
        later[at] = later[at + 1] + x;
    }
    let (mut earlier, mut sum) = (0.0, 0.0);
    for (&(x, y), later) in weights.iter().zip(later) {
        if x > 0.0 && y > 0.0 {
            sum += 1.0 / (later / x + earlier / y);
        }
        earlier += y;
    }
    sum
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pagekin_core::bag::Bag;
    use pagekin_core::similarity::Overlap;
    use proptest::prelude::*;

    pub(crate) fn weighted(entries: &[(TermId, f64)]) -> WeightedBag {
        WeightedBag::from_sorted(entries.to_vec()).unwrap()
    }

    /// Bags of up to 12 of 20 terms, with weights that differ by up to a thousand times.
    pub(crate) fn any_bag() -> impl Strategy<Value = WeightedBag> {
        proptest::collection::btree_map(0u32..20, 0.01f64..10.0, 1..12)
            .prop_map(|terms| weighted(&terms.into_iter().collect::<Vec<_>>()))
    }

    /// The probability Jaccard, plainly computed.
    fn by_definition(a: &WeightedBag, b: &WeightedBag) -> f64 {
        let weights = both(a, b);
        let shared = weights.values().filter(|&&(x, y)| x > 0.0 && y > 0.0);
        let of_term = |&(xi, yi): &(f64, f64)| {
            let larger = weights.values().map(|&(x, y)| (x / xi).max(y / yi));
            1.0 / larger.sum::<f64>()
        };
        shared.map(of_term).sum()
    }

    fn scaled(bag: &WeightedBag, by: f64) -> WeightedBag {
        weighted(&bag.entries().iter().map(|&(term, w)| (term, w * by)).collect::<Vec<_>>())
    }

    #[test]
    fn known_answers() {
        let a = weighted(&[(1, 2.0), (2, 1.0)]);
        let b = weighted(&[(1, 1.0), (3, 1.0)]);
        assert_eq!(generalised_jaccard(&a, &b), 1.0 / 4.0);
        // Of term 1 alone: x_j / x_1 is 1, 1/2, 0 and y_j / y_1 is 1, 0, 1.
        assert_eq!(probability_jaccard(&a, &b), 1.0 / 2.5);
        let (c, d) = (weighted(&[(1, 1.0), (2, 3.0)]), weighted(&[(1, 3.0), (2, 1.0)]));
        assert_eq!(generalised_jaccard(&c, &d), 2.0 / 6.0);
        // Of each term 1 / (1 + max(3, 1/3)).
        assert_eq!(probability_jaccard(&c, &d), 2.0 / 4.0);
        let empty = WeightedBag::default();
        for measure in [generalised_jaccard, probability_jaccard, by_definition] {
            assert_eq!(measure(&a, &a), 1.0);
            assert_eq!(measure(&a, &empty), 0.0);
            assert_eq!(measure(&empty, &empty), 0.0);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(2018), ..ProptestConfig::default() })]

        #[test]
        fn of_copies_the_generalised_jaccard_is_that_of_bags(
            a in proptest::collection::btree_map(0u32..20, 1u16..9, 0..12),
            b in proptest::collection::btree_map(0u32..20, 1u16..9, 0..12),
        ) {
            let [a, b] = [a, b].map(|terms| Bag::from_sorted(terms.into_iter().collect()).unwrap());
            let exact = Overlap::of(&a, &b).jaccard();
            prop_assert_eq!(generalised_jaccard(&(&a).into(), &(&b).into()), exact);
        }

        #[test]
        fn the_probability_jaccard_is_larger_and_knows_no_scale(a in any_bag(), b in any_bag(), by in 0.01f64..100.0) {
            let exact = probability_jaccard(&a, &b);
            prop_assert!(exact >= generalised_jaccard(&a, &b) - 1e-12);
            prop_assert!(exact <= 1.0 + 1e-12);
            prop_assert!((probability_jaccard(&scaled(&a, by), &b) - exact).abs() < 1e-12);
            prop_assert!((probability_jaccard(&b, &a) - exact).abs() < 1e-12);
        }

        /// All quotients are the same, but for their last bits.
        #[test]
        fn weights_in_the_same_proportions_are_alike(
            terms in proptest::collection::btree_map(0u32..1_000, 0.01f64..10.0, 60..100),
            by in 0.01f64..100.0,
        ) {
            let bag = weighted(&terms.into_iter().collect::<Vec<_>>());
            let other = scaled(&bag, by);
            prop_assert!((probability_jaccard(&bag, &other) - 1.0).abs() < 1e-12);
        }

        #[test]
        fn sums_from_both_ends_give_the_definition(a in any_bag(), b in any_bag()) {
            let (fast, slow) = (probability_jaccard(&a, &b), by_definition(&a, &b));
            prop_assert!((fast - slow).abs() < 1e-12, "{fast} for {slow}");
        }
    }
}
