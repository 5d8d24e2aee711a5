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
    // A signature takes longer than all else.
    let mut is_in_pair = vec![false; bags.len()];
    for pair in pairs {
        (is_in_pair[pair.u as usize], is_in_pair[pair.v as usize]) = (true, true);
    }
    let sign = |(bag, is_in_pair): (&Bag, bool)| is_in_pair.then(|| family.sign(bag)).flatten();
    let signatures: Vec<Option<Signature>> = bags.iter().zip(is_in_pair).map(sign).collect();
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

/// The signatures of two pages, and the key of each table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strips {
    /// The values of both signatures.
    pub values: [Vec<u32>; 2],
    /// The indices of the values of each key, and whether both pages have the same key.
    pub tables: Vec<(Vec<u16>, bool)>,
}

/// Returns the signatures of two bags with the keys of all tables; `None` if a bag is empty.
///
/// # Errors
///
/// The errors of [`Tables::new`].
pub fn strips(
    a: &Bag,
    b: &Bag,
    rules: TableRules,
    m: u16,
    seed: u64,
) -> Result<Option<Strips>, TablesError> {
    let tables = Tables::new(rules, m, seed)?;
    let family = Family::new(SignatureParams { m, bits: 24, seed });
    let (Some(of_a), Some(of_b)) = (family.sign(a), family.sign(b)) else {
        return Ok(None);
    };
    let equal = tables.keys(&of_a).zip(tables.keys(&of_b)).map(|(a, b)| a.bucket == b.bucket);
    let tables_of = tables.indices().map(<[u16]>::to_vec).zip(equal).collect();
    Ok(Some(Strips { values: [of_a, of_b].map(|one| one.values().to_vec()), tables: tables_of }))
}

/// Returns the buckets of one table with at least two pages, largest first. An empty bag is in no
/// bucket.
///
/// # Errors
///
/// The errors of [`Tables::new`].
pub fn buckets(
    bags: &[Bag],
    rules: TableRules,
    m: u16,
    seed: u64,
    table: usize,
) -> Result<Vec<Vec<u32>>, TablesError> {
    let tables = Tables::new(rules, m, seed)?;
    let family = Family::new(SignatureParams { m, bits: 24, seed });
    let mut placed: Vec<(u64, u32)> = (0..)
        .zip(bags)
        .filter_map(|(page, bag)| {
            let signature = family.sign(bag)?;
            let key = tables.keys(&signature).nth(table)?;
            Some((key.bucket, page))
        })
        .collect();
    sort::by_key(&mut placed, |&entry| entry);
    let mut found: Vec<Vec<u32>> = placed
        .chunk_by(|one, next| one.0 == next.0)
        .filter(|bucket| bucket.len() > 1)
        .map(|bucket| bucket.iter().map(|&(_, page)| page).collect())
        .collect();
    sort::by(&mut found, |one, other| (other.len(), one[0]) < (one.len(), other[0]));
    Ok(found)
}

/// The probability that two pages meet, as a function of their similarity, if each key takes `k`
/// different values out of the same `m`.
///
/// The textbook's `1 - (1 - s^k)^l` assumes that keys are independent. They are not: all depend on
/// the number `j` of equal values, which has a binomial distribution. Given `j`, each key is equal
/// with probability `C(j, k) / C(m, k)`.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactCurve {
    /// The probability to meet in some table, for each `j` from 0 to `m`.
    given: Vec<f64>,
}

impl ExactCurve {
    /// Creates the curve of `l` tables.
    #[must_use]
    pub fn new(k: u8, l: u16, m: u16) -> Self {
        let meets = |j: u16| {
            let equal = (0..u16::from(k)).fold(1.0, |product, at| {
                product * f64::from(j.saturating_sub(at)) / f64::from(m.saturating_sub(at).max(1))
            });
            1.0 - (0..l).fold(1.0, |product, _| product * (1.0 - equal))
        };
        Self { given: (0..=m).map(meets).collect() }
    }

    /// Returns the probability at similarity `s`.
    #[must_use]
    pub fn at(&self, s: f64) -> f64 {
        let mut met = 0.0;
        let m = (self.given.len() - 1) as u16;
        for_each_probability(s, m, |j, probability| met += probability * self.given[j]);
        met
    }

    /// Returns the sum of the probabilities of pairs, given how many of them have each `j`.
    fn mean(&self, pairs: &[f64]) -> f64 {
        self.given.iter().zip(pairs).map(|(probability, pairs)| probability * pairs).sum()
    }
}

