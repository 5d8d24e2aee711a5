//! Chooses the number of tables and the length of their keys, from the pages, the threshold, and
//! how similar pages are in general.
//!
//! # Recall
//!
//! Two pages of similarity `s` agree in a value with probability `s`. So a table with keys of `k`
//! values finds them with probability `s^k`, and `l` tables with `1 - (1 - s^k)^l`, if all `k l`
//! values are drawn independently. But the values are drawn from the same `m`. Two pages agree in
//! `a` of these, which is binomially distributed, and share the key of a table with probability
//! `C(a, k) / C(m, k)`. The mean over `a` is lower than the formula, and is what is predicted here:
//! with `m = 80`, the paper's `k = 3` and `l = 125` find 0.91 of the pairs with similarity 0.3,
//! while the formula gives 0.97. The filter then keeps the pairs that agree in enough of the
//! compared values.
//!
//! # Cost
//!
//! A table groups all `n` pages by key, which is cheaper if other tables use the same value, and
//! compares the pages that share a key. This takes `n^2 / 2` comparisons times the probability that
//! two random pages share a key, which is the mean of `J^k` over all pairs. This background is
//! estimated from all pairs of a sample of about ten thousand pages, by the keys of a few tables
//! for each `k`. Buckets that are too large are cut, which limits their cost and loses some pairs.
//! The sample also estimates this, and the prediction includes it.
//!
//! The unit of cost is a comparison, about 4 ns. A table costs [`TABLE`] per page, and [`CUT`] per
//! page in a cut bucket. Each value that tables share costs [`HEAD`] per page. The choice is the
//! cheapest `k` and `l` that find the wanted share of the pairs at the threshold. If they exceed
//! the allowed cost, it is the choice within this cost that finds most, and [`Choice::is_enough`]
//! is false.

use pagekin_core::hash;
use pagekin_core::lsh::{TableRules, Tables};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::PairsError;
use crate::pairs::bucket_join::ExtractOptions;
use crate::pairs::large_buckets::ORDERS;
use crate::pairs::table_order;
use crate::signatures::columns::SignatureColumns;
use crate::threshold::Threshold;

/// Cost of grouping a page by the value of a head, in comparisons: see `table_order`.
pub const HEAD: f64 = 25.0;
/// Cost per page of grouping the pages of a head by the key of a table.
pub const TABLE: f64 = 9.0;
/// Cost of sorting a page in a cut bucket.
pub const CUT: f64 = 400.0;
/// Maximum number of values in a key.
const MAX_K: u8 = 8;
/// Maximum number of tables.
const MAX_L: u16 = 1_024;
/// Minimum and maximum size of a sample, which is otherwise one in 16 pages; and the number of
/// tables per `k` that it is put into.
const SAMPLE: [usize; 2] = [1 << 13, 1 << 16];
const DRAWS: u16 = 8;

/// How often unrelated pages share a key.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    pages: usize,
    /// For tables with keys of 1, 2, … values.
    tables: [Meeting; MAX_K as usize],
}

/// Statistics of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Meeting {
    /// Comparisons per page: half of the pages that share its key, or fewer if buckets are cut.
    compared: f64,
    /// The share of the pages that are in cut buckets.
    cut: f64,
}

impl Background {
    /// Samples `pages`, in a few tenths of a second at most. Equal signatures should be collapsed
    /// before.
    #[must_use]
    pub fn sample(columns: &SignatureColumns, pages: &[u32], seed: u64) -> Self {
        let sample = drawn(pages.to_vec(), pages.len(), seed, |&page| page);
        Self::from_sample(columns, &sample, pages.len(), seed)
    }

