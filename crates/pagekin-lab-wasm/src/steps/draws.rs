//! Random orders of the elements of two bags, and the first element of each order.
//!
//! Function i of a [`Family`] sorts all elements of both bags. The first element in that order is
//! the minimum of each bag that contains it. The bags therefore agree in value i exactly if it is
//! in both, which is true for `|A and B| / |A or B|` of all elements.
//!
//! # Quirks
//!
//! 1. Elements with equal 32-bit numbers are sorted by their terms, and values of signatures are
//!    truncated. Two of 2,000 elements are equal in one of 2,000 pairs of pages.

use std::cmp::Reverse;

use pagekin_core::bag::Bag;
use pagekin_core::hash::{SplitMix64, mix};
use pagekin_core::minhash::{Family, SignatureParams, element};
use pagekin_core::sort;
use pagekin_core::vocabulary::TermId;

/// Which of two bags contain an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Both.
    Both,
    /// Only the first.
    First,
    /// Only the second.
    Second,
}

/// One of the elements that a term with count n contributes to a bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// The term.
    pub term: TermId,
    /// Number of the element within the term, from 0.
    pub copy: u16,
    /// The bags that contain it.
    pub side: Side,
}

/// Returns the terms of either bag with their counts in both, in the order of their ids.
#[must_use]
pub fn beside(a: &Bag, b: &Bag) -> Vec<(TermId, u16, u16)> {
    let entries = a.entries().iter().chain(b.entries());
    let mut rows: Vec<(TermId, u16, u16)> =
        entries.map(|&(term, _)| (term, a.count(term), b.count(term))).collect();
    sort::by_key(&mut rows, |&row| row);
    rows.dedup();
    rows
}

/// Returns [`beside`] with the highest counts in both first, then the highest in either.
#[must_use]
pub fn beside_by_copies(a: &Bag, b: &Bag) -> Vec<(TermId, u16, u16)> {
    let mut rows = beside(a, b);
    sort::by_key(&mut rows, |&(term, a, b)| (Reverse((a.min(b), a.max(b))), term));
    rows
}

/// Returns the elements of either bag, in the order of their terms.
#[must_use]
pub fn elements(a: &Bag, b: &Bag) -> Vec<Element> {
    let mut elements = Vec::new();
    for (term, of_a, of_b) in beside(a, b) {
        elements.extend((0..of_a.max(of_b)).map(|copy| {
            let side = match (copy < of_a, copy < of_b) {
                (true, true) => Side::Both,
                (true, false) => Side::First,
                _ => Side::Second,
            };
            Element { term, copy, side }
        }));
    }
    elements
}

/// Returns the elements of either bag in the order of function `i` of a family.
///
/// # Panics
///
/// If the family has no function `i`.
#[must_use]
pub fn order(family: &Family, i: usize, a: &Bag, b: &Bag) -> Vec<Element> {
    let (multipliers, addends) = family.functions();
    let place = |one: &Element| {
        multipliers[i].wrapping_mul(element(one.term, one.copy)).wrapping_add(addends[i])
    };
    let mut ordered = elements(a, b);
    sort::by_key(&mut ordered, |one| (place(one), one.term, one.copy));
    ordered
}

/// Returns the first element in the order of each of `m` functions of a seed; empty if both bags
/// are. The bags agree where it is in [`Side::Both`].
#[must_use]
pub fn race(m: u16, seed: u64, a: &Bag, b: &Bag) -> Vec<Element> {
    let family = Family::new(SignatureParams { m, bits: 24, seed });
    let numbered: Vec<(u32, Element)> =
        elements(a, b).into_iter().map(|one| (element(one.term, one.copy), one)).collect();
    let (multipliers, addends) = family.functions();
    multipliers
        .iter()
        .zip(addends)
        .filter_map(|(multiplier, addend)| {
            let place = |x: u32| multiplier.wrapping_mul(x).wrapping_add(*addend);
            let first = numbered.iter().min_by_key(|(x, _)| place(*x))?;
            Some(first.1)
        })
        .collect()
}

/// Returns how many of the first draws agree in each of `runs` runs with the seeds `seed`, `seed +
/// 1`, …, after each number of draws in `after`, which must be sorted.
#[must_use]
pub fn fan(after: &[u16], seed: u64, runs: u32, a: &Bag, b: &Bag) -> Vec<Vec<u32>> {
    let m = after.last().copied().unwrap_or_default();
    let run = |run: u32| {
        let first = race(m, seed.wrapping_add(run.into()), a, b);
        let agreed = |draws: usize| {
            let draws = &first[..draws.min(first.len())];
            draws.iter().filter(|one| one.side == Side::Both).count() as u32
        };
        after.iter().map(|&draws| agreed(draws.into())).collect()
    };
    (0..runs).map(run).collect()
}