/// Calls `visit` with the probability of each number `j` of equal values among `m`, at similarity
/// `s`: a binomial distribution.
fn for_each_probability(s: f64, m: u16, mut visit: impl FnMut(usize, f64)) {
    let m = usize::from(m);
    if s <= 0.0 || s >= 1.0 {
        return visit(if s <= 0.0 { 0 } else { m }, 1.0);
    }
    // The probabilities are computed from the end at which they cannot underflow.
    let (likely, rare) = if s > 0.5 { (s, 1.0 - s) } else { (1.0 - s, s) };
    let mut probability = (0..m).fold(1.0, |product, _| product * likely);
    for rare_count in 0..=m {
        visit(if s > 0.5 { m - rare_count } else { rare_count }, probability);
        let factor = (m - rare_count) as f64 / (rare_count + 1) as f64;
        probability *= factor * (rare / likely);
    }
}

/// The expected results of tables on the pairs of a site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Number of wanted pairs that meet.
    pub found: f64,
    /// Number of pairs that meet.
    pub compared: f64,
}

/// How many pairs of a site have each number of equal values, on average over all seeds. This does
/// not depend on the keys, so the results of many tables are sums over the same numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct EqualValues {
    /// The mean number of wanted pairs with `j` equal values, for each `j` from 0 to `m`.
    wanted: Vec<f64>,
    /// The same of all pairs.
    all: Vec<f64>,
}

impl EqualValues {
    /// Sums the distributions of `pairs`, of which the first `wanted` are wanted, for signatures of
    /// `m` values.
    #[must_use]
    pub fn new(pairs: &[MetPair], wanted: usize, m: u16) -> Self {
        let (first, others) = pairs.split_at(wanted.min(pairs.len()));
        let with = |mut sums: Vec<f64>, pairs: &[MetPair]| {
            for pair in pairs {
                let add = |j: usize, probability| sums[j] += probability;
                for_each_probability(pair.overlap.jaccard(), m, add);
            }
            sums
        };
        let wanted = with(vec![0.0; usize::from(m) + 1], first);
        let all = with(wanted.clone(), others);
        Self { wanted, all }
    }

    /// Returns the expected results of `l` tables with keys of `k` values.
    #[must_use]
    pub fn expected(&self, k: u8, l: u16) -> Expected {
        let curve = ExactCurve::new(k, l, (self.all.len() - 1) as u16);
        Expected { found: curve.mean(&self.wanted), compared: curve.mean(&self.all) }
    }
}

/// Returns the first of `tries` seeds whose draw finds the number of wanted pairs nearest to the
/// expected one, so that the first draw of the lab is not an unusual one.
///
/// # Errors
///
/// The errors of [`Tables::new`].
pub fn ordinary_seed(
    bags: &[Bag],
    pairs: &[MetPair],
    wanted: usize,
    (k, l): (u8, u16),
    m: u16,
    tries: u32,
) -> Result<u32, TablesError> {
    let wanted = wanted.min(pairs.len());
    let rules = TableRules::Independent { k, l };
    let mean = EqualValues::new(&pairs[..wanted], wanted, m).expected(k, l).found;
    let mut best: Option<(f64, u32)> = None;
    for seed in 1..=tries {
        let met = meetings(bags, &pairs[..wanted], rules, m, seed.into())?;
        let found = met.iter().filter(|&&tables| tables > 0).count();
        let off = (found as f64 - mean).abs();
        if best.is_none_or(|(least, _)| off < least) {
            best = Some((off, seed));
        }
        if off <= 0.5 {
            break;
        }
    }
    Ok(best.map_or(1, |(_, seed)| seed))
}