    /// Estimates the background of `of` pages from pages that were [`drawn`].
    #[must_use]
    pub fn from_sample(columns: &SignatureColumns, sample: &[u32], of: usize, seed: u64) -> Self {
        let tables = std::array::from_fn(|at| {
            let (k, m) = (at as u8 + 1, columns.m() as u16);
            let rules = TableRules::Independent { k, l: DRAWS };
            // If a key would be longer than a signature, this key and all longer ones have no
            // statistics.
            let tables = Tables::new(rules, m, seed ^ u64::from(k));
            let Some(tables) = tables.ok().filter(|_| sample.len() > 1) else {
                return Meeting::default();
            };
            let indices: Vec<&[u16]> = tables.indices().collect();
            let scale = (of - 1) as f64 / (sample.len() - 1) as f64;
            let in_table = |indices: &&[u16]| meeting(columns, sample, indices, scale);
            let met: Vec<Meeting> = indices.par_iter().map(in_table).collect();
            let mean = |of: fn(&Meeting) -> f64| met.iter().map(of).sum::<f64>() / f64::from(DRAWS);
            Meeting { compared: mean(|met| met.compared), cut: mean(|met| met.cut) }
        });
        Self { pages: of, tables }
    }

    fn table(&self, k: u8) -> Meeting {
        self.tables[usize::from(k) - 1]
    }
}

/// Returns the size of a sample of `of` pages.
pub fn sample_size(of: usize) -> usize {
    (of / 16).clamp(SAMPLE[0], SAMPLE[1]).min(of)
}

/// Returns the number by which pages are drawn: those with the lowest numbers are.
pub fn lot(page: u32, seed: u64) -> u64 {
    hash::mix(hash::mix(seed) ^ u64::from(page))
}

/// Draws a sample of `of` pages from `pages`, in ascending order. Whether a page is drawn depends
/// only on its number, so samples can be drawn from parts of the pages, and from these samples
/// again.
pub fn drawn<T>(mut pages: Vec<T>, of: usize, seed: u64, page: impl Fn(&T) -> u32) -> Vec<T> {
    let wanted = sample_size(of);
    if pages.len() > wanted {
        pages.select_nth_unstable_by_key(wanted, |one| lot(page(one), seed));
        pages.truncate(wanted);
    }
    pages.sort_unstable_by_key(page);
    pages
}

/// Computes the statistics of pages in a table, if each represents `scale` pages.
fn meeting(columns: &SignatureColumns, pages: &[u32], indices: &[u16], scale: f64) -> Meeting {
    let max = f64::from(ExtractOptions::MAX_IN_BUCKET);
    let mut hashes = Vec::new();
    columns.hash_keys(pages, indices, &mut hashes);
    hashes.sort_unstable();
    let mut meeting = Meeting::default();
    for run in hashes.chunk_by(|a, b| a == b) {
        let (part, others) =
            (run.len() as f64 / pages.len() as f64, (run.len() - 1) as f64 * scale);
        meeting.compared += part * others.min(max) / 2.0;
        meeting.cut += if others > max { part } else { 0.0 };
    }
    meeting
}

/// Requirements for the tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Requirements {
    /// The minimum similarity of pairs.
    pub threshold: Threshold,
    /// The share of the pairs at the threshold that should share a key, above 0 and below 1.
    pub recall: f64,
    /// Maximum cost of all tables, in comparisons per page.
    pub max_work: f64,
    /// Number of values in a key, 1 to 8; `None` to choose it.
    pub k: Option<u8>,
    /// Number of tables, 1 to 1,024; `None` to choose it.
    pub l: Option<u16>,
}

impl Requirements {
    /// Default recall at the threshold.
    pub const RECALL: f64 = 0.95;
    /// Default of the maximum cost: about 50 microseconds of processor time per page.
    pub const MAX_WORK: f64 = 12_000.0;

    /// Returns the default requirements for pairs with at least this similarity.
    #[must_use]
    pub fn new(threshold: Threshold) -> Self {
        let (recall, max_work) = (Self::RECALL, Self::MAX_WORK);
        Self { threshold, recall, max_work, k: None, l: None }
    }