/// Numbers of draws after which the first run of the lab must be ordinary.
pub const ORDINARY_AFTER: [u16; 3] = [10, 20, 80];

/// Returns the first seed whose estimates after [`ORDINARY_AFTER`] draws are all within one
/// standard deviation of the similarity `s`; 1 if 100 seeds have none.
#[must_use]
pub fn ordinary_seed(s: f64, a: &Bag, b: &Bag) -> u32 {
    let is_ordinary = |seed: &u32| {
        let agreed = fan(&ORDINARY_AFTER, (*seed).into(), 1, a, b).remove(0);
        agreed.iter().zip(ORDINARY_AFTER).all(|(&agreed, draws)| {
            let estimate = f64::from(agreed) / f64::from(draws);
            (estimate - s).abs() <= deviation(s, draws.into())
        })
    };
    (1..=100).find(is_ordinary).unwrap_or(1)
}

/// Returns how often each of `n` numbers comes first in `draws` orders: the numbers 1 to n, mixed
/// as those of words are, or as they are. With truly random orders, all come first equally often.
#[must_use]
pub fn first_counts(n: u32, is_mixed: bool, draws: u16, seed: u64) -> Vec<u32> {
    let family = Family::new(SignatureParams { m: draws, bits: 24, seed });
    let numbers: Vec<u32> =
        (1..=n).map(|number| if is_mixed { element(number, 0) } else { number }).collect();
    let mut counts = vec![0; numbers.len()];
    let (multipliers, addends) = family.functions();
    for (multiplier, addend) in multipliers.iter().zip(addends) {
        let place = |at: &usize| multiplier.wrapping_mul(numbers[*at]).wrapping_add(*addend);
        if let Some(first) = (0..numbers.len()).min_by_key(place) {
            counts[first] += 1;
        }
    }
    counts
}

/// Chooses an element of each bag at random, `n` times, and returns how often both are the same.
/// This shows the need for a common order. 0 if a bag is empty.
#[must_use]
pub fn pick_any(n: u32, seed: u64, a: &Bag, b: &Bag) -> u32 {
    let of = |bag: &Bag| -> Vec<(TermId, u16)> {
        let copies = |&(term, copies): &(TermId, u16)| (0..copies).map(move |copy| (term, copy));
        bag.entries().iter().flat_map(copies).collect()
    };
    let (of_a, of_b) = (of(a), of(b));
    if of_a.is_empty() || of_b.is_empty() {
        return 0;
    }
    let (mut first, mut second) = (SplitMix64::new(seed), SplitMix64::new(mix(seed) ^ 1));
    let pick =
        |of: &[(TermId, u16)], stream: &mut SplitMix64| of[stream.below(of.len() as u32) as usize];
    (0..n).filter(|_| pick(&of_a, &mut first) == pick(&of_b, &mut second)).count() as u32
}

/// Returns the interval of 90% of the estimates from `m` draws, for two bags of similarity `s`: `s`
/// plus and minus 1.645 standard deviations `sqrt(s (1 - s) / m)`, within 0 and 1. This is a normal
/// approximation, which is rough for few draws.
#[must_use]
pub fn nine_of_ten(s: f64, m: u32) -> (f64, f64) {
    let off = 1.645 * deviation(s, m);
    ((s - off).max(0.0), (s + off).min(1.0))
}