/// Returns the similarity at which pages meet with a probability of 1/2, with a precision of 2^-20.
/// Uses bisection, because the `probability` grows with the similarity.
#[must_use]
pub fn half(probability: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..20 {
        let middle = (low + high) / 2.0;
        if probability(middle) < 0.5 {
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
        let textbook =
            |k, l| half(move |s| TableRules::Independent { k, l }.collision_probability(s));
        assert!((textbook(1, 1) - 0.5).abs() < 1e-5);
        assert!((textbook(2, 20) - 0.185).abs() < 1e-3);
        for (k, l) in [(2, 20), (3, 125)] {
            let exact = ExactCurve::new(k, l, 80);
            let s = half(|s| exact.at(s));
            assert!(s > textbook(k, l));
            assert!((exact.at(s) - 0.5).abs() < 1e-4, "{s}");
        }
    }

    /// The slow but obvious definition: draws of signatures and of keys.
    fn simulated(k: usize, l: u32, m: u32, s: f64, draws: u32) -> f64 {
        use pagekin_core::hash::SplitMix64;
        let mut stream = SplitMix64::new(17);
        let threshold = (s * f64::from(u32::MAX)) as u32;
        let met = (0..draws).filter(|_| {
            let equal: Vec<bool> =
                (0..m).map(|_| (stream.next_u64() >> 32) as u32 <= threshold).collect();
            let mut places: Vec<usize> = (0..m as usize).collect();
            (0..l).any(|_| {
                stream.shuffle(&mut places);
                places[..k].iter().all(|&at| equal[at])
            })
        });
        f64::from(met.count() as u32) / f64::from(draws)
    }

    #[test]
    fn the_exact_probability_matches_simulated_draws() {
        for (k, l, m, s) in [(3, 20, 10, 0.3), (2, 5, 6, 0.7), (1, 3, 4, 0.5)] {
            let found = simulated(usize::from(k), u32::from(l), u32::from(m), s, 4_000);
            let exact = ExactCurve::new(k, l, m).at(s);
            assert!((found - exact).abs() < 0.03, "k {k}, l {l}, m {m}: {found} and {exact}");
        }
        let curve = ExactCurve::new(3, 125, 80);
        let exact = |s| curve.at(s);
        assert!((exact(0.2) - 0.559).abs() < 1e-3, "{}", exact(0.2));
        assert_eq!((exact(0.0), exact(1.0)), (0.0, 1.0));
        assert!((ExactCurve::new(1, 1, 80).at(0.37) - 0.37).abs() < 1e-9);
        assert!((ExactCurve::new(1, 1, 80).at(0.93) - 0.93).abs() < 1e-9);
        let textbook = TableRules::Independent { k: 3, l: 125 };
        for percent in 1..100 {
            let s = f64::from(percent) / 100.0;
            assert!(exact(s) <= textbook.collision_probability(s) + 1e-12);
        }
    }

    #[test]
    fn expected_numbers_match_the_mean_of_draws() {
        let bags: Vec<Bag> = (0..12).map(|at| bag(at * 20..at * 20 + 60)).collect();
        let pairs = pairs(&bags);
        let wanted = pairs.iter().filter(|pair| pair.overlap.jaccard() >= 0.2).count();
        let rules = TableRules::Independent { k: 2, l: 20 };
        let times = times_met(&bags, &pairs, rules, 80, 1, 200).unwrap();
        let mean = |times: &[u32]| f64::from(times.iter().sum::<u32>()) / 200.0;
        let expected = EqualValues::new(&pairs, wanted, 80).expected(2, 20);
        let curve = ExactCurve::new(2, 20, 80);
        let sum = |pairs: &[MetPair]| -> f64 {
            pairs.iter().map(|pair| curve.at(pair.overlap.jaccard())).sum()
        };
        assert!((sum(&pairs) - expected.compared).abs() < 1e-9, "{expected:?}");
        assert!((sum(&pairs[..wanted]) - expected.found).abs() < 1e-9, "{expected:?}");
        assert!((mean(&times) - expected.compared).abs() < 1.0, "{expected:?}");
        assert!((mean(&times[..wanted]) - expected.found).abs() < 0.6, "{expected:?}");
        let seed = ordinary_seed(&bags, &pairs, wanted, (2, 20), 80, 30).unwrap();
        let met = meetings(&bags, &pairs, rules, 80, seed.into()).unwrap();
        let found = met[..wanted].iter().filter(|&&tables| tables > 0).count();
        assert!((found as f64 - expected.found).abs() <= 0.5);
    }

    #[test]
    fn strips_and_buckets_match_the_meetings() {
        let bags = [bag(0..50), bag(0..50), bag(25..75), Bag::default()];
        let pairs = pairs(&bags);
        let rules = TableRules::Independent { k: 1, l: 30 };
        let met = meetings(&bags, &pairs, rules, 80, 4).unwrap();
        for (pair, tables) in pairs.iter().zip(met) {
            let (u, v) = (pair.u as usize, pair.v as usize);
            let found = strips(&bags[u], &bags[v], rules, 80, 4).unwrap();
            let equal = found.iter().flat_map(|one| &one.tables).filter(|(_, equal)| *equal);
            assert_eq!(equal.count(), usize::from(tables));
            let shared = (0..30).filter(|&table| {
                let all = buckets(&bags, rules, 80, 4, table).unwrap();
                all.iter().any(|one| one.contains(&pair.u) && one.contains(&pair.v))
            });
            assert_eq!(shared.count(), usize::from(tables));
        }
        let found = strips(&bags[0], &bags[2], rules, 80, 4).unwrap().unwrap();
        for (indices, equal) in found.tables {
            let of = |at: usize| found.values[at][usize::from(indices[0])];
            assert_eq!(of(0) == of(1), equal);
        }
        assert_eq!(strips(&bags[0], &bags[3], rules, 80, 4), Ok(None));
    }
}