    /// Returns the tables of the paper: 125 tables with keys of 3 values.
    #[must_use]
    pub fn paper() -> Self {
        Self { k: Some(3), l: Some(125), ..Self::new(Threshold::PAPER) }
    }
}

/// A choice of tables.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Number of values in a key.
    pub k: u8,
    /// Number of tables.
    pub l: u16,
    /// The predicted share of the pairs at the threshold that share a key.
    pub recall: f64,
    /// The share of the pages that are in cut buckets.
    pub cut: f64,
    /// The expected number of comparisons in all tables.
    pub candidates: f64,
    /// The cost of all tables, in comparisons per page.
    pub work: f64,
    /// Whether the tables reach the wanted recall.
    pub is_enough: bool,
}

/// Chooses tables for signatures of `m` values.
///
/// # Errors
///
/// Returns [`PairsError::Range`] if a number of `wish` is out of range, or if `k` is above `m`.
pub fn choose(background: &Background, wish: &Requirements, m: u16) -> Result<Choice, PairsError> {
    let range = |what, expected, found: String| Err(PairsError::Range { what, expected, found });
    if let Some(k) = wish.k
        && !(1..=u16::from(MAX_K).min(m)).contains(&u16::from(k))
    {
        return range("the values of a key", "1 to 8 and at most m", k.to_string());
    }
    if let Some(l) = wish.l
        && !(1..=MAX_L).contains(&l)
    {
        return range("the number of tables", "1 to 1024", l.to_string());
    }
    if !(wish.recall > 0.0 && wish.recall < 1.0) {
        return range("the wanted recall", "above 0 and below 1", wish.recall.to_string());
    }
    if wish.max_work.is_nan() || wish.max_work <= 0.0 {
        return range("the allowed work", "above 0", wish.max_work.to_string());
    }
    let agreeing = distribution(m, wish.threshold.value());
    let choices = (1..=m.min(MAX_K.into()) as u8)
        .filter(|k| wish.k.is_none_or(|wanted| wanted == *k))
        .map(|k| {
            let Meeting { compared, cut } = background.table(k);
            let work = |l| {
                f64::from(l) * (TABLE + compared + CUT * cut) + f64::from(heads(k, l, m)) * HEAD
            };
            let recall = |l| recall(&agreeing, k, l, cut);
            // The fewest tables that are enough, or as many as are allowed.
            let l = wish.l.unwrap_or_else(|| {
                let last = first(MAX_L, |l| l == MAX_L || work(l + 1) > wish.max_work);
                first(last, |l| l == last || recall(l) >= wish.recall)
            });
            Choice {
                k,
                l,
                recall: recall(l),
                cut,
                candidates: compared * background.pages as f64 * f64::from(l),
                work: work(l),
                is_enough: recall(l) >= wish.recall,
            }
        });
    // The limit may be exceeded if `k` and `l` are fixed, or if no choice is cheap enough.
    let allowed = |choice: &Choice| choice.is_enough && choice.work <= wish.max_work;
    let better = |a: Choice, b: Choice| {
        let b_is_better = match (allowed(&a), allowed(&b)) {
            (true, true) => b.work < a.work,
            (false, false) if (a.work <= wish.max_work) == (b.work <= wish.max_work) => {
                b.recall > a.recall
            }
            (false, false) => b.work <= wish.max_work,
            (_, b) => b,
        };
        if b_is_better { b } else { a }
    };
    let (what, expected) = ("m", "at least 1");
    choices.reduce(better).ok_or(PairsError::Range { what, expected, found: m.to_string() })
}

/// Returns the least number from 1 to `last` for which `is_enough` returns true, as it must for all
/// greater numbers.
fn first(last: u16, is_enough: impl Fn(u16) -> bool) -> u16 {
    let (mut few, mut enough) = (1, last);
    while few < enough {
        let middle = few.midpoint(enough);
        if is_enough(middle) {
            enough = middle;
        } else {
            few = middle + 1;
        }
    }
    enough
}