/// Returns the standard deviation of an estimate from `m` draws, for two bags of similarity `s`:
/// `sqrt(s (1 - s) / m)`.
#[must_use]
pub fn deviation(s: f64, m: u32) -> f64 {
    libm::sqrt(s * (1.0 - s) / f64::from(m.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::similarity::Overlap;
    use proptest::prelude::*;

    fn bag(entries: &[(TermId, u16)]) -> Bag {
        Bag::from_sorted(entries.to_vec()).unwrap()
    }

    fn bags() -> impl Strategy<Value = Bag> {
        prop::collection::btree_map(0u32..30, 1u16..9, 0..20)
            .prop_map(|map| Bag::from_sorted(map.into_iter().collect()).unwrap())
    }

    #[test]
    fn bags_are_compared_with_the_highest_common_counts_first() {
        let rows =
            beside_by_copies(&bag(&[(1, 2), (5, 9), (6, 3)]), &bag(&[(1, 1), (6, 3), (7, 4)]));
        assert_eq!(rows, [(6, 3, 3), (1, 2, 1), (5, 9, 0), (7, 0, 4)]);
    }

    #[test]
    fn elements_are_those_of_either_bag() {
        let found = elements(&bag(&[(1, 2), (5, 1)]), &bag(&[(1, 1), (7, 1)]));
        let sides: Vec<_> = found.iter().map(|one| (one.term, one.copy, one.side)).collect();
        assert_eq!(
            sides,
            [(1, 0, Side::Both), (1, 1, Side::First), (5, 0, Side::First), (7, 0, Side::Second)]
        );
    }

    #[test]
    fn random_elements_rarely_agree_and_first_ones_as_often_as_the_similarity() {
        let (a, b) = (bag(&[(1, 200), (2, 200)]), bag(&[(1, 200), (3, 200)]));
        let agreed = race(1_024, 7, &a, &b).iter().filter(|one| one.side == Side::Both).count();
        // A third of 1,024, and five standard deviations of 15.
        assert!((266..417).contains(&agreed), "{agreed}");
        // One in 800.
        assert!(pick_any(1_024, 7, &a, &b) < 10);
        assert!(pick_any(1_024, 7, &bag(&[(1, 1)]), &bag(&[(1, 1)])) == 1_024);
        assert_eq!(pick_any(1_024, 7, &a, &Bag::default()), 0);
    }

    #[test]
    fn runs_of_a_fan_are_races_and_the_ordinary_one_is_near_the_truth() {
        let (a, b) = (bag(&[(1, 200), (2, 200)]), bag(&[(1, 200), (3, 200)]));
        let found = fan(&[1, 10, 80], 5, 4, &a, &b);
        for (seed, run) in (5..).zip(&found) {
            let first = race(80, seed, &a, &b);
            let agreed = |draws: usize| {
                first[..draws].iter().filter(|one| one.side == Side::Both).count() as u32
            };
            assert_eq!(*run, [1, 10, 80].map(agreed));
        }
        let seed = ordinary_seed(1.0 / 3.0, &a, &b);
        let run = fan(&ORDINARY_AFTER, seed.into(), 1, &a, &b).remove(0);
        for (agreed, draws) in run.into_iter().zip(ORDINARY_AFTER) {
            let off = (f64::from(agreed) / f64::from(draws) - 1.0 / 3.0).abs();
            assert!(off <= deviation(1.0 / 3.0, draws.into()));
        }
        assert_eq!(ordinary_seed(0.0, &bag(&[(1, 3)]), &bag(&[(2, 3)])), 1);
    }

    #[test]
    fn linear_functions_prefer_the_ends_of_consecutive_numbers_and_mixing_cures_it() {
        let share = |is_mixed| {
            let counts = first_counts(8, is_mixed, 20_000, 3);
            assert_eq!(counts.iter().sum::<u32>(), 20_000);
            counts.into_iter().map(|count| f64::from(count) / 20_000.0).collect::<Vec<_>>()
        };
        let (plain, mixed) = (share(false), share(true));
        assert!(plain[0] > 0.155 && plain[3] < 0.115, "{plain:?}");
        assert!(mixed.iter().all(|share| (share - 0.125).abs() < 0.03), "{mixed:?}");
    }

    #[test]
    fn the_error_halves_with_four_times_the_draws() {
        assert!((deviation(0.5, 80) - 2.0 * deviation(0.5, 320)).abs() < 1e-12);
        assert!((deviation(0.4, 80) - 0.0548).abs() < 1e-4);
        assert_eq!(nine_of_ten(0.0, 10), (0.0, 0.0));
        let (low, high) = nine_of_ten(0.4, 80);
        assert!((low - 0.3099).abs() < 1e-4 && (high - 0.4901).abs() < 1e-4);
    }

    proptest! {
        /// Compares with signatures: they agree where the first element is in both bags.
        #[test]
        fn the_race_matches_signatures(a in bags(), b in bags(), seed: u64) {
            let first = race(40, seed, &a, &b);
            let family = Family::new(SignatureParams { m: 40, bits: 24, seed });
            prop_assert_eq!(first.len(), if a.is_empty() && b.is_empty() { 0 } else { 40 });
            if let (Some(a_signed), Some(b_signed)) = (family.sign(&a), family.sign(&b)) {
                for (i, one) in first.iter().enumerate() {
                    let agree = a_signed.values()[i] == b_signed.values()[i];
                    prop_assert_eq!(agree, one.side == Side::Both);
                    prop_assert_eq!(order(&family, i, &a, &b)[0], *one);
                }
            }
            let overlap = Overlap::between(&a, &b);
            let all = elements(&a, &b);
            prop_assert_eq!(all.len() as u32, overlap.union);
            let both = all.iter().filter(|one| one.side == Side::Both).count();
            prop_assert_eq!(both as u32, overlap.intersection);
        }
    }
}