/// Returns the approximate number of values that tables share, which is that of one seed.
fn heads(k: u8, l: u16, m: u16) -> u32 {
    let tables = Tables::new(TableRules::Independent { k, l }, m, 0);
    tables.map_or(0, |tables| table_order::in_order(tables.indices().collect()).1.len() as u32)
}

/// The predicted recall at a similarity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The similarity of the pairs.
    pub similarity: f64,
    /// The formula of the paper, `1 - (1 - s^k)^l`.
    pub formula: f64,
    /// The share of the pairs that share a key.
    pub meets: f64,
    /// The share of the pairs that share a key and pass the filter.
    pub found: f64,
}

/// Returns the predicted recall at the similarities 0.2, 0.3, … 0.9, for signatures of `m` values
/// that must agree in the share `threshold` of them.
#[must_use]
pub fn curve(choice: &Choice, m: u16, threshold: Threshold) -> Vec<CurvePoint> {
    (2..=9).map(|tenths| curve_at(f64::from(tenths) / 10.0, choice, m, threshold)).collect()
}

/// Returns the point of the [`curve`] at a similarity, which is the probability that a value
/// agrees.
#[must_use]
pub fn curve_at(similarity: f64, choice: &Choice, m: u16, threshold: Threshold) -> CurvePoint {
    let Choice { k, l, cut, .. } = *choice;
    let min = threshold.min_of(u32::from(m)) as usize;
    let distribution = distribution(m, similarity);
    let passing = distribution.iter().enumerate().skip(min);
    let found = passing.map(|(a, p)| p * meets(a, m.into(), k, l, cut)).sum();
    let formula = TableRules::Independent { k, l }.collision_probability(similarity);
    let meets = recall(&distribution, k, l, cut);
    CurvePoint { similarity, formula, meets, found }
}

/// Returns the probabilities that 0, 1, … `m` of `m` values agree, if each agrees with probability
/// `s`.
fn distribution(m: u16, s: f64) -> Vec<f64> {
    let mut probabilities = vec![0.0; usize::from(m) + 1];
    probabilities[0] = 1.0;
    for values in 1..=usize::from(m) {
        for agreeing in (1..=values).rev() {
            probabilities[agreeing] =
                probabilities[agreeing] * (1.0 - s) + probabilities[agreeing - 1] * s;
        }
        probabilities[0] *= 1.0 - s;
    }
    probabilities
}

/// Returns the probability that two pages that agree in `a` of `m` values are compared in at least
/// one of `l` tables, where the share `cut` of the pages is in cut buckets. It is 0 for keys longer
/// than `m`.
///
/// A cut bucket compares two pages if they are in the same block in one of [`ORDERS`] orders, which
/// means that they agree in its first value that is not in the key.
fn meets(a: usize, m: usize, k: u8, l: u16, cut: f64) -> f64 {
    let part = |i: usize| a.saturating_sub(i) as f64 / m.saturating_sub(i).max(1) as f64;
    let key: f64 = (0..usize::from(k)).map(part).product();
    let apart = (1.0 - part(k.into())).powi(ORDERS as i32);
    1.0 - (1.0 - key * (1.0 - cut * apart)).powi(i32::from(l))
}

/// Returns the mean of [`meets`] over the number of agreeing values.
fn recall(agreeing: &[f64], k: u8, l: u16, cut: f64) -> f64 {
    let m = agreeing.len() - 1;
    agreeing.iter().enumerate().map(|(a, probability)| probability * meets(a, m, k, l, cut)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::bucket_join::ExtractOptions;
    use crate::pairs::extract::{PairBatch, extract};
    use crate::signatures::columns::tests::columns;
    use expect_test::expect;
    use pagekin_core::hash::SplitMix64;

    const M: u16 = 80;

    /// A background with these probabilities that two pages share a key of 1, 2, … values. No
    /// bucket is cut.
    fn background(pages: usize, meeting: [f64; 8]) -> Background {
        let half = pages as f64 / 2.0;
        let tables = meeting.map(|met| Meeting { compared: half * met, cut: 0.0 });
        Background { pages, tables }
    }

    /// The choice of the paper.
    fn of_paper() -> Choice {
        let background = background(100, [1e-3; 8]);
        choose(&background, &Requirements::paper(), M).unwrap()
    }

    /// Rows of pairs of pages that agree in each value with probability `s`.
    fn planted(pairs: u32, s: f64, seed: u64) -> Vec<u16> {
        let mut stream = SplitMix64::new(seed);
        let mut rows = Vec::new();
        for _ in 0..pairs {
            let first: Vec<u16> = (0..M).map(|_| stream.next_u64() as u16).collect();
            rows.extend(&first);
            rows.extend(first.iter().map(|&value| {
                let agrees = f64::from(stream.below(1_000_000)) < s * 1e6;
                if agrees { value } else { stream.next_u64() as u16 }
            }));
        }
        rows
    }

    /// Returns the number of planted pairs found, and of other pairs found.
    fn found(rows: &[u16], k: u8, l: u16, threshold: Threshold) -> (u32, u32) {
        let columns = columns(M, rows);
        let pages: Vec<u32> = (0..columns.pages()).collect();
        let tables = Tables::new(TableRules::Independent { k, l }, M, 11).unwrap();
        let (mut planted, mut others) = (0, 0);
        let options = ExtractOptions { threshold, max_in_bucket: 1_000 };
        extract(&columns, &pages, &tables, options, |batch: PairBatch<'_>| {
            for pair in batch.pairs {
                *if pair.u / 2 == pair.v / 2 { &mut planted } else { &mut others } += 1;
            }
            Ok::<(), PairsError>(())
        })
        .unwrap();
        (planted, others)
    }

    /// The share of the pairs with a similarity that pass the filter, whether they share a key or
    /// not. Bytes of different values are equal once in 256 times.
    fn passing(similarity: f64, m: u16, threshold: Threshold) -> f64 {
        let equal = similarity + (1.0 - similarity) / 256.0;
        let min = threshold.min_of(u32::from(m)) as usize;
        distribution(m, equal).iter().skip(min).sum()
    }

    #[test]
    fn the_best_choice_over_all_key_lengths_is_chosen() {
        let background = background(1_000_000, [3e-2, 1e-3, 6e-5, 4e-6, 3e-7, 2e-8, 1e-9, 1e-10]);
        for max_work in [20.0, 300.0, 1_000.0, 5_000.0, 40_000.0] {
            for recall in [0.5, 0.95, 0.999] {
                let wish = Requirements { max_work, recall, ..Requirements::new(Threshold::PAPER) };
                let of_length =
                    |k| choose(&background, &Requirements { k: Some(k), ..wish }, M).unwrap();
                let all: Vec<Choice> = (1..=MAX_K).map(of_length).collect();
                let cheap = |choice: &&Choice| choice.work <= max_work;
                let by_work = |a: &&Choice, b: &&Choice| a.work.total_cmp(&b.work);
                let by_recall = |a: &&Choice, b: &&Choice| a.recall.total_cmp(&b.recall);
                let enough = all.iter().filter(cheap).filter(|choice| choice.is_enough);
                let expected = enough
                    .min_by(by_work)
                    .or_else(|| all.iter().filter(cheap).max_by(by_recall))
                    .or_else(|| all.iter().max_by(by_recall));
                let chosen = choose(&background, &wish, M).unwrap();
                assert_eq!((chosen.k, chosen.l), expected.map(|one| (one.k, one.l)).unwrap());
            }
        }
    }

    #[test]
    fn the_papers_tables_match_the_prediction() {
        let mut lines = String::new();
        for point in curve(&of_paper(), M, Threshold::PAPER) {
            let CurvePoint { similarity, formula, meets, found } = point;
            lines += &format!("{similarity} {formula:.3} {meets:.3} {found:.3}\n");
        }
        expect![[r#"
            0.2 0.634 0.559 0.398
            0.3 0.967 0.911 0.904
            0.4 1.000 0.994 0.994
            0.5 1.000 1.000 1.000
            0.6 1.000 1.000 1.000
            0.7 1.000 1.000 1.000
            0.8 1.000 1.000 1.000
            0.9 1.000 1.000 1.000
        "#]]
        .assert_eq(&lines);
        let pairs = 1_000;
        for (at, point) in curve(&of_paper(), M, Threshold::PAPER).iter().enumerate().take(4) {
            let rows = planted(pairs, point.similarity, at as u64);
            let (planted, others) = found(&rows, 3, 125, Threshold::PAPER);
            let part = f64::from(planted) / f64::from(pairs);
            // Allow for five standard deviations, and for the difference between the drawn indices
            // and their mean.
            let bound = 5.0 * (point.found * (1.0 - point.found) / f64::from(pairs)).sqrt() + 0.02;
            assert!((part - point.found).abs() < bound, "{part} for {point:?}");
            assert_eq!(others, 0);
        }
    }

    /// The paper's tables find 95 of 100 pairs with uniformly distributed similarities of at least
    /// 0.3.
    #[test]
    fn the_papers_tables_find_similar_pairs() {
        let mut rows = Vec::new();
        for hundredths in 30..=90u32 {
            rows.extend(planted(40, f64::from(hundredths) / 100.0, hundredths.into()));
        }
        let (planted, _) = found(&rows, 3, 125, Threshold::PAPER);
        let part = f64::from(planted) / (61.0 * 40.0);
        assert!(part >= 0.95, "{part}");
    }

    /// Among pairs below the threshold, the filter passes as many as the binomial distribution
    /// predicts.
    #[test]
    fn the_precision_of_the_filter_matches_the_binomial_distribution() {
        let pairs = 1_500;
        for s in [0.05, 0.1, 0.15] {
            // Tables with keys of one value find nearly all pairs that would pass.
            let (passed, _) = found(&planted(pairs, s, 77), 1, 400, Threshold::PAPER);
            let expected = passing(s, M, Threshold::PAPER);
            let part = f64::from(passed) / f64::from(pairs);
            let bound = 5.0 * (expected * (1.0 - expected) / f64::from(pairs)).sqrt() + 0.001;
            assert!((part - expected).abs() < bound, "{part} for {expected}");
        }
    }

    #[test]
    fn the_background_is_the_frequency_of_shared_keys() {
        // Each value has 16 possibilities, so two pages share a key of k values with probability
        // 16^-k.
        let mut stream = SplitMix64::new(3);
        let rows: Vec<u16> = (0..2_400 * usize::from(M)).map(|_| stream.below(16) as u16).collect();
        let columns = columns(M, &rows);
        // No bucket exceeds the limit of tests.
        let pages: Vec<u32> = (0..2_400).collect();
        let background = Background::sample(&columns, &pages, 1);
        for k in 1..=4 {
            let expected = 1.0 / 16f64.powi(k);
            let met = background.table(k as u8);
            let compared = met.compared / 1_200.0;
            assert!((compared / expected - 1.0).abs() < 0.1, "{compared} for {expected}");
            assert_eq!(met.cut, 0.0);
        }
        let none = Background::sample(&columns, &[], 1);
        assert_eq!(none.table(1), Meeting::default());
    }

    /// Pages that all agree in many values are in one bucket. The cost and loss of cutting it are
    /// predicted.
    #[test]
    fn cut_buckets_are_predicted() {
        let mut stream = SplitMix64::new(9);
        let count = 12_000;
        let rows: Vec<u16> = (0..count * usize::from(M))
            .map(|at| if at % 4 == 0 { 7 } else { stream.next_u64() as u16 })
            .collect();
        let columns = columns(M, &rows);
        let pages: Vec<u32> = (0..count as u32).collect();
        let background = Background::sample(&columns, &pages, 1);
        // A quarter of the values is the same on all pages. Half of a bucket of the maximum size
        // remains to be compared.
        let Meeting { compared, cut } = background.table(1);
        assert!(cut == 0.25 || cut == 0.125 || cut == 0.375 || cut == 0.5, "{cut}");
        let half = f64::from(ExtractOptions::MAX_IN_BUCKET) / 2.0;
        assert!((compared / (cut * half) - 1.0).abs() < 0.05, "{compared}");
        let (whole, less) = (meets(20, 80, 1, 4, 0.0), meets(20, 80, 1, 4, 1.0));
        assert!(less < whole && less > 0.6 * whole, "{less} of {whole}");
        assert_eq!(meets(80, 80, 3, 1, 1.0), 1.0);
        assert_eq!(meets(0, 80, 1, 9, 1.0), 0.0);
    }

    #[test]
    fn more_pages_get_longer_keys() {
        let meeting = [1e-2, 2e-3, 6e-4, 2e-4, 8e-5, 3e-5, 1e-5, 5e-6].map(|met| met * 1e-2);
        let threshold = Threshold::from_thousandths(300).unwrap();
        let mut last = 0;
        let mut lines = String::new();
        for pages in [10_000, 1_000_000, 20_000_000] {
            let choice =
                choose(&background(pages, meeting), &Requirements::new(threshold), M).unwrap();
            assert!(choice.k >= last);
            last = choice.k;
            let Choice { k, l, recall, work, is_enough, .. } = choice;
            lines += &format!(
                "{pages}: k {k}, l {l}, recall {recall:.3}, work {work:.0}, {is_enough}\n"
            );
        }
        expect![[r#"
            10000: k 1, l 9, recall 0.952, work 310, true
            1000000: k 1, l 9, recall 0.952, work 756, true
            20000000: k 2, l 39, recall 0.951, work 8576, true
        "#]]
        .assert_eq(&lines);
    }

    #[test]
    fn keys_are_no_longer_than_signatures() {
        let background = background(1_000, [1e-3; 8]);
        for m in [1, 2, 8, 256, 1_024] {
            let choice = choose(&background, &Requirements::new(Threshold::PAPER), m).unwrap();
            assert!((1..=m.min(8)).contains(&choice.k.into()), "{choice:?}");
        }
        assert!(choose(&background, &Requirements::new(Threshold::PAPER), 0).is_err());
        assert!(choose(&background, &Requirements::paper(), 2).is_err());
        assert!(curve(&of_paper(), 2, Threshold::PAPER).iter().all(|point| point.meets == 0.0));
    }

    #[test]
    fn fixed_numbers_are_kept() {
        let background = background(1_000_000, [1e-3; 8]);
        let choice = choose(&background, &Requirements::paper(), M).unwrap();
        assert_eq!((choice.k, choice.l, choice.is_enough), (3, 125, false));
        assert!(choice.work > Requirements::MAX_WORK, "fixed tables may exceed the limit");
        let wish = Requirements { k: Some(2), ..Requirements::new(Threshold::PAPER) };
        // 530 comparisons per page and table allow 22 tables; 100 would be needed.
        let choice = choose(&background, &wish, M).unwrap();
        assert_eq!((choice.k, choice.l, choice.is_enough), (2, 22, false));
        for wish in [
            Requirements { k: Some(0), ..wish },
            Requirements { k: Some(9), ..wish },
            Requirements { l: Some(0), ..wish },
            Requirements { recall: 1.0, ..wish },
            Requirements { max_work: f64::NAN, ..wish },
        ] {
            assert!(choose(&background, &wish, M).is_err(), "{wish:?}");
        }
    }
}
